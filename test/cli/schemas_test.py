#!/usr/bin/env python3
"""Every document that plimsoll prints fits its JSON Schema and says the same as an independent evaluation of it.

usage: schemas_test.py PLIMSOLL

Inputs are test/data and, where ../shared exists, all of its inputs of Extra-P; PLIMSOLL_REQUIRE_SHARED=1 makes
their absence a failure. Exit codes: 0 all well, 1 not, 77 no jsonschema here.
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(1 if os.environ.get("PLIMSOLL_REQUIRE_SHARED") == "1" else 77)

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "test/data"
SHARED = Path(os.environ.get("PLIMSOLL_SHARED", ROOT.parent / "shared"))
SECONDS_PER_RUN = 120
PLIMSOLL = None


def closed(schema):
    """The schema without room for keys that it does not name: what we print is what is documented."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(part) if key != "properties" else {name: closed(p) for name, p in part.items()}
              for key, part in schema.items()}
    if "properties" in schema and schema.get("type") == "object" and "if" not in schema:
        result.setdefault("additionalProperties", False)
    if "if" in schema:
        # The two branches name the keys; each is closed with those of the object itself added.
        for branch in ("then", "else"):
            named = {**dict.fromkeys(schema["properties"], {}), **result[branch]["properties"]}
            result[branch] = {**result[branch], "properties": named, "additionalProperties": False}
    return result


def load_validators():
    validators = {}
    for path in sorted((ROOT / "docs/formats").glob("*.schema.json")):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[path.name.split(".")[0]] = jsonschema.Draft202012Validator(closed(schema))
    return validators


VALIDATORS = load_validators()

sys.path.insert(0, str(ROOT / "test/campaign"))
sys.dont_write_bytecode = True
from campaign_folder import Campaign  # noqa: E402


class Complaint(Exception):
    """What is wrong with one run."""


def validated(name, text):
    try:
        document = json.loads(text, parse_constant=lambda word: fail(f"'{word}' is not JSON"))
    except ValueError as error:
        raise Complaint(f"no JSON: {error}: {text[:200]!r}") from None
    for error in VALIDATORS[name].iter_errors(document):
        best = jsonschema.exceptions.best_match([error])
        raise Complaint(f"{name}: at {'/'.join(map(str, best.absolute_path))}: {best.message[:300]}")
    return document


def fail(message):
    raise Complaint(message)


def run(name, *arguments):
    """The document that a command prints, or None where it refuses its input, as it should say."""
    command = [PLIMSOLL, *map(str, arguments), "--json"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS_PER_RUN)
    except subprocess.TimeoutExpired:
        raise Complaint("hangs") from None
    stdout, stderr = done.stdout.decode(), done.stderr.decode()
    if done.returncode == 0 or (done.returncode == 1 and name in ("expect", "compare", "plan-config")):
        if stderr:
            raise Complaint(f"prints to standard error: {stderr[:300]}")
        return validated(name, stdout)
    if done.returncode != 2:
        raise Complaint(f"exit code {done.returncode}: {stderr[:300]}")
    if stdout:
        raise Complaint("fails, and prints a result")
    error = validated("error", stderr)
    if error["kind"] == "input" and error["file"] is None:
        raise Complaint(f"an input error names no file: {error['message']}")
    if error["kind"] not in ("usage", "input"):
        raise Complaint(f"exit code 2 of kind '{error['kind']}'")
    if re.search(r"\.$|^[A-Z]", error["message"]):
        raise Complaint(f"not a message in our style: {error['message']}")
    return None


def power_log(x, exponent, log_exponent):
    value = 1.0
    if Fraction(exponent) != 0:
        value *= x ** float(Fraction(exponent))
    if Fraction(log_exponent) != 0:
        value *= math.log2(x) ** float(Fraction(log_exponent))
    return math.nan if isinstance(value, complex) else value


def evaluate(function, point, parameters):
    """The value of a document's function; NaN where it has none."""
    if "segments" in function:
        return evaluate_segments(function["segments"], function.get("parameter", parameters[0]), point, parameters)
    if function["constant"] is None:
        return math.nan
    total = function["constant"]
    for term in function["terms"]:
        if term["coefficient"] is None:
            return math.nan
        product = term["coefficient"]
        for factor in term["factors"]:
            if "segments" in factor:
                product *= evaluate_segments(factor["segments"], factor["parameter"], point, parameters)
            else:
                product *= power_log(point[factor["parameter"]], factor["exponent"], factor["log_exponent"])
        total += product
    return total


def evaluate_segments(segments, parameter, point, parameters):
    for segment in segments:
        begin = -math.inf if segment["from"] is None else segment["from"]
        end = math.inf if segment["to"] is None else segment["to"]
        if begin <= point[parameter] <= end:
            return evaluate(segment["function"], point, parameters)
    return math.nan


def value_of(evaluation):
    try:
        value = evaluation()
    except (ValueError, ZeroDivisionError, OverflowError):
        return math.nan
    return math.nan if isinstance(value, complex) else value


def largest_term(function, point, parameters):
    """How large the parts of a sum are: by so much rounding may grow where they cancel out."""
    def size(part):
        if "segments" in part:
            return max(size(segment["function"]) for segment in part["segments"])
        terms = [value_of(lambda t=t: evaluate({"constant": 0.0, "terms": [t]}, point, parameters)) for t in part["terms"]]
        return max([abs(part["constant"] or 0.0), *(abs(t) for t in terms if math.isfinite(t))])
    return size(function)


def same(expected, value, scale=0.0):
    if value is None or not math.isfinite(expected):
        return value is None and not math.isfinite(expected)
    return abs(expected - value) <= 1e-9 * max(abs(expected), abs(value), scale)


def identifier(name):
    """A parameter's name as a formula in Python has it."""
    clean = "".join(chr(b) if chr(b).isalnum() and b < 128 else "_" for b in name.encode())
    return "_" + clean if not clean or clean[0].isdigit() else clean


def python_formulas(arguments):
    done = subprocess.run([PLIMSOLL, "fit", *map(str, arguments), "--formula", "python"], capture_output=True,
                          timeout=SECONDS_PER_RUN)
    formulas = {}
    for line in done.stdout.decode().splitlines():
        region, metric, formula = line.rsplit("\t", 2)
        formulas[region, metric] = formula
    return formulas


def check_shares(predictions, tree, where):
    totals = {}
    for metric, region, prediction in predictions:
        if prediction["share"] is None or tree == "inclusive" and "->" in region:
            continue
        if not 0.0 <= prediction["share"] <= 1.0 + 1e-9:
            raise Complaint(f"{where}: a share of {prediction['share']}")
        key = metric, tuple(prediction["at"].items())
        totals[key] = totals.get(key, 0.0) + prediction["share"]
    for (metric, at), total in totals.items():
        if abs(total - 1.0) > 1e-9:
            raise Complaint(f"{where}: shares of {metric!r} at {dict(at)} add up to {total}")


def check_fit(document, formulas, tree):
    parameters = document["parameters"]
    everything = []
    for model in document["models"]:
        where = f"{model['region']} / {model['metric']}"
        if model["status"] != "ok":
            continue
        for prediction in model["predictions"]:
            if list(prediction["at"]) != parameters:
                raise Complaint(f"{where}: predicted at {prediction['at']}")
            everything.append((model["metric"], model["region"], prediction))
            point, value = prediction["at"], prediction["value"]
            scale = largest_term(model["function"], point, parameters)
            expected = value_of(lambda: evaluate(model["function"], point, parameters))
            if "posterior" in model:  # the median over all forms, which need not be the named one's
                interval = prediction["interval"]
                if value is not None and not interval["low"] <= value <= interval["high"]:
                    raise Complaint(f"{where}: {value} is not in its interval {interval}")
                value = None if math.isnan(expected) or math.isinf(expected) else expected
            elif not same(expected, value, scale):
                raise Complaint(f"{where}: the function is {expected}, predicted is {value}")
            names = {identifier(name): point[name] for name in parameters}
            texts = [formulas[model["region"], model["metric"]]]
            if "{" not in model["formula"]:
                text = re.sub(r"\blog2\(", "math.log2(", model["formula"]).replace("^", "**")
                texts += [text] if all(identifier(name) == name for name in parameters) else []
            for text in texts:
                expected = value_of(lambda text=text: eval(text, {"math": math, **names}))
                if not same(expected, value, scale) and not ("if" in text and value is None):
                    raise Complaint(f"{where}: {text} is {expected}, predicted is {value}")
    check_shares(everything, tree, "fit")


def point_text(document, factor):
    return ",".join(f"{name}={value * factor!r}" for name, value in zip(document["parameters"], document["largest"]))


def check_input(path, options=(), tree="exclusive"):
    """Runs every command on one input; complaints as (command, text)."""
    complaints = []

    def attempt(title, action):
        try:
            return action()
        except Complaint as complaint:
            complaints.append(f"{title}: {complaint}")
            return None

    def fit_at(*arguments):
        document = run("fit", "fit", path, *options, *arguments)
        if document is not None:
            check_fit(document, python_formulas([path, *options]), tree)
        return document

    document = attempt("fit", fit_at)
    attempt("show", lambda: run("show", "show", path, *options))
    with tempfile.TemporaryDirectory() as folder:
        for name in ("runs.jsonl", "runs.extra-p"):
            output = Path(folder) / name
            done = attempt("convert", lambda: run("convert", "convert", path, *options, "-o", output))
            if done is not None and attempt("show again", lambda: run("show", "show", output)) is None:
                complaints.append(f"convert: {name} cannot be read")
        if document is not None and document["parameters"]:
            models = Path(folder) / "models.json"
            models.write_text(json.dumps(document))
            points = ["--at", point_text(document, 2.0), "--at", point_text(document, 16.0)]
            fitted = attempt("fit --at", lambda: fit_at(*points))
            predicted = attempt("predict", lambda: run("predict", "predict", models, *points))
            if fitted is not None and predicted is not None:
                ours = sorted((m["region"], m["metric"], *p["at"].values(), str(p["value"]), str(p["share"]))
                              for m in fitted["models"] for p in m.get("predictions", []))
                stored = sorted((p["region"], p["metric"], *p["at"].values(), str(p["value"]), str(p["share"]))
                                for p in predicted["predictions"])
                if ours != stored:
                    complaints.append("predict: not what fit --at predicts")
                attempt("predict", lambda: check_shares([(p["metric"], p["region"], p)
                                                         for p in predicted["predictions"]], tree, "predict"))
    return [f"{path} {' '.join(options)}: {complaint}" for complaint in complaints]


def shared_inputs():
    """Each file, and each folder of profiles, among the inputs of Extra-P."""
    root = SHARED / "data/extrap"
    inputs = []
    for folder, folders, files in os.walk(root):
        folders.sort()
        if any(list((Path(folder) / name).glob("*.cubex")) for name in folders):
            inputs.append(Path(folder))
            folders.clear()
            continue
        inputs.extend(Path(folder) / name for name in sorted(files))
    return inputs


class Documents(unittest.TestCase):
    def check(self, jobs):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            complaints = [text for found in pool.map(lambda job: check_input(*job), jobs) for text in found]
        self.assertEqual([], complaints, "\n".join(complaints))

    def test_of_our_own_inputs(self):
        solver, grid = DATA / "solver.jsonl", DATA / "grid.txt"
        self.check([(solver,), (grid,), (DATA / "kernels.csv",),
                    (solver, ("--tree", "inclusive"), "inclusive"), (grid, ("--scaling", "strong")),
                    (solver, ("--search", "extra-p", "--modeler", "refining")), (grid, ("--statistic", "median", "--threads", "2")),
                    (solver, ("--region", "main->*", "--metric", "time"))])

    def test_of_inputs_of_extra_p(self):
        if not SHARED.is_dir():
            if os.environ.get("PLIMSOLL_REQUIRE_SHARED") == "1":
                self.fail(f"PLIMSOLL_REQUIRE_SHARED is set, but there is no {SHARED}")
            print(f"skipped: there is no {SHARED}")
            return
        inputs = shared_inputs()
        self.assertGreater(len(inputs), 100)
        segmented = [path for path in inputs if "segmented" in path.name or "step" in path.name]
        self.check([(path,) for path in inputs] + [(path, ("--search", "extra-p", "--modeler", "segmented")) for path in segmented] +
                   [(path, ("--tree", "inclusive"), "inclusive") for path in inputs if path.is_dir()] +
                   [(path, ("--scaling", "strong")) for path in inputs if "one_parameter" in path.name or path.is_dir()])

    def test_of_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "runs.txt"
            table.write_text("PARAMETER p\nPOINTS 4 8\nREGION r\nDATA 1\nDATA x\n")
            done = subprocess.run([PLIMSOLL, "fit", table, "--json"], capture_output=True)
            error = validated("error", done.stderr.decode())
            self.assertEqual(("input", str(table), 5, 2),
                             (error["kind"], error["file"], error["line"], done.returncode))
            for arguments in (["fit"], ["fit", table, "--sttistic", "mean"], ["fit", "--at", "p=1"], ["fit", table, "--at"],
                              ["predict", table], ["shw", table], ["completion", "tcsh"], ["convert", table, "--to", "x"]):
                self.assertIsNone(run("error", *arguments), arguments)
            done = subprocess.run([PLIMSOLL, "fit", DATA / "solver.jsonl", "-o", Path(folder) / "none/x", "--json"],
                                  capture_output=True)
            self.assertEqual(("environment", 3, b""), (validated("error", done.stderr.decode())["kind"],
                                                       done.returncode, done.stdout))

    def test_of_comparisons(self):
        document = run("predict", "predict", DATA / "solver.jsonl", "--against", DATA / "solver.jsonl")
        self.assertEqual(25, len(document["predictions"]))
        for row in document["predictions"]:
            self.assertAlmostEqual(row["relative_error"], (row["value"] - row["measured"]) / row["measured"])

    def test_of_explanations(self):
        document = run("fit", "fit", DATA / "grid.txt", "--explain", "main->d*")
        explained = [model["explanation"] for model in document["models"] if "explanation" in model]
        self.assertEqual(1, len(explained), "the regions that fit, and no others")
        self.assertEqual(25, len(explained[0]["points"]))
        self.assertAlmostEqual(1.0, sum(form["probability"] for form in explained[0]["forms"]) + explained[0]["other_probability"])
        for point in explained[0]["points"]:
            self.assertEqual(point["outside"], abs(point["deviations"]) > explained[0]["limit"])

    def test_of_versions(self):
        path = DATA / "solver.jsonl"
        document = run("compare", "compare", path, DATA / "solver.jsonl", "--at", "p=128", "--at", "p=256")
        self.assertEqual([1.0] * 10, [round(change["ratio"], 3) for change in document["changes"]])
        document = run("compare", "compare", path, path)
        self.assertEqual((5, 0, 0), (document["alike"], document["slower"], document["faster"]))
        for change in document["changes"]:
            self.assertEqual((1.0, 1.0, 5), (change["ratio"], change["adjusted_p_value"], len(change["points"])))

    def test_of_versions_far_apart(self):
        """Probabilities are sums of a thousand weights, and must not pass one by rounding."""
        with tempfile.TemporaryDirectory() as folder:
            slow = Path(folder) / "slow.jsonl"
            lines = [json.loads(line) for line in (DATA / "solver.jsonl").read_text().splitlines()]
            for line in lines:
                if "value" in line:
                    line["value"] = [100 * value for value in line["value"]]
            slow.write_text("".join(json.dumps(line) + "\n" for line in lines))
            for before, after, verdict in ((DATA / "solver.jsonl", slow, "slower"), (slow, DATA / "solver.jsonl", "faster")):
                document = run("compare", "compare", before, after, "--at", "p=64", "--at", "p=100")
                self.assertEqual(10, document[verdict])

    def test_of_rankings(self):
        for path, points in ((DATA / "solver.jsonl", ["--at", "p=128", "--at", "p=4096"]), (DATA / "grid.txt", [])):
            for by in ("growth", "cost"):
                document = run("rank", "rank", path, *points, "--by", by)
                self.assertEqual(max(len(points) // 2, 1), len(document["rankings"]))
                for ranking in document["rankings"]:
                    for metric in {region["metric"] for region in ranking["regions"]}:
                        places = [region for region in ranking["regions"] if region["metric"] == metric]
                        self.assertEqual(list(range(1, len(places) + 1)), [region[f"{by}_rank"] for region in places])
                        costs = [region["value"] for region in sorted(places, key=lambda region: region["cost_rank"])]
                        self.assertEqual(sorted(costs, reverse=True), costs)

    def test_of_plots(self):
        document = run("plot", "plot", DATA / "grid.txt", "--region", "*", "--parameter", "p=2..64*2")
        self.assertEqual("p", document["along"])
        predicted = run("predict", "predict", DATA / "grid.txt", "--at", "p=64,n=" + str(document["charts"][0]["curves"][0]["at"]["n"]))
        values = {(row["region"], row["metric"]): row for row in predicted["predictions"]}
        for chart in document["charts"]:
            row = values[chart["region"], chart["metric"]]
            curve = chart["curves"][0]
            self.assertEqual((2, 64), (curve["x"][0], curve["x"][-1]))
            self.assertAlmostEqual(row["value"], curve["value"][-1], delta=1e-9 * abs(row["value"]))
            self.assertAlmostEqual(row["interval"]["high"], curve["high"][-1], delta=1e-9 * abs(row["value"]))
            self.assertTrue(curve["measured"])

    def test_of_plans(self):
        with tempfile.TemporaryDirectory() as folder:
            machines = Path(folder) / "machines.toml"
            machines.write_text('[[machine]]\nname = "a"\nnodes = 64\ncores-per-node = 4\nprice = "2EUR/node-h"\ngranularity = "1s"\n'
                                '[[machine]]\nname = "b"\ncores-per-node = 8\nprice = "3EUR/node-h"\nspeed = 1.25\n')
            ask = ("plan", "config", DATA / "grid.txt", "--processes-parameter", "p", "--machine", machines, "--region", "main->d*")
            document = run("plan-config", *ask, "--parameter", "p=4..64*2")
            self.assertEqual((10, 10), (document["configurations"], document["feasible"]))
            chosen = {answer["answer"]: answer for answer in document["answers"]}
            front = document["front"]
            self.assertEqual(chosen["fastest"]["at"], front[0]["at"])
            self.assertEqual(chosen["cheapest"]["at"], front[-1]["at"])
            for before, after in zip(front, front[1:]):
                self.assertLess(before["time_s"]["value"], after["time_s"]["value"])
                self.assertGreater(before["cost"], after["cost"])
            for one in front:
                price, step = {"a": (2, 1.0), "b": (3, 0.0)}[one["machine"]]
                seconds = math.ceil(one["time_s"]["value"] / step) * step if step else one["time_s"]["value"]
                self.assertTrue(same(price * one["nodes"] * seconds / 3600, one["cost"]))
            times = [one["time_s"]["value"] for one in front]
            limited = run("plan-config", *ask, "--parameter", "p=4..64*2", "--deadline", f"{1.01 * max(times)}s", "--budget", "1EUR",
                          "--efficiency", "0.01")
            self.assertGreater(limited["feasible"], 0)
            self.assertEqual(["deadline", "budget", "efficiency"], [stays["limit"] for stays in limited["answers"][0]["stays"]])
            nothing = run("plan-config", *ask, "--deadline", "1ms", "--budget", "3node-h")
            self.assertEqual((0, [], []), (nothing["feasible"], nothing["answers"], nothing["front"]))
            self.assertIn(False, [limit["kept"] for limit in nothing["nearest_miss"]["limits"]])

    def test_of_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            saves = Path(folder) / "saves"

            def ask(verb, *words, status=0):
                done = subprocess.run([PLIMSOLL, "checkpoint", verb, saves, *words, "--json"], capture_output=True, text=True)
                self.assertEqual((status, ""), (done.returncode, done.stderr), verb)
                return validated(f"checkpoint-{verb}", done.stdout)

            heat = [Path(PLIMSOLL).parent / "heat", "--size", "8", "--checkpoints", saves, "--wait", "--keep", "4", "--steps"]
            subprocess.run([*heat, "40"], check=True, capture_output=True)
            listed = ask("ls")["saves"]
            self.assertEqual([40, 30, 20, 10], [save["step"] for save in listed])
            shown = ask("show", "30")
            self.assertEqual(("v00000030", [8, 8, 8]), (shown["save"]["save"], shown["arrays"][1]["shape"]))
            files = sum((saves / file["file"]).stat().st_size for file in shown["files"])
            self.assertEqual((listed[1]["bytes"], listed[1]["bytes"]), (files, sum(file["bytes"] for file in shown["files"])))
            self.assertEqual("why", ask("pin", "20", "--tag", "why")["pin"])
            self.assertEqual("why", ask("ls")["saves"][2]["pin"])
            pruned = ask("prune", "--keep", "2")
            self.assertEqual((["v00000010"], listed[3]["bytes"]), (pruned["removed"], pruned["bytes"]))
            health = ask("verify", "--deep")
            self.assertEqual(("good", "v00000040"), (health["verdict"], health["restorable"]))
            exported = ask("export", "-o", Path(folder) / "state.safetensors")
            self.assertEqual(["step", "temperature"], exported["arrays"])
            self.assertEqual(exported["bytes"], (Path(folder) / "state.safetensors").stat().st_size)
            step, temperature = ask("diff", "30", "40", status=1)["arrays"]
            self.assertEqual((10, 512, 512), (step["largest_difference"], temperature["elements"], temperature["different"]))
            self.assertTrue(ask("diff", "40", "40")["same"])
            (saves / "v00000040/part-0000.json").unlink()
            health = ask("verify", status=1)
            self.assertEqual(("repairable", "v00000030"), (health["verdict"], health["restorable"]))
            for name in ("v00000030", "v00000020"):
                (saves / name / "COMMIT").unlink()
            health = ask("verify", status=4)
            self.assertEqual(("lost", None, 2), (health["verdict"], health["restorable"], len(health["broken"])))
            self.assertIsNone(ask("pin", "40", "--remove")["pin"])

    def test_of_expectations(self):
        with tempfile.TemporaryDirectory() as folder:
            rules = Path(folder) / "rules"
            rules.write_text("main->solve : O(log p)\nmain* [time] <= 10 s @ p=1024\nefficiency(main) >= 70 % @ p=64\n"
                             "main->solve->exchange [bytes] <= 1 GiB @ p=64\n")
            models = Path(folder) / "models.json"
            subprocess.run([PLIMSOLL, "fit", DATA / "solver.jsonl", "-o", models], capture_output=True, check=True)
            document = run("expect", "expect", rules, DATA / "solver.jsonl")
            self.assertEqual(document, run("expect", "expect", rules, models), "models and measurements say the same")
            self.assertEqual([1, 2, 2, 2, 2, 3, 4], [check["line"] for check in document["checks"]])
            for verdict in ("kept", "broken", "undecided"):
                self.assertEqual(document[verdict], [check["verdict"] for check in document["checks"]].count(verdict))
            self.assertFalse(document["passed"])

    def test_of_measurements_of_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            def measure(*arguments):
                done = subprocess.run([PLIMSOLL, "measure", "--parameter", "n=1,2", "--repetitions", "2", "--json", *arguments,
                                       "--", "sh", "-c", "echo rate: {n}; test {n} = 1"], cwd=folder, capture_output=True, text=True)
                self.assertEqual("", done.stderr)
                return done.returncode, validated("measure", done.stdout)

            code, planned = measure("--dry-run")
            self.assertEqual((0, 0, 6), (code, planned["runs"], len(planned["planned"])))
            self.assertFalse(os.listdir(folder), "nothing was run")
            code, document = measure("--metric", "time,stdout:rate")
            self.assertEqual((1, 4, 2), (code, document["runs"], document["failed"]))
            good, bad = document["points"]
            self.assertEqual((2, 0, [1, 1]), (good["runs"], good["failed"], [good["metrics"][1][k] for k in ("minimum", "maximum")]))
            self.assertEqual((0, 2, []), (bad["runs"], bad["failed"], bad["metrics"]))
            self.assertEqual({"exit code 1"}, {failure["reason"] for failure in document["failures"]})
            code, again = measure("--metric", "time,stdout:rate")
            self.assertEqual((1, 2, 2), (code, again["continued_from"], again["runs"]))

    def test_of_a_report(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.html"
            command = [PLIMSOLL, "report", "build", DATA / "solver.jsonl", "-o", file, "--json"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_RUN)
            if done.returncode == 3:
                self.assertIn("without the page", validated("error", done.stderr)["message"])
                self.skipTest("built without reports")
            document = validated("report", done.stdout)
            self.assertEqual(file.stat().st_size, document["bytes"])
            self.assertEqual((4, 5, 25), (document["regions"], document["models"], document["measurements"]))

    def test_has_a_page(self):
        page = (ROOT / "docs/formats/documents.md").read_text()
        for name in VALIDATORS:
            self.assertIn(f"plimsoll.{name}/1", page)
            self.assertIn(f"{name}.schema.json", page)

    def test_examples_of_the_page_fit_their_schemas(self):
        page = (ROOT / "docs/formats/documents.md").read_text()
        examples = re.findall(r'^    \{"schema": "plimsoll\.([\w-]+)/1".*?(?=^\S|^    \{"schema"|\Z)', page, re.M | re.S)
        self.assertEqual(sorted(VALIDATORS), sorted(set(examples)))
        for match in re.finditer(r'^    \{"schema": "plimsoll\.([\w-]+)/1".*?(?=^\S|^    \{"schema"|\Z)', page, re.M | re.S):
            try:
                validated(match[1], match[0])
            except Complaint as complaint:
                self.fail(f"{match[0]}: {complaint}")


class CampaignDocuments(unittest.TestCase):
    def test_fit_their_schemas(self):
        with Campaign(PLIMSOLL) as campaign:
            seen = set()

            def ask(name, *words, status=0):
                verb, behind = words, ()
                if "--" in words:
                    verb, behind = words[:words.index("--")], words[words.index("--"):]
                done = campaign.call(*verb, "--json", *behind)
                self.assertEqual((status, ""), (done.returncode, done.stderr), words)
                seen.add(f"campaign-{name}")
                return validated(f"campaign-{name}", done.stdout)

            other = campaign.folder / "other"
            other.mkdir()
            ask("init", "init", other)
            self.assertFalse(ask("server", "server", "status", status=1)["running"])
            self.assertTrue(ask("server", "server", "start")["running"])
            ask("submit", "submit", "--array", "1..3", "--tag", "kind=first", "--", "sh", "-c", "echo {index}; test {index} -ne 2")
            ask("submit", "submit", "--after", "1", "--name", "behind", "--", "true")
            ask("submit", "submit", "--name", "parent", "--", campaign.plimsoll, "campaign", "submit", "--", "printf", "\\377")
            (campaign.folder / "g.json").write_text('{"job": [{"name": "b", "command": "true", "after": "a"}, {"name": "a", "command": "true"}]}')
            self.assertEqual([None, None], [job["job"] for job in ask("submit", "graph", "g.json", "--dry-run")["jobs"]])
            self.assertEqual(["a", "b"], [job["name"] for job in ask("submit", "graph", "g.json")["jobs"]])
            self.assertFalse(ask("doctor", "doctor", status=1)["well"], "tasks wait, and there is no worker")
            ask("change", "hold", "5")
            ask("change", "release", "5")
            ask("explain", "explain", "all")
            ask("show", "show", "all")
            ask("top", "top")
            self.assertFalse(ask("wait", "wait", "all", "--timeout", "10ms", status=1)["done"])
            done = campaign.call("worker", "--until-done", "--json")
            validated("campaign-worker", done.stdout)
            ask("worker", "worker", "--detach", "--idle", "20s")
            campaign.wait_until(lambda: ask("top", "top")["workers"], what="a worker")
            ask("wait", "wait", "all", status=1)
            ask("wait", "submit", "--wait", "--", "true")
            self.assertEqual({"job": 1, "new_job": 8, "tasks": 1}, ask("change", "retry", "1")["jobs"][0])
            ask("wait", "wait", "8", status=1)
            ask("change", "cancel", "all")
            shown = ask("show", "show", "all")
            ask("jobs", "ls")
            self.assertIn({"job": 3, "task": 0}, [job.get("parent") for job in ask("tree", "tree")["jobs"]])
            self.assertIn(1, [job.get("retry_of") for job in shown["jobs"]])
            self.assertEqual("exhausted", ask("status", "status", "1", "1.1")["jobs"][1]["state"])
            ask("explain", "explain", "all")
            self.assertEqual(["1\n", "2\n", "3\n"], [task["out"] for task in ask("output", "cat", "1")["tasks"]])
            ask("output", "cat", "all")
            ask("export", "export", "-o", campaign.folder / "x.csv", "--format", "csv")
            self.assertTrue(ask("doctor", "doctor")["well"])
            ask("server", "server", "stop", "--with-workers")
            ask("server", "server", "stop")
            self.assertEqual({name for name in VALIDATORS if name.startswith("campaign-")}, seen)

    def test_of_errors(self):
        with Campaign(PLIMSOLL) as campaign:
            for words in (["show", "1"], ["shw", "1"], ["submit"], ["submit", "--array", "2..1", "--", "x"], ["graph", "none.toml"],
                          ["server", "strt"], ["wait", "1", "--timeout", "1"]):
                at = words.index("--") if "--" in words else len(words)
                done = campaign.call(*words[:at], "--json", *words[at:])
                self.assertEqual((2, ""), (done.returncode, done.stdout), words)
                validated("error", done.stderr.split("stops it'\n")[-1])


class FormulasInC(unittest.TestCase):
    def test_have_the_value_that_is_predicted(self):
        compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
        if compiler is None:
            print("skipped: no C++ compiler")
            return
        lines, expected = [], []
        for path in (DATA / "solver.jsonl", DATA / "grid.txt", DATA / "kernels.csv"):
            document = run("fit", "fit", path, "--search", "extra-p")
            done = subprocess.run([PLIMSOLL, "fit", path, "--search", "extra-p", "--formula", "c"], capture_output=True, text=True, check=True)
            formulas = {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in done.stdout.splitlines()}
            for model in document["models"]:
                point = model["predictions"][0]["at"]
                names = "".join(f"double {name} = {value!r}; (void){name}; " for name, value in point.items())
                lines.append(f'{{ {names} printf("%.17g\\n", {formulas[model["region"], model["metric"]]}); }}')
                expected.append(model["predictions"][0]["value"])
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "formulas.cpp"
            source.write_text("#include <math.h>\n#include <stdio.h>\nint main() {\n" + "\n".join(lines) + "\n}\n")
            subprocess.run([compiler, source, "-o", Path(folder) / "formulas"], check=True)
            printed = subprocess.run([Path(folder) / "formulas"], capture_output=True, text=True, check=True).stdout
        for value, text in zip(expected, printed.split(), strict=True):
            self.assertTrue(same(float(text), value), f"{text} is not {value}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PLIMSOLL = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()

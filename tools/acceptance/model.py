"""What the default search promises: speed beside Extra-P, accuracy beside its choice, and honest intervals."""

import csv
import json
import re
import statistics
from functools import lru_cache

from .core import large_input, speed_beside_extra_p, temporary_folder
from .measurement import ROOT, CannotMeasure, Result, measurement, output, plimsoll, shared, timed

JUDGE = ROOT / "build/release/judge/model_accuracy"
LAWS = ("independent", "compounding")
SEEDS = 20


# ---- speed


@measurement("model-speed-p1", "times", ">=", 50)
def speed_p1():
    """Times as fast as Extra-P by the default search on one parameter: 1000 regions at 5 points."""
    return speed_beside_extra_p("p1_1000x5", 1000, "posterior")


@measurement("model-speed-p2", "times", ">=", 50)
def speed_p2():
    """Times as fast as Extra-P by the default search on two parameters: 200 regions at 25 points."""
    return speed_beside_extra_p("p2_200x25", 200, "posterior")


@measurement("model-speed-p3", "times", ">=", 50)
def speed_p3():
    """Times as fast as Extra-P by the default search on three parameters: 50 regions at 125 points."""
    return speed_beside_extra_p("p3_50x125", 50, "posterior")


@lru_cache(maxsize=None)
def fit_large():
    return timed([plimsoll(), "fit", large_input(), "--threads", "2"])


@measurement("model-large-time", "s", "<", 60)
def large_time():
    """100,000 regions at 25 points of two parameters, 5 repetitions, two threads, by the default search."""
    return Result(round(fit_large().seconds, 2), "plimsoll fit large.jsonl --threads 2")


@measurement("model-large-memory", "GB", "<", 2)
def large_memory():
    """Most memory of the same run."""
    return Result(round(fit_large().peak_bytes / 1e9, 2), "plimsoll fit large.jsonl --threads 2")


# ---- accuracy on functions that are known


@lru_cache(maxsize=None)
def rows(parameters, design="grid", truth="published", seeds=SEEDS, count=200, laws=LAWS,
         searches=("extra-p", "posterior")):
    """What the judge tells of each seed, as numbers by column, by (law, noise, search)."""
    if not JUDGE.exists():
        raise CannotMeasure(f"{JUDGE.relative_to(ROOT)} is not built: cmake --build build/release")
    path = temporary_folder() / f"accuracy-{truth}-{design}-{parameters}-{seeds}x{count}-{'-'.join(searches)}.csv"
    for law in laws:
        command = [JUDGE, "--truth", truth, "--design", design, "--law", law, "--parameters", str(parameters),
                   "--seeds", str(seeds), "--count", str(count), "--search", ",".join(searches), "-o", path]
        if truth == "published":
            command += ["--functions",
                        shared(f"data/realworld/extrap-gpr-synthetic/functions_m{parameters}.txt")]
        done = output(command, seconds=4 * 3600)
        if done.returncode != 0:
            raise CannotMeasure(f"model_accuracy: {done.stderr.strip()[-200:]}")
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["law"] in laws:
                numbers = {name: float(value) for name, value in row.items()
                           if name not in ("truth", "design", "law", "search") and value != ""}
                found.setdefault((row["law"], float(row["noise"]), row["search"]), []).append(numbers)
    return {key: sorted(of_seeds, key=lambda numbers: numbers["seed"]) for key, of_seeds in found.items()}


def cells(*choice, **choices):
    """Means over seeds of what `rows` has."""
    return {key: {name: statistics.fmean(numbers[name] for numbers in of_seeds) for name in of_seeds[0]}
            for key, of_seeds in rows(*choice, **choices).items()}


def shown_command(parameters, design="grid", truth="published", seeds=SEEDS, count=200):
    return (f"model_accuracy --truth {truth} --design {design} --law LAW --parameters {parameters} --seeds {seeds} "
            f"--count {count}")


FOUR_PARAMETERS = {"seeds": 5, "count": 100}  # 625 points a function


def gains(of):
    """Points by which more predictions at the target lie within 5 %, by (law, noise)."""
    return {(law, noise): 100 * (numbers["target_within5"] - of[law, noise, "extra-p"]["target_within5"])
            for (law, noise, search), numbers in of.items() if search == "posterior"}


def in_words(values, unit=""):
    return "; ".join(f"{law} {noise:g} %: {value:.1f}{unit}" for (law, noise), value in sorted(values.items()))


@measurement("model-accuracy-2-smallest-gain", "points", ">=", 13, slow=True)
def smallest_gain_two():
    """Smallest gain over Extra-P's choice of predictions within 5 %, two parameters, over all noises and laws."""
    found = gains(cells(2))
    return Result(round(min(found.values()), 2), shown_command(2), in_words(found))


@measurement("model-accuracy-2-mean-gain", "points", ">=", 22, slow=True)
def mean_gain_two():
    """Mean gain over Extra-P's choice of predictions within 5 %, two parameters."""
    found = gains(cells(2))
    return Result(round(statistics.fmean(found.values()), 2), shown_command(2))


@measurement("model-accuracy-2-small-noise", "%", ">=", 96, slow=True)
def small_noise_two():
    """Fewest predictions within 5 %, two parameters, for noise up to 10 %."""
    found = {(law, noise): 100 * numbers["target_within5"] for (law, noise, search), numbers in cells(2).items()
             if search == "posterior" and noise <= 10}
    return Result(round(min(found.values()), 2), shown_command(2), in_words(found, " %"))


@measurement("model-accuracy-3-4-smallest-gain", "points", ">=", 0, slow=True)
def smallest_gain_more():
    """Smallest gain over Extra-P's choice, three and four parameters (four: 100 functions, 5 seeds)."""
    found = [min(gains(cells(3)).values()), min(gains(cells(4, **FOUR_PARAMETERS)).values())]
    return Result(round(min(found), 2), f"{shown_command(3)}; {shown_command(4, **FOUR_PARAMETERS)}")


@measurement("model-accuracy-3-4-mean-gain", "points", ">=", 8, slow=True)
def mean_gain_more():
    """Mean gain over Extra-P's choice, three and four parameters (four: 100 functions, 5 seeds)."""
    three, four = gains(cells(3)), gains(cells(4, **FOUR_PARAMETERS))
    note = f"three: {in_words(three)}; four: {in_words(four)}"
    return Result(round(statistics.fmean([*three.values(), *four.values()]), 2), f"{shown_command(3)}; {shown_command(4, **FOUR_PARAMETERS)}", note)


@measurement("model-accuracy-cross-smallest-gain", "points", ">=", 0, slow=True)
def smallest_gain_cross():
    """Smallest gain over Extra-P's choice on lines along each of two or three parameters and one point off them."""
    two, three = gains(cells(2, "cross")), gains(cells(3, "cross"))
    return Result(round(min([*two.values(), *three.values()]), 2), shown_command("2 and 3", "cross"),
                  f"two: {in_words(two)}; three: {in_words(three)}")


@measurement("model-coverage-2-4", "cells", "==", 0, slow=True)
def coverage_more():
    """Cells (law, noise, place) of two to four parameters where 90 % intervals cover less than 85 or more than 95 %."""
    bad = []
    for parameters, found in ((2, cells(2)), (3, cells(3)), (4, cells(4, **FOUR_PARAMETERS))):
        for (law, noise, search), numbers in sorted(found.items()):
            for place in ("inside", "step", "target", "far", "farthest"):
                if search != "posterior":
                    continue
                if f"{place}_coverage" not in numbers:
                    raise CannotMeasure(f"model_accuracy tells no coverage: {parameters} parameters, {place}")
                covered = 100 * numbers[f"{place}_coverage"]
                if not 85 <= covered <= 95:
                    bad.append(f"{parameters} parameters, {law} {noise:g} %, {place}: {covered:.1f} %")
    return Result(len(bad), f"{shown_command('2 and 3')}; {shown_command(4, **FOUR_PARAMETERS)}", "; ".join(bad))


@measurement("model-accuracy-1-smallest-gain", "points", ">=", -0.5, slow=True)
def smallest_gain_one():
    """Smallest gain over Extra-P's choice, one parameter at five points (its 95 % error is half a point)."""
    found = gains(cells(1, truth="single"))
    return Result(round(min(found.values()), 2), shown_command(1, truth="single"), in_words(found))


@measurement("model-false-growth", "%", "<", 2, slow=True)
def false_growth():
    """Noisy constants that are named as growing, at five points; independent noise."""
    found = {(law, noise): 100 * (1 - numbers["named_constant"])
             for (law, noise, search), numbers in cells(1, truth="constant").items()
             if search == "posterior" and law == "independent"}
    return Result(round(max(found.values()), 2), shown_command(1, truth="constant"), in_words(found, " %"))


# ---- changes of behaviour


@lru_cache(maxsize=None)
def regimes(*arguments):
    judge = JUDGE.with_name("model_regimes")
    if not judge.exists():
        raise CannotMeasure(f"{judge.relative_to(ROOT)} is not built: cmake --build build/release")
    done = output([judge, *arguments], seconds=3600)
    if done.returncode != 0:
        raise CannotMeasure(f"model_regimes: {done.stderr.strip()[-200:]}")
    return list(csv.DictReader(done.stdout.splitlines()))


def in_cells(rows, name):
    return "; ".join(f"{row['truth']} {row['points']} points x {row['repetitions']}, {row['noise']} %: "
                     f"{100 * float(row[name]):.1f} %" for row in rows)


CHANGED = ("--truth", "jump", "exponent", "--noise", "2", "10")
UNCHANGED = ("--truth", "constant", "single", "off-list", "strong-overhead", "wave", "--noise", "2", "10", "50")


@measurement("model-regimes-jumps", "%", ">=", 95)
def regimes_jumps():
    """Fewest jumps of one parameter that are found in their place: 8 points and more, 2 % noise. Notes tell of all."""
    rows = regimes(*CHANGED)
    jumps = [row for row in rows if row["truth"] == "jump" and float(row["noise"]) == 2]
    note = f"in place: {in_cells(rows, 'in_place')} | covered at twice the range: {in_cells(rows, 'target_coverage')}"
    return Result(round(100 * min(float(row["in_place"]) for row in jumps), 1), f"model_regimes {' '.join(CHANGED)}", note)


@measurement("model-regimes-false", "%", "<=", 2)
def regimes_false():
    """Most series without a change of which one is claimed, over kinds, points, repetitions and noise up to 50 %."""
    rows = regimes(*UNCHANGED)
    return Result(round(100 * max(float(row["named"]) for row in rows), 1), f"model_regimes {' '.join(UNCHANGED)}",
                  in_cells([row for row in rows if float(row["named"]) > 0], "named"))


# ---- real data


@lru_cache(maxsize=None)
def relearn(search):
    """Relative errors, and whether the interval holds the value, of each region above 1 % of run time at each outer
    point of RELeARN's grid, predicted from all other points."""
    folder = temporary_folder()
    runs = folder / "relearn.jsonl"
    done = output([plimsoll(), "convert", shared("data/realworld/relearn/relearn_data.txt"), "-o", runs])
    if done.returncode != 0:
        raise CannotMeasure(f"plimsoll convert: {done.stderr.strip()[-200:]}")
    lines = [json.loads(line) for line in runs.read_text().splitlines()]
    head, data = [line for line in lines if "params" not in line], [line for line in lines if "params" in line]
    values = {}
    for line in data:
        repetitions = line["value"] if isinstance(line["value"], list) else [line["value"]]
        values[line["region"], line["params"]["p"], line["params"]["n"]] = statistics.fmean(repetitions)
    totals = {}
    for (region, _, _), value in values.items():
        totals[region] = totals.get(region, 0.0) + value
    large = [region for region, total in totals.items() if total >= 0.01 * totals["main()"]]
    points = sorted({key[1:] for key in values})
    outer = [point for point in points if point[0] == points[-1][0] or point[1] == points[-1][1]]
    found = {region: [] for region in large}
    for p, n in outer:
        others = folder / "relearn-others.jsonl"
        kept = [line for line in data if (line["params"]["p"], line["params"]["n"]) != (p, n)]
        others.write_text("".join(json.dumps(line) + "\n" for line in [*head, *kept]))
        done = output([plimsoll(), "predict", others, "--search", search, "--at", f"p={p},n={n}", "--json"])
        if done.returncode != 0:
            raise CannotMeasure(f"plimsoll predict: {done.stderr.strip()[-200:]}")
        for row in json.loads(done.stdout)["predictions"]:
            if row["region"] in found:
                seen, interval = values[row["region"], p, n], row.get("interval")
                covered = interval is not None and interval["low"] <= seen <= interval["high"]
                found[row["region"]].append((abs(row["value"] / seen - 1), covered))
    if any(len(errors) != len(outer) for errors in found.values()):
        raise CannotMeasure("a region was not predicted at every point")
    return found


RELEARN = "plimsoll predict ALL-BUT-ONE.jsonl --at POINT"


@measurement("model-relearn-median", "%", "<", 2.5)
def relearn_median():
    """Largest median error of a region of RELeARN over the nine outer points, each held out in turn."""
    ours, theirs = relearn("posterior"), relearn("extra-p")
    note = "; ".join(f"{region}: {100 * statistics.median(e for e, _ in errors):.1f} % "
                     f"(Extra-P's choice {100 * statistics.median(e for e, _ in theirs[region]):.1f} %)"
                     for region, errors in ours.items())
    return Result(round(max(100 * statistics.median(e for e, _ in errors) for errors in ours.values()), 2), RELEARN,
                  note)


@measurement("model-relearn-within", "points", ">=", 6)
def relearn_within():
    """Fewest of the nine points of a region that are predicted within 3 %."""
    return Result(min(sum(e <= 0.03 for e, _ in errors) for errors in relearn("posterior").values()), RELEARN)


@measurement("model-relearn-covered", "points", ">=", 7)
def relearn_covered():
    """Fewest of the nine points of a region that lie in their 90 % intervals."""
    return Result(min(sum(covered for _, covered in errors) for errors in relearn("posterior").values()), RELEARN)


def hold_out(name, training, held_out, options=()):
    """(at, seen, predicted, low, high) of each held-out point of one parameter, by a model of the others: lists of
    repetitions by the parameter's value, and seen values."""
    runs = temporary_folder() / f"{name}.jsonl"
    runs.write_text("".join(json.dumps({"params": {"p": p}, "metric": "time", "value": values}) + "\n"
                            for p, values in sorted(training.items())))
    places = [argument for p, _ in held_out for argument in ("--at", f"p={p!r}")]
    done = output([plimsoll(), "predict", runs, *options, *places, "--json"])
    if done.returncode != 0:
        raise CannotMeasure(f"plimsoll predict: {done.stderr.strip()[-200:]}")
    rows = {row["at"]["p"]: row for row in json.loads(done.stdout)["predictions"]}
    found = []
    for p, seen in held_out:
        row = rows[p]
        interval = row.get("interval") or {"low": row["value"], "high": row["value"]}
        found.append((p, seen, row["value"], interval["low"], interval["high"]))
    return found


def error_of(row):
    return abs(row[2] / row[1] - 1)


def is_covered(row):
    return row[3] <= row[1] <= row[4]


def listed(rows, largest):
    """Each prediction with its interval, for a person."""
    return ", ".join(f"{p:g} ({p / largest:.2g}x): {seen:.4g} seen, {value:.4g} [{low:.4g}, {high:.4g}]"
                     for p, seen, value, low, high in rows)


def simanmo_series():
    """Training and held-out points of each series that has both, at least five to learn from."""
    pattern = re.compile(r"^\s*\(\s*([-+.\deE]+)\s*[,;]\s*([-+.\deE]+)\s*\)")
    for path in sorted(shared("data/realworld/simanmo/inputs").glob("*.txt")):
        training, held_out, is_training = {}, [], True
        for line in path.read_text(errors="replace").splitlines():
            if line.startswith("#ADDPOINTS"):
                is_training = False
            found = pattern.match(line)
            if not found:
                continue
            p, value = float(found[1]), float(found[2])
            if is_training:
                training.setdefault(p, []).append(value)
            else:
                held_out.append((p, value))
        held_out = sorted({p: value for p, value in held_out if training and p > max(training)}.items())
        if len(training) >= 5 and held_out and all(value > 0 for _, value in held_out):
            yield path.stem, training, held_out


@lru_cache(maxsize=None)
def simanmo(options=("--laws",)):
    return {name: (max(training), hold_out(f"simanmo-{name}", training, held_out, options))
            for name, training, held_out in simanmo_series()}


SIMANMO = "plimsoll predict SERIES.jsonl --laws --at p=HELD-OUT --json"


@measurement("model-simanmo-first", "%", ">=", 70)
def simanmo_first():
    """SimAnMo series whose first held-out point is predicted within 20 %, with --laws."""
    ours, theirs = simanmo(), simanmo(("--search", "extra-p"))
    within = {name: error_of(rows[0]) <= 0.2 for name, (_, rows) in ours.items()}
    extra_p = 100 * statistics.fmean(error_of(rows[0]) <= 0.2 for _, rows in theirs.values())
    note = f"{len(ours)} series; by Extra-P's choice {extra_p:.0f} %; " + "; ".join(
        f"{name} {listed(rows[:1], largest)}" for name, (largest, rows) in ours.items())
    return Result(round(100 * statistics.fmean(within.values()), 1), SIMANMO, note)


def simanmo_rows(most):
    return [row for largest, rows in simanmo().values() for row in rows if row[0] <= most * largest]


@measurement("model-simanmo-covered", "%", ">=", 80)
def simanmo_covered():
    """Held-out points of SimAnMo up to twice the measured range that lie in their 90 % intervals, with --laws."""
    note = []
    for most in (1.3, 2, float("inf")):
        rows = simanmo_rows(most)
        note.append(f"up to {most:g}x: {len(rows)} points, "
                    f"{100 * statistics.fmean(error_of(row) <= 0.2 for row in rows):.0f} % within 20 %, "
                    f"{100 * statistics.fmean(map(is_covered, rows)):.0f} % covered")
    for name, (largest, rows) in simanmo().items():
        close = [row for row in rows if row[0] <= 2 * largest]
        if close:
            note.append(f"{name}: {sum(map(is_covered, close))} of {len(close)}; last {listed(close[-1:], largest)}")
    return Result(round(100 * statistics.fmean(map(is_covered, simanmo_rows(2))), 1), SIMANMO, "; ".join(note))


@lru_cache(maxsize=None)
def mlperf():
    """The largest scale of each group (version, organisation, accelerator, benchmark) with at least four, predicted
    from the others."""
    groups = {}
    with open(shared("data/realworld/mlperf-training/runs.csv"), newline="") as file:
        for row in csv.DictReader(file):
            if row["status"] == "success":
                group = tuple(row[key] for key in ("version", "org", "accelerator", "benchmark"))
                scale = groups.setdefault(group, {}).setdefault(int(row["accelerators"]), [])
                scale.append(float(row["time_to_train_s"]))
    found = {}
    for number, (group, times) in enumerate(sorted(groups.items())):
        if len(times) < 4:
            continue
        last = max(times)
        training = {p: values for p, values in times.items() if p != last}
        found[group] = (max(training), hold_out(f"mlperf-{number}", training, [(last, statistics.fmean(times[last]))]))
    return found


MLPERF = "plimsoll predict GROUP.jsonl --at p=LARGEST --json"


@measurement("model-mlperf-median", "%", "<=", 20)
def mlperf_median():
    """Median error of the time to train at the largest scale of each MLPerf group with at least four scales."""
    note = "; ".join(f"{' '.join(group)} {listed(rows, largest)}" for group, (largest, rows) in mlperf().items())
    errors = [error_of(rows[0]) for _, rows in mlperf().values()]
    return Result(round(100 * statistics.median(errors), 1), MLPERF, f"{len(errors)} groups: {note}")


@measurement("model-mlperf-negative", "groups", "==", 0)
def mlperf_negative():
    """Groups whose predicted time, or the low end of its interval, is below zero."""
    return Result(sum(rows[0][2] < 0 or rows[0][3] < 0 for _, rows in mlperf().values()), MLPERF)


@measurement("model-mlperf-covered", "%", ">=", 80)
def mlperf_covered():
    """Groups whose largest scale lies in its 90 % interval."""
    return Result(round(100 * statistics.fmean(is_covered(rows[0]) for _, rows in mlperf().values()), 1), MLPERF)


@measurement("model-mlperf-gpt3", "%", "<=", 1)
def mlperf_gpt3():
    """Error of GPT-3's time to train on 10752 accelerators, predicted from 512 to 10240."""
    largest, rows = next(found for group, found in mlperf().items() if group[3] == "gpt3")
    return Result(round(100 * error_of(rows[0]), 2), MLPERF, listed(rows, largest))


@measurement("model-lulesh", "%", "<", 100)
def lulesh():
    """Median error over the regions of LULESH (weak scaling, 27 to 343 ranks, one run each) of the time at 343 ranks,
    predicted from the four smaller runs. Reported: no figure is promised."""
    times = {}
    with open(shared("data/realworld/thicket-tutorial/mpi_scaling_regions.csv"), newline="") as file:
        for row in csv.DictReader(file):
            time = row["avg#inclusive#sum#time.duration"]
            if row["path"].startswith("main") and "mpi.function" not in row["other"] and time:
                times.setdefault(row["path"], {})[int(row["ranks"])] = float(time)
    rows = {}
    for number, (path, values) in enumerate(sorted(times.items())):
        if len(values) == 5 and max(values) == 343:
            training = {p: [value] for p, value in values.items() if p != 343}
            rows[path] = hold_out(f"lulesh-{number}", training, [(343, values[343])])[0]
    if not rows:
        raise CannotMeasure("no region has all five runs")
    note = f"{len(rows)} regions, {sum(map(is_covered, rows.values()))} in their intervals: " + "; ".join(
        f"{path.rpartition('/')[2]} {listed([row], 216)}" for path, row in rows.items())
    return Result(round(100 * statistics.median(map(error_of, rows.values())), 1),
                  "plimsoll predict REGION.jsonl --at p=343 --json", note)

"""What the default search promises: speed beside Extra-P, accuracy beside its choice, and honest intervals."""

import csv
import json
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
def cells(parameters, design="grid", truth="published", seeds=SEEDS, count=200):
    """Means over seeds of each judged number, by (law, noise, search)."""
    if not JUDGE.exists():
        raise CannotMeasure(f"{JUDGE.relative_to(ROOT)} is not built: cmake --build build/release")
    path = temporary_folder() / f"accuracy-{truth}-{design}-{parameters}-{seeds}x{count}.csv"
    for law in LAWS:
        command = [JUDGE, "--truth", truth, "--design", design, "--law", law, "--parameters", str(parameters),
                   "--seeds", str(seeds), "--count", str(count), "-o", path]
        if truth == "published":
            command += ["--functions",
                        shared(f"data/realworld/extrap-gpr-synthetic/functions_m{parameters}.txt")]
        done = output(command, seconds=4 * 3600)
        if done.returncode != 0:
            raise CannotMeasure(f"model_accuracy: {done.stderr.strip()[-200:]}")
    rows = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault((row["law"], float(row["noise"]), row["search"]), []).append(row)
    return {key: {name: statistics.fmean(float(row[name]) for row in found) for name in found[0]
                  if name not in ("truth", "design", "law", "search") and found[0][name] != ""}
            for key, found in rows.items()}


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

"""Readers, the models of Extra-P, and their speed."""

import atexit
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

from .measurement import ROOT, CannotMeasure, Result, measurement, output, plimsoll, shared, shown, timed

# What Extra-P calls its readers, and what we call the formats.
FORMATS = {"text": "text", "talpas": "talpas", "json": "json", "cube": "cube", "extrap3": "extra-p-3",
           "experiment": "extra-p"}


@lru_cache(maxsize=None)
def temporary_folder():
    folder = tempfile.mkdtemp(prefix="plimsoll-accept-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


# ---- the same models as Extra-P


@measurement("core-golden-models", "%", ">=", 100)
def golden_models():
    """Models that agree with those of Extra-P 4.2.5, of all golden ones that are no tie."""
    command = [sys.executable, shared("tools/compare_golden.py"), plimsoll(), shared("data/extrap"),
               shared("golden/extrap")]
    done = output(command)
    counts = re.search(r"(\d+) of (\d+) models agree", done.stdout)
    if counts is None or int(counts[2]) == 0:
        raise CannotMeasure(f"compare_golden.py: {(done.stderr or done.stdout).strip()[-200:]}")
    differing = "; ".join(done.stdout.strip().splitlines()[:-1])[:500]
    return Result(100 * int(counts[1]) / int(counts[2]), shown(command), differing)


@measurement("core-golden-rejections", "runs", "==", 0)
def golden_rejections():
    """Runs on inputs which Extra-P rejects that end in neither a result nor an error of the input."""
    data, bad, runs = shared("data/extrap"), [], 0
    for path in sorted(shared("golden/extrap").glob("*.json")):
        golden = json.loads(path.read_text())
        if golden.get("status") != "error":
            continue
        for options in ([], ["--format", FORMATS[golden["reader"]]]):
            done = output([plimsoll(), "fit", data / golden["input"], *options], seconds=60)
            runs += 1
            complains_well = done.returncode == 2 and re.match(r"(note: .*\n)*error: .+\nhint: .+\n$", done.stderr)
            if done.returncode != 0 and not complains_well:
                bad.append(f"{golden['input']} {' '.join(options)}: exit code {done.returncode}")
    if runs == 0:
        raise CannotMeasure("no golden results")
    return Result(len(bad), "plimsoll fit INPUT [--format FORMAT]", "; ".join(bad) or f"{runs} runs")


# ---- as fast as promised beside Extra-P


def rival():
    named = os.environ.get("PLIMSOLL_EXTRAP") or "extrap"
    program = shutil.which(named)
    if program is None:
        raise CannotMeasure("no rival: set PLIMSOLL_EXTRAP to the extrap program of Extra-P 4.2.5")
    version = output([program, "--version"], env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}).stdout
    if "4.2.5" not in version:
        raise CannotMeasure(f"no rival: {named} is '{version.strip()}' and not Extra-P 4.2.5")
    return program


@lru_cache(maxsize=None)
def bench_inputs():
    folder = temporary_folder() / "inputs"
    done = output([sys.executable, shared("tools/gen_bench_inputs.py"), folder])
    if done.returncode != 0:
        raise CannotMeasure(f"gen_bench_inputs.py: {done.stderr.strip()[-200:]}")
    return folder


def speed_beside_extra_p(case, models, search="extra-p"):
    """Ratio of the medians of whole process times, the two programs in turn on the same file, one thread each."""
    theirs = [rival(), "--text", "--disable-progress", "--print", "functions"]
    path = bench_inputs() / f"{case}.txt"
    theirs.append(path)
    ours = [plimsoll(), "fit", path, "--search", search, "--threads", "1"]
    counted = len(output([*ours, "--quiet"]).stdout.splitlines())
    if counted != models:
        raise CannotMeasure(f"{counted} models instead of {models}")
    quiet = {"QT_QPA_PLATFORM": "offscreen", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    timed([theirs[0], "--version"], quiet)  # fills its caches
    our_seconds, their_seconds = [], []
    for _ in range(3):
        our_seconds += [timed(ours).seconds for _ in range(7)]
        their_seconds.append(timed(theirs, quiet).seconds)
        our_seconds += [timed(ours).seconds for _ in range(7)]
    our_median, their_median = statistics.median(our_seconds), statistics.median(their_seconds)
    note = f"Extra-P {their_median:.3g} s ({len(their_seconds)} runs), plimsoll {1000 * our_median:.3g} ms " \
           f"({len(our_seconds)} runs)"
    command = f"plimsoll fit {case}.txt --search {search} --threads 1; extrap --text --print functions {case}.txt"
    return Result(round(their_median / our_median, 1), command, note)


@measurement("core-speed-p1", "times", ">=", 800)
def speed_p1():
    """Times as fast as Extra-P on one parameter: 1000 regions at 5 points."""
    return speed_beside_extra_p("p1_1000x5", 1000)


@measurement("core-speed-p2", "times", ">=", 500)
def speed_p2():
    """Times as fast as Extra-P on two parameters: 200 regions at 25 points."""
    return speed_beside_extra_p("p2_200x25", 200)


@measurement("core-speed-p3", "times", ">=", 500)
def speed_p3():
    """Times as fast as Extra-P on three parameters: 50 regions at 125 points."""
    return speed_beside_extra_p("p3_50x125", 50)


@measurement("core-tiny", "ms", "<", 10)
def tiny():
    """Whole run on one region at five points, median of 30."""
    path = temporary_folder() / "tiny.txt"
    path.write_text("PARAMETER p\nPOINTS 4 8 16 32 64\nREGION main\nMETRIC time\n" +
                    "".join(f"DATA {p ** 1.5:.6g}\n" for p in (4, 8, 16, 32, 64)))
    command = [plimsoll(), "fit", path, "--search", "extra-p"]
    timed(command)
    milliseconds = statistics.median(1000 * timed(command).seconds for _ in range(30))
    return Result(round(milliseconds, 2), "plimsoll fit tiny.txt --search extra-p")


# ---- large inputs


LARGE_REGIONS = 100_000


@lru_cache(maxsize=None)
def large_input():
    """100,000 regions at 25 points of two parameters, 5 repetitions with 2 % noise, as JSON lines."""
    rng = random.Random(20260701)
    points = [(p, n) for p in (4, 8, 16, 32, 64) for n in (10, 20, 30, 40, 50)]
    growths = [lambda p, n: p, lambda p, n: math.log2(p) * n, lambda p, n: n ** 2 + p ** 0.5, lambda p, n: 1.0,
               lambda p, n: n ** 1.5 * math.log2(p), lambda p, n: p * n, lambda p, n: n, lambda p, n: p ** 0.5]
    values_of = [[growth(*point) for point in points] for growth in growths]
    noise = [1 + rng.gauss(0, 0.02) for _ in range(9973)]
    path, at = temporary_folder() / "large.jsonl", 0
    with open(path, "w", buffering=1 << 20) as file:
        for region in range(LARGE_REGIONS):
            values, constant, factor = values_of[region % len(values_of)], rng.uniform(1, 100), rng.uniform(0.01, 10)
            name = f"main->phase{region % 10}->kernel{region}"
            lines = []
            for (p, n), growth in zip(points, values):
                value, at = constant + factor * growth, (at + 5) % 9967
                repetitions = ", ".join([f"{value * e:.9g}" for e in noise[at:at + 5]])
                lines.append(f'{{"params": {{"p": {p}, "n": {n}}}, "callpath": "{name}", "metric": "time", '
                             f'"value": [{repetitions}]}}\n')
            file.write("".join(lines))
    return path


def fit_large():
    path = large_input()
    command = [plimsoll(), "fit", path, "--search", "extra-p", "--threads", "1"]
    runs = [timed(command) for _ in range(3)]
    return runs, "plimsoll fit large.jsonl --search extra-p --threads 1", f"{path.stat().st_size / 1e6:.0f} MB of JSON lines"


@measurement("core-large-time", "s", "<", 10)
def large_time():
    """100,000 regions at 25 points of two parameters, 5 repetitions, one thread; median of 3."""
    runs, command, note = fit_large()
    return Result(round(statistics.median(run.seconds for run in runs), 2), command, note)


@measurement("core-large-memory", "GB", "<", 2)
def large_memory():
    """Peak memory of the same; largest of 3."""
    runs, command, note = fit_large()
    return Result(round(max(run.peak_bytes for run in runs) / 1e9, 3), command, note)


@measurement("core-jsonl-rate", "MB/s", ">=", 150)
def jsonl_rate():
    """Rate at which JSON lines become an experiment, one thread, 100,000 regions; median of 3."""
    bench = ROOT / "build/release/bench/experiment_json_lines_bench"
    if not bench.exists():
        raise CannotMeasure(f"{bench.relative_to(ROOT)} is not built: run make accept")
    arguments = ["--benchmark_filter=/100000", "--benchmark_repetitions=3", "--benchmark_format=json"]
    printed = subprocess.run([bench, *arguments], capture_output=True, text=True, check=True).stdout
    median = next(run for run in json.loads(printed)["benchmarks"] if run.get("aggregate_name") == "median")
    path = large_input()
    whole = statistics.median(timed([plimsoll(), "show", path, "--quiet", "--threads", "1"]).seconds for _ in range(3))
    size = path.stat().st_size / 1e6
    return Result(round(median["bytes_per_second"] / 1e6, 1), " ".join([bench.name, *arguments]),
                  f"25 points, 5 repetitions of 9 digits; the whole of plimsoll show, with call tree and list of regions, "
                  f"goes through {size:.0f} MB of the like at {size / whole:.0f} MB/s")


# ---- without a fault


@measurement("core-fuzz", "findings", "==", 0, slow=True)
def fuzz():
    """Inputs that break a parser, found by fuzzing each for 60 s under sanitizers."""
    done = output(["tools/soak", "60"], seconds=7200)
    lines = done.stdout.splitlines()
    if not any(re.match(r"ok |FAIL ", line) for line in lines):
        raise CannotMeasure(f"tools/soak: {done.stderr.strip()[-200:]}")
    found = [line for line in lines if line.startswith("FAIL")]
    return Result(len(found), "tools/soak 60", "; ".join(found) or f"{len(lines)} targets")


@measurement("core-sanitizers", "tests", "==", 0, slow=True)
def sanitizers():
    """Tests that fail under the address, undefined-behaviour and thread sanitizers."""
    failing, notes = 0, []
    for preset in ("asan", "tsan"):
        for command in (["cmake", "--preset", preset], ["cmake", "--build", f"build/{preset}"]):
            done = output(command, seconds=7200)
            if done.returncode != 0:
                raise CannotMeasure(f"{' '.join(command)}: {(done.stdout + done.stderr).strip()[-300:]}")
        done = output(["ctest", "--preset", preset, "--parallel", str(os.cpu_count())], seconds=7200)
        counts = re.search(r"(\d+) tests failed out of (\d+)", done.stdout)
        if counts is None or int(counts[2]) == 0:
            raise CannotMeasure(f"ctest --preset {preset}: {(done.stdout + done.stderr).strip()[-300:]}")
        failing += int(counts[1])
        names = re.findall(r"^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess)", done.stdout, re.M)
        notes.append(f"{preset}: {counts[1]} of {counts[2]}" + (f" ({', '.join(names)})" if names else ""))
    return Result(failing, "ctest --preset asan; ctest --preset tsan", "; ".join(notes))

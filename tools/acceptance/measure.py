"""Starting programs, and measuring them."""

import json
import os
import random
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from .measurement import ROOT, CannotMeasure, Result, measurement, plimsoll

PROGRAM = """#!/bin/sh
echo "$$" > running
echo "rate: $1"
sleep 0.01
"""


@measurement("launch-start", "%", "<=", 5)
def launch_start():
    """What starting `true` and taking its end costs beyond a bare posix_spawn; medians of 2000 each, in turn."""
    bench = ROOT / "build/release/bench/launch_process_bench"
    if not bench.exists():
        raise CannotMeasure(f"{bench.relative_to(ROOT)} is not built: run make accept")
    arguments = ["--benchmark_filter=side_by_side", "--benchmark_format=json"]
    printed = subprocess.run([bench, *arguments], capture_output=True, text=True, check=True).stdout
    medians = json.loads(printed)["benchmarks"][0]
    bare, start, guarded = (medians[f"{name}_us"] for name in ("bare", "start", "guardian"))
    return Result(round(100 * (start / bare - 1), 1), " ".join([bench.name, *arguments]),
                  f"bare {bare:.0f} us; with a guardian {100 * (guarded / bare - 1):+.1f} %")


@measurement("measure-overhead", "ms", "<=", 2)
def measure_overhead():
    """Time that `plimsoll measure` adds to each run of `true`, without that of the disk; median of 5."""
    runs, words, memory = 400, ["/bin/true"], Path("/dev/shm")
    if not memory.is_dir():
        raise CannotMeasure(f"there is no {memory} for a file that is not on a disk")
    command = [plimsoll(), "measure", "--parameter", "n=1..20", "--repetitions", str(runs // 20), "--warmups", "0",
               "--fresh", "--quiet", "--", *words]

    def milliseconds(work):
        def once():
            begin = time.perf_counter()
            work()
            return 1e3 * (time.perf_counter() - begin) / runs
        return statistics.median(once() for _ in range(5))

    def measured_in(parent):
        with tempfile.TemporaryDirectory(prefix="plimsoll-accept-", dir=parent) as folder:
            return milliseconds(lambda: subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL))

    bare = milliseconds(lambda: [os.waitpid(os.posix_spawn(words[0], words, os.environ), 0) for _ in range(runs)])
    on_disk = measured_in(None)
    return Result(round(measured_in(memory) - bare, 2),
                  f"plimsoll measure --parameter n=1..20 --repetitions {runs // 20} --warmups 0 -- true",
                  f"a bare loop takes {bare:.2f} ms a run; with each run synchronised to the disk {on_disk - bare:.2f} ms more")


def is_running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0]
    except OSError:
        return False
    return state not in "ZX"


@measurement("measure-killed", "faults", "==", 0)
def measure_killed():
    """Faults in 50 measurements that were killed (SIGKILL) at random times and then continued."""
    random.seed(7)
    faults, continued = [], 0
    with tempfile.TemporaryDirectory(prefix="plimsoll-accept-") as folder:
        program = Path(folder) / "app"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        command = [plimsoll(), "measure", "--parameter", "n=1..5", "--metric", "stdout:rate", "--repetitions", "4",
                   "--warmups", "0", "--json", "-o", "runs.jsonl", "--", "./app", "{n}"]
        for i in range(50):
            (Path(folder) / "runs.jsonl").unlink(missing_ok=True)
            process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.0, 0.5))
            process.send_signal(signal.SIGKILL)
            process.wait()
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            document = json.loads(done.stdout or "{}")
            lines = [json.loads(line) for line in (Path(folder) / "runs.jsonl").read_text().splitlines()]
            values = [line["value"] for line in lines if "value" in line]
            numbers = [line["run"]["number"] for line in lines if "run" in line]
            continued += document.get("continued_from", 0) > 0
            if sorted(values) != [float(n) for n in range(1, 6) for _ in range(4)] or len(set(numbers)) != 20:
                faults.append(f"{i}: {len(values)} values, {len(numbers)} runs")
            if is_running((Path(folder) / "running").read_text().strip()):
                faults.append(f"{i}: a program is left")
    return Result(len(faults), "tools/accept run measure-killed",
                  "; ".join(faults)[:300] or f"{continued} of 50 were continued from runs in the file")

"""What reports promise: a report of a hundred thousand regions opens at once, and answers a click at once."""

import json
import random
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from .measurement import ROOT, CannotMeasure, Result, measurement, plimsoll

REGIONS = 100_000
# The packages of the tests stand in the folder of a build that has tests.
WEB = ROOT / "build/dev/web"
SCRIPT = ROOT / "web/test/speed.mjs"


def write_measurements(path):
    """A call tree of so many regions, each timed twice on 4 to 64 processes, with 2 % noise."""
    draw = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        for region in range(REGIONS):
            above = "->".join(f"f{region // size % 97}" for size in (5000, 200, 10))
            base, slope, power = draw.lognormvariate(-6, 2), draw.lognormvariate(-10, 2), draw.choice([0, 0.5, 1, 1, 1.5])
            for p in (4, 8, 16, 32, 64):
                values = [round((base + slope * p**power) * draw.gauss(1, 0.02), 9) for _ in range(2)]
                file.write(json.dumps({"params": {"p": p}, "region": f"main->{above}->kernel_{region}", "metric": "time",
                                       "unit": "s", "value": values}) + "\n")


@lru_cache(maxsize=None)
def speeds():
    """What the browser's trace says, in ms."""
    if not (WEB / "node_modules/playwright-core").is_dir():
        raise CannotMeasure("the packages of the page's tests are not there: cmake --build build/dev --target plimsoll")
    node = shutil.which("node")
    if node is None or not Path("/usr/bin/chromium").exists():
        raise CannotMeasure("Node.js and Chromium are wanted: run tools/setup")
    with tempfile.TemporaryDirectory() as folder:
        write_measurements(f"{folder}/runs.jsonl")
        subprocess.run([plimsoll(), "report", "build", f"{folder}/runs.jsonl", "-o", f"{folder}/report.html", "--at", "p=1024",
                        "--quiet"], check=True, stdout=subprocess.DEVNULL)
        size = Path(f"{folder}/report.html").stat().st_size
        done = subprocess.run([node, SCRIPT, WEB, f"{folder}/report.html"], check=True, capture_output=True, text=True)
    return {**json.loads(done.stdout), "bytes": size}


@measurement("report-open", "s", "<", 2.0, slow=True)
def report_open():
    """A report of 100,000 regions opens from a file: from the start of navigation to the first drawn page."""
    found = speeds()
    return Result(round(found["open"] / 1000, 3), f"node web/test/speed.mjs {WEB.relative_to(ROOT)} report.html",
                  f"median of three; the file has {found['bytes'] / 1e6:.0f} MB")


@measurement("report-click", "ms", "<", 100.0, slow=True)
def report_click():
    """The slowest answer to a click or key in such a report: pages, search, order, slider, call tree."""
    found = speeds()
    slowest = max(found["clicks"], key=found["clicks"].get)
    return Result(found["clicks"][slowest], f"node web/test/speed.mjs {WEB.relative_to(ROOT)} report.html",
                  "; ".join(f"{name} {ms} ms" for name, ms in found["clicks"].items()))

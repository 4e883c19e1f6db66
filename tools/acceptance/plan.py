"""Choosing how to run: how fast."""

import json
import math
import random
import statistics

from .core import temporary_folder
from .measurement import CannotMeasure, Result, measurement, output, plimsoll, timed

CONFIGURATIONS = 1_000_000
MACHINES = """\
[[machine]]
name = "cpu"
nodes = 4096
cores-per-node = 64
price = "2.40EUR/node-h"
granularity = "1min"
"""


def models():
    """Models of a solver with 2 % noise, of two parameters at 25 points with 3 repetitions."""
    rng = random.Random(20261130)
    runs, path = temporary_folder() / "plan-runs.jsonl", temporary_folder() / "plan-models.json"
    with open(runs, "w") as file:
        for p in (4, 8, 16, 32, 64):
            for n in (100, 200, 400, 800, 1600):
                time = 20 + 500 * n * math.log(n) / p + 30 * math.log2(p)
                values = [round(time * (1 + rng.gauss(0, 0.02)), 4) for _ in range(3)]
                file.write(json.dumps({"params": {"p": p, "n": n}, "region": "main", "metric": "time", "unit": "s",
                                       "value": values}) + "\n")
    done = output([plimsoll(), "fit", runs, "-o", path, "--quiet"])
    if done.returncode != 0:
        raise CannotMeasure(done.stderr.strip()[-200:])
    return path


@measurement("plan-config-million", "s", "<", 1)
def plan_config_million():
    """Choosing among a million configurations, models, intervals and sensitivity included, whole process; median of 5."""
    machines = temporary_folder() / "plan-machines.toml"
    machines.write_text(MACHINES)
    words = ["--parameter", "p=4..10003", "--parameter", "n=100..10000+100", "--deadline", "20h", "--budget", "5000EUR"]
    command = [plimsoll(), "plan", "config", models(), "--machine", machines, *words]
    document = json.loads(output([*command, "--json"]).stdout)
    if document["configurations"] != CONFIGURATIONS or document["feasible"] == 0:
        raise CannotMeasure(f"{document['configurations']} configurations, {document['feasible']} feasible")
    seconds = statistics.median(timed(command).seconds for _ in range(5))
    one = statistics.median(timed([*command, "--threads", "1"]).seconds for _ in range(3))
    return Result(round(seconds, 3), f"plimsoll plan config models.json --machine machines.toml {' '.join(words)}",
                  f"{document['feasible']} feasible, front of {len(document['front'])}; {one:.2f} s on one thread")

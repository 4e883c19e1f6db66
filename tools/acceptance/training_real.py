"""A real training, workloads/training: times of whole epochs, predicted from profiles of five steps of smaller ones.

A hundred and twenty configurations are profiled, forty on each number of ranks, and twenty others, all beyond what was
profiled in at least one of batch, depth and image size, are predicted by `plimsoll training` and trained for an epoch.
The five steps of a configuration are made in five rounds, each of which is a run of the program that goes through all
configurations in an order of its own: a shared machine runs a third slower for a second now and then, and a tenth
slower for minutes, and steps that follow one another are all of one such state. Rounds and epochs are made in one
random order. Each number of ranks is modelled by itself: on more ranks than processors a step takes as long as the
system's turns make it, which is no law of p. Steps are timed by the program itself: a trace of every operator makes
small ones up to a fifth longer. With PLIMSOLL_TRAINING_RUNS=FOLDER all runs are kept there, and those that are there
already are not made again; PLIMSOLL_TRAINING_SCALE=0.1 makes epochs of a tenth of the images, for a first look.
"""

import itertools
import json
import os
import random
import shutil
import statistics
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .core import temporary_folder
from .measurement import ROOT, CannotMeasure, Result, measurement, output, plimsoll
from .regions import MPI_ENVIRONMENT, built

DATASET, VALIDATION = 32768, 2048  # images
ROUNDS = 5  # of one step of each configuration
START_S, WARMUP_S = 1.5, 0.2  # a virtual machine runs what has just begun more slowly for about a second
PROFILED = 40  # configurations on each number of ranks
WIDTH = 16  # channels
BATCHES, DEPTHS, SIZES = (4, 8, 12, 16, 24), (8, 14, 20, 26, 32), (16, 20, 24, 28, 32)
# Batch, depth and image size by ranks; each has at least one that is larger than any that is profiled.
HELD_OUT = {1: ((48, 14, 24), (48, 8, 16), (8, 50, 16), (32, 8, 40), (4, 44, 16), (16, 14, 40), (40, 20, 20)),
            2: ((32, 32, 24), (12, 44, 24), (8, 20, 48), (48, 26, 16), (24, 38, 28), (16, 20, 40), (36, 14, 32)),
            4: ((48, 20, 24), (16, 44, 20), (24, 14, 40), (32, 26, 32), (8, 38, 24), (12, 20, 48))}


@dataclass(frozen=True)
class Configuration:
    ranks: int
    batch: int
    depth: int
    size: int

    @property
    def options(self):
        return f"--batch {self.batch} --depth {self.depth} --image-size {self.size}"

    @property
    def point(self):
        return f"p={self.ranks},batch={self.batch},depth={self.depth},width={WIDTH},image={self.size}"


def design():
    """Lines through the largest values, as `plimsoll measure --design lines` has them, the other corners, some more."""
    corner = (BATCHES[-1], DEPTHS[-1], SIZES[-1])
    points = {corner}
    for axis, values in enumerate((BATCHES, DEPTHS, SIZES)):
        points |= {(*corner[:axis], value, *corner[axis + 1:]) for value in values}
    points |= set(itertools.product(BATCHES[::4], DEPTHS[::4], SIZES[::4]))
    others = sorted(set(itertools.product(BATCHES, DEPTHS, SIZES)) - points)
    return sorted(points) + random.Random(20261130).sample(others, PROFILED - len(points))


def scale():
    return float(os.environ.get("PLIMSOLL_TRAINING_SCALE", "1"))


def dataset():
    return int(DATASET * scale())


def validation():
    return int(VALIDATION * scale())


@lru_cache(maxsize=None)
def folder():
    kept = os.environ.get("PLIMSOLL_TRAINING_RUNS")
    path = Path(kept).absolute() if kept else temporary_folder()
    path.mkdir(parents=True, exist_ok=True)
    return path


def kept(kind, ranks):
    """Where runs are kept: those of other sizes of the data set elsewhere, as they are other runs."""
    place = folder() / f"{kind}-{dataset()}" / f"p{ranks}"
    place.mkdir(parents=True, exist_ok=True)
    return place


def train(kind, ranks, name, *options):
    """Runs the program, or takes what a run of it has left: the file of what it measured, and how long it ran, s."""
    place = kept(kind, ranks)
    lines, wall = place / f"{name}.jsonl", place / f"{name}.wall"
    if not wall.exists():
        launcher = shutil.which("mpiexec")
        if launcher is None:
            raise CannotMeasure("there is no mpiexec: install openmpi-bin")
        begin = time.monotonic()
        done = output([launcher, "-n", ranks, built("bin/training"), "--width", WIDTH, "--dataset-size", dataset(),
                       "--validation-size", validation(), "-o", lines, *options],
                      seconds=1800, env={**os.environ, **MPI_ENVIRONMENT, "OMPI_MCA_hwloc_base_binding_policy": "none"})
        seconds = time.monotonic() - begin
        if done.returncode != 0:
            raise CannotMeasure(f"{name} on {ranks} ranks: {(done.stderr or '').strip()[-300:]}")
        wall.write_text(f"{seconds}\n")
    return lines, float(wall.read_text())


def values_of(path):
    """Means of the ranks' values by (batch, depth, image size), region and metric."""
    values = {}
    for line in path.read_text().splitlines()[1:]:
        entry = json.loads(line)
        at = tuple(entry["params"][name] for name in ("batch", "depth", "image"))
        values.setdefault((at, entry["region"], entry["metric"]), []).extend(map(statistics.mean, entry["value"]))
    return values


def profile_round(ranks, number):
    """One step of each configuration, after some that do not count; the first configuration warms up the process."""
    order = [Configuration(ranks, *point) for point in design()]
    random.Random(f"{ranks} {number}").shuffle(order)
    asked = kept("profiles", ranks) / f"round{number}.txt"
    text = "".join(f"{c.options} --warmup-time {WARMUP_S if i else START_S}\n" for i, c in enumerate(order))
    if asked.exists() and asked.read_text() != text:
        raise CannotMeasure(f"{asked} is of another design: name another folder in PLIMSOLL_TRAINING_RUNS")
    asked.write_text(text)
    return train("profiles", ranks, f"round{number}", "--steps", 1, "--runs", asked)


def steps_of_epoch(configuration):
    return dataset() // (configuration.ranks * configuration.batch)


def held_out():
    return [Configuration(ranks, *point) for ranks, points in HELD_OUT.items() for point in points]


@lru_cache(maxsize=None)
def runs():
    """What was measured of rounds and of whole epochs, all made in one random order."""
    asked = [("profiles", ranks, number) for ranks in HELD_OUT for number in range(ROUNDS)]
    asked += [("epochs", configuration, None) for configuration in held_out()]
    random.Random(1).shuffle(asked)
    rounds, epochs = {}, {}
    for kind, what, number in asked:
        if kind == "profiles":
            rounds[what, number] = profile_round(what, number)
        else:
            epochs[what] = train("epochs", what.ranks, what.options.replace("--", "").replace(" ", "-"),
                                 *what.options.split())
    return rounds, epochs


def predictions():
    """The time of an epoch of each held-out configuration: a value with its interval of 90 %, s."""
    predicted = {}
    for ranks, points in HELD_OUT.items():
        asked = [Configuration(ranks, *point) for point in points]
        profiled = [runs()[0][ranks, number][0] for number in range(ROUNDS)]
        command = [plimsoll(), "training", *profiled, "--batch", "batch", "--dataset-size", dataset(),
                   "--validation-size", validation(), "--last-step", "drop", "--json"]
        for configuration in asked:
            command += ["--at", configuration.point]
        done = output(command)
        if done.returncode != 0:
            raise CannotMeasure(f"plimsoll training: {(done.stderr or '').strip()[-300:]}")
        predicted.update(zip(asked, (point["epoch_s"] for point in json.loads(done.stdout)["points"])))
    return predicted


@lru_cache(maxsize=None)
def compared():
    """Of each held-out configuration what was predicted from the profiles alone and what an epoch took."""
    measured = {c: values_of(path)[(c.batch, c.depth, c.size), "epoch", "time"][0] for c, (path, _) in runs()[1].items()}
    predicted = predictions()
    rows = [{"at": c.point, "predicted_s": predicted[c]["value"], "low_s": predicted[c]["low"],
             "high_s": predicted[c]["high"], "measured_s": measured[c]} for c in predicted]
    (folder() / "compared.json").write_text(json.dumps(rows, indent=1))
    return rows


def command():
    return (f"training --steps 1 --runs LIST -o FILE.jsonl, {ROUNDS} times; plimsoll training *.jsonl --batch batch ...; "
            "docs/guide/real-training.md")


def load():
    cut = "" if scale() == 1 else f"; epochs cut to {scale():g} of their images, so no figure of record"
    return f"load of the machine now {os.getloadavg()[1]:.1f} on {os.cpu_count()} processors{cut}"


@measurement("training-real-accuracy", "%", ">=", 95, slow=True)
def accuracy():
    """Mean accuracy of the times of 20 epochs of a real training, beyond all that was profiled."""
    errors = {row["at"]: 100 * (row["predicted_s"] / row["measured_s"] - 1) for row in compared()}
    worst = max(errors, key=lambda at: abs(errors[at]))
    by_ranks = {ranks: statistics.mean(100 - abs(error) for at, error in errors.items() if at.startswith(f"p={ranks},"))
                for ranks in HELD_OUT}
    note = "; ".join([*(f"{ranks} ranks {value:.1f} %" for ranks, value in by_ranks.items()),
                      f"worst {errors[worst]:+.1f} % at {worst}", load()])
    return Result(round(statistics.mean(100 - abs(error) for error in errors.values()), 2), command(), note)


@measurement("training-real-coverage", "%", ">=", 80, slow=True)
def coverage():
    """Of these epochs, how many took a time within the predicted interval of 90 %."""
    rows = compared()
    inside = sum(row["low_s"] <= row["measured_s"] <= row["high_s"] for row in rows)
    width = statistics.median(100 * (row["high_s"] - row["low_s"]) / row["predicted_s"] for row in rows)
    return Result(round(100 * inside / len(rows), 1), command(), f"median width {width:.0f} % of the prediction; {load()}")


@measurement("training-real-saved", "%", ">=", 94.9, slow=True)
def saved():
    """Share of the time of full epochs of the profiled configurations that profiles of a few steps save.

    Of profiles whole programs, with their starts and warm-up; of full epochs the steps of training alone, at the mean
    of those that were made. That means hold on is what the accuracy above tells.
    """
    rounds, _ = runs()
    profiled = sum(wall for _, wall in rounds.values())
    full = 0.0
    for ranks in HELD_OUT:
        steps = {}
        for number in range(ROUNDS):
            for (at, region, metric), values in values_of(rounds[ranks, number][0]).items():
                if (region, metric) == ("step", "time"):
                    steps.setdefault(at, []).extend(values)
        for at, values in steps.items():
            full += steps_of_epoch(Configuration(ranks, *at)) * statistics.mean(values)
    note = f"profiled in {profiled:.0f} s, full epochs {full:.0f} s; {load()}"
    return Result(round(100 * (1 - profiled / full), 2), command(), note)

"""How long trainings take: laws planted in traces, and what MLPerf's submitters measured."""

import csv
import gzip
import json
import math
import random
import sqlite3
import statistics
from collections import defaultdict
from functools import lru_cache

from .core import temporary_folder
from .measurement import CannotMeasure, Result, measurement, output, plimsoll, shared

DATASET = 1_281_167  # samples of an epoch
STEPS = 5  # profiled
SEEDS = 20


class Law:
    """Of one step, in milliseconds: what the device computes, and how long it communicates and computes nothing."""

    def __init__(self, name, compute, exposed, scales, batches=(256,)):
        self.name, self.compute, self.exposed, self.scales, self.batches = name, compute, exposed, scales, batches

    def step(self, p, b):
        return self.compute(p, b) + self.exposed(p, b) + 4.0

    def epoch(self, p, b):
        return math.ceil(DATASET / (p * b)) * self.step(p, b) / 1e3


SCALES = (2, 4, 8, 16, 32)
LAWS = (
    Law("logarithm", lambda p, b: 80.0, lambda p, b: 2.0 + 3.0 * math.log2(p), SCALES),
    Law("root", lambda p, b: 60.0, lambda p, b: 2.5 * math.sqrt(p), SCALES),
    Law("power of two thirds", lambda p, b: 50.0, lambda p, b: 1.0 + 0.8 * p ** (2 / 3), SCALES),
    Law("linear", lambda p, b: 120.0, lambda p, b: 0.3 * p, SCALES),
    Law("constant", lambda p, b: 90.0, lambda p, b: 6.0, SCALES),
    Law("batch", lambda p, b: 5.0 + 0.4 * b, lambda p, b: 3.0 * math.log2(p), SCALES, (16, 32, 64, 128, 256)),
)


def events_of(law, p, b, noise, rng):
    """Of each step: its begin, and the spans of computing and of communicating, in milliseconds."""
    now = 1000.0
    for _ in range(STEPS):
        def off():
            return 1.0 + 0.5 * noise * rng.uniform(-1.0, 1.0)  # the convention of Extra-P's studies
        compute, exposed, rest = law.compute(p, b) * off(), law.exposed(p, b) * off(), 4.0 * off()
        hidden = 0.2 * exposed  # of the communication, beside the computing
        begin = now + 0.5 * rest
        yield now, (begin, compute), (begin + compute - hidden, exposed + hidden), compute + exposed + rest
        now += compute + exposed + rest


def write_kineto(folder, law, p, b, noise, rng):
    trace = []
    for number, (begin, compute, reduce, duration) in enumerate(events_of(law, p, b, noise, rng)):
        def event(category, name, span, thread, **arguments):
            trace.append({"ph": "X", "cat": category, "name": name, "pid": 0, "tid": thread, "ts": 1e3 * span[0],
                          "dur": 1e3 * span[1], "args": arguments})
        event("user_annotation", f"ProfilerStep#{number}", (begin, duration), 1)
        event("kernel", "gemm", compute, 7, device=0, stream=7)
        event("kernel", "ncclDevKernel_AllReduce", reduce, 8, device=0, stream=8, **{
            "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 25_000_000, "Group size": p})
    place = folder / f"net.p{p}.b{b}.r1"
    place.mkdir(parents=True)
    with gzip.open(place / "rank0.json.gz", "wt", compresslevel=1) as file:
        json.dump({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": p}, "traceEvents": trace}, file)


def write_nsight(folder, law, p, b, noise, rng):
    folder.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(folder / f"net.p{p}.b{b}.r1.mpi0.sqlite")
    database.executescript("""
        create table StringIds (id integer primary key, value text);
        create table NVTX_EVENTS (start integer, end integer, eventType integer, category integer, text text,
                                  textId integer, domainId integer, globalTid integer);
        create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer, streamId integer,
                                                 correlationId integer, demangledName integer, globalPid integer);
        insert into StringIds values (1, 'gemm'), (2, 'ncclDevKernel_AllReduce');""")
    process = 7 << 24
    for number, (begin, compute, reduce, duration) in enumerate(events_of(law, p, b, noise, rng)):
        def span(start, length):
            return round(1e6 * start), round(1e6 * (start + length))
        database.execute("insert into NVTX_EVENTS values (?, ?, 59, null, ?, null, 0, ?)",
                         (*span(begin, duration), f"step {number}", process + 1))
        for name, stream, what in ((1, 7, compute), (2, 8, reduce)):
            database.execute("insert into CUPTI_ACTIVITY_KIND_KERNEL values (?, ?, 0, ?, null, ?, ?)",
                             (*span(*what), stream, name, process))
    database.commit()
    database.close()


def predicted_epochs(paths, points, *options):
    """Predicted epoch times at points, s, with their intervals."""
    at = [word for point in points for word in ("--at", ",".join(f"{k}={v}" for k, v in point.items()))]
    run = output([plimsoll(), "training", *paths, "--json", *options, *at])
    if run.returncode != 0:
        raise CannotMeasure(f"plimsoll training says: {run.stderr}")
    return [point["training_s"] for point in json.loads(run.stdout)["points"]]


def planted_errors(writer, noise, seeds):
    """Relative errors of epochs at two and four times the largest scale, by law."""
    errors, covered = defaultdict(list), []
    for law in LAWS:
        for seed in range(seeds):
            rng = random.Random(f"{law.name} {seed}")
            folder = temporary_folder() / f"{writer.__name__} {law.name} {noise} {seed}"
            for p in law.scales:
                for b in law.batches:
                    writer(folder, law, p, b, noise, rng)
            several = len(law.batches) > 1
            points = [{"p": factor * law.scales[-1], **({"b": law.batches[-1]} if several else {})}
                      for factor in (2, 4)]
            batch = "b" if several else str(law.batches[0])
            found = predicted_epochs([folder], points, "--dataset-size", str(DATASET), "--batch", batch)
            for point, epoch in zip(points, found):
                truth = law.epoch(point["p"], law.batches[-1])
                errors[law.name].append(abs(epoch["value"] - truth) / truth)
                covered.append(epoch["low"] <= truth <= epoch["high"])
    return errors, covered


PLANTED = f"plimsoll training FOLDER --dataset-size {DATASET} --batch B --at p=64 --at p=128 --json"


def accuracy(writer):
    errors, covered = planted_errors(writer, 0.1, SEEDS)
    each = "; ".join(f"{name} {100 - 100 * statistics.fmean(found):.1f}" for name, found in errors.items())
    mean = statistics.fmean(error for found in errors.values() for error in found)
    return Result(round(100 - 100 * mean, 2), PLANTED,
                  f"{SEEDS} seeds, {STEPS} steps at {len(SCALES)} scales, to 4 times the largest; {each}; "
                  f"{100 * statistics.fmean(covered):.0f} % in their 90 % intervals")


def worst(writer):
    errors, _ = planted_errors(writer, 0.0, 1)
    return Result(round(100 * max(error for found in errors.values() for error in found), 5), PLANTED,
                  "; ".join(f"{name} {100 * max(found):.2g}" for name, found in errors.items()))


@measurement("training-planted-kineto-exact", "%", "<=", 0.01)
def planted_kineto_exact():
    """Largest error of an epoch, to four times the measured scale, by traces of PyTorch's profiler without noise."""
    return worst(write_kineto)


@measurement("training-planted-nsight-exact", "%", "<=", 0.01)
def planted_nsight_exact():
    """Largest error of an epoch, to four times the measured scale, by exports of Nsight Systems without noise."""
    return worst(write_nsight)


@measurement("training-planted-kineto-accuracy", "%", ">=", 95, slow=True)
def planted_kineto_accuracy():
    """Mean accuracy of epochs, to four times the measured scale, by traces of PyTorch's profiler with 10 % noise."""
    return accuracy(write_kineto)


@measurement("training-planted-nsight-accuracy", "%", ">=", 95, slow=True)
def planted_nsight_accuracy():
    """Mean accuracy of epochs, to four times the measured scale, by exports of Nsight Systems with 10 % noise."""
    return accuracy(write_nsight)


def write_lines(path, rows):
    with open(path, "w") as file:
        for params, region, metric, values in rows:
            file.write(json.dumps({"params": params, "region": region, "metric": metric,
                                   "unit": "s" if metric == "time" else "", "value": values}) + "\n")


@lru_cache(maxsize=None)
def mlperf_groups():
    """Error of the time to train at the largest scale of each group (version, organisation, accelerator, benchmark)
    with at least four: the time of a step by scale and batch, and the samples that are needed by the batch."""
    groups = defaultdict(lambda: defaultdict(list))
    with open(shared("data/realworld/mlperf-training/runs.csv"), newline="") as file:
        for row in csv.DictReader(file):
            if row["status"] == "success":
                group = tuple(row[key] for key in ("version", "org", "accelerator", "benchmark"))
                groups[group][int(row["accelerators"])].append(row)
    found = {}
    for number, (group, scales) in enumerate(sorted(groups.items())):
        if len(scales) < 4:
            continue
        last = max(scales)
        batch = {p: statistics.fmean(int(row["global_batch"]) for row in rows) for p, rows in scales.items()}
        # Of these two alone the logs count the samples of the training; others tell those of an epoch, or of a block,
        # and 1e6 stands for the samples of all their trainings.
        counts = group[3] in ("bert", "gpt3")
        samples = {p: [float(row["train_samples"]) if counts else 1e6 for row in rows] for p, rows in scales.items()}
        steps, needs = [], []
        for p in sorted(scales):
            if p == last:
                continue
            times = [float(row["time_to_train_s"]) * batch[p] / s for row, s in zip(scales[p], samples[p])]
            steps.append(({"p": p, "b": batch[p] / p}, "step", "time", times))
            needs.append(({"batch": batch[p]}, "training", "samples", samples[p]))
        folder = temporary_folder()
        write_lines(folder / f"mlperf-{number}-steps.jsonl", steps)
        write_lines(folder / f"mlperf-{number}-samples.jsonl", needs)
        truth = statistics.fmean(float(row["time_to_train_s"]) for row in scales[last])
        options = ["--batch", "b"]
        several = len({need[0]["batch"] for need in needs}) >= 3
        if several:
            options += ["--samples", folder / f"mlperf-{number}-samples.jsonl"]
        else:
            mean = statistics.fmean(value for need in needs for value in need[3])
            options += ["--dataset-size", str(round(mean))]
        epoch = predicted_epochs([folder / f"mlperf-{number}-steps.jsonl"], [{"p": last, "b": batch[last] / last}],
                                 *options)[0]
        found[group] = (truth, epoch)
    return found


@measurement("training-mlperf-median", "%", "<=", 15)
def mlperf_median():
    """Median error of the time to train at the largest scale of each MLPerf group with at least four scales."""
    errors = {group: abs(epoch["value"] - truth) / truth for group, (truth, epoch) in mlperf_groups().items()}
    note = "; ".join(f"{' '.join(group)}: {epoch['value']:.1f} s of {truth:.1f} s, {100 * errors[group]:.1f} %"
                     for group, (truth, epoch) in mlperf_groups().items())
    return Result(round(100 * statistics.median(errors.values()), 1),
                  "plimsoll training STEPS.jsonl --batch b --samples SAMPLES.jsonl --at p=LARGEST,b=BATCH --json",
                  f"{len(errors)} groups: {note}")


@lru_cache(maxsize=None)
def mlperf_hpc():
    """Of each successful run of MLPerf HPC with its epochs: the benchmark, the time of all its epochs, that predicted
    from the first two of it and of its system's runs, and the share of the time that these two took.

    Warm-up only makes an epoch longer, so that of a run's two the shorter one is nearer to those that follow. What is
    left of it is partly the run's own and partly chance, and one epoch does not tell which: the mean of it and of what
    is typical of the system's runs stands between.
    """
    epochs = defaultdict(list)
    with open(shared("data/realworld/mlperf-hpc/epochs.csv"), newline="") as file:
        for row in csv.DictReader(file):
            key = tuple(row[k] for k in ("version", "org", "system", "benchmark", "run"))
            epochs[key].append((float(row["epoch"]), float(row["epoch_s"])))
    systems = defaultdict(list)
    with open(shared("data/realworld/mlperf-hpc/runs.csv"), newline="") as file:
        for row in csv.DictReader(file):
            key = tuple(row[k] for k in ("version", "org", "system", "benchmark", "run"))
            times = [seconds for _, seconds in sorted(epochs.get(key, []))]
            if row["status"] == "success" and len(times) > 2:
                systems[key[:4]].append(times)
    found = []
    for number, (system, runs) in enumerate(sorted(systems.items())):
        path = temporary_folder() / f"hpc-{number}.jsonl"
        typical = statistics.median(min(times[:2]) for times in runs)
        for times in runs:
            write_lines(path, [({"p": 1}, "first epoch", "time", [times[0]]),
                               ({"p": 1}, "epoch", "time", [min(times[:2]), typical])])
            predicted = predicted_epochs([path], [], "--epochs", str(len(times)))[0]["value"]
            found.append((system[3], sum(times), predicted, (times[0] + times[1]) / sum(times)))
    return found


HPC = "plimsoll training EPOCHS.jsonl --epochs N --json"


@measurement("training-hpc-error", "%", "<=", 5)
def hpc_error():
    """Mean error of the time of all epochs of MLPerf HPC's runs, predicted from epochs 1 and 2, their own and those of their
    system's other runs."""
    errors = defaultdict(list)
    for benchmark, truth, predicted, _ in mlperf_hpc():
        errors[benchmark].append(abs(predicted - truth) / truth)
    everything = [error for found in errors.values() for error in found]
    note = "; ".join(f"{name} {100 * statistics.fmean(found):.1f}, median {100 * statistics.median(found):.1f}"
                     for name, found in errors.items())
    return Result(round(100 * statistics.fmean(everything), 2), HPC,
                  f"{len(everything)} runs, median {100 * statistics.median(everything):.1f}; {note}")


@measurement("training-hpc-saved", "%", ">=", 90)
def hpc_saved():
    """Share of the time of CosmoFlow's trainings that is saved where two epochs are run instead of all."""
    shares = defaultdict(list)
    for benchmark, _, _, share in mlperf_hpc():
        shares[benchmark].append(1 - share)
    return Result(round(100 * statistics.fmean(shares["cosmoflow"]), 1), HPC,
                  "; ".join(f"{name} {100 * statistics.fmean(found):.1f}" for name, found in shares.items()))

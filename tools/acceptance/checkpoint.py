"""What checkpoints promise: how long they keep a program from its work, and what they reach of what memory and disks allow."""

import json
import os
import shutil
import statistics
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from .measurement import ROOT, CannotMeasure, Result, measurement, shown

JUDGES = ROOT / "build/release/judge"
HEAT = ROOT / "build/release/bin/heat"
MIB = 1024  # of memory, and of what is written
REPEATS = 7
SMALL_ARRAYS = 10_000
SMALL_MIB = SMALL_ARRAYS * 16 / 1024  # 16 KiB each
REPLICA_RATE = 100  # MB/s that a rank's way to the disk is held to
REPLICA_MIB = 256


def program(path):
    if not os.access(path, os.X_OK):
        raise CannotMeasure(f"{path.relative_to(ROOT)} is not built: run make accept")
    return path


def printed(command, **options):
    """The JSON lines that a program prints."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise CannotMeasure(f"{shown(command)}: {done.stderr.strip() or done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


@lru_cache(maxsize=None)
def capture():
    """Times of copies and of calls that save, in seconds; and the command."""
    command = [program(JUDGES / "checkpoint_capture"), MIB, REPEATS]
    return printed(command)[0], shown(command)


@measurement("checkpoint-blocking", "%", "<=", 1)
def blocking():
    """Time that a lazy save of 1 GiB on 2 MiB pages keeps the program, of that of a copy by all threads."""
    found, command = capture()
    large, small = found["large_pages"], found["small_pages"]
    return Result(round(100 * large["blocked_lazy"] / large["memcpy_all"], 3), command,
                  f"{1e3 * large['blocked_lazy']:.3f} ms against {1e3 * large['memcpy_all']:.0f} ms of memcpy and "
                  f"{1e3 * large['blocked_copied']:.0f} ms of a save that copies; on 4 KiB pages "
                  f"{1e3 * small['blocked_lazy']:.2f} ms, {100 * small['blocked_lazy'] / small['memcpy_all']:.1f} %")


@measurement("checkpoint-blocking-time", "ms", "<=", 1)
def blocking_time():
    """Time that a lazy save of 1 GiB on 2 MiB pages keeps the program."""
    found, command = capture()
    return Result(round(1e3 * found["large_pages"]["blocked_lazy"], 3), command)


@measurement("checkpoint-rewrite", "times", "<=", 1.15)
def rewrite():
    """A lazy save and rewriting all at once, beside a memcpy by all threads and the same rewriting."""
    found, command = capture()
    large = found["large_pages"]
    alone = large["memcpy_all"] + large["rewrite"]
    return Result(round((large["blocked_lazy"] + large["rewrite_during"]) / alone, 3), command,
                  f"{1e3 * large['rewrite_during']:.0f} ms in place of {1e3 * large['rewrite']:.0f} ms; "
                  f"memcpy takes {1e3 * large['memcpy_all']:.0f} ms by all threads, {1e3 * large['memcpy_one']:.0f} ms by one")


@measurement("checkpoint-copy", "%", ">=", 85)
def copy():
    """Rate of copying with checksums, of that of memcpy by as many threads."""
    found, command = capture()
    large = found["large_pages"]
    return Result(round(100 * large["memcpy_all"] / large["copy"], 1), command,
                  f"{found['bytes'] / large['copy'] / 1e9:.2f} GB/s, {large['threads']} threads")


@measurement("checkpoint-checksum", "%", "<=", 5)
def checksum():
    """What checksums add to the time of copying."""
    found, command = capture()
    large = found["large_pages"]
    return Result(round(100 * (large["copy"] / large["copy_plain"] - 1), 1), command)


def fio_seconds(folder):
    """Time that fio takes to write as much as fast as it can: as large blocks, as many in flight, past the cache, synced."""
    fio = shutil.which("fio")
    if fio is None:
        raise CannotMeasure("fio is wanted: run tools/setup")
    words = [fio, "--name=write", f"--filename={folder}/fio", "--rw=write", "--bs=1m", "--iodepth=16", "--ioengine=io_uring",
             "--direct=1", f"--size={MIB}m", "--fallocate=native", "--end_fsync=1", "--output-format=json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    Path(folder, "fio").unlink(missing_ok=True)
    if done.returncode != 0:
        raise CannotMeasure(f"fio: {done.stderr.strip() or done.stdout.strip()[-200:]}")
    job = json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]
    return max(job["job_runtime"], job["write"]["runtime"]) / 1e3


@lru_cache(maxsize=None)
def writes():
    """Medians in seconds, by turns: fio, one array of the same size, and many small ones beside one of theirs."""
    ways = {"large": (MIB, 1), "small": (SMALL_MIB, SMALL_ARRAYS), "one of as many": (SMALL_MIB, 1)}
    times = {name: [] for name in ("fio", *ways)}
    with tempfile.TemporaryDirectory(prefix="plimsoll-accept-") as folder:
        for _ in range(REPEATS):
            times["fio"].append(fio_seconds(folder))
            for name, (mib, arrays) in ways.items():
                found = printed([program(JUDGES / "checkpoint_write"), f"{folder}/saves", int(mib), arrays])[0]
                times[name].append(found["durable_s"])
    return {name: statistics.median(values) for name, values in times.items()}, found["engine"]


@measurement("checkpoint-write", "%", ">=", 92)
def write():
    """Rate from the end of the call until a save of 1 GiB is durable, of that of fio with the same settings."""
    found, engine = writes()
    return Result(round(100 * found["fio"] / found["large"], 1), f"checkpoint_write FOLDER {MIB} 1",
                  f"{MIB / 1024 / found['large']:.2f} GiB/s by {engine}, all syncs and the commit included; "
                  f"fio {MIB / 1024 / found['fio']:.2f} GiB/s; medians of {REPEATS} in turn")


@measurement("checkpoint-small-arrays", "%", ">=", 80)
def small_arrays():
    """Rate of a save of 10,000 arrays of 16 KiB, of that of one array as large as all of them."""
    found, _ = writes()
    return Result(round(100 * found["one of as many"] / found["small"], 1), f"checkpoint_write FOLDER {int(SMALL_MIB)} {SMALL_ARRAYS}",
                  f"{1e3 * found['small']:.0f} ms, and {1e3 * found['one of as many']:.0f} ms for one")


@measurement("checkpoint-replicas", "of N", ">=", 0.8)
def replicas():
    """How much faster N ranks save what all of them have, by N: the least of 2, 4 and 8, each held to 100 MB/s."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-accept-") as folder:
        command = [program(JUDGES / "checkpoint_replicas"), f"{folder}/saves", REPLICA_MIB, REPLICA_RATE, 3, 1, 2, 4, 8]
        found = {int(ranks): seconds for ranks, seconds in printed(command)[0].items()}
        free = {int(ranks): seconds for ranks, seconds in printed([*command[:3], 0, 5, 1, 2, 4])[0].items()}
    gains = {n: found[1] / seconds / n for n, seconds in found.items() if n > 1}
    return Result(round(min(gains.values()), 3), f"checkpoint_replicas FOLDER {REPLICA_MIB} {REPLICA_RATE} 3 1 2 4 8",
                  "; ".join(f"{n} ranks {found[n]:.2f} s" for n in found) + "; not held, on one disk: " +
                  ", ".join(f"{n}: {1e3 * seconds:.0f} ms" for n, seconds in free.items()))


@measurement("checkpoint-slowdown", "%", "<=", 3)
def slowdown():
    """What saving every tenth step lazily adds to heat on large pages, beyond the time that a memcpy of as much takes."""
    size, steps, every, pairs = 192, 205, 10, 7
    bare = [program(HEAT), "--size", size, "--steps", steps]
    saving = [*bare, "--every", every, "--checkpoints"]
    # Large pages for what malloc gives, as glibc since 2.35 has it.
    large = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
    ways = {"bare": (bare, large), "lazy": ([*saving, "saves", "--lazy"], large), "copied": ([*saving, "saves"], large),
            "bare, 4 KiB pages": (bare, {}), "lazy, 4 KiB pages": ([*saving, "saves", "--lazy"], {})}
    found, _ = capture()
    share = (steps // every) * 8 * size**3 / (found["bytes"] / found["large_pages"]["memcpy_one"])
    seconds = {name: [] for name in ways}
    with tempfile.TemporaryDirectory(prefix="plimsoll-accept-") as folder:
        for _ in range(pairs):
            for name, (command, environment) in ways.items():
                result = printed(command, cwd=folder, env={**os.environ, **environment})[0]
                shutil.rmtree(Path(folder) / "saves", ignore_errors=True)
                seconds[name].append(result["wall_s"])
    median = {name: statistics.median(values) for name, values in seconds.items()}
    added = {name: 100 * (median[name] / median["bare"] - 1) for name in ("lazy", "copied")}
    small = 100 * (median["lazy, 4 KiB pages"] / median["bare, 4 KiB pages"] - 1)
    return Result(round(added["lazy"] - 100 * share / median["bare"], 2), "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 " + shown(ways["lazy"][0]),
                  f"{median['bare']:.2f} s without, {median['lazy']:.2f} s with ({added['lazy']:+.1f} %), of which a memcpy of as much takes "
                  f"{share:.2f} s; copied at once {added['copied']:+.1f} %; lazily on 4 KiB pages {small:+.1f} %; {steps // every} saves of "
                  f"{8 * size**3 / 1e6:.0f} MB; medians of {pairs} in turn")


@lru_cache(maxsize=None)
def rivals():
    """Rows of the table of methods, by name; and the command."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-accept-") as folder:
        command = [program(JUDGES / "checkpoint_rivals"), f"{folder}/rivals", MIB // 2, 5]
        rows = {row["method"]: row for row in printed(command)}
    return rows, f"checkpoint_rivals FOLDER {MIB // 2} 5"


def beside_rivals(ours, quantity):
    """How many times longer the best of the others takes; and all of them."""
    rows, command = rivals()
    others = {name: row[quantity] for name, row in rows.items() if not name.startswith("plimsoll")}
    best = min(others, key=others.get)
    return Result(round(others[best] / rows[ours][quantity], 2), command,
                  f"{best} is the best of the others; " + ", ".join(f"{name} {1e3 * row[quantity]:.1f} ms" for name, row in rows.items()))


@measurement("checkpoint-rivals-lost", "times", ">=", 1)
def rivals_lost():
    """Time that the best of others' methods keeps a program that rewrites all its memory, of that of a lazy save."""
    return beside_rivals("plimsoll-lazy", "lost_s")


@measurement("checkpoint-rivals-durable", "times", ">=", 1)
def rivals_durable():
    """Time until the best of others' methods has 512 MiB on the disk, of that of ours."""
    return beside_rivals("plimsoll", "durable_s")

"""What measuring a program costs it, and that the bytes of its MPI calls are right."""

import json
import os
import shutil
import statistics
import tempfile
from functools import lru_cache
from pathlib import Path

from .measurement import ROOT, CannotMeasure, Result, measurement, output

RELEASE = ROOT / "build/release"
# Open MPI asks for permission where it runs as root, and for more ranks than cores.
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def built(relative):
    path = RELEASE / relative
    if not path.exists():
        raise CannotMeasure(f"build/release/{relative} is not built: run make accept, with MPI installed for what needs it")
    return path


# ---- the cost of a region


@lru_cache(maxsize=None)
def scope_nanoseconds():
    """Processor time of each benchmark of region/scope, median of nine; what else runs here does not count."""
    done = output([built("bench/region_scope_bench"), "--benchmark_repetitions=9", "--benchmark_format=json"])
    if done.returncode != 0 or "error_occurred" in done.stdout:
        raise CannotMeasure(f"region_scope_bench: {(done.stderr or done.stdout).strip()[-200:]}")
    runs = json.loads(done.stdout)["benchmarks"]
    return {run["run_name"]: run["cpu_time"] for run in runs if run.get("aggregate_name") == "median"}


@measurement("campaign-region-cost", "ns", "<=", 50)
def region_cost():
    """Time that a region adds to a program: begin and end, two clock readings included."""
    ns = scope_nanoseconds()
    nested = ns["four_scopes"] / 4
    note = (f"alone {ns['one_scope']:.1f} ns, among nested ones {nested:.1f} ns; two clock readings are "
            f"{ns['two_clock_readings']:.1f} ns of it; where nothing is measured {ns['nothing_measured']:.1f} ns")
    return Result(round(max(ns["one_scope"], nested), 1), "region_scope_bench --benchmark_repetitions=9", note)


# ---- MPI


def run_ranks(ranks, *command, **environment):
    launcher = shutil.which("mpiexec")
    if launcher is None:
        raise CannotMeasure("there is no mpiexec: install openmpi-bin")
    variables = [f"{name}={value}" for name, value in environment.items()]
    done = output([launcher, "-n", ranks, "env", *variables, *command], seconds=300, env={**os.environ, **MPI_ENVIRONMENT})
    if done.returncode != 0:
        raise CannotMeasure(f"{Path(command[0]).name} on {ranks} ranks: {(done.stderr or done.stdout or '').strip()[-200:]}")
    return done.stdout


@measurement("campaign-mpi-overhead", "%", "<=", 1)
def mpi_overhead():
    """Time that the MPI library adds to a message of 8 bytes between two ranks, beyond two clock readings."""
    program, library = built("judge/mpi_ping_pong"), built("lib/libplimsoll-mpi.so")
    runs = [json.loads(run_ranks(2, program, 2000, LD_PRELOAD=library, PLIMSOLL_REGIONS="/dev/null")) for _ in range(9)]
    with_library, with_requests = [run["blocking"] for run in runs], [run["requests"] for run in runs]
    without = [json.loads(run_ranks(2, program, 2000))["blocking"] for _ in range(3)]

    def median(runs, value):
        return statistics.median(map(value, runs))

    beyond = median(with_library, lambda run: 100 * (run["difference_ns"] - run["two_clock_readings_ns"]) / run["plain_ns"])
    note = (f"a message takes {median(with_library, lambda run: run['plain_ns']):.0f} ns and "
            f"{median(with_library, lambda run: run['difference_ns']):.1f} ns more with the library, two clock readings "
            f"{median(with_library, lambda run: run['two_clock_readings_ns']):.1f} ns, in part while the message travels; "
            f"all in all {median(with_library, lambda run: 100 * run['difference_ns'] / run['plain_ns']):.1f} %; by "
            f"requests, four calls in place of two, {median(with_requests, lambda run: run['difference_ns']):.1f} ns more on "
            f"{median(with_requests, lambda run: run['plain_ns']):.0f} ns; the same blocks without the library differ by "
            f"{median(without, lambda run: run['difference_ns']):.1f} ns")
    command = "mpiexec -n 2 env LD_PRELOAD=libplimsoll-mpi.so PLIMSOLL_REGIONS=/dev/null mpi_ping_pong 2000, 9 times"
    return Result(round(beyond, 2), command, note)


def expected_traffic(ranks, n, runs):
    """By region and metric, each rank's bytes of kernels-mpi: see workloads/kernels/README.md."""
    part = runs * 10 * 8 * n
    root, others = [part] + [0] * (ranks - 1), [0] + [part] * (ranks - 1)
    return {("main->ring->MPI_Isend", "bytes_sent"): [part] * ranks,
            ("main->ring->MPI_Waitall", "bytes_received"): [part] * ranks,
            ("main->allreduce->MPI_Allreduce", "bytes_sent"): [part] * ranks,
            ("main->allreduce->MPI_Allreduce", "bytes_received"): [part] * ranks,
            ("main->alltoall->MPI_Alltoall", "bytes_sent"): [ranks * part] * ranks,
            ("main->alltoall->MPI_Alltoall", "bytes_received"): [ranks * part] * ranks,
            ("main->broadcast->MPI_Bcast", "bytes_sent"): root,
            ("main->broadcast->MPI_Bcast", "bytes_received"): others}


@measurement("campaign-mpi-bytes", "values", "==", 0)
def mpi_bytes():
    """Byte counts of MPI calls, by rank and region, that differ from what the program is known to move."""
    program, library = built("bin/kernels-mpi"), built("lib/libplimsoll-mpi.so")
    compared, wrong = 0, []
    with tempfile.TemporaryDirectory(prefix="plimsoll-accept-") as folder:
        for ranks in (1, 2, 4):
            for n in (1, 1000, 100_000):
                path = Path(folder) / f"{ranks}-{n}.jsonl"
                run_ranks(ranks, program, "--size", n, "--warmup", 0, "--repetitions", 2, LD_PRELOAD=library,
                          PLIMSOLL_REGIONS=path)
                lines = [json.loads(line) for line in path.read_text().splitlines()]
                counted = {(line["region"], line["metric"]): line["value"][0] for line in lines}
                for key, expected in expected_traffic(ranks, n, 2).items():
                    found = counted.get(key) or [0] * ranks  # bytes that are zero on all ranks are not written
                    for rank in range(ranks):
                        compared += 1
                        if len(found) != ranks or found[rank] != expected[rank]:
                            wrong.append(f"{key[0]} {key[1]} of rank {rank} of {ranks}, n = {n}")
    command = "mpiexec -n P env LD_PRELOAD=libplimsoll-mpi.so PLIMSOLL_REGIONS=FILE kernels-mpi --size N --warmup 0 --repetitions 2"
    return Result(len(wrong), command, "; ".join(wrong[:5]) or f"{compared} values on 1, 2 and 4 ranks")

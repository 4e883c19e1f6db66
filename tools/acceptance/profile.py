"""Readers of what profilers write: their speed and memory on files of a gigabyte."""

import random
import statistics
from functools import lru_cache

from .core import temporary_folder
from .measurement import Result, measurement, plimsoll, timed

SIZE = 1_000_000_000  # bytes


@lru_cache(maxsize=None)
def kineto_trace():
    """A trace of one rank: operators on two threads, kernels of 200 names, flows between them, steps of 2000 each."""
    rng = random.Random(20261130)
    path = temporary_folder() / "rank0.json"
    kernels = [f"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<c10::Half>, "
               f"at::detail::Array<char*, {i}> >(int)" for i in range(200)]
    with open(path, "w", buffering=1 << 20) as file:
        file.write('{"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8}, '
                   '"traceEvents": [\n')
        written, step, now = 0, 0, 1e9
        while written < SIZE:
            begin, events = now, []
            for i in range(2000):
                events.append(f'{{"ph": "X", "cat": "cpu_op", "name": "aten::op{rng.randrange(50)}", "pid": 1, '
                              f'"tid": {rng.randrange(2)}, "ts": {now:.3f}, "dur": 9.500, "args": {{"External id": {i}, '
                              f'"Record function id": 0, "Sequence number": {i}, "Fwd thread id": 0, "Ev Idx": {i}}}}}')
                events.append(f'{{"ph": "X", "cat": "kernel", "name": "{rng.choice(kernels)}", "pid": 0, "tid": 7, '
                              f'"ts": {now + 1:.3f}, "dur": 7.0, "args": {{"External id": {i}, "queued": 0, "device": 0, '
                              f'"context": 1, "stream": 7, "correlation": {i}, "registers per thread": 16, '
                              f'"shared memory": 0, "blocks per SM": 1.185185, "warps per SM": 4.740741, '
                              f'"grid": [128, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 7}}}}')
                events.append(f'{{"ph": "s", "id": {i}, "pid": 1, "tid": 1, "ts": {now:.3f}, "cat": "ac2g", "name": "ac2g"}}')
                now += 10
            events.append(f'{{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{step}", "pid": 1, "tid": 0, '
                          f'"ts": {begin:.3f}, "dur": {now - begin - 0.1:.3f}}}')
            text = (",\n" if step else "") + ",\n".join(events)
            written += file.write(text)
            step += 1
        file.write("\n]}\n")
    return path


@lru_cache(maxsize=None)
def caliper_profile():
    """Iterations of a loop in 64 processes, 500 nested regions each: time and visits."""
    rng = random.Random(20261130)
    path = temporary_folder() / "app.cali"
    with open(path, "w", buffering=1 << 20) as file:
        file.write("__rec=node,id=31,attr=10,data=268,parent=3\n__rec=node,id=32,attr=8,data=function,parent=31\n"
                   "__rec=node,id=40,attr=10,data=65,parent=5\n__rec=node,id=41,attr=8,data=sum#time.duration,parent=40\n"
                   "__rec=node,id=42,attr=8,data=count,parent=40\n__rec=node,id=50,attr=10,data=65,parent=1\n"
                   "__rec=node,id=51,attr=8,data=mpi.rank,parent=50\n__rec=node,id=52,attr=8,data=iteration#main,parent=50\n")
        for region in range(500):
            parent = f",parent={100 + region // 4}" if region else ""
            file.write(f"__rec=node,id={100 + region},attr=32,data=function_{region}{parent}\n")
        written, iteration = 0, 0
        while written < SIZE:
            for rank in range(64):
                lines = [f"__rec=ctx,ref={100 + region},attr=41=42=51=52,data={rng.random():.6f}=3={rank}={iteration}\n"
                         for region in range(500)]
                written += file.write("".join(lines))
            iteration += 1
    return path


def show(path):
    return timed([plimsoll(), "show", path, "--quiet", "--threads", "1"])


def rate(path, command):
    seconds = statistics.median(show(path).seconds for _ in range(3))
    return Result(round(path.stat().st_size / 1e6 / seconds, 1), command, "one thread, whole program; median of 3")


def memory(path, command):
    return Result(round(show(path).peak_bytes / 1e6, 1), command)


@measurement("profile-kineto-rate", "MB/s", ">=", 100, slow=True)
def kineto_rate():
    """Rate at which a trace of the PyTorch profiler of 1 GB is read, whole program."""
    return rate(kineto_trace(), "plimsoll show rank0.json")


@measurement("profile-kineto-memory", "MB", "<=", 500, slow=True)
def kineto_memory():
    """Peak memory of the same."""
    return memory(kineto_trace(), "plimsoll show rank0.json")


@measurement("profile-caliper-rate", "MB/s", ">=", 100, slow=True)
def caliper_rate():
    """Rate at which a .cali file of 1 GB is read, whole program."""
    return rate(caliper_profile(), "plimsoll show app.cali")


@measurement("profile-caliper-memory", "MB", "<=", 500, slow=True)
def caliper_memory():
    """Peak memory of the same."""
    return memory(caliper_profile(), "plimsoll show app.cali")

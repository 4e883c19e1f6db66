"""What the campaign engine promises: rates, memory, and how soon it goes on after its server was killed."""

import contextlib
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .measurement import ROOT, CannotMeasure, Result, measurement, plimsoll

sys.path.insert(0, str(ROOT / "test/campaign"))
from campaign_folder import Campaign  # noqa: E402

MILLION = 1_000_000
TRUE = "/bin/true"


@contextlib.contextmanager
def served(*init):
    with Campaign(plimsoll(), *init) as campaign:
        campaign.start_server()
        yield campaign


def resident(process, key="VmHWM"):
    """Bytes of memory that a process has (VmRSS) or had at most (VmHWM)."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    raise CannotMeasure(f"process {process} has ended")


def dispatched(campaign, tasks):
    """Seconds in which workers that start nothing take and end so many tasks."""
    job = campaign.submit("--array", f"1..{tasks}", "--", "true")
    worker = campaign.worker("--launcher", "null")
    begin = time.perf_counter()
    campaign.run("wait", job)
    seconds = time.perf_counter() - begin
    worker.send_signal(signal.SIGTERM)
    worker.wait()
    if campaign.counts(job) != {"succeeded": tasks}:
        raise CannotMeasure(f"the job ended as {campaign.counts(job)}")
    return seconds


@measurement("campaign-dispatch", "ms", "<=", 0.05)
def dispatch():
    """Time of a task that starts no process: a million tasks, each event stored."""
    with served() as campaign:
        seconds = dispatched(campaign, MILLION)
        server = resident(campaign.server_process()) / 1e6
        note = f"{seconds:.1f} s in all, {campaign.events_stored()} event rows stored; the server took {server:.0f} MB"
    return Result(round(1000 * seconds / MILLION, 5), "plimsoll campaign submit --array 1..1000000 -- true; plimsoll campaign worker --launcher null", note)


@measurement("campaign-submit", "s", "<=", 2)
def submit():
    """Time until an array of a million lines is stored and acknowledged."""
    with served() as campaign:
        lines = campaign.folder / "cases.txt"
        lines.write_text("".join(f"case {i} --seed {i * 7919}\n" for i in range(MILLION)))
        begin = time.perf_counter()
        job = campaign.submit("--each-line", lines, "--", "true", "{line}")
        seconds = time.perf_counter() - begin
        begin = time.perf_counter()
        campaign.submit("--array", f"1..{MILLION}", "--", "true")
        by_range = time.perf_counter() - begin
        campaign.kill_server()
        campaign.start_server()
        if campaign.counts(job) != {"ready": MILLION}:
            raise CannotMeasure("the array was lost with the server")
    return Result(round(seconds, 3), "plimsoll campaign submit --each-line cases.txt -- true {line}",
                  f"a million lines, whole command; as a range {by_range:.3f} s; still there after kill -9 of the server")


SPAWN_LOOP = r"""
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
extern char** environ;
int main(int count, char** arguments) {
    const int tasks = atoi(arguments[1]), slots = atoi(arguments[2]);
    char* words[] = {"/bin/true", NULL};
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int running = 0;
    for (int i = 0; i < tasks; ++i) {
        pid_t child;
        if (running == slots) { wait(NULL); --running; }
        if (posix_spawn(&child, words[0], NULL, NULL, words, environ) != 0) return 1;
        ++running;
    }
    while (wait(NULL) > 0) {}
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.6f\n", (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    (void)count;
    return 0;
}
"""


def spawn_loop(folder):
    source, program = Path(folder) / "spawn.c", Path(folder) / "spawn"
    if not program.exists():
        source.write_text(SPAWN_LOOP)
        done = subprocess.run(["cc", "-O2", "-o", program, source], capture_output=True, text=True)
        if done.returncode != 0:
            raise CannotMeasure(f"the bare loop does not compile: {done.stderr[-200:]}")
    return program


def real_tasks(campaign, tasks):
    """Seconds of so many tasks `true`, on a worker that is there already."""
    job = campaign.submit("--hold", "--array", f"1..{tasks}", "--", TRUE)
    begin = time.perf_counter()
    campaign.run("release", job)
    campaign.run("wait", job)
    seconds = time.perf_counter() - begin
    if campaign.counts(job) != {"succeeded": tasks}:
        raise CannotMeasure(f"the job ended as {campaign.counts(job)}")
    return seconds


@measurement("campaign-true", "x", "<=", 1.25)
def true_tasks():
    """Real tasks `true` on two slots, as a multiple of a bare posix_spawn loop that alternates with them."""
    tasks, rounds = 4000, 7
    ratios, bare_times = [], []
    with served() as campaign:
        program = spawn_loop(campaign.folder)
        campaign.worker("--cpus", 2)
        real_tasks(campaign, 500)
        for _ in range(rounds):
            bare = float(subprocess.run([program, str(tasks), "2"], capture_output=True, text=True, check=True).stdout)
            ratios.append(real_tasks(campaign, tasks) / bare)
            bare_times.append(bare)
    note = (f"median of {rounds} pairs of {tasks} tasks; bare loop {1000 * statistics.median(bare_times) / tasks:.3f} ms a task; "
            f"ratios {min(ratios):.3f} to {max(ratios):.3f}; output kept, usage recorded, events stored")
    return Result(round(statistics.median(ratios), 3), "plimsoll campaign submit --array 1..4000 -- true", note)


@measurement("campaign-chain", "tasks/s", ">=", 500)
def chain():
    """Tasks that start nothing, each after the one before it."""
    tasks = 2000
    with served() as campaign:
        graph = {"job": [{"name": f"t{i}", "command": ["true"], **({"after": [f"t{i - 1}"]} if i else {"hold": True})} for i in range(tasks)]}
        (campaign.folder / "graph.json").write_text(json.dumps(graph))
        ids = campaign.run("graph", "graph.json", "--quiet").split()
        campaign.worker("--launcher", "null")
        campaign.wait_until(lambda: campaign.ask("top", "--once")["workers"])
        begin = time.perf_counter()
        campaign.run("release", ids[0])
        campaign.run("wait", ids[-1])
        seconds = time.perf_counter() - begin
    return Result(round(tasks / seconds, 1), "plimsoll campaign graph chain.json", f"{tasks} tasks in {seconds:.2f} s")


AGEING_TASKS = 10 * MILLION


@measurement("campaign-memory", "MB", "<=", 300, slow=True)
def memory():
    """Peak memory of a server with a million tasks waiting and ten million finished."""
    with served() as campaign:
        aged(campaign)
        waiting = campaign.submit("--after", "last", "--array", f"1..{MILLION}", "--", "true")
        campaign.ask("status", waiting)
        array = resident(campaign.server_process()) / 1e6
    with served() as campaign:
        single = {"job": [{"name": f"t{i}", "command": ["true"], "hold": True} for i in range(MILLION // 10)]}
        (campaign.folder / "graph.json").write_text(json.dumps(single))
        before = resident(campaign.server_process(), "VmRSS")
        campaign.run("graph", "graph.json", "--quiet")
        campaign.kill_server()
        campaign.start_server()
        each = (resident(campaign.server_process(), "VmRSS") - before) / (MILLION // 10)
    return Result(round(array, 1), "plimsoll campaign submit --array 1..10000000 -- true, then 1..1000000",
                  f"a million tasks as an array; jobs of one task take {each:.0f} B each")


def aged(campaign):
    """Ends ten million tasks; the rate of the first and of the last million, tasks a second."""
    first = MILLION / dispatched(campaign, MILLION)
    for _ in range(AGEING_TASKS // MILLION - 2):
        dispatched(campaign, MILLION)
    return first, MILLION / dispatched(campaign, MILLION)


@measurement("campaign-ageing", "%", ">=", 90, slow=True)
def ageing():
    """Rate after ten million finished tasks, as a share of that of a fresh campaign measured beside it."""
    with served() as old:
        aged(old)
        shares = []
        # Each leaves work to the disk behind: it is waited for, and they take turns in who goes first.
        for i in range(6):
            with served() as fresh:
                seconds = {}
                for campaign in (old, fresh) if i % 2 else (fresh, old):
                    os.sync()
                    seconds[campaign] = dispatched(campaign, MILLION)
                shares.append(100 * seconds[fresh] / seconds[old])
        size = (old.dot / "campaign.db").stat().st_size / 1e9
        server = resident(old.server_process()) / 1e6
    return Result(round(statistics.median(shares), 1), "plimsoll campaign submit --array 1..1000000 -- true, eleven times",
                  f"median of 6 pairs in turn ({', '.join(f'{s:.0f}' for s in shares)} %); database {size:.1f} GB, server {server:.0f} MB")


@measurement("campaign-resume", "s", "<=", 2)
def resume():
    """Longest time from a killed server to work that goes on, over twenty kills in a campaign of 20,000 tasks."""
    tasks, kills = 20_000, 20
    generator = random.Random(1)
    longest = 0.0
    with served() as campaign:
        campaign.worker("--cpus", 2)
        job = campaign.submit("--array", f"1..{tasks}", "--", "sh", "-c", "echo {index} >> ran")
        for _ in range(kills):
            time.sleep(generator.uniform(0.05, 0.5))
            campaign.kill_server()
            begin = time.perf_counter()
            campaign.start_server()
            known = campaign.counts(job).get("succeeded", 0)
            campaign.wait_until(lambda: campaign.counts(job).get("succeeded", 0) > known or known == tasks)
            longest = max(longest, time.perf_counter() - begin)
        campaign.run("wait", job)
        ran = (campaign.folder / "ran").read_text().split()
        if campaign.counts(job) != {"succeeded": tasks} or len(ran) != tasks or len(set(ran)) != tasks:
            raise CannotMeasure(f"{campaign.counts(job)}, {len(ran)} runs of {len(set(ran))} tasks")
    return Result(round(longest, 3), "python3 test/campaign/faults_test.py build/release/bin/plimsoll --kills 20",
                  f"{kills} kills; each of {tasks} tasks ran once; commands to start and ask included")


# ---- beside others, in one run


def rival(variable, name, hint):
    path = os.environ.get(variable) or shutil.which(name)
    if path is None:
        raise CannotMeasure(f"no rival: {hint}")
    return path


def ours_per_task(tasks):
    with served() as campaign:
        campaign.worker("--cpus", 2)
        real_tasks(campaign, 200)
        return real_tasks(campaign, tasks) / tasks


@measurement("campaign-parallel", "x", ">=", 3)
def parallel():
    """How many times as many tasks `true` a second as GNU parallel, both on two slots in one run."""
    program, tasks = rival("PLIMSOLL_PARALLEL", "parallel", "install parallel"), 1000
    with tempfile.TemporaryDirectory() as home:
        begin = time.perf_counter()
        subprocess.run([program, "-j2", "--will-cite", TRUE, ":::", *map(str, range(tasks))], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, "HOME": home})
        theirs = (time.perf_counter() - begin) / tasks
    ours = ours_per_task(tasks)
    return Result(round(theirs / ours, 2), f"parallel -j2 {TRUE} ::: 1 ... {tasks}", f"{1000 * theirs:.2f} ms against {1000 * ours:.2f} ms a task")


HYPERQUEUE = r"""
import sys, time
from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

def run(client, tasks):
    job = Job()
    for _ in range(tasks):
        job.program(args=["/bin/true"], stdout=None, stderr=None)
    begin = time.perf_counter()
    submitted = client.submit(job)
    there = time.perf_counter()
    client.wait_for_jobs([submitted])
    return there - begin, time.perf_counter() - begin

with LocalCluster(server_dir=sys.argv[2]) as cluster:
    cluster.start_worker(WorkerConfig(cores=2))
    client = cluster.client()
    run(client, 100)
    print(*run(client, int(sys.argv[1])))
"""


def hyperqueue(tasks):
    """Seconds in which HyperQueue's own Python client submits so many tasks `true`, and in which they have ended."""
    python = os.environ.get("PLIMSOLL_HQ_PYTHON")
    if python is None:
        raise CannotMeasure("no rival: pip install hyperqueue in a virtual environment, and PLIMSOLL_HQ_PYTHON=.../bin/python")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, "-c", HYPERQUEUE, str(tasks), f"{folder}/hq"], capture_output=True, text=True, cwd=folder, timeout=600)
        if done.returncode != 0:
            raise CannotMeasure(f"hyperqueue: {done.stderr.strip()[-200:]}")
        return map(float, done.stdout.split()[-2:])


@measurement("campaign-hyperqueue", "x", ">=", 1)
def hyperqueue_tasks():
    """How many times as many tasks `true` a second as HyperQueue, both on two slots in one run."""
    tasks, ratios = 3000, []
    for _ in range(3):
        _, theirs = hyperqueue(tasks)
        ours = ours_per_task(tasks)
        ratios.append(theirs / tasks / ours)
    note = (f"median of 3 pairs of {tasks} tasks ({', '.join(f'{r:.2f}' for r in ratios)}); {1000 * theirs / tasks:.2f} ms against "
            f"{1000 * ours:.2f} ms a task in the last; ours stores each event and the output, theirs has no journal and throws the output away")
    return Result(round(statistics.median(ratios), 2), f"hyperqueue.LocalCluster, {tasks} programs {TRUE}", note)


@measurement("campaign-hyperqueue-submit", "x", ">=", 1)
def hyperqueue_submit():
    """How many times as fast as HyperQueue's client an array of 100,000 tasks is submitted."""
    tasks = 100_000
    theirs, _ = hyperqueue(tasks // 10)
    theirs *= 10
    with served() as campaign:
        begin = time.perf_counter()
        campaign.submit("--array", f"1..{tasks}", "--", TRUE)
        ours = time.perf_counter() - begin
    return Result(round(theirs / ours, 1), f"hyperqueue.Client.submit of {tasks // 10} programs, ten times that",
                  f"{theirs:.3f} s against {ours:.3f} s; its Python client knows no arrays, and ours is the whole command")


PARSL = r"""
import sys, time, parsl
from parsl import bash_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.providers import LocalProvider

@bash_app
def true():
    return "/bin/true"

if __name__ == "__main__":
    tasks = int(sys.argv[1])
    executor = HighThroughputExecutor(address="127.0.0.1", loopback_address="127.0.0.1", max_workers_per_node=2,
                                      provider=LocalProvider(init_blocks=1, max_blocks=1))
    with parsl.load(Config(executors=[executor], run_dir=sys.argv[2], usage_tracking=0)):
        for future in [true() for _ in range(20)]: future.result()
        begin = time.perf_counter()
        for future in [true() for _ in range(tasks)]: future.result()
        print(time.perf_counter() - begin)
"""


@measurement("campaign-parsl", "x", ">=", 1)
def parsl():
    """How many times as many tasks `true` a second as Parsl's HighThroughputExecutor, both on two slots in one run."""
    python = os.environ.get("PLIMSOLL_PARSL_PYTHON")
    if python is None:
        raise CannotMeasure("no rival: pip install parsl in a virtual environment, and PLIMSOLL_PARSL_PYTHON=.../bin/python")
    tasks = 500
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PATH": f"{Path(python).parent}:{os.environ['PATH']}"}
        script = Path(folder) / "rival.py"  # it starts processes that read it again
        script.write_text(PARSL)
        done = subprocess.run([python, script, str(tasks), folder], capture_output=True, text=True, cwd=folder, env=environment, timeout=300)
        if done.returncode != 0:
            raise CannotMeasure(f"parsl: {done.stderr.strip()[-200:]}")
        theirs = float(done.stdout.split()[-1]) / tasks
    ours = ours_per_task(tasks)
    return Result(round(theirs / ours, 2), f"parsl, {tasks} bash apps {TRUE}", f"{1000 * theirs:.2f} ms against {1000 * ours:.2f} ms a task")

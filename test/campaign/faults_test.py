#!/usr/bin/env python3
"""Campaigns of real processes under faults: servers and workers killed, connections cut, disks full.

usage: faults_test.py PLIMSOLL [--kills N] [TEST...]
"""

import collections
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from campaign_folder import Campaign, check_invariants  # noqa: E402

PLIMSOLL = None
KILLS = 10
TASKS = 20_000
SEED = 20261130

# Under the sanitizers all takes longer, and there are fewer tasks.
if os.environ.get("PLIMSOLL_SLOW_BUILD"):
    TASKS = 2_000


class Proxy:
    """Stands between a campaign's server and whoever reads its address; cuts or holds up what goes through."""

    def __init__(self, campaign):
        self.campaign = campaign
        self.address = json.loads((campaign.dot / "server.json").read_text())
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.pairs = []
        self.silent = False
        self.closed = False
        campaign.write_address(dict(self.address, port=self.listener.getsockname()[1]))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.closed:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection((self.address["host"], self.address["port"]))
            except OSError:
                return
            self.pairs.append((client, server))
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self.carry, args=(source, target), daemon=True).start()

    def carry(self, source, target):
        try:
            while data := source.recv(65536):
                while self.silent and not self.closed:
                    time.sleep(0.01)
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            self.end(end)

    @staticmethod
    def end(connection):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def cut(self):
        pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for connection in pair:
                self.end(connection)

    def close(self):
        self.closed = True
        self.listener.close()
        self.cut()
        self.campaign.write_address(self.address)


def times_run(path):
    return collections.Counter(path.read_text().split()) if path.exists() else collections.Counter()


def words_in(campaign, name):
    """What a task has written into a file, once it has."""
    path = campaign.folder / name
    return campaign.wait_until(lambda: path.exists() and path.read_text().endswith("\n") and path.read_text().split(), 20, name)


def runs(process):
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Faults(unittest.TestCase):
    def finish(self, campaign, job, tasks, seconds=120):
        campaign.wait_until(lambda: sum(campaign.counts(job).get(s, 0) for s in ("succeeded", "exhausted", "cancelled")) == tasks,
                            seconds, "the end of the job")
        jobs = campaign.ask("status", job)["jobs"]
        check_invariants(self, campaign.events(), jobs)
        return jobs[0]["counts"]

    def test_loses_and_repeats_nothing_when_its_server_is_killed_again_and_again(self):
        generator = random.Random(SEED)
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            campaign.worker("--cpus", 2)
            job = campaign.submit("--array", f"1..{TASKS}", "--", "sh", "-c", "echo {index} >> ran")
            ran = campaign.folder / "ran"
            slowest = 0.0
            for _ in range(KILLS):
                time.sleep(generator.uniform(0.05, 1.0))
                campaign.kill_server()
                before = time.monotonic()
                campaign.start_server()
                known = campaign.counts(job).get("succeeded", 0)
                campaign.wait_until(lambda: campaign.counts(job).get("succeeded", 0) > known or known == TASKS, 30, "work after a restart")
                slowest = max(slowest, time.monotonic() - before)
            self.assertLess(slowest, 10.0, "seconds until work goes on")
            self.assertEqual(self.finish(campaign, job, TASKS, 300), {"succeeded": TASKS})
            counts = times_run(ran)
            self.assertEqual(len(counts), TASKS, "each task ran")
            self.assertEqual(set(counts.values()), {1}, "and none twice")
            print(f"server killed {KILLS} times: work went on within {slowest:.2f} s")

    def test_gives_the_tasks_of_killed_workers_to_others_and_ends_their_processes(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            job = campaign.submit("--array", "1..12", "--crash-limit", 50, "--", "sh", "-c", "echo {index} >> begun; sleep 0.4; echo {index} >> ended")
            for _ in range(4):
                victim = campaign.worker("--cpus", 2)
                begun = sum(times_run(campaign.folder / "begun").values())
                campaign.wait_until(lambda: sum(times_run(campaign.folder / "begun").values()) > begun)
                victim.kill()
                victim.wait()
            campaign.worker("--cpus", 4)
            self.assertEqual(self.finish(campaign, job, 12), {"succeeded": 12})
            time.sleep(0.5)
            ended = times_run(campaign.folder / "ended")
            self.assertEqual(len(ended), 12)
            lost = [e for e in campaign.events() if e["to"] == "lost"]
            self.assertGreaterEqual(len(lost), 4)
            self.assertLess(sum(ended.values()), 12 + len(lost), "the processes of killed workers were ended")

    def test_goes_on_over_connections_that_are_cut(self):
        generator = random.Random(SEED)
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            proxy = Proxy(campaign)
            campaign.worker("--cpus", 2)
            job = campaign.submit("--array", "1..2000", "--", "sh", "-c", "echo {index} >> ran")
            for _ in range(20):
                time.sleep(generator.uniform(0.0, 0.15))
                proxy.cut()
            proxy.close()
            self.assertEqual(self.finish(campaign, job, 2000), {"succeeded": 2000})
            counts = times_run(campaign.folder / "ran")
            self.assertEqual((len(counts), set(counts.values())), (2000, {1}))

    def test_gives_the_task_of_a_worker_that_was_silent_for_a_lease_to_others_and_stops_it_there(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server("--lease", "1s")
            proxy = Proxy(campaign)
            campaign.worker("--cpus", 1, "--name", "cut off")
            job = campaign.submit("--", "sh", "-c", "echo $$ >> ran; [ $PLIMSOLL_ATTEMPT = 1 ] && exec sleep 60; sleep 1")
            first = int(words_in(campaign, "ran")[0])
            proxy.silent = True
            campaign.write_address(proxy.address)
            campaign.wait_until(lambda: "was silent for a lease" in campaign.log(), 20, "the end of the lease")
            campaign.worker("--cpus", 1, "--name", "other")
            campaign.wait_until(lambda: not runs(first), 20, "the end of the first run")
            proxy.silent = False
            self.assertEqual(self.finish(campaign, job, 1), {"succeeded": 1})
            attempts = campaign.ask("show", job)["jobs"][0]["touched"][0]["attempts"]
            self.assertEqual([a["outcome"] for a in attempts], ["lost", "succeeded"])
            proxy.close()

    @contextlib.contextmanager
    def small_disk(self, size):
        """A campaign on a disk of its own, and what fills that disk."""
        if os.geteuid() != 0 or shutil.which("mount") is None:
            self.skipTest("mounting a small disk needs root and the program mount")
        with tempfile.TemporaryDirectory(prefix="plimsoll-disk-") as disk:
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], capture_output=True)
            if mounted.returncode != 0:
                self.skipTest("no small disk can be mounted here")
            try:
                with Campaign(PLIMSOLL, below=disk) as campaign:
                    yield campaign, Path(disk) / "ballast"
            finally:
                subprocess.run(["umount", "-l", disk], check=True)

    @staticmethod
    def fill(ballast):
        with open(ballast, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))

    def test_waits_for_a_disk_that_is_full_and_loses_nothing(self):
        with self.small_disk("3m") as (campaign, ballast):
            campaign.start_server()
            job = campaign.submit("--array", "1..20000", "--", "true")
            campaign.worker("--launcher", "null")
            campaign.wait_until(lambda: "takes no changes" in campaign.log(), 30, "a full disk")
            done = campaign.call("ls")
            self.assertEqual(done.returncode, 3)
            self.assertIn("hint: free some space on its disk; nothing is lost", done.stderr)
            subprocess.run(["mount", "-o", "remount,size=100m", str(ballast.parent)], check=True)
            campaign.wait_until(lambda: "takes changes again" in campaign.log(), 30, "going on by itself")
            self.assertEqual(self.finish(campaign, job, 20_000), {"succeeded": 20_000})

    def test_keeps_its_workers_while_a_disk_is_full_for_longer_than_a_lease(self):
        with self.small_disk("8m") as (campaign, ballast), tempfile.TemporaryDirectory() as elsewhere:
            ran = Path(elsewhere) / "ran"
            campaign.start_server("--lease", "1s")
            campaign.worker("--cpus", 2, "--name", "first")
            job = campaign.submit("--array", "1..6", "--", "sh", "-c", f"echo {{index}} >> {ran}; sleep 0.7")
            campaign.wait_until(lambda: len(times_run(ran)) == 2)
            self.fill(ballast)
            campaign.wait_until(lambda: "takes no changes" in campaign.log(), 30, "a full disk")
            campaign.worker("--cpus", 2, "--name", "second")
            time.sleep(2.5)
            ballast.unlink()
            campaign.wait_until(lambda: "takes changes again" in campaign.log(), 30, "going on by itself")
            self.assertEqual(self.finish(campaign, job, 6), {"succeeded": 6})
            self.assertEqual(set(times_run(ran).values()), {1})
            self.assertEqual(len(campaign.ask("top", "--once")["workers"]), 2)
            more = campaign.submit("--array", "1..4", "--", "sh", "-c", "sleep 0.5")
            self.assertEqual(self.finish(campaign, more, 4), {"succeeded": 4})
            used = {attempt["worker"] for task in campaign.ask("show", more)["jobs"][0]["touched"] for attempt in task["attempts"]}
            self.assertEqual(len(used), 2, "the worker that came while the disk was full gets tasks")

    def test_tells_nobody_of_what_is_not_stored_when_it_ends_while_a_disk_is_full(self):
        with self.small_disk("8m") as (campaign, ballast), tempfile.TemporaryDirectory() as elsewhere:
            ran = Path(elsewhere) / "ran"
            server = campaign.start_server()
            campaign.worker("--cpus", 2)
            job = campaign.submit("--array", "1..2", "--", "sh", "-c", f"echo {{index}} >> {ran}; sleep 0.5")
            campaign.wait_until(lambda: len(times_run(ran)) == 2)
            self.fill(ballast)
            campaign.wait_until(lambda: "takes no changes" in campaign.log(), 30, "a full disk")
            os.kill(server, signal.SIGTERM)
            campaign.wait_until(lambda: campaign.log().rstrip().endswith("ends"), 20, "the end of the server")
            ballast.unlink()
            campaign.start_server()
            self.assertEqual(self.finish(campaign, job, 2), {"succeeded": 2})
            self.assertEqual(set(times_run(ran).values()), {1})

    def test_works_again_with_a_worker_that_was_stopped_for_longer_than_a_lease(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server("--lease", "1s")
            worker = campaign.worker("--cpus", 1)
            job = campaign.submit("--", "sh", "-c", "echo $$ >> ran; sleep 30")
            first = int(words_in(campaign, "ran")[0])
            worker.send_signal(signal.SIGSTOP)
            campaign.wait_until(lambda: campaign.ask("top", "--once")["workers"] == [], 20, "the end of the lease")
            campaign.run("cancel", job)
            other = campaign.submit("--", "echo", "again")
            worker.send_signal(signal.SIGCONT)
            self.assertEqual(self.finish(campaign, other, 1, 20), {"succeeded": 1})
            campaign.wait_until(lambda: not runs(first), 20, "the end of the task that it lost")

    def test_explains_when_server_and_worker_were_killed(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            worker = campaign.worker("--cpus", 1)
            campaign.submit("--", "sh", "-c", "echo x >> ran; sleep 30")
            campaign.wait_until(lambda: (campaign.folder / "ran").exists())
            worker.kill()
            worker.wait()
            campaign.kill_server()
            campaign.start_server()
            waiting = campaign.submit("--", "true")
            self.assertIn("no worker has come back yet", campaign.run("explain", waiting))

    def test_stops_what_was_cancelled_while_its_worker_was_away(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            worker = campaign.worker("--cpus", 1)
            job = campaign.submit("--", "sh", "-c", "echo $$ >> ran; exec sleep 30")
            process = int(words_in(campaign, "ran")[0])
            campaign.wait_until(lambda: campaign.counts(job).get("running"))
            worker.send_signal(signal.SIGSTOP)
            campaign.kill_server()
            campaign.start_server()
            campaign.run("cancel", job)
            worker.send_signal(signal.SIGCONT)
            campaign.wait_until(lambda: not runs(process), 20, "the end of what was cancelled")

    def test_tells_how_tasks_ended_before_it_leaves_without_a_server(self):
        with Campaign(PLIMSOLL) as campaign:
            server = campaign.start_server()
            worker = campaign.worker("--cpus", 1)
            job = campaign.submit("--", "sh", "-c", "echo x >> ran; sleep 1")
            campaign.wait_until(lambda: campaign.counts(job).get("running"))
            os.kill(server, signal.SIGKILL)
            worker.send_signal(signal.SIGTERM)
            time.sleep(1.5)
            self.assertIsNone(worker.poll(), "it waits for a server")
            campaign.start_server()
            self.assertEqual(self.finish(campaign, job, 1), {"succeeded": 1})
            self.assertEqual(worker.wait(20), 0)
            self.assertEqual(times_run(campaign.folder / "ran"), {"x": 1})

    def test_gives_programs_behind_a_shell_time_to_end(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            campaign.worker("--cpus", 1)
            (campaign.folder / "app.py").write_text(
                "import signal, sys, time\ndef save(*_):\n    time.sleep(0.5)\n    open('saved', 'w').write('x')\n    sys.exit(1)\n"
                "signal.signal(signal.SIGTERM, save)\nopen('began', 'w').write('x')\ntime.sleep(60)\n")
            job = campaign.submit("--time", "1500ms", "--", "sh", "-c", f"{sys.executable} app.py; true")
            self.assertEqual(self.finish(campaign, job, 1), {"exhausted": 1})
            self.assertTrue((campaign.folder / "began").exists())
            self.assertTrue((campaign.folder / "saved").exists())

    def test_stops_tasks_of_a_worker_elsewhere_that_is_cut_off_for_a_lease_and_no_sooner(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server("--lease", "3s")
            proxy = Proxy(campaign)
            campaign.write_address(dict(proxy.address, machine="elsewhere", port=proxy.listener.getsockname()[1]))
            campaign.worker("--cpus", 1)
            job = campaign.submit("--", "sh", "-c", "echo $$ >> ran; exec sleep 60")
            process = int(words_in(campaign, "ran")[0])
            time.sleep(4)
            proxy.cut()
            time.sleep(1)
            self.assertTrue(runs(process), "a connection that breaks for a moment ends nothing")
            proxy.silent = True
            campaign.wait_until(lambda: not runs(process), 20, "the end of the task")
            proxy.close()
            self.assertFalse(campaign.counts(job).get("succeeded"))

    def test_ends_with_its_folder(self):
        with Campaign(PLIMSOLL) as campaign:
            server = campaign.start_server()
            worker = campaign.worker("--cpus", 1)
            campaign.submit("--", "sh", "-c", "echo $$ > ran; exec sleep 60")
            task = int(words_in(campaign, "ran")[0])
            campaign.dot.rename(campaign.folder / "away")
            self.assertEqual(worker.wait(30), 3)
            campaign.wait_until(lambda: not runs(server), 20, "the end of the server")
            campaign.wait_until(lambda: not runs(task), 20, "the end of the task")

    def test_refuses_a_damaged_database_with_advice(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            campaign.submit("--array", "1..2000", "--", "true")
            campaign.worker("--launcher", "null", "--until-done").wait()
            campaign.run("server", "stop")
            path = campaign.dot / "campaign.db"
            content = bytearray(path.read_bytes())
            self.assertGreater(len(content), 50_000)
            content[8192:] = b"x" * (len(content) - 8192)
            path.write_bytes(content)
            done = campaign.call("doctor")
            self.assertEqual(done.returncode, 1)
            self.assertIn("database", done.stdout)
            done = campaign.call("server", "run")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("hint: run 'plimsoll campaign doctor'", done.stderr)

    def test_kills_a_task_that_hangs_and_tries_again(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            campaign.worker("--cpus", 1)
            script = "trap '' TERM; echo $PLIMSOLL_ATTEMPT $PLIMSOLL_TIME_LEFT_S; while [ $PLIMSOLL_ATTEMPT -lt 2 ]; do sleep 0.1; done"
            graph = {"job": [{"name": "hangs", "command": ["sh", "-c", script], "time": "1s", "retries": 1, "backoff": "100ms"}]}
            (campaign.folder / "graph.json").write_text(json.dumps(graph))
            job = int(campaign.run("graph", "graph.json", "--quiet").strip())
            self.assertEqual(self.finish(campaign, job, 1), {"succeeded": 1})
            attempts = campaign.ask("show", job)["jobs"][0]["touched"][0]["attempts"]
            self.assertEqual([a["outcome"] for a in attempts], ["timed-out", "succeeded"])
            self.assertEqual(attempts[0]["signal"], signal.SIGKILL)
            self.assertEqual(campaign.run("cat", job), "2 1\n")

    def test_kills_a_launcher_that_hangs_with_all_that_it_began(self):
        """As mpirun may: it neither starts its program nor listens, and has processes of its own."""
        with Campaign(PLIMSOLL) as campaign:
            launcher = campaign.folder / "launcher"
            launcher.write_text("#!/bin/bash\ntrap '' TERM INT HUP\nsleep 1000 & echo $! >> helpers\n"
                                "[ $PLIMSOLL_ATTEMPT = 2 ] && exec \"$@\"\nwhile :; do sleep 0.1; done\n")
            launcher.chmod(0o755)
            campaign.start_server()
            campaign.worker("--cpus", 2)
            hanging = campaign.submit("--time", "1s", "--retries", 1, "--backoff", "10ms", "--", "./launcher", "echo", "it ran")
            others = campaign.submit("--array", "1..200", "--", "true")
            self.assertEqual(self.finish(campaign, others, 200), {"succeeded": 200})
            self.assertEqual(self.finish(campaign, hanging, 1), {"succeeded": 1})
            self.assertEqual(campaign.run("cat", hanging), "it ran\n")
            helpers = (campaign.folder / "helpers").read_text().split()
            self.assertEqual(len(helpers), 2)
            campaign.wait_until(lambda: not any(Path(f"/proc/{helper}").exists() for helper in helpers))

    def test_calls_the_hook_for_failures_where_a_program_cannot_start(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            campaign.worker("--cpus", 1)
            hook = campaign.folder / "hook"
            hook.write_text("#!/bin/sh\necho $PLIMSOLL_TASK >> called\n")
            hook.chmod(0o755)
            absent = campaign.submit("--on-failure", "./hook", "--", "./absent")
            before = campaign.submit("--on-failure", "./hook", "--before", "./absent", "--", "true")
            for job in (absent, before):
                self.assertEqual(self.finish(campaign, job, 1), {"exhausted": 1})
                self.assertIn("cannot start", campaign.run("explain", job))
            self.assertEqual(times_run(campaign.folder / "called"), {f"{absent}.0": 1, f"{before}.0": 1})

    def test_does_not_wait_for_the_other_end_of_a_named_pipe(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            campaign.worker("--cpus", 1)
            os.mkfifo(campaign.folder / "pipe")
            jobs = [campaign.submit("--stdin", "pipe", "--", "cat"), campaign.submit("--stdout", "pipe", "--", "true")]
            other = campaign.submit("--", "echo", "other")
            self.assertEqual(self.finish(campaign, other, 1), {"succeeded": 1})
            for job in jobs:
                self.assertEqual(self.finish(campaign, job, 1), {"exhausted": 1})
                self.assertIn("named pipe", campaign.run("explain", job))

    def test_submits_a_graph_of_any_size_in_parts(self):
        jobs = 3500
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            graph = [{"name": f"t{i}", "command": ["true"], "hold": i == 0,
                      "after": [f"t{k}" for k in {i - 1, i - 1700} if k >= 0]} for i in range(jobs)]
            random.Random(SEED).shuffle(graph)
            (campaign.folder / "graph.json").write_text(json.dumps({"job": graph}))
            submitted = json.loads(campaign.run("graph", "graph.json", "--json"))["jobs"]
            self.assertEqual(sorted(job["name"] for job in submitted), sorted(job["name"] for job in graph))
            self.assertEqual(submitted[0]["name"], "t0")
            campaign.run("cancel", submitted[0]["job"])
            states = collections.Counter()
            for job in (submitted[1], submitted[999], submitted[1000], submitted[-1]):
                states.update(campaign.counts(job["job"]))
            self.assertEqual(states, {"skipped": 4})

    def test_lets_tasks_end_after_one_interrupt_and_stops_them_after_two(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            job = campaign.submit("--array", "1..3", "--", "sh", "-c", "echo {index} >> begun; sleep 1; echo {index} >> ended")
            gentle = campaign.worker("--cpus", 1)
            campaign.wait_until(lambda: (campaign.folder / "begun").exists())
            gentle.send_signal(signal.SIGTERM)
            self.assertEqual(gentle.wait(20), 0)
            self.assertEqual(times_run(campaign.folder / "ended"), {"1": 1})
            hasty = campaign.worker("--cpus", 1)
            campaign.wait_until(lambda: times_run(campaign.folder / "begun")["2"])
            hasty.send_signal(signal.SIGINT)
            time.sleep(0.1)
            hasty.send_signal(signal.SIGINT)
            self.assertEqual(hasty.wait(20), 0)
            self.assertEqual(times_run(campaign.folder / "ended"), {"1": 1})
            campaign.worker("--cpus", 1)
            self.assertEqual(self.finish(campaign, job, 3), {"succeeded": 3})
            attempts = campaign.ask("show", f"{job}.1")["jobs"][0]["touched"][0]["attempts"]
            self.assertEqual([a["outcome"] for a in attempts], ["preempted", "succeeded"])

    def test_leaves_when_only_what_is_held_and_what_comes_after_it_are_left(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            held = campaign.submit("--hold", "--", "true")
            campaign.submit("--after", held, "--", "true")
            campaign.submit("--", "true")
            self.assertEqual(campaign.worker("--until-done").wait(20), 0)
            self.assertEqual(campaign.counts("last"), {"succeeded": 1})

    def test_keeps_the_whole_of_a_long_output(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            job = campaign.submit("--", "sh", "-c", "seq 1 400000; echo end >&2")
            campaign.worker("--until-done").wait(60)
            self.assertEqual(campaign.run("cat", job, "--channel", "out"), "".join(f"{i}\n" for i in range(1, 400001)))
            self.assertEqual(campaign.run("cat", job, "--channel", "err"), "end\n")

    def test_keeps_the_output_of_what_was_lost_or_cancelled(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            script = "while :; do echo line; sleep 0.1; done"
            cancelled = campaign.submit("--", "sh", "-c", script)
            lost = campaign.submit("--crash-limit", 0, "--", "sh", "-c", script)
            worker = campaign.worker("--cpus", 2)
            for job in (cancelled, lost):
                campaign.wait_until(lambda job=job: "line" in campaign.run("cat", job))
            campaign.run("cancel", cancelled)
            worker.kill()
            worker.wait()
            self.assertEqual(self.finish(campaign, lost, 1), {"exhausted": 1})
            for job in (cancelled, lost):
                self.assertIn("line", campaign.run("cat", job))

    def test_cancels_what_waits_and_what_runs(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            campaign.worker("--cpus", 2)
            job = campaign.submit("--array", "1..1000", "--", "sh", "-c", "echo {index} >> begun; sleep 30; echo {index} >> ended")
            campaign.wait_until(lambda: sum(times_run(campaign.folder / "begun").values()) == 2)
            campaign.run("cancel", job)
            self.assertEqual(self.finish(campaign, job, 1000), {"cancelled": 1000})
            after = campaign.submit("--", "true")
            self.assertEqual(self.finish(campaign, after, 1, 20), {"succeeded": 1}, "the processors are free again")
            self.assertFalse((campaign.folder / "ended").exists())

    def test_lets_tasks_submit_tasks_of_their_own(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            campaign.worker("--cpus", 2)
            job = campaign.submit("--array", "1..3", "--", campaign.plimsoll, "campaign", "submit", "--quiet", "--", "true")
            self.assertEqual(self.finish(campaign, job, 3), {"succeeded": 3})
            children = [j for j in campaign.ask("ls")["jobs"] if j.get("parent")]
            self.assertEqual(sorted(c["parent"]["task"] for c in children), [0, 1, 2])
            self.assertEqual(len(campaign.run("cat", job).split()), 3)

    def test_tells_tasks_which_gpus_are_theirs(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            parts = campaign.submit("--cpus", 0, "--gpus", 0.5, "--array", "1..4", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; sleep 0.3")
            whole = campaign.submit("--cpus", 0, "--gpus", 2, "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES")
            campaign.worker("--gpus", 2, "--until-done").wait(60)
            self.assertEqual(sorted(campaign.run("cat", parts).split()), ["0", "0", "1", "1"])
            self.assertEqual(campaign.run("cat", whole), "0,1\n")

    def test_keeps_its_secret_and_listens_here_alone(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            self.assertEqual((campaign.dot / "secret").stat().st_mode & 0o777, 0o600)
            self.assertEqual(campaign.dot.stat().st_mode & 0o777, 0o700)
            address = json.loads((campaign.dot / "server.json").read_text())
            self.assertEqual(address["host"], "127.0.0.1")
            with socket.create_connection((address["host"], address["port"])) as stranger:
                stranger.sendall(b"GET / HTTP/1.0\r\n\r\n")
                self.assertEqual(stranger.recv(100), b"", "a stranger is answered with nothing")
            other = Campaign(PLIMSOLL)
            with other:
                other.write_address(address)
                done = other.call("ls")
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn("does not know the campaign's secret", done.stderr)
                (other.dot / "server.json").unlink()
            os.chmod(campaign.dot / "secret", 0o644)
            done = campaign.call("ls")
            self.assertIn("others may read", done.stderr)

    def test_runs_with_few_file_descriptors(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.run("server", "start", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24)))
            strangers = []
            address = json.loads((campaign.dot / "server.json").read_text())
            for _ in range(40):
                strangers.append(socket.create_connection((address["host"], address["port"])))
            time.sleep(0.3)
            for stranger in strangers:
                stranger.close()
            job = campaign.submit("--array", "1..50", "--", "true")
            campaign.worker("--until-done").wait(60)
            self.assertEqual(self.finish(campaign, job, 50), {"succeeded": 50})
            many = campaign.submit("--array", "1..60", "--", "sleep", "0.2")
            campaign.worker("--cpus", 20, "--until-done",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))).wait(60)
            self.assertEqual(self.finish(campaign, many, 60), {"succeeded": 60})


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PLIMSOLL = str(Path(sys.argv.pop(1)).resolve())
    if "--kills" in sys.argv:
        place = sys.argv.index("--kills")
        KILLS = int(sys.argv[place + 1])
        del sys.argv[place:place + 2]
    unittest.main(warnings="ignore")

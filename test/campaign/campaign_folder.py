"""A campaign in a temporary folder, its server and workers as real processes, for tests that kill them."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

FINAL = ("succeeded", "exhausted", "skipped", "cancelled")


class Campaign:
    def __init__(self, plimsoll, *init, below=None):
        self.plimsoll = str(Path(plimsoll).resolve())
        self.temporary = tempfile.TemporaryDirectory(prefix="plimsoll-campaign-", dir=below)
        self.folder = Path(self.temporary.name)
        self.dot = self.folder / ".plimsoll"
        self.processes = []
        self.run("init", "--quiet", *init)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        self.kill_server()
        self.temporary.cleanup()

    def call(self, *words, **options):
        """The finished process of one command, whatever its status."""
        return subprocess.run([self.plimsoll, "campaign", *map(str, words)], cwd=self.folder, text=True,
                              capture_output=True, timeout=120, **options)

    def run(self, *words, **options):
        done = self.call(*words, **options)
        if done.returncode != 0:
            raise AssertionError(f"campaign {' '.join(map(str, words))} ended with {done.returncode}\n"
                                 f"{done.stdout}{done.stderr}{self.log()}")
        return done.stdout

    def ask(self, *words):
        return json.loads(self.run(*words, "--json"))

    def log(self):
        path = self.dot / "server.log"
        return path.read_text() if path.exists() else ""

    def start_server(self, *options):
        self.run("server", "start", *options)
        return self.server_process()

    def server_process(self):
        path = self.dot / "server.json"
        return json.loads(path.read_text())["process"] if path.exists() else None

    def write_address(self, address):
        new = self.dot / "server.json.new"
        new.write_text(json.dumps(address))
        new.replace(self.dot / "server.json")

    def kill_server(self):
        process = self.server_process() if self.dot.exists() else None
        if process is None:
            return
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            return
        while os.path.exists(f"/proc/{process}/fd"):  # its lock is free when its files are closed
            try:
                if Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                    break
            except OSError:
                break
            time.sleep(0.001)

    def worker(self, *options, **popen):
        """A worker in the background."""
        process = subprocess.Popen([self.plimsoll, "campaign", "worker", *map(str, options)], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=popen.pop("stderr", subprocess.DEVNULL), **popen)
        self.processes.append(process)
        return process

    def submit(self, *words):
        return int(self.run("submit", "--quiet", *words).strip())

    def counts(self, job):
        return self.ask("status", job)["jobs"][0]["counts"]

    def wait_until(self, condition, seconds=60, what="the condition"):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"{what} did not come about within {seconds} s\n{self.log()}")

    def events_stored(self):
        """Event rows in the database; the server is ended, since it alone has it open."""
        self.run("server", "stop")
        with contextlib.closing(sqlite3.connect(self.dot / "campaign.db")) as database:
            return database.execute("select count(*) from event").fetchone()[0]

    def events(self):
        return [json.loads(line) for line in self.run("export").splitlines()]


def check_invariants(test, events, jobs):
    """What holds of every campaign, from its events alone: `jobs` are documents of `status`."""
    states, sums, attempts = {}, {}, {}
    for event in events:
        if event["note"].startswith("refused"):
            continue
        for index in range(event["task"], event["task"] + event["count"]):
            task = (event["job"], index)
            test.assertEqual(states.get(task), event["from"], f"{task} {event}")
            test.assertNotIn(event["from"], FINAL, f"{task} left a final state")
            states[task] = event["to"]
            if event["to"] == "leased":
                test.assertEqual(attempts.get(task, 0) + 1, event["attempt"])
                attempts[task] = event["attempt"]
    for (job, _), state in states.items():
        counts = sums.setdefault(job, {})
        counts[state] = counts.get(state, 0) + 1
    for job in jobs:
        test.assertEqual(sums[job["job"]], job["counts"])

"""What commands of a campaign leave behind and take: servers that are started at once and ended, and memory."""

import fcntl
import json
import os
import resource
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from campaign_folder import Campaign  # noqa: E402

PLIMSOLL = str(Path(sys.argv.pop(1)).resolve())


class Start(unittest.TestCase):
    def test_waits_for_a_server_that_has_the_campaign_and_does_not_answer_yet(self):
        with Campaign(PLIMSOLL) as campaign, open(campaign.dot / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # as a server that loads a million jobs
            release = threading.Timer(2.0, lambda: fcntl.flock(lock, fcntl.LOCK_UN))
            release.start()
            done = campaign.call("ls")
            release.join()
            self.assertEqual((done.returncode, done.stdout), (0, "no jobs\n"), done.stderr)

    def test_several_commands_at_once_start_one_server(self):
        with Campaign(PLIMSOLL) as campaign:
            commands = [subprocess.Popen([PLIMSOLL, "campaign", "ls"], cwd=campaign.folder, text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
            for command in commands:
                out, err = command.communicate(timeout=60)
                self.assertEqual((command.returncode, out), (0, "no jobs\n"), err)

    def test_no_second_server_where_one_elsewhere_cannot_be_reached(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.write_address({"host": "127.0.0.1", "port": 1, "process": 1, "machine": "elsewhere"})
            for words in (["ls"], ["server", "start"], ["server", "run"]):
                with self.subTest(words):
                    done = campaign.call(*words)
                    self.assertEqual(done.returncode, 3, done.stdout)
                    self.assertIn("the campaign's server on 'elsewhere' (127.0.0.1 port 1) cannot be reached", done.stderr)
                    self.assertIn(f"remove {campaign.dot}/server.json", done.stderr)
            (campaign.dot / "server.json").unlink()
            campaign.run("ls")

    def test_nothing_of_the_caller_stays_open(self):
        for words in (["server", "start"], ["worker", "--detach"]):
            with self.subTest(words), Campaign(PLIMSOLL) as campaign:
                if words[0] == "worker":
                    campaign.start_server()
                with open(campaign.folder / "script.lock", "w") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    campaign.run(*words, pass_fds=(lock.fileno(),))
                with open(campaign.folder / "script.lock") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                campaign.run("server", "stop", "--with-workers")


class Stop(unittest.TestCase):
    def test_sends_away_workers_that_come_meanwhile(self):
        with Campaign(PLIMSOLL) as campaign:
            campaign.start_server()
            job = campaign.submit("--", "sleep", "2")
            campaign.worker("--cpus", 1)
            campaign.wait_until(lambda: campaign.counts(job).get("running"))
            stop = subprocess.Popen([PLIMSOLL, "campaign", "server", "stop", "--with-workers"], cwd=campaign.folder,
                                    stdout=subprocess.DEVNULL)
            time.sleep(0.5)
            late = campaign.worker("--cpus", 1)
            self.assertEqual(stop.wait(30), 0)
            self.assertEqual(late.wait(30), 0)

    def test_does_not_wait_for_a_zombie(self):
        with Campaign(PLIMSOLL) as campaign:
            # A child of ours that we do not wait for, as of a process 1 that reaps nothing.
            server = subprocess.Popen([PLIMSOLL, "campaign", "server", "run"], cwd=campaign.folder,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                campaign.wait_until(lambda: campaign.call("server", "status").returncode == 0)
                begun = time.monotonic()
                campaign.run("server", "stop")
                self.assertLess(time.monotonic() - begun, 30)
                self.assertIsNotNone(os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOWAIT))
            finally:
                server.kill()
                server.wait()


class Memory(unittest.TestCase):
    def test_tasks_are_kept_to_what_they_ask_for(self):
        with Campaign(PLIMSOLL) as campaign:
            findings = {row["what"]: row["found"] for row in campaign.ask("doctor")["findings"]}
            if findings["task memory"].startswith("not limited"):
                self.skipTest(findings["task memory"])
            script = "head -c {index}000000 /dev/zero | tail -n 1 > /dev/null"
            job = campaign.submit("--array", "10,300", "--mem", "100MB", "--on-failure", "true", "--", "sh", "-c", script)
            free = campaign.submit("--array", "300", "--", "sh", "-c", script)
            campaign.run("worker", "--until-done", "--quiet")
            few, many, any_amount = ([attempt for task in shown["touched"] for attempt in task["attempts"]]
                                     for shown in (campaign.ask("show", id)["jobs"][0]
                                                   for id in (f"{job}.0", f"{job}.1", f"{free}.0")))
            self.assertEqual([attempt["outcome"] for attempt in few], ["succeeded"])
            self.assertEqual([(attempt["outcome"], attempt["reason"]) for attempt in many],
                             [("failed", "it took more than its memory of 100 MB")])
            self.assertEqual([attempt["outcome"] for attempt in any_amount], ["succeeded"])


class Cat(unittest.TestCase):
    def test_keeps_the_output_once(self):
        with Campaign(PLIMSOLL) as campaign:
            tasks, megabytes = 20, 4
            job = campaign.submit("--array", f"1..{tasks}", "--", "sh", "-c",
                                  f"yes {{index}} | head -c {megabytes}000000")
            campaign.run("worker", "--until-done", "--quiet")
            out = campaign.folder / "out"
            peaks = {}
            for words in (["cat", job], ["cat", job, "--quiet"], ["status", job]):
                with open(out, "w") as file:
                    process = subprocess.Popen([PLIMSOLL, "campaign", *map(str, words)], cwd=campaign.folder, stdout=file)
                    _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(process.returncode, 0)
                peaks[" ".join(map(str, words[::2]))] = usage.ru_maxrss * 1024
                if words[0] == "cat":
                    self.assertEqual(out.stat().st_size, tasks * megabytes * 1_000_000)
            usual = peaks.pop("status")
            for words, peak in peaks.items():
                if os.environ.get("PLIMSOLL_SLOW_BUILD"):
                    continue  # sanitizers keep notes of all memory beside it
                # A text that grows is there twice for a moment.
                self.assertLess(peak - usual, 2.5 * tasks * megabytes * 1e6, words)
            documents = json.loads(campaign.run("cat", f"{job}.0", "--json"))["tasks"]
            self.assertEqual([len(document["out"]) for document in documents], [megabytes * 1_000_000])


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main()

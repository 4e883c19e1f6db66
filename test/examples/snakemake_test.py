#!/usr/bin/env python3
"""Snakemake runs its jobs as tasks of a campaign, by the profile in examples/snakemake.

usage: snakemake_test.py PLIMSOLL
Exit codes: 0 all well, 1 not, 77 no Snakemake here.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/snakemake"
PLIMSOLL = None

sys.path.insert(0, str(ROOT / "test/campaign"))
sys.dont_write_bytecode = True
from campaign_folder import Campaign  # noqa: E402


class Snakemake(unittest.TestCase):
    def setUp(self):
        self.campaign = Campaign(PLIMSOLL)
        self.addCleanup(self.campaign.__exit__)
        self.campaign.start_server()

    def start(self, rules=None, *options):
        """Snakemake in the campaign's folder, with the rules or those of the example."""
        snakefile = EXAMPLE / "Snakefile"
        if rules is not None:
            snakefile = self.campaign.folder / "Snakefile"
            snakefile.write_text(rules)
        # CI: it looks after its jobs each second, not each ten.
        environment = {**os.environ, "CI": "true", "PATH": f"{Path(PLIMSOLL).resolve().parent}{os.pathsep}{os.environ['PATH']}",
                       "HOME": str(self.campaign.folder), "XDG_CACHE_HOME": str(self.campaign.folder)}
        process = subprocess.Popen(["snakemake", "--profile", EXAMPLE, "--snakefile", snakefile, *options], cwd=self.campaign.folder,
                                   env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.addCleanup(lambda: process.poll() is None and os.killpg(process.pid, signal.SIGKILL))
        return process

    def finished(self, process, status):
        output = process.communicate(timeout=300)[0]
        self.assertEqual(status, process.returncode, output + self.campaign.log())
        return output

    def states(self):
        return {job["job"]: (job["name"], job["state"]) for job in self.campaign.ask("ls", "--limit", "1000")["jobs"]}

    def test_runs_the_example_with_a_retry(self):
        self.campaign.worker("--cpus", "2")
        self.finished(self.start(), 0)
        self.assertEqual("30\n", (self.campaign.folder / "sum.txt").read_text())
        states = self.states()
        self.assertEqual([("square", "succeeded")] * 4 + [("sum", "failed"), ("sum", "succeeded")], sorted(states.values()))
        self.assertEqual(4, len(self.campaign.ask("ls", "--tag", "rule=square")["jobs"]))

    def test_hears_of_a_rule_that_fails(self):
        self.campaign.worker("--cpus", "2")
        output = self.finished(self.start("""
rule all:
    input: "good.txt", "bad.txt"
rule good:
    output: "good.txt"
    shell: "touch {output}"
rule bad:
    output: "bad.txt"
    shell: "echo no such luck >&2; exit 3"
""", "--keep-going"), 1)
        self.assertRegex(output, "Error in rule bad")
        self.assertTrue((self.campaign.folder / "good.txt").exists())
        self.assertEqual([("bad", "failed"), ("good", "succeeded")], sorted(self.states().values()))
        job = next(job for job, (name, _) in self.states().items() if name == "bad")
        self.assertIn("no such luck", self.campaign.run("cat", job))

    def test_does_not_notice_a_worker_that_is_killed(self):
        slow = """
rule slow:
    output: "slow.txt"
    shell: "touch begun; while test ! -e go; do sleep 0.1; done; touch {output}"
"""
        worker = self.campaign.worker("--cpus", "1")
        snakemake = self.start(slow)
        self.campaign.wait_until(lambda: (self.campaign.folder / "begun").exists(), what="the rule")
        worker.kill()
        worker.wait()
        (self.campaign.folder / "go").touch()
        self.campaign.worker("--cpus", "1")
        self.finished(snakemake, 0)
        attempts = self.campaign.ask("show", "last")["jobs"][0]["touched"][0]["attempts"]
        self.assertEqual(["lost", "succeeded"], [attempt["outcome"] for attempt in attempts])

    def test_hears_of_a_job_that_is_killed(self):
        self.campaign.worker("--cpus", "1")
        snakemake = self.start('rule slow:\n    output: "slow.txt"\n    shell: "echo $$ > process; exec sleep 600"\n')
        process = self.campaign.wait_until(lambda: (self.campaign.folder / "process").exists() and
                                           (self.campaign.folder / "process").read_text().strip(), what="the rule")
        os.kill(int(process), signal.SIGKILL)
        self.assertRegex(self.finished(snakemake, 1), "Error in rule slow")
        self.assertEqual([("slow", "failed")], list(self.states().values()))

    def test_cancels_what_it_submitted(self):
        self.campaign.worker("--cpus", "1")
        snakemake = self.start('rule slow:\n    output: "slow.txt"\n    shell: "touch begun; exec sleep 600"\n')
        self.campaign.wait_until(lambda: (self.campaign.folder / "begun").exists(), what="the rule")
        os.kill(snakemake.pid, signal.SIGINT)
        self.finished(snakemake, 1)
        self.campaign.wait_until(lambda: list(self.states().values()) == [("slow", "cancelled")], what="the cancellation")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PLIMSOLL = sys.argv.pop(1)
    if shutil.which("snakemake") is None:
        print("skipped: snakemake is not installed (Debian: apt-get install --no-install-recommends snakemake)")
        sys.exit(77)
    version = subprocess.run(["snakemake", "--version"], capture_output=True, text=True).stdout
    if not re.match(r"7\.", version):
        print(f"skipped: the profile is for Snakemake 7, and here is {version.strip()}")
        sys.exit(77)
    unittest.main()

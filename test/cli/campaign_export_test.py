#!/usr/bin/env python3
"""What `plimsoll campaign export` writes is what other tools read: RO-Crate, Standard Workload Format, CSV, JSON lines.

usage: campaign_export_test.py PLIMSOLL
"""

import csv
import io
import json
import re
import sys
import unittest
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "campaign"))
sys.dont_write_bytecode = True
from campaign_folder import Campaign, check_invariants  # noqa: E402

PLIMSOLL = None


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.campaign = Campaign(PLIMSOLL)
        cls.addClassCleanup(lambda: cls.campaign.__exit__())
        campaign = cls.campaign
        campaign.run("submit", "--array", "1..4", "--", "sh", "-c", "sleep 0.1; test {index} -ne 2")
        campaign.run("submit", "--retries", "2", "--backoff", "0s", "--", "sh", "-c", 'echo "a, b"; exit 3')
        campaign.run("submit", "--time", "200ms", "--cpus", "1.5", "--mem", "2MB", "--", "sleep", "60")
        campaign.run("worker", "--until-done", "--quiet", "--cpus", "2")
        campaign.run("submit", "--", "true")
        campaign.run("cancel", "4")
        cls.csv = campaign.run("export", "--format", "csv")
        cls.swf = campaign.run("export", "--format", "swf")
        cls.crate = json.loads(campaign.run("export", "--format", "ro-crate"))
        cls.rows = list(csv.DictReader(io.StringIO(cls.csv)))

    def test_events_follow_the_state_machine(self):
        check_invariants(self, self.campaign.events(), self.campaign.ask("status", "all")["jobs"])

    def test_table_has_a_row_for_each_attempt(self):
        self.assertEqual(4 + 3 + 1, len(self.rows), "a task that was cancelled before it started has none")
        self.assertEqual(["failed"] * 3, [row["outcome"] for row in self.rows if row["job"] == "2"])
        self.assertEqual(['sh -c echo "a, b"; exit 3'], sorted({row["command"] for row in self.rows if row["job"] == "2"}))
        for row in self.rows:
            leased, started, ended = (datetime.strptime(row[key], "%Y-%m-%dT%H:%M:%S.%fZ") for key in ("leased", "started", "ended"))
            self.assertLessEqual(leased, started)
            self.assertLessEqual(started, ended)
            self.assertGreaterEqual(float(row["wall_s"]), 0.1 if row["job"] == "1" else 0.0)

    def test_workload_is_in_the_standard_format(self):
        """Version 2.2 of the format: comments with header fields, then 18 numbers a line in the order of submission."""
        lines = self.swf.splitlines()
        header = dict(re.fullmatch(r"; (\w+): (.*)", line).groups() for line in lines if line.startswith(";"))
        jobs = [[float(number) for number in line.split()] for line in lines if not line.startswith(";")]
        self.assertEqual("2.2", header["Version"])
        self.assertEqual(len(jobs), int(header["MaxJobs"]))
        self.assertEqual(len(jobs), int(header["MaxRecords"]))
        self.assertEqual([18] * 6, [len(job) for job in jobs])
        self.assertEqual(list(range(1, 7)), [job[0] for job in jobs])
        self.assertEqual(sorted(job[1] for job in jobs), [job[1] for job in jobs], "submitted in this order")
        self.assertEqual([1, 0, 1, 1, 0, 0], [job[10] for job in jobs], "1 completed, 0 failed")
        for job in jobs:
            self.assertGreaterEqual(job[2], 0.0, "waiting time")
        self.assertEqual([1, 1, 1, 1, 1, 2], [job[4] for job in jobs], "processors, rounded up")
        self.assertEqual([(1, -1, -1)] * 5 + [(2, 1, 2000)], [tuple(job[7:10]) for job in jobs], "asked for: processors, seconds, kB")
        last = {(row["job"], row["task"]): row for row in self.rows}
        for job, row in zip(jobs, last.values(), strict=True):
            self.assertAlmostEqual(job[3], float(row["wall_s"]), delta=0.006)

    def test_crate_is_a_process_run_crate(self):
        """RO-Crate 1.1 with the profile Process Run Crate 0.5: root, descriptor, and an action with instrument for each task."""
        self.assertEqual("https://w3id.org/ro/crate/1.1/context", self.crate["@context"])
        entities = {entity["@id"]: entity for entity in self.crate["@graph"]}
        self.assertEqual(len(entities), len(self.crate["@graph"]), "an @id names one entity")
        self.assertTrue(all("@type" in entity for entity in entities.values()))
        descriptor = entities["ro-crate-metadata.json"]
        self.assertEqual({"@id": "https://w3id.org/ro/crate/1.1"}, descriptor["conformsTo"])
        root = entities[descriptor["about"]["@id"]]
        self.assertEqual("Dataset", root["@type"])
        for key in ("name", "description", "datePublished", "license"):
            self.assertTrue(root[key], key)
        datetime.fromisoformat(root["datePublished"].replace("Z", "+00:00"))
        profile = root["conformsTo"]["@id"]
        self.assertIn("wfrun/process", entities[profile]["@id"])
        actions = [entities[mention["@id"]] for mention in root["mentions"]]
        self.assertEqual(["#task-1.0", "#task-1.1", "#task-1.2", "#task-1.3", "#task-2.0", "#task-3.0"], [action["@id"] for action in actions])
        for action in actions:
            self.assertEqual("CreateAction", action["@type"])
            self.assertEqual("SoftwareApplication", entities[action["instrument"]["@id"]]["@type"])
            self.assertLessEqual(datetime.fromisoformat(action["startTime"].replace("Z", "+00:00")),
                                 datetime.fromisoformat(action["endTime"].replace("Z", "+00:00")))
            failed = action["actionStatus"].endswith("FailedActionStatus")
            self.assertEqual(failed, "error" in action)
            self.assertEqual(failed, action["@id"] in ("#task-1.1", "#task-2.0", "#task-3.0"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PLIMSOLL = sys.argv.pop(1)
    unittest.main()

#!/usr/bin/env python3
"""tools/accept: what it lists, how it reports, and that what cannot be measured is no pass."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

from acceptance import measurement as m  # noqa: E402
from acceptance import model  # noqa: E402
from acceptance import model_accuracy as accuracy  # noqa: E402

FIGURES = ["core-golden-models", "core-golden-rejections", "core-speed-p1", "core-speed-p2", "core-speed-p3", "core-tiny",
           "core-large-time", "core-large-memory", "core-jsonl-rate", "core-fuzz", "core-sanitizers",
           "campaign-region-cost", "campaign-mpi-overhead", "campaign-mpi-bytes", "checkpoint-blocking", "checkpoint-blocking-time",
           "checkpoint-rewrite", "checkpoint-copy", "checkpoint-checksum", "checkpoint-write", "checkpoint-small-arrays",
           "checkpoint-replicas", "checkpoint-slowdown", "checkpoint-rivals-lost", "checkpoint-rivals-durable"]


def accept(*arguments, **environment):
    return subprocess.run([ROOT / "tools/accept", *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment})


class Accept(unittest.TestCase):
    def test_lists_every_figure_with_its_target(self):
        lines = accept("list").stdout.splitlines()
        for name in FIGURES:
            matching = [line for line in lines if line.split()[0] == name]
            self.assertEqual(1, len(matching), name)
            self.assertRegex(matching[0], r" (>=|<=|<|==) [\d.]+ \S+ ")

    def test_answers_a_wrong_name_with_the_nearest(self):
        done = accept("run", "core-speed-p0")
        self.assertEqual(2, done.returncode)
        self.assertRegex(done.stderr, "unknown measurement 'core-speed-p0'\nhint: did you mean 'core-speed-p.'?")

    def test_answers_a_wrong_command_with_a_hint(self):
        for arguments in ([], ["run"], ["measure"]):
            done = accept(*arguments)
            self.assertEqual((2, ""), (done.returncode, done.stdout))
            self.assertIn("hint: ", done.stderr)

    def test_does_not_pass_without_a_rival(self):
        done = accept("run", "core-speed-p1", PLIMSOLL_EXTRAP="/nowhere/extrap")
        line = json.loads(done.stdout)
        self.assertEqual((1, None, False), (done.returncode, line["value"], line["pass"]))
        self.assertRegex(line["note"], "no rival|not built")

    def test_prints_one_document_with_json(self):
        done = accept("run", "core-speed-p1", "core-speed-p2", "--json", PLIMSOLL_EXTRAP="/nowhere/extrap")
        document = json.loads(done.stdout)
        self.assertEqual(["core-speed-p1", "core-speed-p2"], [line["name"] for line in document["measurements"]])


class ModelFigures(unittest.TestCase):
    """Figures of model.py by rows that are given, not measured."""

    def setUp(self):
        self.cells = model.cells

    def tearDown(self):
        model.cells = self.cells

    def test_of_coverage_are_no_pass_where_none_is_told(self):
        told = {f"{place}_coverage": 0.9 for place in ("inside", "step", "target", "far", "farthest")}
        untold = {name: value for name, value in told.items() if name != "far_coverage"}
        model.cells = lambda *_, **__: {("independent", 5.0, "posterior"): told, ("independent", 5.0, "extra-p"): {}}
        self.assertEqual(0, model.coverage_more().value)
        model.cells = lambda *_, **__: {("independent", 5.0, "posterior"): untold}
        with self.assertRaisesRegex(m.CannotMeasure, "far"):
            model.coverage_more()

    def test_name_the_commands_that_were_run(self):
        model.cells = lambda *_, **__: {("independent", 5.0, search): {"target_within5": 1.0}
                                        for search in ("posterior", "extra-p")}
        command = model.smallest_gain_more().command
        self.assertIn("--parameters 3 --seeds 20 --count 200", command)
        self.assertIn("--parameters 4 --seeds 5 --count 100", command)


class AccuracyFigures(unittest.TestCase):
    """Figures of model_accuracy.py by rows that are given."""

    def setUp(self):
        self.saved = model.cells, model.rows

    def tearDown(self):
        model.cells, model.rows = self.saved

    def give(self, ours, theirs):
        """Shares within 5 % of each seed."""
        model.rows = lambda *_, **__: {("independent", 5.0, search): [{"target_within5": share} for share in shares]
                                       for search, shares in (("posterior", ours), ("extra-p", theirs))}

    def test_gains_are_sure_where_their_interval_excludes_zero(self):
        self.give([0.91, 0.92, 0.93, 0.92, 0.92], [0.90] * 5)
        self.assertEqual(0, accuracy.gain_two_unsure().value)
        self.give([0.90, 0.96, 0.88, 0.95, 0.91], [0.90] * 5)
        self.assertEqual(1, accuracy.gain_two_unsure().value)
        self.assertEqual(0, accuracy.below_one().value)
        self.give([0.89, 0.88, 0.89, 0.88, 0.89], [0.90] * 5)
        self.assertEqual(1, accuracy.below_one().value)

    def test_bands_of_other_coverages_allow_the_same_error_of_the_width(self):
        for band in ((85, 95), (87, 97), (83, 95)):
            for got, wanted in zip(accuracy.band_of(90, band), band):
                self.assertAlmostEqual(wanted, got, 9)
        low, high = accuracy.band_of(50, (85, 95))
        self.assertTrue(44 < low < 45 and 57 < high < 58.5, (low, high))

    def test_coverage_counts_places_outside_the_band(self):
        told = {f"{place}_coverage": 0.9 for place in accuracy.PLACES}
        model.cells = lambda *_, **__: {("independent", 5.0, "posterior"): told,
                                        ("compounding", 5.0, "posterior"): {**told, "far_coverage": 0.82}}
        found = accuracy.coverage_one()
        self.assertEqual(1, found.value)
        self.assertIn("compounding 5 %, far: 82.0 %", found.note)
        model.cells = lambda *_, **__: {("independent", 5.0, "posterior"): {}}
        with self.assertRaises(m.CannotMeasure):
            accuracy.coverage_one()

    def test_gains_of_one_parameter_count_against_what_is_possible(self):
        def cells(*_, searches=(), **__):
            if searches == ("limit",):
                return {(law, noise, "limit"): {"target_within5": 0.52} for law in accuracy.GAUSSIAN.values()
                        for _, noise in accuracy.GAINS_ONE}
            return {(law, noise, search): {"target_within5": share} for law, noise in accuracy.GAINS_ONE
                    for search, share in (("extra-p", 0.5), ("posterior", 0.51))}
        model.cells = cells  # one point of two that are possible
        self.assertEqual(0, accuracy.gain_one().value)
        model.cells = lambda *_, **choices: {
            key: {"target_within5": 0.9 if key[2] == "limit" else numbers["target_within5"]}
            for key, numbers in cells(**choices).items()}
        self.assertEqual(len(accuracy.GAINS_ONE), accuracy.gain_one().value)


class Measurement(unittest.TestCase):
    def measured(self, comparison, target, value):
        made = m.Measurement("x", "s", comparison, target, "", lambda: m.Result(value, "true"))
        return made.run()

    def test_passes_when_the_target_is_reached(self):
        for comparison, target, value, reached in ((">=", 100, 100, True), (">=", 100, 99.9, False), ("<", 2, 1.9, True),
                                                   ("<", 2, 2, False), ("==", 0, 0, True), ("==", 0, 1, False)):
            self.assertEqual(reached, self.measured(comparison, target, value)["pass"], (comparison, target, value))

    def test_times_whole_processes(self):
        run = m.timed(["sleep", "0.1"])
        self.assertGreaterEqual(run.seconds, 0.1)
        self.assertGreater(run.peak_bytes, 100_000)

    def test_refuses_to_time_what_fails(self):
        with self.assertRaises(m.CannotMeasure):
            m.timed(["false"])


if __name__ == "__main__":
    unittest.main()

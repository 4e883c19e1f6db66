#!/usr/bin/env python3
"""bench/model/accuracy: a run goes on where it was, other functions are other rows, mistyped choices are refused, and
the limit is the posterior of those who know how functions are drawn.

usage: accuracy_test.py MODEL_ACCURACY
"""

import csv
import math
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

JUDGE = None
SMALL = {"--truth": "constant", "--parameters": 1, "--noise": 5, "--seeds": 1, "--search": "extra-p", "--count": 1}


def judge(*arguments):
    options = {**SMALL, **dict(zip(arguments[::2], arguments[1::2]))}
    words = [str(word) for option in options.items() for word in option]
    return subprocess.run([JUDGE, *words], capture_output=True, text=True)


def published(count):
    """Functions of two parameters as the published ones are: products, or sums whose terms matter at both corners."""
    draw = random.Random(5)
    exponents = [0, 1/4, 1/3, 1/2, 2/3, 3/4, 4/5, 1, 5/4, 4/3, 3/2, 5/3, 7/4, 2, 9/4, 7/3, 5/2, 8/3, 11/4, 3]
    slow = {(0, 0), (0, 1), (1/4, 0), (1/3, 0), (1/2, 0)}  # no factors of products
    slower = slow | {(0, 2), (1/4, 1), (1/3, 1)}           # nor of the first parameter

    def factor(unwanted):
        while (found := (draw.choice(exponents), draw.randrange(3))) in unwanted:
            pass
        return found

    def shares_at(a, b, c, t, u):
        terms = c[1] * a ** t[0] * math.log2(a) ** t[1], c[2] * b ** u[0] * math.log2(b) ** u[1]
        return [term / (c[0] + sum(terms)) for term in terms]

    for i in range(count):
        sign = "+*"[i % 2]
        while True:
            c = [draw.uniform(0, 1000) for _ in range(3)]
            t, u = (factor(()), factor(())) if sign == "+" else (factor(slower), factor(slow))
            if sign == "*" or min(shares_at(4, 10, c, t, u) + shares_at(64, 50, c, t, u)) >= 0.01:
                break
        yield f"{c[0]}+{c[1]}*a**{t[0]}*math.log2(a)**{t[1]}{sign}{c[2]}*b**{u[0]}*math.log2(b)**{u[1]}"


class Accuracy(unittest.TestCase):
    def rows(self, path):
        with open(path, newline="") as file:
            return list(csv.DictReader(file))

    def test_goes_on_where_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            for count in (2, 2, 3):
                self.assertEqual(0, judge("--count", count, "-o", path).returncode)
            self.assertEqual(["2", "3"], [row["count"] for row in self.rows(path)])
            judge("--count", 2, "--first", 7, "-o", path)
            self.assertEqual(["0", "0", "7"], [row["first"] for row in self.rows(path)])
            judge("--count", 2, "--seeds", 2, "-o", path)
            self.assertEqual(["1", "1", "1", "2"], [row["seed"] for row in self.rows(path)])

    def test_refuses_a_file_with_other_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            path.write_text("truth,design\n")
            self.assertNotEqual(0, judge("-o", path).returncode)
            self.assertEqual("truth,design\n", path.read_text())

    def test_refuses_what_is_mistyped(self):
        for option, value in (("--search", "extrap"), ("--law", "gauss"), ("--design", "crossed"), ("--truth", "constnt"),
                              ("--parameters", 0), ("--parameters", 5), ("--count", 0), ("--repetitions", 0)):
            with self.subTest(option=option, value=value):
                done = judge(option, value)
                self.assertNotEqual(0, done.returncode)
                self.assertEqual("", done.stdout)
                self.assertIn(option, done.stderr)

    def test_tells_intervals_that_widen_with_their_coverage(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            judge("--truth", "single", "--search", "posterior", "--noise", 20, "--count", 30, "-o", path)
            row = self.rows(path)[0]
            covered = [float(row[f"target_{name}"]) for name in ("coverage50", "coverage80", "coverage", "coverage95")]
            self.assertEqual(sorted(covered), covered)
            self.assertLess(covered[0], covered[3])
            self.assertGreaterEqual(float(row["target_score"]), float(row["target_width"]) / 10)
            self.assertNotEqual("", row["more_terms"])

    def test_refuses_a_limit_of_what_it_cannot_integrate(self):
        for option, value in (("--truth", "two-terms"), ("--parameters", 2), ("--law", "heavy"), ("--noise", 0)):
            done = judge("--truth", "single", "--search", "limit", option, value)
            self.assertNotEqual(0, done.returncode)
            self.assertIn("limit", done.stderr)

    def test_draws_a_picture_of_its_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path, picture = Path(folder) / "rows.csv", Path(folder) / "rows.svg"
            judge("--truth", "single", "--search", "extra-p,limit", "--noise", "5,20", "-o", path, "--picture", picture)
            root = ElementTree.parse(picture).getroot()
            lines = root.findall("{http://www.w3.org/2000/svg}polyline")
            self.assertEqual(2, len(lines))  # Extra-P's choice and the limit; no intervals of ours
            self.assertTrue(all(len(line.get("points").split()) == 2 for line in lines))


class Limit(unittest.TestCase):
    """A posterior under the prior and the law that the data come from is calibrated, whatever the law."""

    COUNT = 400
    FEW = 160

    def test_is_calibrated(self):
        for law in ("independent", "gaussian", "compounding", "gaussian-compounding"):
            done = judge("--truth", "single", "--search", "limit", "--noise", "2,20", "--law", law, "--count", self.COUNT)
            self.check(done, self.COUNT)

    def check(self, done, count):
        rows = list(csv.DictReader(done.stdout.splitlines()))
        self.assertEqual(2, len(rows), done.stderr)
        for row in rows:
            for place in ("inside", "target", "farthest"):
                with self.subTest(law=row["law"], noise=row["noise"], place=place):
                    for share, column in ((0.5, "coverage50"), (0.8, "coverage80"), (0.95, "coverage95")):
                        self.agree(share, float(row[f"{place}_{column}"]), count)
                    self.agree(float(row[f"{place}_chance5"]), float(row[f"{place}_within5"]), count)

    def test_of_two_parameters_is_calibrated(self):
        """On functions like the published ones, drawn here by the same rules."""
        with tempfile.TemporaryDirectory() as folder:
            functions = Path(folder) / "functions.txt"
            functions.write_text("".join(f"{i}\t{function}\n" for i, function in enumerate(published(self.FEW))))
            done = judge("--truth", "published", "--functions", functions, "--parameters", 2, "--search", "limit",
                         "--noise", "5,50", "--law", "gaussian-compounding", "--count", self.FEW)
            self.check(done, self.FEW)

    def agree(self, probability, counted, count):
        """A binomial share of so many: within five standard deviations, and one function more where nearly all are."""
        deviation = math.sqrt(max(probability * (1 - probability), 0) / count)
        self.assertLessEqual(abs(probability - counted), 5 * deviation + 1.5 / count)

    def test_is_sharper_by_bounds_than_by_normal_noise(self):
        shares = []
        for law in ("independent", "gaussian"):
            done = judge("--truth", "single", "--search", "limit", "--noise", 50, "--law", law, "--count", self.COUNT)
            shares.append(float(next(csv.DictReader(done.stdout.splitlines()))["target_chance5"]))
        self.assertGreater(shares[0], shares[1] + 0.05)


if __name__ == "__main__":
    JUDGE = Path(sys.argv.pop(1)).resolve()
    unittest.main()

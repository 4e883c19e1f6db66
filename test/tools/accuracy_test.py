#!/usr/bin/env python3
"""bench/model/accuracy: a run goes on where it was, other functions are other rows, and mistyped choices are refused.

usage: accuracy_test.py MODEL_ACCURACY
"""

import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

JUDGE = None
SMALL = {"--truth": "constant", "--parameters": 1, "--noise": 5, "--seeds": 1, "--search": "extra-p", "--count": 1}


def judge(*arguments):
    options = {**SMALL, **dict(zip(arguments[::2], arguments[1::2]))}
    words = [str(word) for option in options.items() for word in option]
    return subprocess.run([JUDGE, *words], capture_output=True, text=True)


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


if __name__ == "__main__":
    JUDGE = Path(sys.argv.pop(1)).resolve()
    unittest.main()

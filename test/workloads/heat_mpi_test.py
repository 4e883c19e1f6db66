#!/usr/bin/env python3
"""workloads/heat on 1, 2 and 4 ranks: the same bits as alone, restarted on any other number of them; errors are told once.

usage: heat_mpi_test.py HEAT HEAT_MPI MPIEXEC
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEAT = HEAT_MPI = MPIEXEC = None
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def on_ranks(ranks, *words):
    return subprocess.run([MPIEXEC, "-n", str(ranks), HEAT_MPI, "--size", "12", *map(str, words)], capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=120)


class HeatOnRanks(unittest.TestCase):
    def test_goes_on_with_another_number_of_ranks(self):
        alone = json.loads(subprocess.run([HEAT, "--size", "12", "--steps", "60"], capture_output=True, check=True).stdout)
        for before, after in ((1, 4), (2, 1), (4, 2), (4, 4)):
            with self.subTest(before=before, after=after), tempfile.TemporaryDirectory() as folder:
                saves = Path(folder) / "saves"
                first = on_ranks(before, "--steps", 35, "--checkpoints", saves)
                self.assertEqual((0, ""), (first.returncode, first.stderr))
                second = on_ranks(after, "--steps", 60, "--checkpoints", saves)
                self.assertEqual((0, ""), (second.returncode, second.stderr))
                document = json.loads(second.stdout)
                self.assertEqual((30, after, alone["checksum"]),
                                 (document["restored_step"], document["ranks"], document["checksum"]))

    def test_tells_errors_once(self):
        done = on_ranks(2, "--checkpoints", "/proc/saves")
        self.assertNotEqual(0, done.returncode)
        self.assertEqual(1, done.stderr.count("error: /proc/saves: cannot make the folder: No such file or directory"), done.stderr)
        done = on_ranks(13)
        self.assertEqual(1, done.stderr.count("error: 13 ranks cannot share 12 planes"), done.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    HEAT, HEAT_MPI, MPIEXEC = sys.argv[1:4]
    unittest.main(argv=[__file__], verbosity=2)

#!/usr/bin/env python3
"""The programs behind the figures of checkpoints run, check what they save, and print what tools/acceptance/checkpoint.py reads.

usage: checkpoint_bench_test.py FOLDER_OF_PROGRAMS [MPIEXEC]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAMS = Path(sys.argv[1])
MPIEXEC = sys.argv[2] if len(sys.argv) > 2 else None
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def printed(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False, env=ENVIRONMENT)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


class CheckpointBench(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plimsoll-bench-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def test_capture_times_both_kinds_of_pages(self):
        found, = printed(PROGRAMS / "checkpoint_capture", 16, 1, self.folder / "saves")
        self.assertEqual(16 << 20, found["bytes"])
        for pages in ("large_pages", "small_pages"):
            for name in ("memcpy_one", "memcpy_all", "copy", "copy_plain", "blocked_copied", "blocked_lazy", "rewrite", "rewrite_during"):
                self.assertGreater(found[pages][name], 0, f"{pages} {name}")

    def test_write_times_any_number_of_arrays_and_leaves_nothing(self):
        for engine in ("pwrite", ""):
            found, = printed(PROGRAMS / "checkpoint_write", self.folder / "saves", 8, 500, *([engine] if engine else []))
            self.assertEqual((8 << 20, 500), (found["bytes"], found["arrays"]))
            self.assertGreater(found["durable_s"], 0)
        self.assertEqual([], list(self.folder.iterdir()))

    def test_replicas_are_held_to_their_rate(self):
        found, = printed(PROGRAMS / "checkpoint_replicas", self.folder / "saves", 8, 20, 1, 1, 2)
        self.assertEqual({"1", "2"}, set(found))
        self.assertGreater(found["1"], 8 * 1.048576 / 20)
        self.assertGreater(found["2"], 4 * 1.048576 / 20)

    def test_every_rival_saves_on_two_ranks(self):
        if MPIEXEC is None:
            self.skipTest("no MPI here")
        rows = printed(MPIEXEC, "-n", 2, PROGRAMS / "checkpoint_rivals", self.folder / "rivals", 4, 1)
        names = [row["method"] for row in rows]
        self.assertEqual(["plimsoll", "plimsoll-lazy", "stream", "write-sync", "scratch-copy", "fork", "mpi-io"], names[:7])
        for row in rows:
            self.assertEqual((2, 8 << 20), (row["ranks"], row["bytes"]))
            self.assertGreaterEqual(row["durable_s"], row["done_s"], row)
            self.assertEqual(row["method"] not in ("stream", "scratch-copy", "hdf5"), row["syncs"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

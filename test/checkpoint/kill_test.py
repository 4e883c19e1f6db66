#!/usr/bin/env python3
"""Kills workloads/heat again and again while it computes and saves; its result must be that of a run that nobody killed.

usage: kill_test.py HEAT PLIMSOLL [--mpi HEAT_MPI MPIEXEC] [--kills N] [--seed S]

With --mpi, a random rank is killed, and each start has another number of ranks.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ARGUMENTS = None
FOREVER = "1000000"
SLOW = 10 if os.environ.get("PLIMSOLL_SLOW_BUILD") else 1


def heat(*words):
    """The result of a run that is left alone."""
    done = subprocess.run([ARGUMENTS.heat, *map(str, words)], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout), done.stderr


def newest(folder):
    """The step of the newest save, 0 where there is none."""
    done = subprocess.run([ARGUMENTS.plimsoll, "checkpoint", "ls", folder, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        return 0
    listed = json.loads(done.stdout)
    if listed["broken"]:
        raise AssertionError(f"half a save goes under its name: {listed['broken']}")
    return listed["saves"][0]["step"] if listed["saves"] else 0


def ranks_below(process):
    """The processes of the program that mpiexec has started."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = status.read_text()
        except OSError:
            continue
        name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        if name == "heat-mpi" and int(rest[3]) == process.pid:  # its session, which mpiexec leads
            found.append(int(status.parent.name))
    return found


class Killed(unittest.TestCase):
    def check(self, folder, size, every, start, kill, kills):
        """Starts and kills so often, then lets it end; looks after each kill that no save was lost."""
        best, progress = 0, 0
        for number in range(kills):
            kill(start(number))
            step = newest(folder)
            self.assertGreaterEqual(step, best, f"a save was lost by kill {number + 1}")
            progress += step > best
            best = step
        self.assertGreater(progress, kills // 10, "hardly any run came to its first save: the test shows nothing")
        steps = best + 2 * every + 1
        ended, _ = heat("--size", size, "--steps", steps, "--every", every, "--checkpoints", folder)
        alone, _ = heat("--size", size, "--steps", steps)
        self.assertEqual(best, ended["restored_step"])
        self.assertEqual(alone["checksum"], ended["checksum"])
        done = subprocess.run([ARGUMENTS.plimsoll, "checkpoint", "verify", "--deep", folder], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return best

    def test_ends_with_the_same_bits(self):
        chance = random.Random(ARGUMENTS.seed)
        size, every = 16, 5

        with tempfile.TemporaryDirectory(prefix="plimsoll-kill-") as folder:
            saves = Path(folder) / "saves"

            def start(_):
                return subprocess.Popen([ARGUMENTS.heat, "--size", str(size), "--steps", FOREVER, "--every", str(every),
                                         "--checkpoints", saves], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

            def kill(process):
                time.sleep(SLOW * chance.uniform(0.005, 0.25))
                process.send_signal(signal.SIGKILL)
                _, said = process.communicate(timeout=60)
                self.assertEqual((-signal.SIGKILL, b""), (process.returncode, said))

            best = self.check(saves, size, every, start, kill, ARGUMENTS.kills)
            print(f"{ARGUMENTS.kills} kills, step {best}")

    def test_ends_with_the_same_bits_whichever_rank_is_killed(self):
        if not ARGUMENTS.mpi:
            self.skipTest("no MPI here")
        program, mpiexec = ARGUMENTS.mpi
        chance = random.Random(ARGUMENTS.seed + 1)
        size, every = 16, 5
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}

        with tempfile.TemporaryDirectory(prefix="plimsoll-kill-") as folder:
            saves = Path(folder) / "saves"

            def start(number):
                return subprocess.Popen([mpiexec, "-n", str(1 + number % 3), program, "--size", str(size), "--steps", FOREVER,
                                         "--every", str(every), "--checkpoints", saves], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env=environment, start_new_session=True)

            def kill(process):
                ranks, waited = [], time.monotonic()
                while not ranks and time.monotonic() < waited + 60:
                    ranks = ranks_below(process)
                    time.sleep(0.01)
                self.assertTrue(ranks, "mpiexec started nothing")
                time.sleep(chance.uniform(0.1, 1.0))
                for rank in chance.sample(ranks_below(process), 1):
                    os.kill(rank, signal.SIGKILL)
                process.wait(timeout=60)

            best = self.check(saves, size, every, start, kill, max(6, ARGUMENTS.kills // 8))
            print(f"{max(6, ARGUMENTS.kills // 8)} kills of ranks, step {best}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("heat")
    parser.add_argument("plimsoll")
    parser.add_argument("--mpi", nargs=2)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    ARGUMENTS = parser.parse_args()
    unittest.main(argv=[__file__], verbosity=2)

#!/usr/bin/env python3
"""Kills workloads/training again and again while it learns and saves; the network must end as that of a run that
nobody killed, bit by bit.

usage: kill_test.py TRAINING PLIMSOLL MPIEXEC [--kills N] [--seed S]
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
STEPS_OF_EPOCH = 16
WORDS = ["--batch", "4", "--depth", "8", "--width", "4", "--image-size", "12", "--validation-size", "8"]
SLOW = 10 if os.environ.get("PLIMSOLL_SLOW_BUILD") else 1


def command(ranks, epochs, *words):
    return [ARGUMENTS.mpiexec, "-n", str(ranks), ARGUMENTS.training, *WORDS, "--dataset-size",
            str(4 * ranks * STEPS_OF_EPOCH), "--epochs", str(epochs), *map(str, words)]


def environment():
    return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def network(ranks, epochs, *words):
    """The checksum of the network that a run ends with which is left alone, and its losses."""
    done = subprocess.run(command(ranks, epochs, *words), capture_output=True, text=True, timeout=300, env=environment())
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stderr}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    losses = [line["value"] for line in lines[1:] if line["metric"] == "loss"]
    return lines[0]["metadata"]["network"], sum(losses, [])


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
        if name == "training" and int(rest[3]) == process.pid:  # its session, which mpiexec leads
            found.append(int(status.parent.name))
    return found


class Killed(unittest.TestCase):
    def kill(self, process, chance, begun):
        """Kills a random rank, some time after `begun` says that the program is at work."""
        waited = time.monotonic()
        while not begun() and process.poll() is None and time.monotonic() < waited + 60 * SLOW:
            time.sleep(0.01)
        time.sleep(SLOW * chance.uniform(0.0, 0.4))
        ranks = ranks_below(process)
        self.assertTrue(ranks, "the program has ended by itself")
        os.kill(chance.choice(ranks), signal.SIGKILL)
        process.wait(timeout=60)

    def check(self, ranks, kills):
        chance = random.Random(ARGUMENTS.seed + ranks)
        with tempfile.TemporaryDirectory(prefix="plimsoll-kill-") as folder:
            saves = Path(folder) / "saves"
            best, progress = 0, 0
            for number in range(kills):
                process = subprocess.Popen(command(ranks, 1000000, "--checkpoints", saves, "--checkpoint-every", 3),
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(),
                                           start_new_session=True)
                # One in four dies before its first save, so that starts are among what is interrupted.
                early = number % 4 == 3
                self.kill(process, chance, lambda: bool(ranks_below(process)) if early else newest(saves) > best)
                step = newest(saves)
                self.assertGreaterEqual(step, best, f"a save was lost by kill {number + 1}")
                progress += step > best
                best = step
            self.assertGreater(progress, kills // 2, "hardly any run came to its first save: the test shows nothing")
            epochs = best // STEPS_OF_EPOCH + 2
            ended, later = network(ranks, epochs, "--checkpoints", saves, "--checkpoint-every", 3)
            alone, losses = network(ranks, epochs)
            self.assertEqual(alone, ended)
            self.assertEqual(losses[best:], later)
            done = subprocess.run([ARGUMENTS.plimsoll, "checkpoint", "verify", "--deep", saves], capture_output=True,
                                  text=True)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
            print(f"{kills} kills on {ranks} ranks, step {best}")

    def test_ends_with_the_same_bits(self):
        self.check(1, max(2, ARGUMENTS.kills // 2))

    def test_ends_with_the_same_bits_whichever_rank_is_killed(self):
        self.check(2, max(2, ARGUMENTS.kills - ARGUMENTS.kills // 2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("training")
    parser.add_argument("plimsoll")
    parser.add_argument("mpiexec")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    ARGUMENTS = parser.parse_args()
    unittest.main(argv=[__file__], verbosity=2)

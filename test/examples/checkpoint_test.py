#!/usr/bin/env python3
"""The ten lines that the guide adds to a program of sixty make it survive kill -9: builds examples/checkpoint against an installed
plimsoll, kills the program until it has ended by itself, and compares with the one without checkpoints.

usage: checkpoint_test.py CMAKE BUILD_FOLDER COMPILER BUILD_TYPE FLAGS
"""

import difflib
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/checkpoint"
STEPS = "600"


def run(*command):
    """The output of a command; ends the test where it fails."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nended with {done.returncode}")
    return done.stdout


def check_lines():
    """What was added is ten lines of code, which the guide shows, and nothing was changed."""
    before, after = ((EXAMPLE / name).read_text().splitlines() for name in ("without.cpp", "with.cpp"))
    code = [line for line in difflib.ndiff(before[3:], after[3:]) if line[0] in "+-" and line[2:].strip()]
    if any(line[0] == "-" for line in code) or len(code) > 10:
        sys.exit("not ten lines more:\n" + "\n".join(code))
    guide = (ROOT / "docs/guide/checkpoints.md").read_text()
    for line in code:
        if line[2:].strip() not in guide:
            sys.exit(f"the guide does not show '{line[2:].strip()}'")


def check_c(folder, prefix, cmake, compiler, build_type, flags):
    """The program in C finds what is installed, and goes on where it was."""
    build = Path(folder) / "c"
    run(cmake, "-S", f"{EXAMPLE}_c", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_BUILD_TYPE={build_type}", f"-DCMAKE_CXX_FLAGS={flags}")
    run(cmake, "--build", build)
    for steps, begin in ((100, 0), (300, 100)):
        # Its last element gets step + 9 in each step.
        expected = f"from step {begin}: {steps * (steps - 1) // 2 + 9 * steps}\n"
        found = run("sh", "-c", f"cd {build} && ./count {steps}")
        if found != expected:
            sys.exit(f"the program in C printed {found!r}, not {expected!r}")


def main(cmake, build_folder, compiler, build_type, flags):
    check_lines()
    with tempfile.TemporaryDirectory(prefix="plimsoll-checkpoint-") as folder:
        prefix, build = Path(folder) / "prefix", Path(folder) / "build"
        run(cmake, "--install", build_folder, "--prefix", prefix)
        run(cmake, "-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}",
            f"-DCMAKE_BUILD_TYPE={build_type}", f"-DCMAKE_CXX_FLAGS={flags}")
        run(cmake, "--build", build)
        begin = time.monotonic()
        expected = run(build / "without", STEPS)
        taken = time.monotonic() - begin
        chance, kills = random.Random(1), 0
        while True:
            process = subprocess.Popen([build / "with", STEPS], cwd=folder, text=True, stdout=subprocess.PIPE)
            try:
                # A run is killed after a third of the whole time at most, and gets a little further each time.
                printed, _ = process.communicate(timeout=taken * chance.uniform(0.05, 0.35))
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills += 1
            if kills > 1000:
                sys.exit("it gets no further")
        if process.returncode != 0 or printed != expected:
            sys.exit(f"after {kills} kills it ended with {process.returncode}, and another result")
        if kills < 3:
            sys.exit(f"only {kills} kills: the test shows nothing")
        print(f"{kills} kills, the same result")
        check_c(folder, prefix, cmake, compiler, build_type, flags)


if __name__ == "__main__":
    main(*sys.argv[1:])

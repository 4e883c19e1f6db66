#!/usr/bin/env python3
"""A program in C that is killed goes on where it saved last, and ends with the same numbers as one that was not.

usage: kill_test.py PROGRAM [--mpi PROGRAM MPIEXEC]
"""

import os
import subprocess
import sys
import tempfile

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def run(command, *arguments):
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False,
                          env=ENVIRONMENT)
    return done.returncode, sorted(done.stdout.splitlines()), done.stderr


def check(command, ranks):
    with tempfile.TemporaryDirectory(prefix="plimsoll-checkpoint-c-") as folder:
        code, whole, error = run(command, f"{folder}/whole", 60)
        assert code == 0 and len(whole) == ranks, (code, whole, error)
        assert all(line.split()[1] == "-1" for line in whole), whole
        for kill_at, found in ((37, -1), (52, 30)):
            code, lines, error = run(command, f"{folder}/killed", 60, kill_at)
            assert code != 0 and not lines, (kill_at, found, code, lines)
        code, lines, error = run(command, f"{folder}/killed", 60)
        assert code == 0, error
        assert [line.split()[1] for line in lines] == ["50"] * ranks, lines
        assert [line.split()[::2] for line in lines] == [line.split()[::2] for line in whole], (lines, whole)


def main(program, *rest):
    check([program], 1)
    if rest[:1] == ("--mpi",):
        check([rest[2], "-n", "2", rest[1]], 2)


if __name__ == "__main__":
    main(*sys.argv[1:])

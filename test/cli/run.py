#!/usr/bin/env python3
"""Runs the command lines in test/cli/*.test and compares what they print with what the file expects.

usage: run.py --plimsoll PATH [--bless] FILE...   (PATH: the program, or the folder it stands in)

    # A comment above a case says what it shows.
    $ plimsoll fit runs.jsonl | head -1
    first line of stdout
    stderr: a line of stderr
    exit: 2

A command goes on over lines that end in a backslash and over here-documents. The cases of a file share one
fresh temporary folder, which is also $HOME; $DATA is test/data. The paths of both are shown as $PWD and $DATA,
so that no machine's path is expected. What a file leaves running in the background, such as the server of a campaign,
is ended with it. In expected lines `...` stands for any run of characters, and a line of
`...` alone for any number of lines. Output that looks like the format (`$ `, `#`, `stderr: `, `exit: `, or a
backslash at the start) is expected with a backslash before it. Blank lines at the end are not compared.

--bless rewrites what is expected, keeping comments and each line with `...` that still holds.
Exit codes: 0 all as expected, 1 something differs, 2 a file cannot be understood.
"""

import argparse
import difflib
import functools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
SECONDS_PER_COMMAND = 120
ANY_LINES = "..."


class Malformed(Exception):
    """A test file that cannot be understood."""


@dataclass
class Result:
    """What a command printed and returned, or should."""
    stdout: list = field(default_factory=list)
    stderr: list = field(default_factory=list)
    exit_code: int = 0


@dataclass
class Case:
    comment: list  # the lines above the command, as they stand
    command: list  # the lines of the command, as they stand
    expected: Result


def command_length(lines):
    """How many of the lines, the first of which starts a command, belong to it."""
    length, terminators = 0, []
    while length < len(lines):
        line = lines[length]
        length += 1
        if terminators:
            tabs_stripped, terminator = terminators[0]
            if (line.lstrip("\t") if tabs_stripped else line) == terminator:
                terminators.pop(0)
        else:
            terminators = [(dash, word) for dash, _, word
                           in re.findall(r"(?<!<)<<(-?)\s*(['\"]?)(\w+)\2", line)]
        if not terminators and not line.endswith("\\"):
            return length
    raise Malformed("the file ends inside a command")


def without_trailing_blanks(lines):
    lines = list(lines)
    while lines and lines[-1] == "":
        lines.pop()
    return lines


def parse(text):
    """The cases of a test file, and the lines after the last of them."""
    lines = without_trailing_blanks(text.split("\n"))
    cases, comment, i = [], [], 0
    while i < len(lines):
        line = lines[i]
        if cases and not comment and line.startswith(("$ ", "#")):
            # The blank lines so far are no output but stand between two cases.
            stdout = cases[-1].expected.stdout
            output = without_trailing_blanks(stdout)
            comment, cases[-1].expected.stdout = stdout[len(output):], output
        if line.startswith("$ "):
            length = command_length(lines[i:])
            cases.append(Case(comment, lines[i:i + length], Result()))
            comment = []
            i += length
            continue
        i += 1
        if line.startswith("#") or (line == "" and (comment or not cases)):
            comment.append(line)
            continue
        if comment or not cases:
            raise Malformed(f"line {i}: expected output must follow its command; comments go above the command")
        expected = cases[-1].expected
        if line == "stderr:" or line.startswith("stderr: "):
            expected.stderr.append(line[len("stderr: "):])
        elif line.startswith("exit: "):
            if not line[len("exit: "):].isdigit():
                raise Malformed(f"line {i}: 'exit:' takes a number")
            expected.exit_code = int(line[len("exit: "):])
        else:
            expected.stdout.append(line[1:] if line.startswith("\\") else line)
    if not cases:
        raise Malformed("no case: a command line starts with '$ '")
    return cases, comment


def escaped(line):
    return "\\" + line if re.match(r"\$ |#|stderr:( |$)|exit: |\\", line) else line


def written(result):
    """The lines in which a test file states the result."""
    return [*map(escaped, result.stdout),
            *(f"stderr: {line}" if line else "stderr:" for line in result.stderr),
            *([f"exit: {result.exit_code}"] if result.exit_code else [])]


def line_matches(expected, actual):
    if "..." not in expected:
        return expected == actual
    return re.fullmatch(".*".join(map(re.escape, expected.split("..."))), actual, re.DOTALL) is not None


def align(expected, actual):
    """(number of differences, the expected lines changed as little as makes them match the actual ones).

    The cheapest alignment: a line kept costs nothing, one replaced, added or dropped counts as a difference.
    A line that `...` takes in costs next to nothing, so that it takes in no more than it must.
    """
    if expected == actual:
        return 0, list(expected)
    difference = 1_000_000
    rows, columns = len(expected) + 1, len(actual) + 1
    cost = [[0] * columns for _ in range(rows)]
    step = [[None] * columns for _ in range(rows)]
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            choices = []
            if i + 1 < rows and j + 1 < columns:
                same = line_matches(expected[i], actual[j])
                choices.append((cost[i + 1][j + 1] + (0 if same else difference), "keep" if same else "replace"))
            if i + 1 < rows and expected[i] == ANY_LINES:
                choices.append((cost[i + 1][j], "leave"))
                if j + 1 < columns:
                    choices.append((cost[i][j + 1] + 1, "absorb"))
            elif i + 1 < rows:
                choices.append((cost[i + 1][j] + difference, "drop"))
            if j + 1 < columns:
                choices.append((cost[i][j + 1] + difference, "add"))
            if choices:
                cost[i][j], step[i][j] = min(choices)
    merged, i, j = [], 0, 0
    while step[i][j]:
        taken = step[i][j]
        if taken in ("keep", "leave"):
            merged.append(expected[i])
        elif taken in ("replace", "add"):
            merged.append(actual[j])
        i += taken in ("keep", "leave", "replace", "drop")
        j += taken in ("keep", "absorb", "replace", "add")
    return cost[0][0] // difference, merged


def merge(expected, actual):
    """(whether the actual result is the expected one, the expected result changed to match it)."""
    differences, stdout = align(expected.stdout, actual.stdout)
    more_differences, stderr = align(expected.stderr, actual.stderr)
    same = differences + more_differences == 0 and expected.exit_code == actual.exit_code
    return same, Result(stdout, stderr, actual.exit_code)


def environment(program_folder, home):
    kept = {name: value for name, value in os.environ.items()
            if name != "NO_COLOR" and not name.startswith(("PLIMSOLL_", "XDG_"))}
    return {**kept, "LC_ALL": "C.UTF-8", "COLUMNS": "100", "DATA": str(DATA), "HOME": home,
            "PATH": f"{program_folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}


def execute(case, folder, env):
    command = "\n".join(case.command)[len("$ "):]
    process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=env, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        stdout, stderr = process.communicate(timeout=SECONDS_PER_COMMAND)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        stderr += f"(ended by the test runner after {SECONDS_PER_COMMAND} s)\n".encode()

    def lines(output):
        text = output.decode(errors="backslashreplace")
        return without_trailing_blanks(text.replace(folder, "$PWD").replace(str(DATA), "$DATA").split("\n"))

    # A shell that a signal ended is shown as its parent shell would show it.
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    return Result(lines(stdout), lines(stderr), code)


def end_campaigns(folder):
    """Ends the servers of the campaigns below a folder, and with them what their workers wait for."""
    for address in Path(folder).rglob(".plimsoll/server.json"):
        try:
            process = json.loads(address.read_text())["process"]
            if os.readlink(f"/proc/{process}/exe").split(" ")[0].endswith("plimsoll"):
                os.kill(process, signal.SIGKILL)
        except (OSError, ValueError, KeyError):
            continue


@functools.lru_cache(maxsize=None)
def has_terminals():
    """Whether `script` can open a terminal; in a bare chroot /dev/pts may be missing."""
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def run_file(path, program_folder, bless):
    """Whether every case of the file went as expected, or was blessed."""
    cases, rest = parse(path.read_text())
    passed, text, skipped = True, [], 0
    with tempfile.TemporaryDirectory(prefix="plimsoll-cli-") as folder:
        folder = os.path.realpath(folder)
        env = environment(program_folder, folder)
        try:
            for case in cases:
                if not has_terminals() and any("script -q" in line for line in case.command):
                    skipped += 1
                    text += [*case.comment, *case.command, *written(case.expected)]
                    continue
                same, blessed = merge(case.expected, execute(case, folder, env))
                if not same and not bless:
                    passed = False
                    print("\n".join(case.command))
                    print("\n".join(difflib.unified_diff(written(case.expected), written(blessed),
                                                         f"{path} (expected)", "actual", lineterm="")))
                text += [*case.comment, *case.command, *written(blessed)]
        finally:
            end_campaigns(folder)
    if bless:
        new_text = "\n".join([*text, *rest]) + "\n"
        if new_text != path.read_text():
            path.write_text(new_text)
            print(f"blessed {path}")
    else:
        note = f", {skipped} skipped: they want a pseudo-terminal, and there is none here" if skipped else ""
        print(f"{'ok' if passed else 'FAIL'}  {path.name} ({len(cases)} case{'s' if len(cases) > 1 else ''}{note})")
    return passed


def main(arguments):
    parser = argparse.ArgumentParser(description="Tests of the command line, see the head of this file.")
    parser.add_argument("--plimsoll", required=True, type=Path, help="the program, or the folder it stands in")
    parser.add_argument("--bless", action="store_true", help="rewrite what the files expect")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    program = options.plimsoll.resolve()
    folder = program if program.is_dir() else program.parent
    if not os.access(folder / "plimsoll", os.X_OK):
        print(f"error: no program at {folder / 'plimsoll'}", file=sys.stderr)
        return 2
    code = 0
    for path in options.files:
        try:
            if not run_file(path, folder, options.bless):
                code = max(code, 1)
        except (Malformed, OSError) as error:
            print(f"error: {path}: {error}", file=sys.stderr)
            code = 2
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

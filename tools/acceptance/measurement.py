"""How a measurement is declared, and what measurements share."""

import operator
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("PLIMSOLL_SHARED", ROOT.parent / "shared"))
PLIMSOLL = ROOT / "build/release/bin/plimsoll"

COMPARISONS = {">=": operator.ge, "<=": operator.le, "<": operator.lt, "==": operator.eq}
MEASUREMENTS = {}


class CannotMeasure(Exception):
    """Something that the measurement needs is not here; the text says what."""


@dataclass
class Result:
    value: float
    command: str  # what was measured, to be run by hand
    note: str = ""


@dataclass
class Measurement:
    name: str
    unit: str
    comparison: str  # of the value with the target
    target: float
    summary: str
    measure: Callable[[], Result]
    slow: bool = False

    @property
    def target_text(self):
        return f"{self.comparison} {self.target:g} {self.unit}"

    def run(self):
        try:
            result = self.measure()
        except CannotMeasure as reason:
            result = Result(None, "", str(reason))
        reached = result.value is not None and COMPARISONS[self.comparison](result.value, self.target)
        line = {"name": self.name, "value": result.value, "unit": self.unit,
                "target": f"{self.comparison} {self.target:g}", "pass": reached, "command": result.command}
        return {**line, "note": result.note} if result.note else line


def measurement(name, unit, comparison, target, slow=False):
    """Declares a function as a measurement; the first line of its description is the summary."""
    def declare(function):
        summary = function.__doc__.split("\n")[0].rstrip(".")
        MEASUREMENTS[name] = Measurement(name, unit, comparison, target, summary, function, slow)
        return function
    return declare


def plimsoll():
    """The program that is measured."""
    if not os.access(PLIMSOLL, os.X_OK):
        raise CannotMeasure("build/release is not built: run make accept")
    return str(PLIMSOLL)


def shared(relative):
    """A file or folder of the shared data."""
    path = SHARED / relative
    if not path.exists():
        raise CannotMeasure(f"there is no {relative} in the shared data")
    return path


def shown(command):
    """A command as a person would type it in the project's folder."""
    words = ["python3" if word == sys.executable else str(word) for word in command]
    return " ".join(os.path.relpath(word, ROOT) if word.startswith(f"{ROOT.parent}{os.sep}") else word for word in words)


@dataclass
class Run:
    seconds: float
    peak_bytes: int


def timed(command, environment=None):
    """Wall time and peak memory of a process from its start to its end, output thrown away."""
    with open(os.devnull, "r+b") as nowhere:
        actions = [(os.POSIX_SPAWN_DUP2, nowhere.fileno(), stream) for stream in (0, 1, 2)]
        words = [str(word) for word in command]
        begin = time.perf_counter()
        child = os.posix_spawnp(words[0], words, {**os.environ, **(environment or {})}, file_actions=actions)
        _, status, usage = os.wait4(child, 0)
        seconds = time.perf_counter() - begin
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise CannotMeasure(f"exit code {code}: {shown(command)}")
    return Run(seconds, usage.ru_maxrss * 1024)


def output(command, seconds=600, **options):
    """A finished process with its output as text; what takes longer is ended, with exit code None."""
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                              timeout=seconds, cwd=ROOT, **options)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, None, "", "")

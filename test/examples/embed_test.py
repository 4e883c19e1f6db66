#!/usr/bin/env python3
"""Installs plimsoll into a temporary folder, builds examples/embed against it there, and runs it; so too a program with a
region, which is compiled by nothing but the folder of headers.

usage: embed_test.py CMAKE BUILD_FOLDER COMPILER BUILD_TYPE FLAGS
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "test/data/solver.jsonl"


def run(*command):
    """The output of a command; ends the test where it fails."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nended with {done.returncode}")
    return done.stdout


def main(cmake, build_folder, compiler, build_type, flags):
    with tempfile.TemporaryDirectory(prefix="plimsoll-embed-") as folder:
        prefix, build = Path(folder) / "prefix", Path(folder) / "build"
        run(cmake, "--install", build_folder, "--prefix", prefix)
        if list(prefix.rglob("detail")):
            sys.exit("private headers were installed")
        source = Path(folder) / "regions.cpp"
        source.write_text('#include <plimsoll/region.hpp>\nint main() { PLIMSOLL_REGION("main"); }\n')
        run(compiler, "-std=c++11", "-I", prefix / "include", source, "-o", Path(folder) / "regions")
        run("env", f"PLIMSOLL_REGIONS={folder}/regions.jsonl", Path(folder) / "regions")
        if '"region":"main"' not in Path(folder, "regions.jsonl").read_text():
            sys.exit("the installed header measured nothing")
        run(cmake, "-S", ROOT / "examples/embed", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_BUILD_TYPE={build_type}", f"-DCMAKE_CXX_FLAGS={flags}")
        run(cmake, "--build", build)
        text = run(build / "embed", DATA, "p=4096")
        # As the installed program predicts it.
        lines = run(prefix / "bin/plimsoll", "predict", DATA, "--at", "p=4096", "--quiet").splitlines()
        rows = [line.split("\t") for line in lines]  # region, metric, point, value
        predicted = {region: float(value) for region, metric, _, value in rows if metric == "time"}
        for region, value in re.findall(r"^(.*): ([-+.e0-9]+) s \(90 %: ", text, re.M):
            if abs(float(value) - predicted.pop(region)) > 1e-3 * abs(float(value)):
                sys.exit(f"{region} is predicted otherwise by the program:\n{text}")
        if predicted:
            sys.exit(f"{', '.join(predicted)} are not predicted:\n{text}")


if __name__ == "__main__":
    main(*sys.argv[1:])

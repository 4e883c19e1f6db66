#!/usr/bin/env python3
"""What docs/guide shows is what plimsoll prints: runs each `$ command` of its pages and compares.

usage: guide_test.py PLIMSOLL

Where ../shared exists, what the page for users of Extra-P says of rejected inputs is compared as well. Commands of a page run in one temporary folder that holds the files of test/data. A page shows standard output, then
standard error, as a terminal would.
"""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import run  # noqa: E402

SHARED = Path(os.environ.get("PLIMSOLL_SHARED", Path(__file__).resolve().parents[3] / "shared"))
GUIDE = Path(__file__).resolve().parents[2] / "docs/guide"
PLIMSOLL = None


def cases_of(page):
    """The commands of a page, each with the lines that the page shows below it."""
    cases = []
    for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", page.read_text(), re.M):
        lines = [line[4:] for line in block.split("\n")]
        while lines:
            if not lines[0].startswith("$ "):
                lines.pop(0)
                continue
            length = run.command_length(lines)
            following = [i for i, line in enumerate(lines) if i >= length and line.startswith("$ ")]
            end = following[0] if following else len(lines)
            cases.append((lines[:length], run.without_trailing_blanks(lines[length:end])))
            lines = lines[end:]
    return cases


class Guide(unittest.TestCase):
    def check(self, page):
        cases = cases_of(page)
        with tempfile.TemporaryDirectory(prefix="plimsoll-guide-") as folder:
            for path in run.DATA.iterdir():
                shutil.copy(path, folder)
            environment = run.environment(PLIMSOLL.parent, folder)
            try:
                for command, shown in cases:
                    result = run.execute(run.Case([], command, run.Result()), folder, environment)
                    printed = result.stdout + result.stderr
                    same, _ = run.merge(run.Result(shown), run.Result(printed))
                    self.assertTrue(same, "\n".join([*command, *difflib.unified_diff(shown, printed, str(page), "printed",
                                                                                     lineterm="")]))
            finally:
                run.end_campaigns(folder)
        return len(cases)

    def test_shows_what_is_printed(self):
        pages = sorted(GUIDE.glob("*.md"))
        counts = {}
        for page in pages:
            with self.subTest(page=page.name):
                counts[page.name] = self.check(page)
        self.assertGreater(sum(counts.values()), 8, counts)

    def test_says_of_rejected_inputs_what_plimsoll_says(self):
        data = SHARED / "data/extrap"
        if not data.is_dir():
            self.assertNotEqual("1", os.environ.get("PLIMSOLL_REQUIRE_SHARED"), f"there is no {data}")
            print(f"skipped: there is no {data}")
            return
        section, checked = None, 0
        for line in (GUIDE / "extra-p.md").read_text().splitlines():
            section = line if line.startswith("#") else section
            row = re.match(r"\| `([^`]+)`(?: \(\d scalings\))? \| (.*) \| (.*) \|$", line)
            if row is None or section is None or not section.startswith("### "):
                continue
            name, second, said = row.groups()
            found = sorted(data.rglob(name), key=lambda path: len(path.parts))
            path = found[0] if found else data / name
            options = ["--format", second.strip("`")] if "wrong reader" in section else []
            done = subprocess.run([PLIMSOLL, "fit", path, *options], capture_output=True, text=True)
            checked += 1
            with self.subTest(input=name, options=options):
                if "Accepted" in section:
                    self.assertEqual(0, done.returncode, done.stderr)
                    continue
                error, hint = re.search(r"error: (.*)\nhint: (.*)\n", done.stderr.replace(f"{path.parent}/", "")).groups()
                error = error.replace(f"{name}:", "…:", 1) if error.startswith(f"{name}:") else error
                self.assertEqual(said, f"{error}; {hint}".replace("|", "\\|"))
        self.assertGreater(checked, 50)

    def test_links_lead_somewhere(self):
        for page in [*GUIDE.glob("*.md"), *(GUIDE.parent / "formats").glob("*.md")]:
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PLIMSOLL = Path(sys.argv.pop(1)).resolve()
    unittest.main()

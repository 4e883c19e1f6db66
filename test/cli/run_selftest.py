#!/usr/bin/env python3
"""The test runner itself: it must fail where a program does not do what the test file says."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = Path(__file__).resolve().parent / "run.py"

# Stands for plimsoll: prints its arguments; `fail` also complains and exits with 3; `env` shows the environment.
PROGRAM = """#!/usr/bin/env bash
case "$1" in
    fail) echo "error: $2" >&2; exit 3 ;;
    env) echo "${NO_COLOR-unset} ${PLIMSOLL_X-unset} $LC_ALL $COLUMNS" ;;
    lines) printf '%s\\n' "${@:2}" ;;
    *) echo "args: $*" ;;
esac
"""


class Runner(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        program = self.folder / "plimsoll"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        self.file = self.folder / "case.test"

    def run_test(self, text, *options):
        self.file.write_text(text)
        return subprocess.run(
            [sys.executable, RUNNER, "--plimsoll", self.folder / "plimsoll", *options, self.file],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": "/usr/bin:/bin", "NO_COLOR": "1", "PLIMSOLL_X": "1", "COLUMNS": "7"})

    def assert_passes(self, text):
        done = self.run_test(text)
        self.assertEqual(done.returncode, 0, done.stdout)

    def assert_fails(self, text, *shown, code=1):
        done = self.run_test(text)
        self.assertEqual(done.returncode, code, done.stdout)
        for part in shown:
            self.assertIn(part, done.stdout)

    def assert_blessed(self, text, expected):
        done = self.run_test(text, "--bless")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.file.read_text(), expected)
        self.assert_passes(expected)

    def test_passes_what_is_as_expected(self):
        self.assert_passes("# A comment.\n$ plimsoll a b\nargs: a b\n\n# Another.\n"
                           "$ plimsoll fail why\nstderr: error: why\nexit: 3\n")

    def test_fails_on_wrong_stdout_and_shows_the_difference(self):
        self.assert_fails("$ plimsoll a\nargs: b\n", "-args: b", "+args: a")

    def test_fails_on_stdout_too_many_or_too_few(self):
        self.assert_fails("$ plimsoll a\n", "+args: a")
        self.assert_fails("$ plimsoll a\nargs: a\nmore\n", "-more")

    def test_fails_on_wrong_exit_code(self):
        self.assert_fails("$ plimsoll fail why\nstderr: error: why\n", "+exit: 3")
        self.assert_fails("$ plimsoll a\nargs: a\nexit: 3\n", "-exit: 3")

    def test_fails_on_stderr_missing_or_unexpected(self):
        self.assert_fails("$ plimsoll a\nargs: a\nstderr: error: why\n", "-stderr: error: why")
        self.assert_fails("$ plimsoll fail why\nexit: 3\n", "+stderr: error: why")

    def test_fails_when_only_the_last_case_is_wrong(self):
        self.assert_fails("$ plimsoll a\nargs: a\n\n$ plimsoll b\nargs: c\n", "-args: c")

    def test_refuses_a_file_that_states_nothing(self):
        self.assert_fails("# Nothing here.\n", "no case", code=2)
        self.assert_fails("", "no case", code=2)
        self.assert_fails("args: a\n$ plimsoll a\n", "line 1", code=2)
        self.assert_fails("$ cat <<EOF\n", "ends inside a command", code=2)

    def test_dots_match_within_a_line_and_over_lines(self):
        self.assert_passes("$ plimsoll lines abc x y z\na...c\n...\nz\n")
        self.assert_passes("$ plimsoll lines abc z\nabc\n...\nz\n")
        self.assert_fails("$ plimsoll lines abd\na...c\n", "-a...c")
        self.assert_fails("$ plimsoll lines a b c\n...\nb\n", "+c")

    def test_blank_lines_inside_output_count(self):
        self.assert_passes("$ plimsoll lines a '' b\na\n\nb\n")
        self.assert_fails("$ plimsoll lines a b\na\n\nb\n")

    def test_a_backslash_guards_output_that_looks_like_the_format(self):
        self.assert_passes("$ plimsoll lines '# a' '$ b' 'exit: 1' 'exit 1'\n\\# a\n\\$ b\n\\exit: 1\nexit 1\n")

    def test_cases_share_a_folder_and_commands_span_lines(self):
        self.assert_passes("$ cat > f.txt <<'EOF'\nx\n# no comment\nEOF\n"
                           "$ cat \\\n    f.txt\nx\n\\# no comment\n")
        self.assert_fails("$ cat f.txt\nx\n")

    def test_environment_is_the_same_everywhere(self):
        self.assert_passes("$ plimsoll env\nunset unset C.UTF-8 100\n")

    def test_paths_of_this_machine_are_not_expected(self):
        self.assert_passes("$ echo $DATA/x $PWD/y $HOME\n$DATA/x $PWD/y $PWD\n")

    def test_bless_writes_what_is_printed_and_keeps_the_rest(self):
        first = "# Kept.\n\n$ cat > f <<EOF\nx\nEOF\n$ plimsoll a\n"
        second = "\n\n# Kept too.\n$ plimsoll fail why\n"
        self.assert_blessed(f"{first}old\n{second}# End.\n",
                            f"{first}args: a\n{second}stderr: error: why\nexit: 3\n# End.\n")

    def test_bless_keeps_dots_that_still_match(self):
        self.assert_blessed("$ plimsoll lines took-12s old x y end\ntook-...s\nnew\n...\nend\n",
                            "$ plimsoll lines took-12s old x y end\ntook-...s\nold\n...\nend\n")

    def test_bless_guards_output_that_looks_like_the_format(self):
        self.assert_blessed("$ plimsoll lines '# a'\n", "$ plimsoll lines '# a'\n\\# a\n")

    def test_a_program_that_is_not_there_is_an_error(self):
        (self.folder / "plimsoll").unlink()
        self.assert_fails("$ true\n", "no program", code=2)


if __name__ == "__main__":
    unittest.main()

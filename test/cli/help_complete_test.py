#!/usr/bin/env python3
"""Every option of every command has help, its choices or a name for its value, and its default.

usage: help_complete_test.py PLIMSOLL
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

PLIMSOLL = None


def page(*arguments):
    done = subprocess.run([PLIMSOLL, *arguments], capture_output=True, text=True, check=True,
                          env={**os.environ, "COLUMNS": "100"})
    return done.stdout


def commands_of(*path):
    """The commands that the help of the program, or of one of its commands, lists."""
    parts = page(*path, "--help").split("\nCommands:\n")
    return re.findall(r"^  (\w+)  ", parts[1].split("\n\n")[0], re.M) if len(parts) > 1 else []


def commands():
    """All commands that do something, those within others by their whole names: "fit", "campaign submit"."""
    return [name for command in commands_of() for name in [f"{command} {verb}" for verb in commands_of(command)] or [command]]


def groups():
    """The commands that have commands of their own."""
    return [command for command in commands_of() if commands_of(command)]


def sections(command):
    """The titles of a help page's groups, each with its options as (names, value, help)."""
    result, title = {}, None
    for line in page(*command.split(), "--help").splitlines():
        if re.match(r"^\S.*:$", line):
            title = line[:-1]
            result[title] = []
        option = re.match(r"^  ((?:-\w, )?--[a-z-]+)(?: (\S+))?(?:  +(.*))?$", line)
        if option:
            result[title].append([option[1], option[2], option[3] or ""])
        elif re.match(r"^ {20,}\S", line) and result.get(title):
            result[title][-1][2] += " " + line.strip()
    return {title: options for title, options in result.items() if options}


class Help(unittest.TestCase):
    def test_names_all_commands(self):
        self.assertEqual(["measure", "fit", "predict", "rank", "compare", "expect", "training", "plan", "plot", "report", "show", "convert",
                          "formats", "campaign", "checkpoint", "completion"],
                         commands_of())
        self.assertEqual(["init", "submit", "graph", "ls", "show", "status", "tree", "wait", "cancel", "retry", "hold", "release",
                          "cat", "tail", "explain", "top", "export", "worker", "server", "doctor"], commands_of("campaign"))
        self.assertEqual(["config"], commands_of("plan"))
        self.assertEqual(["ls", "show", "verify", "prune", "pin", "export", "diff"], commands_of("checkpoint"))
        self.assertEqual(["build", "serve"], commands_of("report"))

    def test_says_what_each_option_is_for(self):
        for command in commands():
            for options in sections(command).values():
                for names, value, text in options:
                    with self.subTest(command=command, option=names):
                        self.assertGreaterEqual(len(text.split()), 3, "too short to help")
                        self.assertFalse(text.rstrip().endswith("."), "no full stop")
                        if value is not None:
                            self.assertTrue("default" in text or "if absent" in text, "names no default")
                            self.assertRegex(value, r"^([A-Z]+|[a-z0-9-]+(\|[a-z0-9-]+)*|-?[\d.]+%?\.\.[\d.]+%?)$")

    def test_offers_defaults_that_are_choices(self):
        for command in commands():
            for options in sections(command).values():
                for names, value, text in options:
                    default = re.search(r"\(default (\S+)\)", text)
                    if value and "|" in value and default and default[1] != "none":
                        self.assertIn(default[1], value.split("|"), (command, names))

    def test_lists_shared_options_last(self):
        for command in commands():
            with self.subTest(command=command):
                self.assertEqual("Shared options", list(sections(command))[-1])

    def test_has_two_examples_in_the_short_page_of_each_command(self):
        for command in ["", *groups(), *commands()]:
            # What needs no argument does its work at once; its long page has the same examples.
            runs_bare = command.startswith("campaign ") or command == "formats"
            done = subprocess.run([PLIMSOLL, *command.split(), *(["--help"] if runs_bare else [])], capture_output=True, text=True)
            examples = done.stdout.split("Examples:\n")[1].split("\n\n")[0].splitlines()
            self.assertEqual(2, len(examples), command)
            for example in examples:
                self.assertIn("plimsoll", example)

    def test_fits_the_terminal(self):
        for command in ["", *groups(), *commands()]:
            done = subprocess.run([PLIMSOLL, *command.split(), "--help"], capture_output=True, text=True,
                                  env={**os.environ, "COLUMNS": "80"})
            options = done.stdout.split("Examples:")[0]
            self.assertLessEqual(max(map(len, options.splitlines())), 80, command)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PLIMSOLL = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()

#!/usr/bin/env python3
"""`plimsoll campaign top` on a terminal: it draws, `q` ends it, and the terminal is as it was, however it ends.

usage: campaign_top_test.py PLIMSOLL
Exit codes: 0 all well, 1 not, 77 no pseudo-terminal here.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "campaign"))
sys.dont_write_bytecode = True
from campaign_folder import Campaign  # noqa: E402

PLIMSOLL = None
BEGIN, END = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"  # another screen without a cursor, and back


class Terminal:
    """`campaign top` at the other end of a pseudo-terminal."""

    def __init__(self, campaign, *options, size=(24, 80)):
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        self.text = b""
        self.process = subprocess.Popen([campaign.plimsoll, "campaign", "top", *options], cwd=campaign.folder, stdin=self.theirs,
                                        stdout=self.theirs, stderr=self.theirs, start_new_session=True)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)

    def read_until(self, condition, seconds=30):
        """Takes what is printed until the condition holds; whether it came to hold."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            if select.select([self.ours], [], [], 0.05)[0]:
                self.text += os.read(self.ours, 65536)
        return True

    def shows(self, text):
        return self.read_until(lambda: text in self.text)

    def ended(self):
        """The exit status, once all is read."""
        if not self.read_until(lambda: self.process.poll() is not None):
            return None
        self.read_until(lambda: not select.select([self.ours], [], [], 0)[0])
        return self.process.returncode

    def is_as_before(self):
        return termios.tcgetattr(self.theirs) == self.before


class Top(unittest.TestCase):
    def setUp(self):
        self.campaign = Campaign(PLIMSOLL)
        self.addCleanup(self.campaign.__exit__)
        self.campaign.run("submit", "--name", "squares", "--array", "1..3", "--", "true")

    def open(self, *options, size=(24, 80)):
        terminal = Terminal(self.campaign, *options, size=size)
        self.addCleanup(terminal.close)
        return terminal

    def begun(self):
        terminal = self.open()
        self.assertTrue(terminal.shows(b"q ends it"), terminal.text)
        self.assertTrue(terminal.text.startswith(BEGIN), terminal.text)
        self.assertFalse(terminal.is_as_before(), "keys are not echoed")
        return terminal

    def check_left(self, terminal, status):
        self.assertEqual(status, terminal.ended(), terminal.text)
        self.assertTrue(terminal.text.endswith(END), terminal.text[-100:])
        self.assertTrue(terminal.is_as_before())

    def test_draws_and_ends_by_q(self):
        terminal = self.begun()
        for text in (b"3 ready", b"squares", b"no worker: start one"):
            self.assertIn(text, terminal.text)
        self.campaign.worker("--until-done")
        self.assertTrue(terminal.shows(b"[####################]"), "follows what happens")
        os.write(terminal.ours, b"q")
        self.check_left(terminal, 0)

    def test_keeps_within_the_terminal(self):
        for i in range(10):
            self.campaign.submit("--name", f"größe {i} of a job with a long name", "--", "true")
        terminal = self.open(size=(9, 50))
        self.assertTrue(terminal.shows(b"q ends it"), terminal.text)
        lines = re.sub(r"\x1b\[[?\d]*[A-Za-z]", "", terminal.text.decode()).replace("\r", "").split("\n")
        self.assertEqual(9, len(lines))
        self.assertLessEqual(max(map(len, lines)), 50)
        os.write(terminal.ours, b"q")
        self.check_left(terminal, 0)

    def test_ends_by_escape(self):
        terminal = self.begun()
        os.write(terminal.ours, b"x\x1b")
        self.check_left(terminal, 0)

    def test_restores_the_terminal_after_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number):
                terminal = self.begun()
                terminal.process.send_signal(number)
                self.check_left(terminal, 130)

    def test_restores_the_terminal_when_the_server_goes(self):
        terminal = self.begun()
        self.campaign.kill_server()
        self.assertEqual(3, terminal.ended(), terminal.text)
        self.assertTrue(terminal.is_as_before())
        self.assertIn(b"the server has gone", terminal.text.split(END)[1], "the message stands on the usual screen")

    def test_prints_one_picture(self):
        terminal = self.open("--once")
        self.assertEqual(0, terminal.ended())
        self.assertNotIn(b"\x1b", terminal.text)
        self.assertEqual(1, terminal.text.count(b"squares"))

    def test_prints_one_picture_where_there_is_no_terminal(self):
        self.assertEqual(1, self.campaign.run("top").count("squares"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PLIMSOLL = sys.argv.pop(1)
    try:
        for descriptor in pty.openpty():
            os.close(descriptor)
    except OSError as error:
        print(f"skipped: there is no pseudo-terminal here ({error})")
        sys.exit(77)
    unittest.main()

#!/usr/bin/env python3
"""A served report is shown to who has its address, and to nobody else.

usage: report_serve_test.py PLIMSOLL
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import unittest
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"
PLIMSOLL = None


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([PLIMSOLL, "report", "serve", DATA / "solver.jsonl", "--json"], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
        text = ""
        for line in cls.server.stdout:
            text += line
            if line.startswith("}"):
                break
        cls.document = json.loads(text)
        cls.port = cls.document["port"]
        cls.path = "/" + cls.document["address"].split("/", 3)[3]

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()
        cls.server.communicate()

    def ask(self, path=None, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, self.path if path is None else path, headers=headers)
        reply = connection.getresponse()
        return reply.status, reply.read(), reply

    def test_shows_the_whole_page(self):
        status, page, reply = self.ask()
        self.assertEqual(200, status)
        self.assertTrue(page.startswith(b"<!DOCTYPE html>") and page.endswith(b"</html>\n"))
        self.assertEqual(str(len(page)), reply.headers["Content-Length"])
        self.assertEqual("no-store", reply.headers["Cache-Control"])

    def test_makes_an_address_that_nobody_guesses(self):
        self.assertRegex(self.document["address"], rf"^http://127\.0\.0\.1:{self.port}/[0-9a-f]{{32}}/$")
        for path in ("/", self.path[:-1], "/" + "0" * 32 + "/", self.path + "../", self.path + "../../etc/passwd", "/%2e%2e/"):
            self.assertEqual(404, self.ask(path)[0], path)

    def test_refuses_other_hosts_and_origins(self):
        self.assertEqual(200, self.ask(Host=f"localhost:{self.port}")[0])
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1"):
            self.assertEqual(403, self.ask(Host=host)[0], host)
        for origin in ("http://evil.example", "null"):
            self.assertEqual(403, self.ask(Origin=origin)[0], origin)

    def test_only_reads(self):
        self.assertEqual(405, self.ask(method="DELETE")[0])
        self.assertIn(self.ask(method="POST")[0], (405, 413))

    def test_refuses_requests_that_are_too_long(self):
        self.assertEqual(431, self.ask(**{"X-Long": "x" * 40000})[0])

    def test_answers_while_others_say_nothing(self):
        silent = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(80)]
        try:
            silent[-1].send(b"GET /")
            self.assertEqual(200, self.ask()[0])
        finally:
            for connection in silent:
                connection.close()

    def test_listens_on_this_machine_alone(self):
        listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"]
        self.assertIn(f"0100007F:{self.port:04X}", listening)
        self.assertNotIn(f"00000000:{self.port:04X}", listening)


class Ends(unittest.TestCase):
    def test_at_an_interrupt_and_leaves_nothing(self):
        temporary = Path(os.environ.get("TMPDIR", "/tmp"))
        before = set(temporary.glob("plimsoll-report-??????"))
        server = subprocess.Popen([PLIMSOLL, "report", "serve", DATA / "solver.jsonl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("http://127.0.0.1:", server.stdout.readline())
        server.send_signal(signal.SIGINT)
        _, notes = server.communicate(timeout=20)
        self.assertEqual(0, server.returncode, notes)
        self.assertIn("Ctrl-C ends", notes)
        self.assertFalse(set(temporary.glob("plimsoll-report-??????")) - before)

    def test_where_the_port_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            done = subprocess.run([PLIMSOLL, "report", "serve", DATA / "solver.jsonl", "--port", port], capture_output=True, text=True, timeout=60)
        self.assertEqual(3, done.returncode)
        self.assertIn(f"cannot serve on 127.0.0.1:{port}", done.stderr)

    def test_where_the_address_is_none(self):
        done = subprocess.run([PLIMSOLL, "report", "serve", DATA / "solver.jsonl", "--bind", "here"], capture_output=True, text=True, timeout=60)
        self.assertEqual(2, done.returncode)
        self.assertIn("'here' is no IPv4 address", done.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PLIMSOLL = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()

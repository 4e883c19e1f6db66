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
import tempfile
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

    def test_tells_events_to_who_may_see_the_page(self):
        self.assertTrue(self.document["renewed"])
        events = self.path + "events"
        self.assertEqual(404, self.ask("/" + "0" * 32 + "/events")[0])
        self.assertEqual(403, self.ask(events, Host="evil.example")[0])
        self.assertEqual(403, self.ask(events, Origin="http://evil.example")[0])
        self.assertEqual(405, self.ask(events, method="PUT")[0])
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", events)
        reply = connection.getresponse()
        self.assertEqual(200, reply.status)
        self.assertTrue(reply.headers["Content-Type"].startswith("text/event-stream"))
        self.assertEqual([b"retry: 1000\n", b"\n", b"event: page\n", b"data: 1\n"], [reply.readline() for _ in range(4)])
        connection.close()

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


class Follows(unittest.TestCase):
    """A page that is renewed: who follows its events is told, and the page is there."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="plimsoll-serve-")
        self.file = Path(self.folder.name) / "runs.jsonl"
        self.file.write_text(self.lines(5))
        self.server = subprocess.Popen([PLIMSOLL, "report", "serve", self.file, "--quiet"], stdout=subprocess.PIPE, text=True)
        address = self.server.stdout.readline().strip()
        self.port = int(address.split(":")[2].split("/")[0])
        self.path = "/" + address.split("/", 3)[3]
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.connection.request("GET", self.path + "events")
        self.events = self.connection.getresponse()
        self.assertEqual(("page", "1"), self.next_event())

    def tearDown(self):
        self.connection.close()
        self.server.kill()
        self.server.communicate()
        self.folder.cleanup()

    @staticmethod
    def lines(count):
        return "".join(json.dumps({"params": {"p": 2**i}, "region": "main", "metric": "time", "unit": "s", "value": 1 + i}) + "\n" for i in range(count))

    def test_strangers_do_not_push_followers_out(self):
        strangers = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(100)]
        try:
            page = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            page.request("GET", self.path)
            self.assertEqual(200, page.getresponse().status)
            self.file.write_text(self.lines(6))
            self.assertEqual(("page", "2"), self.next_event())
        finally:
            for stranger in strangers:
                stranger.close()

    def next_event(self):
        """Type and data of the next event; comments keep the line open and say nothing."""
        kind = None
        while True:
            line = self.events.readline().decode().rstrip("\n")
            if line.startswith("event: "):
                kind = line[7:]
            if line.startswith("data: "):
                return kind, line[6:]

    def page(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", self.path)
        return connection.getresponse().read().decode()

    def test_tells_of_newer_data(self):
        self.assertIn('name="plimsoll-version" content="1"', self.page())
        self.file.write_text(self.lines(7))
        self.assertEqual(("page", "2"), self.next_event())
        page = self.page()
        self.assertIn('name="plimsoll-version" content="2"', page)
        self.assertIn('"largest":[64]', page)

    def test_tells_of_trouble_and_of_its_end(self):
        self.file.write_text('{"params": ')
        self.assertEqual(("page", "1"), self.next_event())
        kind, data = self.next_event()
        self.assertEqual("trouble", kind)
        self.assertIn("runs.jsonl:1", json.loads(data))
        self.assertIn('content="1"', self.page())
        self.file.write_text(self.lines(6))
        self.assertEqual(("page", "2"), self.next_event())

    def test_follows_no_pipe(self):
        server = subprocess.Popen([PLIMSOLL, "report", "serve", "-", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        server.stdin.write(self.lines(5))
        server.stdin.close()
        address = server.stdout.readline().strip()
        connection = http.client.HTTPConnection("127.0.0.1", int(address.split(":")[2].split("/")[0]), timeout=20)
        connection.request("GET", "/" + address.split("/", 3)[3] + "events")
        self.assertEqual(404, connection.getresponse().status)
        server.kill()
        server.wait()
        server.stdout.close()


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

"""What the program costs before it does anything: the libraries that it loads, and the memory that every thread clears."""

import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)

# Each library more is a tenth of a millisecond at every start. One that few commands need is linked statically, or
# loaded where it is needed.
LIBRARIES = {"libfmt", "libsimdjson", "libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64"}
MOST_THREAD_LOCAL_BYTES = 4096


def readelf(*options):
    return subprocess.run(["readelf", "--wide", *options, PROGRAM], check=True, capture_output=True, text=True).stdout


class Start(unittest.TestCase):
    def test_few_libraries_are_loaded(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*?)\.so", readelf("--dynamic"))
        if any(name.startswith(("libasan", "libtsan", "libubsan")) for name in needed):
            self.skipTest("sanitizers bring their own")
        self.assertTrue(needed)
        self.assertLessEqual(set(needed), LIBRARIES)

    def test_threads_have_little_to_clear(self):
        segments = re.findall(r"^\s*TLS\s+\S+\s+\S+\s+\S+\s+\S+\s+(\S+)", readelf("--program-headers"), re.MULTILINE)
        self.assertEqual(len(segments), 1)
        self.assertLessEqual(int(segments[0], 16), MOST_THREAD_LOCAL_BYTES)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The arrays that a program saves open elsewhere: by the reference package of safetensors, where it is installed with numpy, and by
a reader of twenty lines that was written from the format's description.

usage: safetensors_test.py HEAT
"""

import json
import math
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    from safetensors.numpy import load_file
except ImportError:
    load_file = None

HEAT = None
SIZE = 8


def read(path):
    """Arrays of a file by their names, each with its type, shape and bytes."""
    content = Path(path).read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__")
    data, end, arrays = content[8 + length:], 0, {}
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end_of_array = entry["data_offsets"]
        assert begin == end, f"a hole before {name}"
        end = end_of_array
        arrays[name] = (entry["dtype"], entry["shape"], data[begin:end])
    assert end == len(data), "bytes behind the last array"
    return arrays


class Packs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        saves = Path(self.folder.name) / "saves"
        subprocess.run([HEAT, "--size", str(SIZE), "--steps", "20", "--checkpoints", saves, "--wait"], check=True, capture_output=True)
        self.pack = saves / "v00000020/pack-0000.0.safetensors"

    def tearDown(self):
        self.folder.cleanup()

    def check(self, temperature, step):
        self.assertEqual(20, step)
        # The first mode has decayed by its factor; at the grid's middle plane the second one has a zero nearby.
        wave = [math.sin(math.pi * (i + 1) / (SIZE + 1)) for i in range(SIZE)]
        sums = sum(temperature[(i * SIZE + j) * SIZE + k] * wave[i] * wave[j] * wave[k]
                   for i in range(SIZE) for j in range(SIZE) for k in range(SIZE))
        factor = 1 - 1.5 * math.sin(math.pi / (SIZE + 1) / 2) ** 2
        self.assertAlmostEqual(((SIZE + 1) / 2) ** 3 * factor ** 20, sums, places=9)

    def test_are_read_by_their_description(self):
        arrays = read(self.pack)
        self.assertEqual(("F64", [SIZE] * 3), arrays["temperature"][:2])
        self.assertEqual(("U64", []), arrays["step"][:2])
        self.check(struct.unpack(f"<{SIZE ** 3}d", arrays["temperature"][2]), struct.unpack("<Q", arrays["step"][2])[0])

    def test_are_read_by_the_reference_package(self):
        if load_file is None:
            self.skipTest("the Python packages safetensors and numpy are not installed")
        arrays = load_file(self.pack)
        self.assertEqual((SIZE,) * 3, arrays["temperature"].shape)
        self.check(arrays["temperature"].flatten().tolist(), int(arrays["step"]))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    HEAT = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)

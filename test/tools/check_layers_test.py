#!/usr/bin/env python3
"""tools/check-layers on small trees: it must find each kind of wrong include, and nothing else."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK_LAYERS = Path(__file__).resolve().parents[2] / "tools/check-layers"

# A tree without a fault: plan uses core and model, model uses core.
GOOD = {
    "src/plimsoll/core/CMakeLists.txt": "plimsoll_module(core SOURCES error.cpp TESTS error)\n",
    "src/plimsoll/core/error.hpp": "#pragma once\n#include <string>\n",
    "src/plimsoll/core/error.cpp": '#include "plimsoll/core/error.hpp"\n#include "plimsoll/core/detail/text.hpp"\n',
    "src/plimsoll/core/detail/text.hpp": "#pragma once\n",
    "src/plimsoll/model/CMakeLists.txt": "plimsoll_module(model\n    SOURCES fit.cpp\n    DEPS core  # plan\n    LINK x)\n",
    "src/plimsoll/model/fit.hpp": '#include "plimsoll/core/error.hpp"\n',
    "src/plimsoll/model/fit.cpp": '#include "fit.hpp"\n// #include "plimsoll/plan/plan.hpp"\n',
    "src/plimsoll/plan/CMakeLists.txt": "plimsoll_module(plan\n    SOURCES plan.cpp\n    DEPS core model)\n",
    "src/plimsoll/plan/plan.cpp": '#include "plimsoll/model/fit.hpp"\n#include <plimsoll/core/error.hpp>\n',
    "test/core/text_test.cpp": '#include "plimsoll/core/detail/text.hpp"\n#include "plimsoll/plan/plan.hpp"\n',
    "app/main.cpp": '#include "plimsoll/plan/plan.hpp"\n#include "commands/fit.hpp"\n',
    "app/commands/fit.hpp": '#include "plimsoll/model/fit.hpp"\n',
    "workloads/stencil/main.cpp": '#include "plimsoll/core/error.hpp"\n#include "stencil.hpp"\n',
}


class CheckLayers(unittest.TestCase):
    def check(self, changes):
        """Exit code and output of check-layers on the good tree with some files changed."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**GOOD, **changes}.items():
                path = Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, CHECK_LAYERS, root], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def assert_found(self, changes, *parts):
        code, output = self.check(changes)
        self.assertEqual(code, 1, output)
        self.assertEqual(len(output.splitlines()), 1, output)
        for part in parts:
            self.assertIn(part, output)

    def test_a_tree_that_follows_its_rules_passes(self):
        self.assertEqual(self.check({}), (0, ""))

    def test_an_include_needs_its_dep(self):
        self.assert_found({"src/plimsoll/core/error.cpp": '\n  #  include "plimsoll/model/fit.hpp"\n'},
                          "src/plimsoll/core/error.cpp:2:", "'model'")

    def test_deps_are_direct(self):
        self.assert_found({"src/plimsoll/plan/CMakeLists.txt": "plimsoll_module(plan SOURCES plan.cpp DEPS model)"},
                          "src/plimsoll/plan/plan.cpp:2:", "'core'")

    def test_a_relative_path_is_no_way_round(self):
        self.assert_found({"src/plimsoll/core/error.cpp": '#include "../model/fit.hpp"\n'}, "'model'")

    def test_the_private_headers_of_another_module_are_closed(self):
        private = '#include "plimsoll/core/detail/text.hpp"\n'
        for file in ("src/plimsoll/model/fit.cpp", "test/model/fit_test.cpp", "bench/model/fit_bench.cpp",
                     "app/main.cpp", "workloads/stencil/main.cpp"):
            with self.subTest(file):
                self.assert_found({file: private}, f"{file}:1:", "private header of module 'core'")

    def test_modules_form_no_cycle(self):
        code, output = self.check({
            "src/plimsoll/core/CMakeLists.txt": "plimsoll_module(core SOURCES error.cpp DEPS plan)"})
        self.assertEqual(code, 1)
        self.assertIn("core -> plan -> core", output)

    def test_deps_name_modules(self):
        self.assert_found({"src/plimsoll/plan/CMakeLists.txt": "plimsoll_module(plan SOURCES p.cpp DEPS core model cor)"},
                          "'cor', which is no module")

    def test_sources_belong_to_a_module(self):
        self.assert_found({"src/plimsoll/tune/tune.cpp": ""}, "src/plimsoll/tune: ", "no plimsoll_module() call")

    def test_the_libraries_do_not_include_the_program(self):
        for name in ("commands/fit.hpp", "app/commands/fit.hpp", "../../../app/commands/fit.hpp"):
            with self.subTest(name):
                self.assert_found({"src/plimsoll/core/error.cpp": f'#include "{name}"\n'},
                                  "src/ includes app/commands/fit.hpp")

    def test_workloads_take_only_what_other_programs_may_link(self):
        self.assert_found({"workloads/stencil/main.cpp": '#include "plimsoll/model/fit.hpp"\n'},
                          "workloads/stencil/main.cpp:1:", "'model'")

    def test_a_folder_that_is_no_repository_is_a_usage_error(self):
        with tempfile.TemporaryDirectory() as root:
            done = subprocess.run([sys.executable, CHECK_LAYERS, root], stderr=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()

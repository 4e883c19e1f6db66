# The front door: short names for what cmake, ctest and tools/ do. Everything built stands in build/<preset>.

PRESET ?= release
PREFIX ?= /usr/local
SECONDS ?= 60

# Targets share build folders, so they run one after another; ninja uses all cores within each.
.NOTPARALLEL:
.PHONY: help demo test check bench accept soak build install clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo:  ## install what the core needs, build, and show a first result
	tools/setup --core
	cmake --preset release
	cmake --build build/release
	tools/demo

test:  ## build the dev preset and run every test
	tools/setup
	cmake --preset dev
	cmake --build build/dev
	ctest --preset ci --parallel $$(nproc)

check:  ## format, layers, spelling, shell, python and clang-tidy
	tools/setup
	cmake --preset dev
	tools/check

bench:  ## build the release preset and run every benchmark
	tools/setup
	cmake --preset release
	cmake --build build/release
	@set -e; for binary in build/release/bench/*; do \
	    if [ -f "$$binary" ] && [ -x "$$binary" ]; then echo "== $$binary"; "$$binary"; fi; done

accept:  ## measure every figure the project promises
	tools/setup
	cmake --preset release
	cmake --build build/release
	tools/accept run all

soak:  ## fuzz every parser, SECONDS=60 each, kill a campaign's server a hundred times and heat a thousand times, a training five hundred
	tools/setup
	tools/soak $(SECONDS)
	cmake --preset dev
	cmake --build build/dev --target plimsoll heat training
	/usr/bin/python3 test/campaign/faults_test.py build/dev/bin/plimsoll --kills 100
	/usr/bin/python3 test/checkpoint/kill_test.py build/dev/bin/heat build/dev/bin/plimsoll --kills 1000
	/usr/bin/python3 test/checkpoint_torch/kill_test.py build/dev/bin/training build/dev/bin/plimsoll mpiexec --kills 500

build:  ## build one preset, PRESET=release
	tools/setup --core
	cmake --preset $(PRESET)
	cmake --build build/$(PRESET)

install:  ## build and install the release preset, PREFIX=/usr/local
	tools/setup --core
	cmake --preset release
	cmake --build build/release
	cmake --install build/release --prefix "$(PREFIX)"

clean:  ## remove everything built
	rm -rf build

# One command for everything: `make help`.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

export CARGO_TARGET_DIR ?= $(CURDIR)/target
TARGET := $(CARGO_TARGET_DIR)
VENV := $(TARGET)/venv
PYTHON_CRATE := bindings-python
CPP := $(TARGET)/cpp
# What the tests look for; a value from outside wins.
export POSTHOUSE_PYTHON ?= $(VENV)/bin/python
export POSTHOUSE_CPP ?= $(CPP)
export POSTHOUSE_NODE ?= node
export POSTHOUSE_PEER_PYTHON ?= $(TARGET)/peers/bin/python
export POSTHOUSE_NATS_SERVER_CURRENT ?= $(TARGET)/servers/nats-server-current
XTASK := cargo run --quiet --locked -p xtask --
VALGRIND := valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite

.PHONY: help
help: ## Show this list.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

.PHONY: demo
demo: build-demo ## Programs in several languages talk through one hub; ends by itself.
	@$(POSTHOUSE_PYTHON) examples/demo/demo.py --bin "$(TARGET)/debug" --cpp "$(TARGET)/demo"

.PHONY: test
test: ## Install what is needed and run everything.
# The order is that of cost: what fails early is cheap. One line each, so that changes do not meet.
test: lint
test: purity
test: test-core
test: test-cli
test: test-python
test: test-node
test: test-c
test: test-cpp
test: test-examples
test: test-parity
test: test-packaging
test: test-cloudflare
test: test-conformance
test: test-interop
test: test-sim
test: fuzz-short
test: test-faults
test: test-torture
test: test-ros
test: test-lifecycle

.PHONY: build-demo
build-demo: python node
	@scripts/setup build-cpp
	@cargo build --quiet --locked -p posthouse-cli -p posthouse-examples --bins
	@cmake -S examples/demo/cpp -B $(TARGET)/demo -DPOSTHOUSE_PROFILE=dev -DPOSTHOUSE_CARGO_TARGET_DIR=$(TARGET) >/dev/null
	@cmake --build $(TARGET)/demo --target demo-heater -- --no-print-directory --quiet >/dev/null

.PHONY: python
python: ## Build the Python package into target/venv, in place.
	@scripts/setup python
	@VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --quiet --locked -m $(PYTHON_CRATE)/Cargo.toml

.PHONY: cpp
cpp: ## Build the C library, and the C++ examples, tests and agent on it, into target/cpp.
	@scripts/setup cpp
	@cmake -S bindings-cpp -B $(CPP) -DPOSTHOUSE_PROFILE=dev -DPOSTHOUSE_CARGO_TARGET_DIR=$(TARGET) -DPOSTHOUSE_TESTS=ON -DCMAKE_BUILD_TYPE=Debug >/dev/null
	@cmake --build $(CPP) --parallel 2 -- --no-print-directory --quiet

.PHONY: node
node: ## Build the Node package's addon, in place.
	@scripts/setup node
	@$(POSTHOUSE_NODE) bindings-node/scripts/install.js --debug --force
# Programs of this repository import it by name.
	@mkdir -p node_modules && ln -sfn ../bindings-node node_modules/posthouse

.PHONY: test-core
test-core: ## Rust: the machine, the node, the runtime and what they share, with doc examples.
	@scripts/setup servers node
	cargo test --locked --workspace --exclude posthouse-c --exclude posthouse-python --exclude posthouse-python-failing --exclude posthouse-node-addon --exclude posthouse-node-failing --exclude posthouse-cli --exclude posthouse-examples --exclude posthouse-conformance --exclude posthouse-faults --exclude posthouse-ros-bridge

.PHONY: test-sim
test-sim: ## Ten thousand seeds of several hubs under faults, in virtual time.
	cargo run --quiet --locked --profile simulation -p posthouse-simulation -- --seeds 0..10000

.PHONY: soak
soak: ## SOAK_MINUTES (30) at half of the top rate, with a server killed every minute.
	@scripts/setup servers
	cargo run --quiet --locked --release -p posthouse-soak -- $${SOAK_MINUTES:-30}

.PHONY: torture
torture: ## TORTURE_MINUTES (1) of a queue whose producers and consumers are killed at random.
	cargo run --quiet --locked -p posthouse-torture -- --minutes $${TORTURE_MINUTES:-1}

.PHONY: torture-jetstream
torture-jetstream: ## The same on a nats-server, which is killed as well.
	@scripts/setup servers
	cargo run --quiet --locked -p posthouse-torture -- --store jetstream --minutes $${TORTURE_MINUTES:-1}

.PHONY: test-torture
test-torture: ## A minute of it, with at least sixty kills.
	cargo run --quiet --locked -p posthouse-torture -- --minutes 1 --kills 60

.PHONY: fuzz
fuzz: ## Every fuzz target for FUZZ_SECONDS (10) each, from the kept corpus.
	@scripts/setup fuzz
	fuzz/run

.PHONY: fuzz-short
fuzz-short: ## Every fuzz target for a fixed number of executions from one seed, the same each time.
	@scripts/setup fuzz
	FUZZ_SEED=1 fuzz/run

.PHONY: test-faults
test-faults: python ## Faults of networks and servers, made on purpose, in each language on each broker.
	@scripts/setup servers
	@cargo build --quiet --locked -p posthouse-cli -p posthouse-testkit --bins
	cargo test --locked -p posthouse-faults
	POSTHOUSE_NATS_SERVER=$(POSTHOUSE_NATS_SERVER_CURRENT) cargo test --locked -p posthouse-faults -- --skip owned_node
	$(VENV)/bin/python -m pytest -q tests/faults/python

.PHONY: ros
ros: ## The ROS bridge as a package for ROS_PACKAGE_PATH, in target/ros.
	@scripts/setup ros
	@cargo build --quiet --locked -p posthouse-ros-bridge --bin posthouse_bridge
	@scripts/ros-package $(TARGET)/ros $(TARGET)/debug/posthouse_bridge

.PHONY: demo-ros
demo-ros: ros python node ## A robot in rospy, the bridge, Python and JavaScript programs; ends by itself.
	@python3 ros-bridge/demo/demo.py --packages $(TARGET)/ros --python $(POSTHOUSE_PYTHON)

.PHONY: ros-day
ros-day: ros python ## A day in a robot's life: all that goes wrong, and what the bridge's log says to it.
	@scripts/setup servers
	@$(POSTHOUSE_PYTHON) ros-bridge/tests/bridge/day.py

.PHONY: test-cluster
test-cluster: ## Queues on a replicated stream of three servers, one of which is killed; beside `make test`.
	@scripts/setup servers
	cargo test --locked -p posthouse-queue --test jetstream -- --ignored

.PHONY: test-ros
test-ros: ros python node
test-ros: ## The ROS bridge on a real roscore, with rospy and ROS's own generator at the other end, and programs on the hub.
	@scripts/setup servers
	cargo test --locked -p posthouse-ros-bridge --test every_type -- --nocapture
	cargo test --locked -p posthouse-ros-bridge
	@cargo build --quiet --locked -p posthouse-c -p posthouse-testkit
	$(POSTHOUSE_PYTHON) -m pytest -q ros-bridge/tests/bridge

.PHONY: test-cli
test-cli: ## The posthouse command as a process.
	@scripts/setup servers
	cargo test --locked -p posthouse-cli

.PHONY: test-python
test-python: python ## The Python package, its types and its ends.
	@scripts/setup servers
	@cargo build --quiet --locked -p posthouse-cli
	cd $(PYTHON_CRATE) && $(VENV)/bin/python -m pytest

.PHONY: test-node
test-node: node ## The Node package, its types and its ends.
	@cargo build --quiet --locked -p posthouse-cli
	cd bindings-node && $(POSTHOUSE_NODE) --test --test-timeout=60000 test/*.test.mjs

.PHONY: cloudflare
cloudflare: ## Build the WebAssembly module of the Cloudflare adapter, in place.
	@scripts/setup purity
	$(XTASK) cloudflare

.PHONY: test-cloudflare
test-cloudflare: cloudflare ## Queues in Workers, on a real workerd.
	@scripts/setup cloudflare
	@cargo build --quiet --locked -p posthouse-cloudflare-broker
	$(POSTHOUSE_NODE) --test --test-concurrency=2 --test-timeout=600000 tests/cloudflare/*.test.mjs

.PHONY: test-lifecycle
test-lifecycle: python node ## Processes that end, fork, fail or are interrupted in every way, again and again.
	@scripts/setup servers
	@cargo build --quiet --locked -p posthouse-cli
	@cargo build --quiet --locked -p posthouse-python-failing -p posthouse-node-failing
	$(VENV)/bin/python -m pytest -q tests/lifecycle/python
	$(POSTHOUSE_NODE) --test --test-timeout=3600000 tests/lifecycle/node/*.test.mjs

.PHONY: test-packaging
test-packaging: ## Packages installed where nothing else is, and programs on them.
	@scripts/test-packaging
	@scripts/setup node purity
	@scripts/test-packaging-node

.PHONY: test-c
test-c: cpp ## C: header, symbols, tests, as they are and under sanitizers and valgrind, how programs end.
	@cargo build --quiet --locked -p posthouse-cli
	@cmake --build $(CPP) --parallel 2 --target posthouse-c-tests posthouse-c-tests-asan posthouse-c-tests-tsan posthouse-c-ending posthouse-c-plugin posthouse-c-loading -- --no-print-directory --quiet
	$(XTASK) gen --check
	bindings-c/tests/check-library $(CPP)/lib/libposthouse.so bindings-c/include/posthouse.h
	bindings-cpp/tests/run $(CPP)/posthouse-c-tests
	LD_LIBRARY_PATH=$(CPP)/hooks bindings-cpp/tests/run $(CPP)/posthouse-c-tests a_fault
	bindings-cpp/tests/run $(CPP)/posthouse-c-tests-asan
	TSAN_OPTIONS=suppressions=$(CURDIR)/bindings-cpp/tests/tsan.supp bindings-cpp/tests/run $(CPP)/posthouse-c-tests-tsan
	bindings-cpp/tests/run $(VALGRIND) $(CPP)/posthouse-c-tests -a_forked_child
	bindings-cpp/tests/run tests/lifecycle/c/check $(CPP)

.PHONY: test-cpp
test-cpp: cpp ## C++: tests, as they are and under sanitizers and valgrind, what is installed, how programs end.
	@cargo build --quiet --locked -p posthouse-cli
	@cmake --build $(CPP) --parallel 2 --target posthouse-tests posthouse-tests-asan posthouse-tests-tsan posthouse-ending posthouse-plugin -- --no-print-directory --quiet
	bindings-cpp/tests/run $(CPP)/posthouse-tests --gtest_brief=1
	LD_LIBRARY_PATH=$(CPP)/hooks bindings-cpp/tests/run $(CPP)/posthouse-tests --gtest_brief=1 --gtest_filter='Faults.*'
	bindings-cpp/tests/run $(CPP)/posthouse-tests-asan --gtest_brief=1
	TSAN_OPTIONS=suppressions=$(CURDIR)/bindings-cpp/tests/tsan.supp bindings-cpp/tests/run $(CPP)/posthouse-tests-tsan --gtest_brief=1
	bindings-cpp/tests/run $(VALGRIND) $(CPP)/posthouse-tests --gtest_brief=1 --gtest_filter='-Ends.AForkedChildIsRefused'
	bindings-cpp/tests/run tests/lifecycle/cpp/check $(CPP)
	bindings-cpp/tests/test-install $(CPP)

.PHONY: test-examples
test-examples: build-demo cpp ## Every example in every language on every broker.
	@scripts/setup servers
	cargo test --locked -p posthouse-examples

.PHONY: test-parity
test-parity: python node ## Operations × languages: what the table says against what is really there.
	@scripts/setup cpp
	@cargo build --quiet --locked -p posthouse-c
	$(XTASK) parity

.PHONY: build-agents
build-agents: python node cpp
	@scripts/setup servers
	@cargo build --quiet --locked -p posthouse-cli -p posthouse-agent -p posthouse-conformance

.PHONY: test-conformance
test-conformance: build-agents ## The shared scenarios: languages × brokers.
	cargo run --quiet --locked -p posthouse-conformance -- --check-index
	cargo run --quiet --locked -p posthouse-conformance
	cargo run --quiet --locked -p posthouse-conformance -- --agent node --broker nats,nats-2.9
	cargo run --quiet --locked -p posthouse-conformance -- --agent cpp --broker nats,nats-2.9
	cargo run --quiet --locked -p posthouse-conformance -- --agent c
	cargo run --quiet --locked -p posthouse-conformance -- --agent rust,python,node --with node --broker node
	cargo run --quiet --locked -p posthouse-conformance -- --agent rust,cpp --with cpp --broker node
	cargo run --quiet --locked -p posthouse-conformance -- --agent python-sync

.PHONY: test-interop
test-interop: build-agents ## With an independent implementation taking part.
	cargo run --quiet --locked -p posthouse-conformance -- --agent rust,python,kinopio --with kinopio
	cargo run --quiet --locked -p posthouse-conformance -- --agent node,cpp,kinopio --with kinopio --broker nats
	cargo run --quiet --locked -p posthouse-conformance -- --agent rust,python,node,cpp,kinopio --scenarios tests/interop/scenarios

.PHONY: bench
bench: ## Our programs and the peers side by side; writes docs/performance.md.
	@benches/setup
	@benches/run.py --write --json $(TARGET)/bench/results.jsonl

.PHONY: bench-queue
bench-queue: ## Our queue stores, SQLite itself and other queues on one disk; prints figures and ratios.
	@benches/queues/setup
	@benches/queues/run.py

.PHONY: bench-smoke
bench-smoke: ## Show that every program of the benches runs; measures nothing.
	@benches/setup
	@benches/run.py --quick
	@benches/queues/setup
	@benches/queues/run.py --quick

.PHONY: bench-ros
bench-ros: ## The ROS bridge beside one in rospy and nats-py; writes docs/ros-performance.md.
	@scripts/setup ros
	@benches/setup
	@cargo build --quiet --locked --release -p posthouse-ros-bridge --bin posthouse_bridge
	@$(TARGET)/bench/venv/bin/python ros-bridge/benches/run.py --write --json $(TARGET)/bench/ros.jsonl

.PHONY: lint
lint: lint-rust lint-python lint-node lint-cpp ## Formatting, lints, types, licences, known faults, generated files.
	$(XTASK) lint

.PHONY: lint-rust
lint-rust:
	cargo fmt --all --check
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --quiet --locked --workspace --no-deps

.PHONY: lint-python
lint-python:
	@scripts/setup python
	$(VENV)/bin/ruff check --quiet ros-bridge/tests/peers && $(VENV)/bin/ruff format --quiet --check ros-bridge/tests/peers
	$(VENV)/bin/ruff check --quiet examples scripts/tally tests/conformance/agents benches
	$(VENV)/bin/ruff format --quiet --check examples scripts/tally tests/conformance/agents benches
	$(VENV)/bin/ruff check --quiet tests/lifecycle/python tests/faults/python tests/parity/python
	$(VENV)/bin/ruff format --quiet --check tests/lifecycle/python tests/faults/python tests/parity/python
	$(VENV)/bin/ruff check --quiet ros-bridge/demo ros-bridge/tests/bridge ros-bridge/benches
	$(VENV)/bin/ruff format --quiet --check ros-bridge/demo ros-bridge/tests/bridge ros-bridge/benches
	cd $(PYTHON_CRATE) && $(VENV)/bin/ruff check --quiet . && $(VENV)/bin/ruff format --quiet --check . && $(VENV)/bin/mypy

.PHONY: lint-cpp
lint-cpp:
	@scripts/setup cpp
	@git ls-files -z '*.cpp' '*.hpp' '*.c' '*.h' | xargs -0 clang-format-14 --dry-run -Werror

.PHONY: lint-node
lint-node:
	@scripts/setup node
	$(TARGET)/node-tools/node_modules/.bin/biome ci --colors=off --error-on-warnings
	$(TARGET)/node-tools/node_modules/.bin/tsc -p bindings-node --typeRoots $(TARGET)/node-tools/node_modules/@types
	$(TARGET)/node-tools/node_modules/.bin/tsc -p bindings-node/tsconfig.examples.json --typeRoots $(TARGET)/node-tools/node_modules/@types

.PHONY: purity
purity: ## Prove that the machine needs no operating system.
	@scripts/setup purity
	$(XTASK) purity

.PHONY: gen
gen: ## Write what comes from core/machine/api.toml.
	$(XTASK) gen

.PHONY: fmt
fmt: ## Format Rust and Python.
	cargo fmt --all
	@scripts/setup python
	cd $(PYTHON_CRATE) && $(VENV)/bin/ruff format --quiet . && $(VENV)/bin/ruff check --quiet --fix .

# Every target creates the virtual environment it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SYNAPTIC := $(BIN)/synaptic
JOBS ?= 2
N ?= 10000
SEED ?= 15

.PHONY: up down test check bench accuracy agents disarm faults gen demo dist registry clean
.DEFAULT_GOAL := up

$(VENV)/.ready: pyproject.toml hatch_build.py native/dispatch.c src/synaptic/__init__.py
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev --editable .
	@touch $@

up: $(VENV)/.ready  ## set everything up, send a real event through the real dispatcher, show what happened
	@$(SYNAPTIC) up

down: $(VENV)/.ready  ## take everything out again
	@$(SYNAPTIC) down

test: $(VENV)/.ready  ## all tests; a missing client or tool is a visible skip (a failure with SYNAPTIC_TEST_ALL=1)
	@$(BIN)/python -m tests.alone pytest -n $(JOBS) -q || $(BIN)/python -m tests.alone tests.again

check: $(VENV)/.ready  ## format, lint, types, generated files, tests
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python -m docs.generate --check
	@$(MAKE) --no-print-directory test

bench: $(VENV)/.ready  ## ratios against /bin/true and against other hooks, in one run; the table goes to docs/bench.md
	@$(BIN)/python -m bench --save docs/bench.md

accuracy: $(VENV)/.ready  ## what the guard stops and what it should not have: all case sets with their source, real commands, every miss
	@$(BIN)/python -m bench.accuracy --check

agents: $(VENV)/.ready  ## one policy file through the true clients of every agent, offline; what happened goes to docs/conformance.md
	@$(BIN)/python -m tests.clients.conformance --save docs/conformance.md

disarm: $(VENV)/.ready  ## every way to disarm the guard, tried from inside the true clients; what happened goes to docs/disarm.md
	@$(BIN)/python -m tests.clients.disarm --save docs/disarm.md

faults: $(VENV)/.ready  ## N faults by SEED, injected into real homes; which laws broke goes to docs/faults.md
	@$(BIN)/python -m tests.alone tests.faults --seed $(SEED) --count $(N) --save docs/faults.md

gen: $(VENV)/.ready  ## docs/reference, the JSON Schemas, the plugin and the recipes of other installers, from code
	@$(BIN)/python -m docs.generate

demo: $(VENV)/.ready  ## a scripted session of the real agent in a throw-away HOME, each decision as it happens
	@$(BIN)/python -m demo

dist: $(VENV)/.ready  ## source distribution and wheels into dist/, each checked, installed in an empty place and tried
	@$(BIN)/python -m tests.alone release --url "$(URL)" --homepage "$(HOMEPAGE)"

registry: $(VENV)/.ready  ## a registry in ~/.synaptic with the packages of this repository, published to every channel
	@$(SYNAPTIC) registry init --if-missing
	@for folder in packages/*/; do $(SYNAPTIC) package import "$$folder" --channel develop || exit 1; done
	@$(SYNAPTIC) package promote --all --from develop --to beta
	@$(SYNAPTIC) package promote --all --from beta --to main

clean:
	rm -rf $(VENV) src/synaptic/_native build dist

# Every target creates the virtual environment it needs: `.ready` is what users have, `.dev` adds what tests need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SYNAPTIC := $(BIN)/synaptic
# More than cores: a test that starts a daemon or a client waits for it half of the time.
JOBS ?= 4
N ?= 10000
SEED ?= 15

# Every program that a test starts would compile all of it again where the machine says that nothing compiled is kept.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: up down test check lint compiled bench accuracy agents disarm faults hub-chaos hub-load hub-away gen demo cast screens dist registry hub clean
.DEFAULT_GOAL := up

# What a user needs. -qq: warnings of pip about itself and its caches are noise here; errors are shown.
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile
SOURCES := pyproject.toml hatch_build.py $(wildcard native/*.c native/*.h) src/synaptic/__init__.py

$(VENV)/.ready: $(SOURCES)
	@echo "Synaptic: a Python environment in $(VENV), and what it needs in it: half a minute,"
	@echo "the first time only."
	@test -x $(BIN)/python || { echo "  making $(VENV) ..."; $(PYTHON) -m venv $(VENV); }
	@echo "  installing Synaptic and its libraries, compiling the dispatcher ..."
	@$(PIP) --editable .
	@touch $@

# What whoever works on it needs besides: tests, linters, types. Groups need a newer pip than many systems have.
$(VENV)/.dev: $(VENV)/.ready pyproject.toml
	@echo "  installing what tests and checks need ..."
	@$(PIP) --upgrade "pip>=25.1"
	@$(PIP) --group dev
	@touch $@

up: $(VENV)/.ready  ## set everything up, send a real event through the real dispatcher, show what happened
	@$(SYNAPTIC) up

down: $(VENV)/.ready  ## take everything out again
	@$(SYNAPTIC) down

test: $(VENV)/.dev  ## all tests; a missing client or tool is a visible skip (a failure with SYNAPTIC_TEST_ALL=1)
	@$(BIN)/python -m tests.alone pytest -n $(JOBS) --dist worksteal -q || $(BIN)/python -m tests.alone tests.again

check: $(VENV)/.dev  ## format, lint, types, generated files, tests
	@$(MAKE) --no-print-directory -j 2 lint compiled
	@$(MAKE) --no-print-directory test

lint: $(VENV)/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python -m docs.generate --check

# On the other core: what three workers would each compile for themselves. It says nothing unless a file cannot be read.
compiled: $(VENV)/.dev
	@said=$$($(BIN)/python -m pytest --collect-only -q 2>&1) || { printf '%s\n' "$$said" | tail -n 40; exit 1; }

bench: $(VENV)/.dev  ## ratios against /bin/true and against other hooks, in one run; the table goes to docs/bench.md
	@$(BIN)/python -m bench --save docs/bench.md

accuracy: $(VENV)/.dev  ## what the guard stops and what it should not have: all case sets with their source, real commands, every miss
	@$(BIN)/python -m bench.accuracy --check

agents: $(VENV)/.dev  ## one policy file through the true clients of every agent, offline; what happened goes to docs/conformance.md
	@$(BIN)/python -m tests.clients.conformance --save docs/conformance.md

disarm: $(VENV)/.dev  ## every way to disarm the guard, tried from inside the true clients; what happened goes to docs/disarm.md
	@$(BIN)/python -m tests.clients.disarm --save docs/disarm.md

faults: $(VENV)/.dev  ## N faults by SEED, injected into real homes; which laws broke goes to docs/faults.md
	@$(BIN)/python -m tests.alone tests.faults --seed $(SEED) --count $(N) --save docs/faults.md

hub-chaos: $(VENV)/.dev  ## 50 hosts ship 500,000 events while hub, PostgreSQL, network and shippers fail; goes to docs/hub-chaos.md
	@$(BIN)/python -m tests.hub.chaos --cuts 40 --write-seconds 180 --save docs/hub-chaos.md

hub-load: $(VENV)/.dev  ## simulated hosts against one hub and one PostgreSQL here; what it takes in and answers goes to docs/hub-load.md
	@$(BIN)/python -m bench.hub_load --save docs/hub-load.md

hub-away: $(VENV)/.dev  ## hours of events while the hub is away: same decisions, same speed, all of it later; goes to docs/hub-away.md
	@$(BIN)/python -m bench.hub_away --save docs/hub-away.md

gen: $(VENV)/.dev  ## docs/reference, the JSON Schemas, the plugin and the recipes of other installers, from code
	@$(BIN)/python -m docs.generate

demo: $(VENV)/.dev  ## a scripted session of the real agent in a throw-away HOME, each decision as it happens
	@$(BIN)/python -m demo

screens: $(VENV)/.dev  ## pictures of the console's pages, light and dark, by a real browser, into docs/screens
	@$(BIN)/python -m tests.alone demo.screens --save docs/screens

hub: $(VENV)/.dev  ## a hub on a PostgreSQL in a throw-away folder, two machines that join it, a signed bundle, what it knows of them
	@$(BIN)/python -m tests.alone demo.hub

cast: $(VENV)/.ready  ## the stories of README.md, typed into a terminal in a throw-away HOME; the recording goes to docs/cast
	@$(BIN)/python -m tests.alone demo.cast

dist: $(VENV)/.dev  ## source distribution and wheels into dist/, each checked, installed in an empty place and tried
	@$(BIN)/python -m tests.alone release --url "$(URL)" --homepage "$(HOMEPAGE)"

registry: $(VENV)/.ready  ## a registry in ~/.synaptic with the packages of this repository, published to every channel
	@$(SYNAPTIC) registry init --if-missing
	@for folder in packages/*/; do $(SYNAPTIC) package import "$$folder" --channel develop || exit 1; done
	@$(SYNAPTIC) package promote --all --from develop --to beta
	@$(SYNAPTIC) package promote --all --from beta --to main

clean:
	rm -rf $(VENV) src/synaptic/_native build dist

# Everything runs from a fresh clone with Python 3.11+ and make: each target makes
# .venv and installs what it needs, and does nothing the second time.

PYTHON ?= python3
VENV ?= .venv
INTEGRATIONS ?= .venv-integrations
OLDEST ?= .venv-oldest
WORKERS ?= 2
# What is skipped in the other environment, for want of a package.
INTEGRATION_TESTS := tests/integrations tests/graph/test_interop.py
BENCH_ARGS ?= --suite growth --max-rows 30000 --max-seconds 60

BIN := $(VENV)/bin
RUN := $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help demo check test tests lint integrations oldest format bench clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */\1\t/' | expand -t 14

demo: $(VENV)/.package  ## cluster the embedded digits, print tables, write a picture and a report
	$(RUN) -m graphpac demo --overwrite

check: lint  ## lint, type check and the tests that are not slow, in three minutes
	$(RUN) -m pytest -m "not slow" --hypothesis-profile few -n $(WORKERS) --dist worksteal

# The second environment is installed while the first is and while its tests run.
test:  ## lint, type check and all tests, slow ones included
	$(MAKE) --no-print-directory -j2 tests $(INTEGRATIONS)/.tools
	$(MAKE) --no-print-directory integrations

tests: lint
	$(RUN) -m pytest -n $(WORKERS) --dist worksteal

integrations: $(INTEGRATIONS)/.tools  ## tests beside other tools, which need an environment of their own
	$(INTEGRATIONS)/bin/python -m pytest -n $(WORKERS) --dist loadfile $(INTEGRATION_TESTS)

# Compiled code of another numba would replace that of the other environments.
oldest: $(OLDEST)/.bounds  ## the tests that are not slow, with the oldest versions allowed
	NUMBA_CACHE_DIR=$(CURDIR)/$(OLDEST)/kernels $(OLDEST)/bin/python -m pytest -m "not slow" \
	  --hypothesis-profile few -W ignore::DeprecationWarning -n $(WORKERS) --dist worksteal

lint: $(VENV)/.dev  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev  ## let ruff fix and format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench  ## time, memory and quality against other methods, about 20 minutes
	$(RUN) -m benchmarks.run --readme README.md
	$(RUN) -m benchmarks.peers $(BENCH_ARGS)

clean:  ## remove the environments, caches and build results
	rm -rf $(VENV) $(INTEGRATIONS) $(OLDEST) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# pip learned dependency groups in 25.1, so the one that comes with Python may be too old.
# Modules are compiled where they are imported: of the installed files few are.
PIP := -m pip install --quiet --no-compile
ENVIRONMENTS := $(VENV) $(INTEGRATIONS) $(OLDEST)
$(ENVIRONMENTS:%=%/.pip): %/.pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "graphpac needs Python 3.11 or newer; set it with: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $*
	$*/bin/python $(PIP) --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.package: pyproject.toml $(VENV)/.pip
	$(RUN) $(PIP) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.pip
	$(RUN) $(PIP) --editable . --group dev
	@touch $@

$(VENV)/.bench: pyproject.toml $(VENV)/.pip
	$(RUN) $(PIP) --editable . --group bench
	@touch $@

$(INTEGRATIONS)/.tools: pyproject.toml $(INTEGRATIONS)/.pip
	$(INTEGRATIONS)/bin/python $(PIP) --editable . --group integrations
	$(INTEGRATIONS)/bin/python $(PIP) --no-deps 'bertopic>=0.17'
	@touch $@

$(OLDEST)/.bounds: pyproject.toml .ci/lower_bounds.py $(OLDEST)/.pip
	$(OLDEST)/bin/python .ci/lower_bounds.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python $(PIP) --editable . --group test --constraint $(OLDEST)/constraints.txt
	@touch $@

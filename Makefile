# Everything runs from a fresh clone with Python 3.11+ and make: each target makes
# .venv and installs what it needs, and does nothing the second time.

PYTHON ?= python3
VENV ?= .venv
INTEGRATIONS ?= .venv-integrations
WORKERS ?= 2
# What is skipped in the other environment, for want of a package.
INTEGRATION_TESTS := tests/integrations tests/graph/test_interop.py
BENCH_ARGS ?= --suite growth --max-rows 30000 --max-seconds 60

BIN := $(VENV)/bin
RUN := $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help demo test lint integrations format bench clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */\1\t/' | expand -t 14

demo: $(VENV)/.package  ## cluster the embedded digits, print tables, write a picture and a report
	$(RUN) -m graphpac demo --overwrite

test: lint  ## lint, type check and all tests, slow ones included
	$(RUN) -m pytest -n $(WORKERS) --dist worksteal
	$(MAKE) --no-print-directory integrations

integrations: $(INTEGRATIONS)/.tools  ## tests beside other tools, which need an environment of their own
	$(INTEGRATIONS)/bin/python -m pytest -n $(WORKERS) --dist loadfile $(INTEGRATION_TESTS)

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
	rm -rf $(VENV) $(INTEGRATIONS) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# pip learned dependency groups in 25.1, so the one that comes with Python may be too old.
ENVIRONMENTS := $(VENV) $(INTEGRATIONS)
$(ENVIRONMENTS:%=%/.pip): %/.pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "graphpac needs Python 3.11 or newer; set it with: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $*
	$*/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	@touch $@

$(ENVIRONMENTS:%=%/.package): %/.package: pyproject.toml %/.pip
	$*/bin/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.package
	$(RUN) -m pip install --quiet --group dev
	@touch $@

$(VENV)/.bench: $(VENV)/.package
	$(RUN) -m pip install --quiet --group bench
	@touch $@

$(INTEGRATIONS)/.tools: $(INTEGRATIONS)/.package
	$(INTEGRATIONS)/bin/python -m pip install --quiet --group integrations
	$(INTEGRATIONS)/bin/python -m pip install --quiet --no-deps 'bertopic>=0.17'
	@touch $@

# `make` alone lists the targets. Everything is installed into .venv, from the versions in constraints.txt.

PYTHON ?= python3
PIP_ARGS ?=
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

# DVC runs the stages in a shell, which must find this environment's panelbench and no other.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help repro test smoke lecture clean

help:
	@echo "make repro            install, run the benchmark of params.yaml, print the leaderboard"
	@echo "make test             install, run every check: ruff, mypy, import-linter, pytest"
	@echo "make smoke            switch params.yaml to a benchmark of seconds and run it"
	@echo "make lecture M5=path  switch to the lecture's study and run it (path: weekly CSV or raw M5 files)"
	@echo "make clean            remove .venv, the results and DVC's cache of them"
	@echo ""
	@echo "PYTHON=python3.12     the interpreter that .venv is made from (3.11 or later)"
	@echo "PIP_ARGS=...          more arguments for pip, for instance another index (see README.md)"

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed; name one: make PYTHON=python3.12 ..." >&2; exit 2; }
	@echo "Installing into $(VENV) (minutes the first time) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) $(PIP_ARGS) -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "Installing what the tests need ..."
	@$(PIP) $(PIP_ARGS) -e '.[dev]'
	@touch $@

# `validate` first, because DVC itself stops at some mistakes in params.yaml, with a message of its own.
repro: $(VENV)/.installed
	@panelbench validate
	dvc repro
	@panelbench leaderboard

test: $(VENV)/.installed-dev
	ruff check .
	mypy
	lint-imports
	pytest -q -n $(WORKERS) --dist loadfile

smoke: keep_params
	cp presets/smoke.yaml params.yaml
	@$(MAKE) --no-print-directory repro

lecture: keep_params
	@test -e "$(M5)" || { echo "Name the panel: make lecture M5=path/to/m5_weekly.csv" >&2; exit 2; }
	sed 's|^  source: m5 .*|&\n  path: "$(M5)"|' presets/lecture.yaml > params.yaml
	@$(MAKE) --no-print-directory repro

# Settings that are not simply a preset are the user's work, and are kept before a target replaces them.
.PHONY: keep_params
keep_params:
	@for preset in presets/*.yaml; do cmp -s params.yaml "$$preset" && exit 0; done; \
		cp params.yaml params.yaml.bak && echo "Your params.yaml is kept as params.yaml.bak."

clean:
	rm -rf $(VENV) .dvc/cache .dvc/tmp .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf data/raw data/runs data/user/.linked data/panel.* data/validated.txt data/audited.txt dvc.lock
	rm -rf reports/figures reports/benchmark.html reports/*.json reports/*.csv

# `make` alone lists the targets. Everything is installed into .venv, from the versions in constraints.txt.

PYTHON ?= python3
PIP_ARGS ?=
QUICK ?=
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt

# DVC runs the stages in a shell, which must find this environment's panelbench and no other.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help repro test smoke lecture probes bench clean

help:
	@echo "make repro            install, run the benchmark of params.yaml, print the leaderboard"
	@echo "make test             install, run every check: ruff, mypy, import-linter, bandit, pytest"
	@echo "make smoke            switch to a tiny benchmark on made-up data, to see that everything works"
	@echo "make lecture M5=path  switch to the lecture's study and run it (path: weekly CSV or raw M5 files);"
	@echo "                      QUICK=1 trains one seed for one epoch, to see what comes out"
	@echo "make probes           small experiments on what is said of these models: reports/probes.html"
	@echo "make bench            measure training against a plain loop, start-up, growth with the panel; an hour or two"
	@echo "make clean            remove .venv, the results and DVC's cache of them"
	@echo ""
	@echo "PYTHON=python3.12     the interpreter that .venv is made from (3.11 or later)"
	@echo "PIP_ARGS=...          more arguments for pip, for instance another index (see README.md)"

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed; name one: make PYTHON=python3.12 ..." >&2; exit 2; }
	@echo "Installing into $(VENV): minutes, and 3 GB or more (README.md says how to save some) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) $(PIP_ARGS) -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "Installing what the tests need ..."
	@$(PIP) --quiet $(PIP_ARGS) -e '.[dev]'
	@touch $@

# `validate` first, because DVC itself stops at some mistakes in params.yaml, with a message of its own. Then all that
# is new is trained side by side, and torch imported once; the stage of each experiment, alone, would import it again.
repro: $(VENV)/.installed
	@panelbench validate
	dvc repro audit
	panelbench train --all
	dvc repro
	@panelbench leaderboard

test: $(VENV)/.installed-dev
	ruff check .
	mypy
	lint-imports
	bandit -q -c pyproject.toml -r src
	pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# What docs/performance.md states; each can be cut, as `python -m benchmarks.training --epochs 3` does.
bench: $(VENV)/.installed
	@python -m benchmarks.startup
	@python -m benchmarks.training
	@python -m benchmarks.parts
	@python -m benchmarks.lengths
	@python -m benchmarks.scaling
	@python -m benchmarks.gpu

smoke: keep_params
	cp presets/smoke.yaml params.yaml
	@$(MAKE) --no-print-directory repro

# The preset with the panel's path and, for QUICK=1, with its caps on epochs and seeds. No sed: BSD's differs.
define SETTINGS_OF_LECTURE
/^[a-z]/ { quick = ENVIRON["QUICK"] && /^quick:/ }
quick { sub(/null/, "1") }
{ print }
/^  source: m5 / { print "  path: \"" ENVIRON["M5"] "\"" }
endef
export SETTINGS_OF_LECTURE

lecture: m5_is_there keep_params
	@M5="$(M5)" QUICK="$(QUICK)" awk "$$SETTINGS_OF_LECTURE" presets/lecture.yaml > params.yaml
	@$(MAKE) --no-print-directory repro

probes: $(VENV)/.installed
	dvc repro probes/dvc.yaml

# Settings that are not simply a preset are the user's work, and are kept before a target replaces them.
.PHONY: keep_params m5_is_there
keep_params:
	@for known in presets/*.yaml params.yaml.*.bak; do cmp -s params.yaml "$$known" && exit 0; done; \
		n=1; while test -e "params.yaml.$$n.bak"; do n=$$((n + 1)); done; \
		cp params.yaml "params.yaml.$$n.bak" && echo "Your params.yaml is kept as params.yaml.$$n.bak."

m5_is_there:
	@test -n "$(M5)" || { echo "Name the panel: make lecture M5=path/to/m5_weekly.csv" >&2; exit 2; }
	@test -e "$(M5)" || { echo "There is nothing at $(M5), which M5 names." >&2; exit 2; }

clean:
	rm -rf $(VENV) .dvc/cache .dvc/tmp .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf data/raw data/runs data/store data/.unfinished data/user/.linked data/panel.* data/settings data/validated.txt data/audited.txt dvc.lock probes/dvc.lock
	rm -rf dvc_plots reports/figures reports/tasks reports/probes reports/benchmark.html reports/probes.html reports/*.json reports/*.csv

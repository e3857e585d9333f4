# Every target that runs something sets up what it needs, from a bare python3 and make.

PYTHON ?= python3
UV     ?= uv
# Test processes: a number, or auto for one per core.
JOBS   ?= auto

VENV := .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip --disable-pip-version-check -qq

# What the tests of training and of .pt files run with.
TORCH := torch==2.13.0

# What an editable install bakes in: the metadata and, through it, the version.
METADATA := pyproject.toml countbounds/__init__.py

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-torch test-slow test-slow-sample lint format types docs docs-update bench \
	build lock ci install clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.demo ## recompute the paper's Table 3, then check one layer on its whole domain
	@echo '$$ countbounds table 3'
	@$(BIN)/countbounds table 3
	@echo
	@echo '$$ countbounds check softmax-post-ln -L 1000 -d 16'
	@$(BIN)/countbounds check softmax-post-ln -L 1000 -d 16

test: $(VENV)/.dev ## the tests, the doctests and the examples of the documentation
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-torch: $(VENV)/.torch ## the tests that need PyTorch (installs it once)
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m 'torch and not slow' tests

test-slow: $(VENV)/.dev ## the slow tier (at most 30 minutes on two cores)
	@HYPOTHESIS_PROFILE=slow $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m slow --durations 10

test-slow-sample: $(VENV)/.dev ## a sample of the slow tier (a few minutes)
	@HYPOTHESIS_PROFILE=sample $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m slow

lint: $(VENV)/.dev ## ruff: rules and formatting, changing nothing
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

format: $(VENV)/.dev ## ruff: sort imports, apply safe fixes, format
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

types: $(VENV)/.dev ## mypy, strict
	@$(BIN)/python -m mypy

docs: $(VENV)/.dev ## the documentation as a site that reads offline, into docs/_build/html
	@$(BIN)/python -m sphinx -E -q -n -W --keep-going -d docs/_build/doctrees docs docs/_build/html
	@echo 'The site begins at docs/_build/html/index.html'

docs-update: $(VENV)/.dev ## write the real output into the examples of the documentation
	@UPDATE_DOCS=1 $(BIN)/python -m pytest -m 'slow or not slow' tests/test_docs.py \
		tests/proofs/test_theorems.py -k 'docs or page or index'

bench: $(VENV)/.dev ## the benchmarks, into docs/benchmarks.md (some minutes)
	@$(BIN)/python -m benchmarks --page

build: $(VENV)/.dev ## sdist and wheel, into dist/
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation

# dev.txt leads, and the smaller locks follow its versions, so that all of them fit in one venv.
COMPILE := $(UV) pip compile --quiet --upgrade --universal --fork-strategy fewest \
	--python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock'

lock: ## renew requirements/*.txt (needs uv)
	@$(COMPILE) --extra dev pyproject.toml -o requirements/dev.txt
	@$(COMPILE) -c requirements/dev.txt pyproject.toml -o requirements/runtime.txt
	@$(COMPILE) -c requirements/dev.txt --extra report pyproject.toml -o requirements/demo.txt
	@echo 'hatchling>=1.27' | $(COMPILE) -c requirements/dev.txt - -o requirements/build.txt

ci: ## everything that must pass before a change lands
	@.ci/run

install: $(VENV)/.dev ## set up .venv for development

clean: ## remove everything that these targets make
	@rm -rf $(VENV) dist build docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are touched last: a set-up that was interrupted is done again.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else \
		"Python 3.11 or newer is needed, and %s is %d.%d: try make PYTHON=python3.12" \
		% (sys.executable, v[0], v[1]))'
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# With figures and the report, so that all of the README's commands work.
$(VENV)/.demo: $(VENV)/.created requirements/demo.txt requirements/build.txt $(METADATA)
	@echo 'Setting up $(VENV) (once) ...' >&2
	@$(PIP) install --require-hashes -r requirements/demo.txt -r requirements/build.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.created requirements/dev.txt $(METADATA)
	@echo 'Setting up $(VENV) for development (once) ...' >&2
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

# PyTorch is large, and which build fits depends on the machine: it is not locked with hashes.
$(VENV)/.torch: $(VENV)/.dev
	@echo 'Adding PyTorch to $(VENV) (once) ...' >&2
	@$(PIP) install $(TORCH)
	@touch $@

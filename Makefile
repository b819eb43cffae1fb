# Every target sets up .venv by itself; nothing needs installing by hand. make demo installs the core
# alone, make web the browser's packages too, make test and the others all that development needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
CORE := $(VENV)/.core
WEB := $(VENV)/.web
STAMP := $(VENV)/.ready
# Test files are shared out over the cores; a file's tests stay together.
PARALLEL := -n logical --maxprocesses 8 --dist loadfile

.PHONY: constraints demo docs docs-serve web wheel screenshots test test-all test-gpu check format clean clean-cache

# make test CONSTRAINTS=constraints.txt installs the versions that the tests were last run with.
CONSTRAINTS ?=

# Python compiles a module when it is first imported; compiling all of them while installing takes
# longer than the rest and another 50 MB.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS)) --editable

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml | $(VENV)/pyvenv.cfg
	$(INSTALL) .
	touch $@

$(WEB): pyproject.toml | $(VENV)/pyvenv.cfg
	$(INSTALL) '.[web]'
	touch $(CORE) $@

$(STAMP): pyproject.toml | $(VENV)/pyvenv.cfg
	$(INSTALL) '.[dev]'
	touch $(CORE) $(WEB) $@

# Writes down the versions of the packages in .venv, for reproducible installs.
constraints: $(STAMP)
	$(BIN)/python -m pip freeze --exclude-editable > constraints.txt

demo: $(CORE)
	$(BIN)/riverboat demo

web: $(WEB)
	$(BIN)/riverboat web

# A wheel for this machine's platform and Python version with every kernel compiled, in dist/.
wheel: $(CORE)
	$(BIN)/python tools/wheel.py

screenshots: $(STAMP)
	$(BIN)/python tests/support/screenshots.py docs/images

docs: $(STAMP)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site
	@echo "build/site/index.html is the site's first page; make docs-serve shows it."

docs-serve: docs
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site 8000

test: $(STAMP)
	$(BIN)/python -m pytest $(PARALLEL)

test-all: $(STAMP)
	$(BIN)/python -m pytest $(PARALLEL) -m ''

test-gpu: $(STAMP)
	$(BIN)/python -m pytest -m gpu -rs

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	$(BIN)/python tools/house.py

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean-cache:
	find . -name '*.nb[ic]' -delete

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

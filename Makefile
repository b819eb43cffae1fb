# Every target sets up .venv by itself; nothing needs installing by hand. make demo installs the core
# alone, make web the browser's packages too, make test what the quick tests import, and the others
# all that development needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
CORE := $(VENV)/.core
WEB := $(VENV)/.web
TEST := $(VENV)/.test
STAMP := $(VENV)/.ready
# Test files are shared out over the cores; a file's tests stay together.
PARALLEL := -n logical --maxprocesses 8 --dist loadfile
# Each target leaves the seconds of its tests here; make durations reads them.
REPORTS := build/tests

.PHONY: constraints demo docs docs-serve web wheel screenshots test test-browser test-e2e test-plain test-all \
	test-gpu durations explore check format clean clean-cache

# The versions that the tests were last run with; make test CONSTRAINTS= tries the newest of each.
CONSTRAINTS ?= constraints.txt
LIMITS := $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))

# uv installs in a tenth of pip's time. Where it is not to be had, or fails, pip does the work.
define install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(LIMITS) uv && \
	$(BIN)/uv pip install --quiet --python $(BIN)/python $(LIMITS) --editable '$(1)' || \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile $(LIMITS) --editable '$(1)'
endef

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml | $(VENV)/pyvenv.cfg
	$(call install,.)
	touch $@

$(WEB): pyproject.toml | $(VENV)/pyvenv.cfg
	$(call install,.[web])
	touch $(CORE) $@

$(TEST): pyproject.toml constraints.txt | $(VENV)/pyvenv.cfg
	$(call install,.[test])
	touch $(CORE) $(WEB) $@

$(STAMP): pyproject.toml constraints.txt | $(VENV)/pyvenv.cfg
	$(call install,.[dev])
	touch $(CORE) $(WEB) $(TEST) $@

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

# The quick tests: about five minutes on two cores, set-up and compiling included.
test: $(TEST)
	$(BIN)/python -m pytest $(PARALLEL) --junitxml=$(REPORTS)/quick.xml

# Every page in a real Chromium, and every request to the web server.
test-browser: $(STAMP)
	$(BIN)/python -m pytest $(PARALLEL) -m 'browser and not slow' --junitxml=$(REPORTS)/browser.xml

# Whole installs, wheels, clusters, the site, the examples of every page.
test-e2e: $(STAMP)
	$(BIN)/python -m pytest $(PARALLEL) -m 'e2e and not slow' --junitxml=$(REPORTS)/e2e.xml

# tests/seconds.md: how long the tests of each file took in the last run of the three targets above.
durations: $(TEST)
	$(BIN)/python tools/durations.py $(foreach target,quick browser e2e,$(REPORTS)/$(target).xml)

# A wheel in an environment of its own, without extras: every name of rb and every example of the help.
PLAIN := build/plain
test-plain:
	$(PYTHON) -m venv --clear $(PLAIN)
	$(PLAIN)/bin/python -m pip wheel --quiet --no-deps --wheel-dir $(PLAIN) .
	$(PLAIN)/bin/python -m pip install --quiet $(LIMITS) $(PLAIN)/*.whl pytest pytest-timeout hypothesis
	$(PLAIN)/bin/python -m pytest -m 'not slow' tests/test_public_api.py tests/e2e/test_examples.py -k 'docs_run or help'

# Everything, the long proofs too, and then inputs that nobody has tried.
test-all: $(STAMP)
	$(BIN)/python -m pytest $(PARALLEL) -m ''
	$(MAKE) explore

# Random inputs. The seed is printed: make explore SEED=... tries the same ones again.
SEED ?= $(shell $(PYTHON) -c 'import random; print(random.randrange(10**9))')
explore: $(STAMP)
	@echo "make explore SEED=$(SEED)"
	$(BIN)/python -m pytest $(PARALLEL) -m 'hypothesis and not slow' --hypothesis-profile=explore --hypothesis-seed=$(SEED)

test-gpu: $(STAMP)
	$(BIN)/python -m pytest -m gpu -rs

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	PYTHONPATH=tools $(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean-cache:
	find . -name '*.nb[ic]' -delete

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

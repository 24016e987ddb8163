# Two commands to start: `make demo` and `make test`. Everything lives in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# compiled modules are kept, whatever the shell says: tests start hundreds of processes
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help demo test quick real package check browser docs format bench clean

help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(INSTALLED) ## set everything up and show what whyword does
	@$(BIN)/python examples/demo.py

test: check browser ## set everything up, run all checks and tests, build the site
	@echo "==> pytest (the first run downloads 20 Newsgroups, about 70 MB)"
	@# a worker for each core: were each to use all threads too, they would wait for one another
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto --dist loadfile -m "not npm and not package"

quick: $(INSTALLED) ## run the fast tests only: no network, no browser, no real corpus
	@# (the file left out has slow tests only, and takes seconds to import)
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto --dist loadfile -p no:schemathesis \
	  -m "not real and not npm and not slow" --ignore tests/browser --ignore tests/web/test_api_fuzz.py

real: $(INSTALLED) ## run the tests that `make test` leaves out: models that come from npm
	@$(BIN)/python -m pytest -q -m npm tests/models

package: $(INSTALLED) ## build wheel and sdist into dist/, check them, install and try each extra
	@rm -rf dist
	@$(BIN)/python -m build
	@WHYWORD_DIST=dist $(BIN)/python -m pytest -q --durations 20 tests/test_package.py

check: $(INSTALLED) ## lint, format check and strict types
	@echo "==> ruff, mypy and import-linter"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

browser: # the tests look at pages in a real one
	@for name in chromium chromium-browser google-chrome; do \
	    command -v $$name >/dev/null && exit 0; \
	  done; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "==> installing chromium (Debian's package)"; \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	  else \
	    echo "the browser tests need Chromium; run: sudo apt-get install chromium"; exit 1; \
	  fi

docs: $(INSTALLED) ## build the site, site/index.html; a broken link, anchor or reference is an error
	@echo "==> sphinx"
	@$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --fresh-env --write-all --quiet --jobs auto docs site
	@echo "site/index.html"

format: $(INSTALLED) ## put the code into its one form
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(INSTALLED) ## measure all that is claimed, on an idle machine (an hour); studies are scripts of their own
	@for script in $$(grep -l '^from figures import keep' benchmarks/*.py); do \
	    echo "==> $$script"; \
	    WHYWORD_FIGURES=benchmarks/results/figures.json $(BIN)/python $$script || echo "missed: $$script"; \
	  done

clean: ## remove .venv and everything generated
	rm -rf $(VENV) dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "whyword needs Python 3.11 or newer; say which: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "==> installing into $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable '.[dev]'
	@# a yardstick of the tests; it asks for torchvision, which has no build for this torch
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps zennit==0.5.1
	@touch $@

# Two commands to start: `make demo` and `make test`. Everything lives in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# compiled modules are kept, whatever the shell says: tests start hundreds of processes
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help demo test quick nightly mutants downloads check browser docs format bench clean

help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(INSTALLED) ## set everything up and show what whyword does
	@$(BIN)/python examples/demo.py

test: check browser downloads ## set everything up, run all checks and tests (SHUFFLE=seed: in a random order)
	@echo "==> pytest"
	@# a worker for each core: were each to use all threads too, they would wait for one another
	@# and no test downloads anything
	@OMP_NUM_THREADS=1 PIP_NO_INDEX=1 npm_config_offline=true \
	  $(BIN)/python -m pytest -q -n auto --dist worksteal -m "not nightly" \
	  $(if $(SHUFFLE),--shuffle $(SHUFFLE))

quick: $(INSTALLED) ## run the fast tests only: no network, no browser, no real corpus
	@# (the folder left out has slow tests only, and schemathesis takes seconds to import)
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto --dist worksteal -p no:schemathesis \
	  -m "not real and not slow and not nightly" --ignore tests/browser

nightly: check browser ## run the long tests: full matrices, fuzzing, wheel and sdist with each extra
	@$(BIN)/python tests/downloads.py --nightly
	@rm -rf dist
	@$(BIN)/python -m build
	@OMP_NUM_THREADS=1 WHYWORD_DIST=dist \
	  $(BIN)/python -m pytest -q -n auto --dist worksteal --durations 20 -m nightly

mutants: $(INSTALLED) ## change the code in COUNT places of FOLDERS, chosen by SEED: does `make quick` notice?
	@$(BIN)/python benchmarks/mutants.py --seed $(or $(SEED),$(shell git rev-parse HEAD)) \
	  --folders $(or $(FOLDERS),models/cnn models/pytorch models/linear models/pipeline explanation \
	  batch evaluation audit words corpora) $(if $(COUNT),--count $(COUNT))

downloads: $(INSTALLED) # what the tests need of package registries, before they start
	@$(BIN)/python tests/downloads.py

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

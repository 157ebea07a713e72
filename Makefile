# `make demo` shows what gambol does; `make test` checks everything; CONTRIBUTING.md explains the other targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
VALIDATOR := $(VENV)/node/node_modules/gltf-validator

OLDEST := .venv-oldest

.PHONY: setup setup-dev demo test quick test-oldest torture wheel lint docs chromium validator bench evidence tables samples poses clean mutants

setup: $(VENV)/.core

$(VENV)/.core: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "gambol needs Python 3.11 or newer: make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

setup-dev: $(VENV)/.dev

$(VENV)/.dev: $(VENV)/.core evidence/pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]' --editable evidence
	@touch $@

demo: setup
	$(BIN)/gambol demo --output demo --overwrite

# Compiled modules are kept: both workers and every program that a test starts import them.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal

test: setup-dev chromium validator
	$(MAKE) --jobs 2 --output-sync lint docs wheel
	$(PYTEST)

quick: lint
	$(PYTEST) -m "not slow and not browser"

# gambol's wheel is built from the source distribution; both wheels are checked where only they provide the packages.
wheel: setup-dev
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/python -m build --no-isolation --outdir dist --wheel evidence
	$(BIN)/python scripts/check_wheel.py dist

# Changes of arithmetic that the tests of a package do not notice: make mutants ROOM=terms SAMPLE=80
SAMPLE ?= 80

mutants: setup-dev
	$(BIN)/python scripts/mutants.py $(ROOM) --sample $(SAMPLE)

# 100,000 damaged files, changed clips, killed runs, and hostile pages for ten minutes: about an hour.
INPUTS ?= 100000

torture: setup-dev
	$(BIN)/python -m tests.hostile.torture --inputs $(INPUTS) --json docs/results/torture.json
	$(BIN)/python -m tests.metamorphic
	PATH=$(BIN):$$PATH $(BIN)/python -m tests.hostile.kills --json docs/results/kills.json
	$(BIN)/python -m tests.hostile.pages 600 --seed 1

# The oldest versions that pyproject.toml allows, in an environment of their own.
test-oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/python -m pytest -n 2 -m "not slow and not browser"

$(OLDEST)/.installed: pyproject.toml evidence/pyproject.toml scripts/oldest.py
	$(PYTHON) -m venv --clear $(OLDEST)
	$(PYTHON) scripts/oldest.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/pip install --quiet --disable-pip-version-check --constraint $(OLDEST)/constraints.txt \
		--editable '.[usd,video,look,robot,cluster]' --editable evidence pytest pytest-xdist hypothesis
	@touch $@

lint: setup-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: setup-dev
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

# The browser tests drive a real Chromium: the system's, else one that apt or Playwright installs.
chromium: setup-dev
	@command -v chromium || command -v chromium-browser || command -v google-chrome \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get && apt-get update -qq && apt-get install -y -qq chromium; } \
	|| $(BIN)/playwright install chromium \
	|| { echo "No Chromium for the browser tests. Run: sudo apt-get install chromium"; exit 1; }

# The Khronos validator checks every GLB we write; it needs Node.
validator: setup-dev
	@if command -v npm >/dev/null; then \
		[ -d $(VALIDATOR) ] || npm install --silent --no-audit --no-fund --no-save --no-package-lock --prefix $(VENV)/node gltf-validator@2.0.0-dev.3.10; \
	else echo "No npm: the glTF validator tests will say that they are skipped"; fi

bench: setup-dev
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable 'evidence[bench]'
	$(BIN)/gambol bench

# Nightly: every suite of claims and every benchmark, written where the tables of the docs take their figures from.
SUITES := ground-truth near-unactuated sketch judge fix edit primitives crowd recovery responsive interaction humanoid style compose robots
BENCHMARKS := io body near-unactuated sketch judge fix edit primitives crowd responsive interaction humanoid style compose robots film

evidence: setup-dev
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable 'evidence[bench]'
	@mkdir -p reports; failed=; \
	for s in $(SUITES); do $(BIN)/gambol reproduce $$s --json docs/results/$$s.json --report reports/$$s.html --overwrite || failed="$$failed $$s"; done; \
	for s in $(BENCHMARKS); do $(BIN)/gambol bench $$s --json docs/results/bench-$$s.json --overwrite || failed="$$failed bench-$$s"; done; \
	$(BIN)/python scripts/make_tables.py; \
	[ -z "$$failed" ] || { echo "Failed:$$failed"; exit 1; }

tables: setup-dev
	$(BIN)/python scripts/make_tables.py

samples: setup-dev
	$(BIN)/python scripts/make_samples.py

poses: setup-dev
	$(BIN)/python scripts/make_poses.py

clean:
	rm -rf $(VENV) $(OLDEST) dist docs/_build demo reports

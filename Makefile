# Everything from a fresh checkout with Python 3.11 or newer, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export JAX_COMPILATION_CACHE_DIR ?= $(CURDIR)/.cache/jax

.PHONY: train test test-integrations lint benchmark clean

train: $(VENV)/.agents
	$(BIN)/python scripts/train.py $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -x -q $(ARGS)

test-integrations: $(VENV)/.integrations
	$(BIN)/python -m pytest -x -q -s -m integration $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

benchmark: $(VENV)/.dev
	$(BIN)/python scripts/benchmark.py $(ARGS)

clean:
	rm -rf $(VENV) .cache build dist

# A stamp a set of extras: installed again when pyproject.toml changes.
$(VENV)/.agents $(VENV)/.dev $(VENV)/.integrations: $(VENV)/.%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

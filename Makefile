# Everything from a fresh checkout with Python 3.11 or newer, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SB3_VENV := .venv-sb3
GYMNASIUMS := 1.1 1.2 1.3 newest
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
export JAX_COMPILATION_CACHE_DIR ?= $(CURDIR)/.cache/jax

.PHONY: train test test-integrations lint benchmark clean

train: $(VENV)/.agents
	$(BIN)/python scripts/train.py $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -x -q -n 2 --dist loadfile $(ARGS)

# Long runs; learners that need torch, in an environment of their own; the adapters for Gymnasium with
# several of its versions.
test-integrations: $(VENV)/.integrations $(SB3_VENV)/.sb3 $(GYMNASIUMS:%=.cache/gymnasium-%)
	$(BIN)/python -m pytest -x -q -s -m integration $(ARGS)
	$(SB3_VENV)/bin/python -m pytest -x -q -m integration tests/test_integrations.py
	for version in $(GYMNASIUMS); do \
		PYTHONPATH=.cache/gymnasium-$$version \
		$(BIN)/python -m pytest -x -q tests/test_gymnasium.py tests/test_spatial_gym.py || exit 1; \
	done

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

benchmark: $(VENV)/.dev
	$(BIN)/python scripts/benchmark.py $(ARGS)

clean:
	rm -rf $(VENV) $(SB3_VENV) .cache build dist

# A stamp a set of extras: installed again when pyproject.toml changes.
$(VENV)/.agents $(VENV)/.dev $(VENV)/.integrations: $(VENV)/.%: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --editable '.[$*]'
	touch $@

$(SB3_VENV)/.sb3: pyproject.toml
	$(PYTHON) -m venv $(SB3_VENV)
	$(SB3_VENV)/bin/python $(PIP_INSTALL) --editable '.[render,sb3]' pytest
	touch $@

.cache/gymnasium-newest: | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --no-deps --target $@ gymnasium

.cache/gymnasium-%: | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --no-deps --target $@ 'gymnasium==$*.*'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

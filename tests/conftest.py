"""Settings for all tests: strict dtypes and ranks, a compilation cache that outlives the run."""

import json
import os
import sys
from pathlib import Path

import jax
import pytest

from agents.paths import PUBLISHED, ROOT

sys.path.insert(0, str(Path(__file__).parent))

cache = os.environ.get("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".cache" / "jax"))
jax.config.update("jax_compilation_cache_dir", cache)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_numpy_dtype_promotion", "strict")


@pytest.fixture(scope="module")
def standard_promotion():
    """Allow mixed dtypes: optax does not run under the strict rules of the other tests."""
    with jax.numpy_dtype_promotion("standard"):
        yield


@pytest.fixture(scope="session")
def published_raw():
    """Return the 500 published test puzzles as in the file, or skip where they are not at hand."""
    if not PUBLISHED.exists():
        pytest.skip("the published puzzles (../shared/data/sparc/test.jsonl) are not here")
    return [json.loads(line) for line in PUBLISHED.read_text().splitlines()]


@pytest.fixture(scope="session")
def published(published_raw):
    """Return the published puzzles as the package loads them; skips as `published_raw` does."""
    from spatialjax import load_records

    return load_records(PUBLISHED)

"""Spatial-reasoning puzzles as pure JAX environments.

The public names below are loaded when first used, so that `import spatialjax` costs next to
nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spatialjax.api import available, make
    from spatialjax.data.sources import load_records
    from spatialjax.errors import PuzzleError
    from spatialjax.sliding.generate import generate_sliding
    from spatialjax.solvers.exhaustive import solve, solve_many
    from spatialjax.solvers.sliding_astar import solve_sliding
    from spatialjax.witness.check import check_path
    from spatialjax.witness.device_generator import GeneratorConfig, generate_params
    from spatialjax.witness.difficulty import difficulty
    from spatialjax.witness.generator import generate

__version__ = "0.1.0"

_HOMES = {
    "GeneratorConfig": "spatialjax.witness.device_generator",
    "PuzzleError": "spatialjax.errors",
    "available": "spatialjax.api",
    "check_path": "spatialjax.witness.check",
    "difficulty": "spatialjax.witness.difficulty",
    "generate": "spatialjax.witness.generator",
    "generate_params": "spatialjax.witness.device_generator",
    "generate_sliding": "spatialjax.sliding.generate",
    "load_records": "spatialjax.data.sources",
    "make": "spatialjax.api",
    "solve": "spatialjax.solvers.exhaustive",
    "solve_many": "spatialjax.solvers.exhaustive",
    "solve_sliding": "spatialjax.solvers.sliding_astar",
}

__all__ = [
    "GeneratorConfig",
    "PuzzleError",
    "__version__",
    "available",
    "check_path",
    "difficulty",
    "generate",
    "generate_params",
    "generate_sliding",
    "load_records",
    "make",
    "solve",
    "solve_many",
    "solve_sliding",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spatialjax' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

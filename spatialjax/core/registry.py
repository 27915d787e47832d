"""Environments by id: `register`, `make`, `available`."""

import difflib
from collections.abc import Callable
from typing import Any

from spatialjax.core.environment import Environment

Factory = Callable[..., tuple[Environment, Any]]

_FACTORIES: dict[str, Factory] = {}


def register(env_id: str, factory: Factory) -> None:
    """Register a factory that returns `(env, params)`; an id can be taken once.

    Raises:
      ValueError: if the id is taken.
    """
    if env_id in _FACTORIES:
        raise ValueError(f"environment id {env_id!r} is taken; choose another one")
    _FACTORIES[env_id] = factory


def available() -> list[str]:
    """Return the registered ids, sorted."""
    return sorted(_FACTORIES)


def make(env_id: str, **options: Any) -> tuple[Environment, Any]:
    """Make an environment and its `params`; the options are those of its factory.

    Raises:
      ValueError: if the id or an option is unknown, or an option's value is not allowed.
    """
    if env_id not in _FACTORIES:
        close = difflib.get_close_matches(str(env_id), _FACTORIES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"available: {', '.join(available())}"
        raise ValueError(f"no environment {env_id!r}; {hint}")
    return _FACTORIES[env_id](**options)

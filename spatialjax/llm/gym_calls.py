"""Calls of Gym-style environments of any age, in one form."""

from collections.abc import Mapping
from typing import Any


def observation_of(result: Any) -> Any:
    """Return the observation that a `reset` returned, with info or without."""
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], Mapping):
        return result[0]
    return result


def unpack_step(result: Any) -> tuple[Any, float, bool, bool, Any]:
    """Return what a `step` returned as observation, reward, terminated, truncated and info.

    Raises:
      TypeError: if that is no tuple of 4 or 5.
    """
    if not isinstance(result, tuple | list) or len(result) not in (4, 5):
        shape = f"{len(result)} values" if isinstance(result, tuple | list) else repr(result)
        raise TypeError(
            f"step returned {shape}; it must return (observation, reward, done, info) or "
            "(observation, reward, terminated, truncated, info)"
        )
    obs, reward, terminated, *truncated, info = result
    return obs, float(reward), bool(terminated), any(map(bool, truncated)), info


def close(env: Any) -> None:
    """Close an environment that can be closed."""
    function = getattr(env, "close", None)
    if callable(function):
        function()

"""Checks of the options that an environment is made with: one sentence per fault."""

import difflib
from collections.abc import Mapping
from typing import Any

_INT32_MAX = 2**31 - 1


def require_one_of(option: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise ValueError unless the value is one of those allowed."""
    if not isinstance(value, str) or value not in allowed:
        close = difflib.get_close_matches(str(value), allowed, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"it must be one of {allowed}"
        raise ValueError(f"{option} is {value!r}; {hint}")


def named(option: str, value: Any, table: Mapping[str, Any]) -> Any:
    """Return what a name stands for in a table; what is no text stands for itself.

    Raises:
      ValueError: if the table has no such name.
    """
    if not isinstance(value, str):
        return value
    require_one_of(option, value, tuple(table))
    return table[value]


def require_positive(option: str, value: Any) -> None:
    """Raise ValueError unless the value is a whole number from 1 that counters in int32 reach."""
    if type(value) is not int or not 1 <= value <= _INT32_MAX:
        raise ValueError(f"{option} is {value!r}; it must be a whole number from 1 to {_INT32_MAX}")


def require_callable(option: str, value: Any) -> None:
    """Raise ValueError unless the value can be called."""
    if not callable(value):
        raise ValueError(f"{option} is {value!r}; it must be a function or a name")

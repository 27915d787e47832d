"""Checked conversion of raw values (JSON, Arrow, NumPy) to plain Python, one sentence per fault."""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from spatialjax.errors import PuzzleError

_SHOWN = 80  # characters of a bad value that an error message repeats
_MAX_ID = 256  # characters; ids are stored in fixed-width arrays


def fail(where: str, field: str, value: object, wanted: str) -> NoReturn:
    """Raise the PuzzleError that names place, field, value and what would be right."""
    raise PuzzleError(f"{where}: {field} is {shown(value)}; it must be {wanted}")


def shown(value: object) -> str:
    """Return the value's repr, shortened; never raises, whatever the value is."""
    try:
        text = repr(value)
    except Exception:  # huge ints, deep nesting and foreign objects can all break repr
        return f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def as_int(value: object, where: str, field: str, low: int, high: int) -> int:
    """Return a Python int in [low, high]; booleans and floats are refused."""
    wanted = f"a whole number from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        fail(where, field, value, wanted)
    if not low <= value <= high:
        fail(where, field, value, wanted)
    return int(value)


def as_whole(value: object, where: str, field: str, low: int, high: int) -> int:
    """Return a Python int in [low, high], also of a float without a fraction."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return as_int(int(value), where, field, low, high)
    return as_int(value, where, field, low, high)


def as_float(value: object, where: str, field: str, low: float, high: float) -> float:
    """Return a Python float in [low, high]; NaN, infinities and booleans are refused."""
    wanted = f"a number from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        fail(where, field, value, wanted)
    if not low <= value <= high:  # also true for NaN
        fail(where, field, value, wanted)
    return float(value)


def as_text(value: object, where: str, field: str) -> str:
    """Return a plain str."""
    if not isinstance(value, str):
        fail(where, field, value, "a string")
    return str(value)


def as_id(value: object, where: str, field: str) -> str:
    """Return a plain str that can name a puzzle."""
    wanted = f"non-empty printable text of at most {_MAX_ID} characters"
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        fail(where, field, value, wanted)
    if len(value) > _MAX_ID:
        fail(where, field, value, wanted)
    return str(value)


def as_list(value: object, where: str, field: str, wanted: str = "a list") -> list[Any]:
    """Return a list from a list, a tuple or a NumPy array with at least one axis."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return list(value)
    if not isinstance(value, (list, tuple)):
        fail(where, field, value, wanted)
    return list(value)


def as_mapping(value: object, where: str, field: str, wanted: str = "an object") -> Mapping:
    """Return the value if it is a mapping."""
    if not isinstance(value, Mapping):
        fail(where, field, value, wanted)
    return value


def parse_json(text: str, where: str, field: str, wanted: str) -> Any:
    """Parse JSON text; refuses NaN, infinities and a key that an object holds twice."""

    def refuse(constant: str) -> NoReturn:
        fail(where, field, constant, f"{wanted}; JSON has no such number")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = sorted(key for key in entries if keys.count(key) > 1)
            fail(where, f"{field} key", twice[0], "there at most once in its object")
        return entries

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except PuzzleError:
        raise
    except json.JSONDecodeError as error:
        line = f"line {error.lineno} " if "\n" in text else ""
        fail(where, field, text, f"{wanted}; {error.msg} at {line}column {error.colno}")
    except (ValueError, RecursionError) as error:  # a number or a nesting beyond Python's limits
        fail(where, field, text, f"{wanted}; {error}")


def check_capacity(capacity: object, meaning: str) -> tuple[int, int]:
    """Return the capacity if it is a pair of positive integers, else raise ValueError."""
    sides = capacity if isinstance(capacity, tuple | list) else ()
    if len(sides) != 2 or not all(type(side) is int and side > 0 for side in sides):
        raise ValueError(f"capacity is {capacity!r}; it must be {meaning}")
    return sides[0], sides[1]

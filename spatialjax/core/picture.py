"""What the pictures of every puzzle family share, without Pillow."""

import importlib
import operator
from types import ModuleType
from typing import Any

RGB = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

SIZES = range(32, 4097)
"""Allowed sides in pixels: below, symbols run together; above, drawing takes gigabytes."""


def checked_pixels(name: str, value: Any, side: str) -> int:
    """Return a number of pixels as an int; ValueError unless it is whole and in `SIZES`.

    `name` and `side` say in the error what the value is and which side of the picture it sets.
    """
    wanted = f"it must be an integer from {SIZES.start} to {SIZES.stop - 1} (pixels of the {side})"
    try:
        pixels = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} = {value!r} is not an integer; {wanted}.") from None
    if pixels not in SIZES:
        raise ValueError(f"{name} = {pixels} is out of range; {wanted}.")
    return pixels


def load_drawing(module: str) -> ModuleType:
    """Import a module that needs Pillow; ImportError with the remedy where Pillow is missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "PIL":
            raise
        raise ImportError(
            "Drawing a puzzle needs Pillow, which is missing: pip install 'spatialjax[render]'."
        ) from error

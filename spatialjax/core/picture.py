"""What the pictures of every puzzle family share, without Pillow."""

import importlib
import operator
from types import ModuleType
from typing import Any

RGB = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

BLACK: RGB = (0, 0, 0)
WHITE: RGB = (255, 255, 255)

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


def readable_on(color: RGB) -> RGB:
    """Return black or white, whichever stands out more from a colour."""
    red, green, blue = color
    return BLACK if 0.299 * red + 0.587 * green + 0.114 * blue > 128 else WHITE


PLAIN = "\x1b[0m"
"""The escape sequence that ends a colour."""


def on_ground(color: RGB) -> str:
    """Return the escape sequence after which a terminal of 256 colours writes on this ground."""
    return f"\x1b[48;5;{_palette(color)};38;5;{_palette(readable_on(color))}m"


def _palette(color: RGB) -> int:
    """Return the nearest colour of the 6 x 6 x 6 cube that terminals with 256 colours have."""
    # Its levels are 0, 95, 135, 175, 215 and 255.
    red, green, blue = (0 if part < 48 else max(1, (part - 35) // 40) for part in color)
    return 16 + 36 * red + 6 * green + blue

"""Words for geoms, cells and directions, as commands, texts and config files use them.

A geom is named by colour and shape, `red cube`, a tile by its number, `tile 7`; a cell by the
letter of its column and the number of its row, `A1` at the bottom left.
"""

import re

from spatialjax.sliding.types import COLORS, SHAPES, Direction

Point = tuple[int, int]

TILE_SHAPE = "tile"
"""Shape of every geom of a sliding tile puzzle."""

SYNONYMS = {"square": "cube", "circle": "sphere", "triangle": "pyramid", "hexagon": "cylinder"}
"""What shapes are called where the board is drawn flat."""

DIRECTIONS = {direction.name.lower(): direction for direction in Direction}

_CELL = re.compile(r"([a-z])([1-9][0-9]?)")
_NUMBER = re.compile(r"0*([1-9][0-9]?)")


def geom_name(shape: str, color: str, slot: int) -> str:
    """Name the geom of a slot; tiles are numbered from 1 in the order of their slots."""
    return f"{TILE_SHAPE} {slot + 1}" if shape == TILE_SHAPE else f"{color} {shape}"


def read_geom(first: str, second: str, size: int) -> str | None:
    """Read two words in lower case as the name of a geom; None if no geom is called so.

    A tile's number must be one that a board of this size can have.
    """
    if first == TILE_SHAPE:
        number = _NUMBER.fullmatch(second)
        if number and int(number[1]) < size * size:
            return f"{TILE_SHAPE} {number[1]}"
        return None
    shape = SYNONYMS.get(second, second)
    return f"{first} {shape}" if first in COLORS and shape in SHAPES else None


def cell_name(point: Point) -> str:
    """Name the cell [x, y]."""
    x, y = point
    return f"{chr(ord('A') + x)}{y + 1}"


def read_cell(word: str, size: int) -> Point | None:
    """Read the name of a cell in lower case; None if the board has no such cell."""
    match = _CELL.fullmatch(word)
    if not match:
        return None
    x, y = ord(match[1]) - ord("a"), int(match[2]) - 1
    return (x, y) if x < size and y < size else None

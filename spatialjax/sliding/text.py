"""Boards as text: a line a geom, its cell and its name, column by column from the bottom up.

A1 red cube
B1 blue sphere
"""

import re

from spatialjax.data.fields import fail
from spatialjax.sliding.board import Board
from spatialjax.sliding.names import Point, cell_name, read_cell, read_geom

_BLANKS = re.compile("[ \t]+")


def board_text(board: Board) -> str:
    """Write where the geoms stand; `board_text(board.at_goal())` writes where they belong."""
    placed = sorted(zip(board.positions, board.names, strict=True))
    return "\n".join(f"{cell_name(cell)} {name}" for cell, name in placed)


def read_line(line: str, size: int) -> tuple[str, Point] | None:
    """Read a line as the name and the cell of a geom; None if it is none.

    Upper and lower case are the same, and synonyms of shapes are understood.
    """
    match _BLANKS.split(line.strip().lower()):
        case [cell, first, second]:
            point, name = read_cell(cell, size), read_geom(first, second, size)
            return (name, point) if name and point else None
    return None


def read_text(text: str, size: int, where: str = "text") -> dict[str, Point]:
    """Read a text as the cell of every geom; blank lines are ignored.

    Raises:
      PuzzleError: a line that places no geom on a board of this size, or a geom or cell that
        comes twice.
    """
    cells: dict[str, Point] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        placed = read_line(line, size)
        if placed is None:
            example = f"a cell of {size}x{size} and a geom, such as 'A1 red cube'"
            fail(where, f"line {number}", line, example)
        name, cell = placed
        if name in cells or cell in cells.values():
            fail(where, f"line {number}", line, "a geom and a cell that no other line has")
        cells[name] = cell
    return cells

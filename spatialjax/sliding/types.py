"""Sliding puzzles as arrays: names and codes, one board, a pack of boards, one state.

A board has `size` x `size` cells. Its cell `[x, y]`, column from the left and row from the bottom,
both from 0, is the number `x + N * y`, with `N` the capacity of the pack and not the board's own
size. A geom is a slot of `G`, tile t the slot t - 1; slots past a board's own geoms hold -1.
"""

import enum

from jaxtyping import Array, Int8, Int32

from spatialjax.core.pytree import pytree

SHAPES = ("cube", "sphere", "cylinder", "pyramid", "cone", "prism")
"""Shapes of geoms by code. Tiles have the code `TILE`."""

TILE = len(SHAPES)

COLORS = ("red", "green", "blue", "yellow", "purple", "orange")
"""Colours by code. On a board no two geoms share shape and colour."""

MAX_SIZE = 8
"""Cells along the side of the largest board."""


class Direction(enum.IntEnum):
    """Where a geom slides by one cell."""

    LEFT = 0
    RIGHT = 1
    DOWN = 2
    UP = 3


DIRECTION_STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""(x, y) by which each direction moves a geom."""


class Result(enum.IntEnum):
    """What a command came to; the first five are the only ones an action can have."""

    ILLEGAL_COMMAND = 0
    NO_SUCH_GEOM = 1
    OUT_OF_BOUNDS = 2
    OCCUPIED = 3
    MOVED = 4
    DONE_WRONG = 5
    DONE_RIGHT = 6


@pytree
class Puzzle:
    """One board. In a pack every field has a leading axis `N`.

    Attributes:
      size: cells along its side.
      num_geoms: geoms on it.
      start, goal: cell of each geom, -1 in unused slots.
      shape, color: codes of each geom, index into `SHAPES` (or `TILE`) and `COLORS`, else -1.
      optimal_length: moves of a shortest solution, 0 if not known.
    """

    size: Int32[Array, ""]
    num_geoms: Int32[Array, ""]
    start: Int8[Array, " G"]
    goal: Int8[Array, " G"]
    shape: Int8[Array, " G"]
    color: Int8[Array, " G"]
    optimal_length: Int32[Array, ""]


@pytree
class Pack:
    """Boards stacked on a leading axis: the `params` of the environment.

    Attributes:
      puzzles: every field with a leading axis `N`.
      cells: the numbers of the cells of a board of full capacity, `[y, x]`; its shape is the
        capacity.
    """

    puzzles: Puzzle
    cells: Int8[Array, "h w"]


@pytree
class State:
    """One arrangement of the geoms of a board.

    Attributes:
      puzzle_index: row of the pack.
      position: cell of each geom, -1 in unused slots.
      moves: geoms moved so far.
    """

    puzzle_index: Int32[Array, ""]
    position: Int8[Array, " G"]
    moves: Int32[Array, ""]

"""Line puzzles as arrays: symbol and action codes, one puzzle, a pack of puzzles, one state.

A board of `width` x `height` cells lives on a lattice of `2 * width + 1` columns and
`2 * height + 1` rows. Arrays are indexed `[row, col]`; a *flat lattice index* is `row * W + col`
and a *flat cell index* `row * w + col`, with `W` and `w` the capacity of the pack, not the board's
own width.
"""

import enum

from jaxtyping import Array, Bool, Int8, Int32, UInt8, UInt16, UInt32

from spatialjax.core.pytree import pytree
from spatialjax.data.board import STEPS


class Action(enum.IntEnum):
    """One lattice step, in the order of the reference environment."""

    RIGHT = 0
    UP = 1
    LEFT = 2
    DOWN = 3


ACTION_STEPS = tuple((dy, dx) for dx, dy in STEPS)
"""(row, col) by which each action moves the line's head."""


class Kind:
    """What a cell holds. Plain integers, which take the dtype of the array they meet."""

    NONE = 0
    SQUARE = 1
    STAR = 2
    TRIANGLE = 3
    POLY = 4
    YLOP = 5


NUM_KINDS = 5


class Color:
    """Colours of symbols, numbered as the reference environment numbers them."""

    NONE = 0
    RED = 1
    BLUE = 2
    YELLOW = 3
    GREEN = 4
    BLACK = 5
    PURPLE = 6
    ORANGE = 7
    WHITE = 8


NUM_COLORS = 8


@pytree
class Puzzle:
    """One puzzle. In a pack every field has a leading axis `N`.

    Attributes:
      height, width: board size in cells; the rest of the capacity is padding.
      start, end: flat lattice indices.
      open_directions: bit `a` is set where the line may step by action `a`: the target is on the
        board and neither a gap nor a cell. Zero on cells, gaps and padding.
      dot, gap: the points that hold one. A dot hidden under start or end is set too.
      kind, color, count: codes of `Kind` and `Color`, and 1..4 for triangles, else 0.
      shape_cell: flat cell index of the polyomino in this slot, -1 for an unused slot.
      shape_sign: +1 poly, -1 ylop, 0 unused.
      shape_mask: bit `4 * y + x` is set where the shape, moved to the top left, is filled.
      shape_board: the same shape in the top left corner of a cell bitboard: bit `b % 32` of word
        `b // 32` is flat cell index `b`. All zero if the shape is larger than the board.
      shape_height, shape_width: extent of the shape in cells.
      level: difficulty 1..5, 0 if the record has none.
      optimal_length: moves of the shortest stored solution, 0 if none is stored.
    """

    height: Int32[Array, ""]
    width: Int32[Array, ""]
    start: Int32[Array, ""]
    end: Int32[Array, ""]
    open_directions: UInt8[Array, "H W"]
    dot: Bool[Array, "H W"]
    gap: Bool[Array, "H W"]
    kind: Int8[Array, "h w"]
    color: Int8[Array, "h w"]
    count: Int8[Array, "h w"]
    shape_cell: Int32[Array, " S"]
    shape_sign: Int8[Array, " S"]
    shape_mask: UInt16[Array, " S"]
    shape_board: UInt32[Array, "S 2"]
    shape_height: Int32[Array, " S"]
    shape_width: Int32[Array, " S"]
    level: Int32[Array, ""]
    optimal_length: Int32[Array, ""]


@pytree
class Trie:
    """The stored solutions of a pack as one forest; nodes are numbered over all its puzzles.

    Attributes:
      root: node of each puzzle's bare start point, -1 if the record stores no solution.
      child: node reached by each action, -1 where no stored solution goes.
      parent: node one move back, -1 at a root.
      complete: whether a stored solution ends here.
    """

    root: Int32[Array, " N"]
    child: Int32[Array, "nodes 4"]
    parent: Int32[Array, " nodes"]
    complete: Bool[Array, " nodes"]


@pytree
class Pack:
    """Puzzles stacked on a leading axis: the `params` of the environment.

    Attributes:
      puzzles: every field with a leading axis `N`.
      trie: the stored solutions of all of them.
      base_observation: what an observation shows of each puzzle before the line is drawn, in the
        form that the environment was made for (see `observations.py`).
    """

    puzzles: Puzzle
    trie: Trie
    base_observation: UInt8[Array, "N ..."]


@pytree
class State:
    """One line on one puzzle.

    Attributes:
      puzzle_index: row of the pack.
      position: flat lattice index of the line's head.
      visited: bit set over flat lattice indices: bit `i % 32` of word `i // 32`.
      path: the moves so far, two bits each: move `t` is bits `2 * (t % 16)` of word `t // 16`.
      length: number of moves in `path`.
      node: trie node of the longest prefix of the line that some stored solution begins with, -1 if
        none is stored.
      astray: moves made since that prefix; 0 while the line follows a stored solution.
    """

    puzzle_index: Int32[Array, ""]
    position: Int32[Array, ""]
    visited: UInt32[Array, " V"]
    path: UInt32[Array, " P"]
    length: Int32[Array, ""]
    node: Int32[Array, ""]
    astray: Int32[Array, ""]

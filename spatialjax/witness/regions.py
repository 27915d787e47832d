"""Regions: the connected components of cells that the line cuts the board into."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int8

from spatialjax.witness.types import Puzzle

PADDING = -1
"""Region of the cells beyond the board's own width and height."""

_UNREACHED = 127


def cell_regions(puzzle: Puzzle, visited: Bool[Array, "H W"]) -> Int8[Array, "h w"]:
    """Label each cell with the lowest flat index of a cell of its region, `PADDING` beyond the board.

    Two neighbouring cells share a region unless the midpoint between them is on the line; a gap does
    not separate. Labels spread one cell a round until nothing changes: at most `h * w` rounds, as
    every round but the last settles a cell.
    """
    h, w = puzzle.kind.shape
    row = lax.broadcasted_iota(jnp.int32, (h, w), 0)
    col = lax.broadcasted_iota(jnp.int32, (h, w), 1)
    on_board = (row < puzzle.height) & (col < puzzle.width)
    index = (row * w + col).astype(jnp.int8)
    open_right = ~line_right(visited) & on_board[:, 1:]
    open_down = ~line_below(visited) & on_board[1:, :]

    def spread(carry):
        label, _ = carry
        right = jnp.where(open_right, label[:, 1:], _UNREACHED)
        left = jnp.where(open_right, label[:, :-1], _UNREACHED)
        below = jnp.where(open_down, label[1:, :], _UNREACHED)
        above = jnp.where(open_down, label[:-1, :], _UNREACHED)
        sideways = jnp.minimum(_pad(right, (0, 0), (0, 1)), _pad(left, (0, 0), (1, 0)))
        upright = jnp.minimum(_pad(below, (0, 1), (0, 0)), _pad(above, (1, 0), (0, 0)))
        spread_label = jnp.minimum(label, jnp.minimum(sideways, upright))
        return spread_label, jnp.any(spread_label != label)

    label = jnp.where(on_board, index, _UNREACHED)
    label, _ = lax.while_loop(lambda carry: carry[1], spread, (label, jnp.any(on_board)))
    return jnp.where(on_board, label, PADDING)


def line_right(visited: Bool[Array, "H W"]) -> Bool[Array, "h w_minus_1"]:
    """Whether the line runs between cell (r, c) and its neighbour (r, c + 1)."""
    return visited[1::2, 2:-1:2]


def line_below(visited: Bool[Array, "H W"]) -> Bool[Array, "h_minus_1 w"]:
    """Whether the line runs between cell (r, c) and its neighbour (r + 1, c)."""
    return visited[2:-1:2, 1::2]


def _pad(label, rows, cols):
    return jnp.pad(label, (rows, cols), constant_values=_UNREACHED)

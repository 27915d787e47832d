"""Regions: the connected components of cells that the line cuts the board into."""

import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, Int8

from spatialjax.witness.types import Puzzle

PADDING = -1
"""Region of the cells beyond the board's own width and height."""

_WALL = 127


def cell_regions(puzzle: Puzzle, visited: Bool[Array, "H W"]) -> Int8[Array, "h w"]:
    """Label each cell with the lowest flat index of a cell of its region, `PADDING` off the board.

    Two neighbouring cells share a region unless the midpoint between them is on the line; a gap
    does not separate.
    """
    shape = puzzle.kind.shape
    row = lax.broadcasted_iota(jnp.int32, shape, 0)
    col = lax.broadcasted_iota(jnp.int32, shape, 1)
    on_board = (row < puzzle.height) & (col < puzzle.width)
    open_right = ~line_right(visited) & on_board[:, 1:]
    open_below = ~line_below(visited) & on_board[1:, :]
    return jnp.where(on_board, _lowest_labels(open_right, open_below), PADDING)


def line_right(visited: Bool[Array, "H W"]) -> Bool[Array, "h w_minus_1"]:
    """Whether the line runs between cell (r, c) and its neighbour (r, c + 1)."""
    return visited[1::2, 2:-1:2]


def line_below(visited: Bool[Array, "H W"]) -> Bool[Array, "h_minus_1 w"]:
    """Whether the line runs between cell (r, c) and its neighbour (r + 1, c)."""
    return visited[2:-1:2, 1::2]


@custom_vmap
def _lowest_labels(open_right, open_below):
    """Return the lowest flat index of a cell that can be reached from each cell."""
    return _flood(open_right[..., None], open_below[..., None])[..., 0]


@_lowest_labels.def_vmap
def _lowest_labels_of_lanes(size, is_batched, *sides):
    lanes = [
        jnp.moveaxis(side, 0, -1)
        if flag
        else jnp.broadcast_to(side[..., None], (*side.shape, size))
        for side, flag in zip(sides, is_batched, strict=True)
    ]
    return jnp.moveaxis(_flood(*lanes), -1, 0), True


def _flood(open_right, open_below):
    """Label the cells of many boards, which lie on the last axis: five times as fast as first.

    A round sweeps the labels right, left, down and up across the board, until nothing changes: at
    most as many rounds as there are cells, as each round but the last settles one.
    """
    h, w, lanes = open_right.shape[0], open_below.shape[1], open_right.shape[2:]
    index = jnp.arange(h * w, dtype=jnp.int8).reshape(h, w, *[1] * len(lanes))
    wall_right, wall_below = (
        jnp.where(is_open, 0, _WALL).astype(jnp.int8) for is_open in (open_right, open_below)
    )

    def round_(carry):
        label, _ = carry
        swept = _sweep(_sweep(label, wall_right, 1), wall_below, 0)
        return swept, jnp.any(swept != label)

    start = jnp.broadcast_to(index, (h, w, *lanes))
    return lax.while_loop(lambda carry: carry[1], round_, (start, jnp.array(True)))[0]


def _sweep(label, wall, axis):
    """Carry the lowest label along each open stretch of the lines along an axis, forth and back."""
    num_walls = wall.shape[axis]

    # A loop, as it compiles and even runs in half the time of the same steps one after another.
    def pass_wall(step, label):
        is_forth = step < num_walls
        at = jnp.where(is_forth, step, 2 * num_walls - 1 - step)
        source, target = jnp.where(is_forth, at, at + 1), jnp.where(is_forth, at + 1, at)
        # A label with all bits set is larger than any.
        carried = lax.dynamic_index_in_dim(label, source, axis) | lax.dynamic_index_in_dim(
            wall, at, axis
        )
        lowest = jnp.minimum(lax.dynamic_index_in_dim(label, target, axis), carried)
        return lax.dynamic_update_slice_in_dim(label, lowest, target, axis)

    return lax.fori_loop(0, 2 * num_walls, pass_wall, label) if num_walls else label

"""Polyominoes: the shapes of a region, positive and negative, fit it exactly."""

from functools import partial

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool

from spatialjax.core.compaction import compacted
from spatialjax.witness.regions import line_below, line_right
from spatialjax.witness.rules._cells import cells_on_lattice
from spatialjax.witness.rules._fit import Shapes, find_unfit
from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Puzzle

MAX_STEPS = 1 << 20
"""Search steps for one line over one board, all regions together, before its verdict is undecided."""

_LANES = 16
"""Lanes of a batch that search side by side; few lines get past the count of cells."""


def broken_polyominoes(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Every poly and ylop of a region that the region's shapes do not fit.

    A region that the search leaves undecided counts as broken; `judge_polyominoes` tells them apart.
    """
    return judge_polyominoes(puzzle, trace)[0]


def judge_polyominoes(
    puzzle: Puzzle, trace: Trace, is_wanted: Bool[Array, ""] | bool = True
) -> tuple[Bool[Array, "H W"], Bool[Array, ""]]:
    """Return the polys and ylops of regions that do not fit, and whether any region is undecided.

    The search runs only where `is_wanted`; elsewhere the count of cells alone decides.
    """
    h, w = puzzle.kind.shape
    used = puzzle.shape_sign != 0
    region = trace.region.ravel()
    label = region[jnp.maximum(puzzle.shape_cell, 0)]
    same = (label[:, None] == label[None, :]) & used[:, None] & used[None, :]
    inside = (label[:, None] == region[None, :]) & used[:, None]

    num_cells = lax.population_count(puzzle.shape_mask).astype(jnp.int32)
    signed = num_cells * puzzle.shape_sign
    net = jnp.sum(jnp.where(same, signed[None, :], 0), axis=1)
    size = jnp.sum(inside, axis=1, dtype=jnp.int32)
    has_room = jnp.any(puzzle.shape_board != 0, axis=1)
    all_have_room = jnp.all(has_room[None, :] | ~same, axis=1)
    # Polys and ylops of one area cancel to zero, and zero without polys would take ylops of no area.
    may_fit = used & all_have_room & ((net == size) | (net == 0))

    search = compacted(partial(_search, stride=w, max_steps=MAX_STEPS), _LANES)
    unfit, undecided = search(
        jnp.any(may_fit) & is_wanted, puzzle, trace.visited, region, may_fit, net == 0
    )
    broken = used & (~may_fit | unfit | undecided)
    cell = jnp.where(used, puzzle.shape_cell, h * w)
    cells = jnp.zeros(h * w, bool).at[cell].max(broken, mode="drop")
    return cells_on_lattice(cells.reshape(h, w)), jnp.any(undecided)


def _search(puzzle, visited, region, may_fit, cancels, *, stride, max_steps):
    """Search the regions of the marked slots; return the slots that do not fit and those undecided."""
    h, w = puzzle.kind.shape
    used = puzzle.shape_sign != 0
    label = region[jnp.maximum(puzzle.shape_cell, 0)]
    same = (label[:, None] == label[None, :]) & used[:, None] & used[None, :]
    inside = (label[:, None] == region[None, :]) & used[:, None]

    # Two neighbours with one label and the line between them: the line ends inside their region.
    label_of = region.reshape(h, w)
    right = line_right(visited) & (label_of[:, 1:] == label_of[:, :-1])
    below = line_below(visited) & (label_of[1:, :] == label_of[:-1, :])
    right = jnp.pad(right, ((0, 0), (0, 1))).ravel()
    below = jnp.pad(below, ((0, 1), (0, 0))).ravel()

    slot = jnp.arange(used.shape[0], dtype=jnp.int32)
    alike = (puzzle.shape_mask[:, None] == puzzle.shape_mask[None, :]) & (
        puzzle.shape_sign[:, None] == puzzle.shape_sign[None, :]
    )
    shape = puzzle.shape_board.T
    lowest = shape[0] & (~shape[0] + 1)
    shapes = Shapes(
        board=_pack(region >= 0),
        shape=shape,
        first_col=31 - lax.clz(jnp.maximum(lowest, 1)).astype(jnp.int32),
        height=puzzle.shape_height,
        width=puzzle.shape_width,
        is_ylop=puzzle.shape_sign < 0,
        same=same,
        twin=same & alike & (slot[None, :] < slot[:, None]),
        target=jnp.where(cancels, jnp.uint32(0), _pack(inside)),
        split_right=_pack(inside & right[None, :]),
        split_below=_pack(inside & below[None, :]),
        num_rows=puzzle.height,
        num_cols=puzzle.width,
    )
    return find_unfit(shapes, may_fit, stride, max_steps)


def _pack(cells):
    """Pack a set of cells, flat on the last axis, into words on a new leading axis."""
    num_cells = cells.shape[-1]
    padding = [(0, 0)] * (cells.ndim - 1) + [(0, 64 - num_cells)]
    words = jnp.pad(cells, padding).reshape(*cells.shape[:-1], 2, 32)
    bit = jnp.uint32(1) << jnp.arange(32, dtype=jnp.uint32)
    packed = jnp.sum(jnp.where(words, bit, jnp.uint32(0)), axis=-1, dtype=jnp.uint32)
    return jnp.moveaxis(packed, -1, 0)

"""Polyominoes: the shapes of a region, positive and negative, fit it exactly."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool

from spatialjax.core.compaction import compacted
from spatialjax.witness.regions import line_below, line_right
from spatialjax.witness.rules._cells import cells_on_lattice
from spatialjax.witness.rules._fit import Fit, find_unfit
from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Puzzle

MAX_STEPS = 1 << 20
"""Search steps for one line, over all regions, after which its verdict is undecided."""

_LANES = 16
"""Lanes of a batch that search side by side; few lines pass the count of cells."""

_SIDE = 4
"""Rows and columns of a shape mask."""


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
    signed = num_cells * puzzle.shape_sign.astype(jnp.int32)
    net = jnp.sum(jnp.where(same, signed[None, :], 0), axis=1)
    size = jnp.sum(inside, axis=1, dtype=jnp.int32)
    too_large = (puzzle.shape_height > puzzle.height) | (puzzle.shape_width > puzzle.width)
    # A ylop without a poly has a net below zero, so the two counts refuse it too.
    may_fit = used & ((net == size) | (net == 0)) & ~jnp.any(same & too_large[None, :], axis=1)

    unfit, undecided = compacted(_search, _LANES)(
        jnp.any(may_fit) & is_wanted, puzzle, trace, label, may_fit, net == 0
    )
    broken = used & (~may_fit | unfit | undecided)
    cell = jnp.arange(h * w, dtype=jnp.int32)
    cells = jnp.any((puzzle.shape_cell[:, None] == cell[None, :]) & broken[:, None], axis=0)
    return cells_on_lattice(cells.reshape(h, w)), jnp.any(undecided)


def _search(puzzle, trace, label, may_fit, cancels):
    """Search the regions of the marked slots; return the slots that do not fit, those undecided."""
    slot = jnp.arange(may_fit.shape[0], dtype=jnp.int32)
    mask, sign = puzzle.shape_mask, puzzle.shape_sign
    alike = (mask[:, None] == mask[None, :]) & (sign[:, None] == sign[None, :])
    region = trace.region.ravel()
    covers, is_possible = _placements(puzzle, trace, label)
    is_ylop = sign < 0
    fit = Fit(
        cover=(covers ^ is_ylop[None, :, None]) & (region >= 0)[None, None, :],
        is_possible=is_possible,
        is_ylop=is_ylop,
        twin=alike & (label[:, None] == label[None, :]) & (slot[None, :] < slot[:, None]),
        label=label,
        cancels=cancels,
        region=region,
    )
    return find_unfit(fit, may_fit, MAX_STEPS)


def _placements(puzzle, trace, label):
    """Return which cells each shape covers when its first filled cell is at each cell, and
    whether it may lie there: on the board, and no poly across the line within its own region.
    """
    h, w = puzzle.kind.shape
    num_slots = puzzle.shape_sign.shape[0]
    mask = puzzle.shape_mask.astype(jnp.int32)
    # The top row of a mask is never empty, so a shape's first filled cell is its lowest bit.
    first_col = lax.population_count((mask & -mask) - 1)
    cell = jnp.arange(h * w, dtype=jnp.int32)
    top = (cell // w)[:, None]
    left = (cell % w)[:, None] - first_col[None, :]
    is_possible = (
        (left >= 0)
        & (left + puzzle.shape_width[None, :] <= puzzle.width)
        & (top + puzzle.shape_height[None, :] <= puzzle.height)
    )
    row = (cell // w)[None, None, :] - top[:, :, None]
    col = (cell % w)[None, None, :] - left[:, :, None]
    in_mask = (row >= 0) & (row < _SIDE) & (col >= 0) & (col < _SIDE)
    bit = jnp.where(in_mask, _SIDE * row + col, _SIDE * _SIDE)
    covers = (mask[None, :, None] >> bit) & 1 == 1

    # Where the line ends inside a region, two neighbours of it have the line between them.
    inside = label[:, None] == trace.region.ravel()[None, :]
    own = (covers & inside[None]).reshape(h * w, num_slots, h, w)
    right = own[..., :-1] & own[..., 1:] & line_right(trace.visited)[None, None]
    below = own[..., :-1, :] & own[..., 1:, :] & line_below(trace.visited)[None, None]
    crosses = jnp.any(right, axis=(2, 3)) | jnp.any(below, axis=(2, 3))
    return covers, is_possible & ((puzzle.shape_sign < 0)[None, :] | ~crosses)

"""Polyominoes: the shapes of a region, positive and negative, fit it exactly."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool

from spatialjax.core.compaction import compacted
from spatialjax.witness.lattice import cells_on_lattice
from spatialjax.witness.regions import line_below, line_right
from spatialjax.witness.rules._fit import Fit, find_unfit
from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Puzzle

MAX_STEPS = 1 << 20
"""Search steps for one line, over all regions, after which its verdict is undecided."""

_LANES = 32
"""Lanes of a batch that search side by side; few lines pass the count of cells."""


def broken_polyominoes(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Every poly and ylop of a region that the region's shapes do not fit.

    An undecided region counts as broken; `judge_polyominoes` tells them apart.
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
    net = jnp.sum(jnp.where(same, signed[None, :], 0), axis=1, dtype=jnp.int32)
    size = jnp.sum(inside, axis=1, dtype=jnp.int32)
    too_large = (puzzle.shape_height > puzzle.height) | (puzzle.shape_width > puzzle.width)
    # A ylop without a poly has a net below zero, so the two counts refuse it too.
    may_fit = used & ((net == size) | (net == 0)) & ~jnp.any(same & too_large[None, :], axis=1)

    unfit, undecided = compacted(_search, _LANES)(
        jnp.any(may_fit) & is_wanted, puzzle, trace, label, may_fit, net == 0
    )
    slot = jnp.arange(used.shape[0], dtype=jnp.uint32)
    broken = used & (~may_fit | ((unfit | undecided) >> slot & 1 == 1))
    cell = jnp.arange(h * w, dtype=jnp.int32)
    cells = jnp.any((puzzle.shape_cell[:, None] == cell[None, :]) & broken[:, None], axis=0)
    return cells_on_lattice(cells.reshape(h, w)), undecided != 0


def _search(puzzle, trace, label, may_fit, cancels):
    """Search the regions of the marked slots; return the slots that do not fit, those undecided."""
    mask, sign = puzzle.shape_mask, puzzle.shape_sign
    region = trace.region.ravel()
    mates = (label[:, None] == label[None, :]) & may_fit[None, :]
    slot = jnp.arange(may_fit.shape[0], dtype=jnp.int32)
    twins = mates & (mask[:, None] == mask[None, :]) & (sign[:, None] == sign[None, :])
    inside = label[:, None] == region[None, :]
    board = _pack_cells(region >= 0)
    covers, is_possible = _placements(puzzle, trace, _pack_cells(inside))
    fit = Fit(
        cover=jnp.where((sign < 0)[None, :, None], board[None, None] & ~covers, covers),
        is_possible=is_possible,
        mates=_pack_slots(mates),
        twins=_pack_slots(twins & (slot[None, :] < slot[:, None])),
        target=_pack_cells(inside & ~cancels[:, None]),
        ylops=_pack_slots(sign < 0),
        board=board,
    )
    return find_unfit(fit, _pack_slots(may_fit), MAX_STEPS)


def _placements(puzzle, trace, inside):
    """Return which cells each shape covers when its first filled cell is at each cell, and
    whether it may lie there: on the board, and no poly across the line within its own region.
    """
    h, w = puzzle.kind.shape
    # The top row of a shape is never empty, so its first filled cell is its lowest bit.
    mask = puzzle.shape_mask
    first_col = lax.population_count(~mask & (mask - 1)).astype(jnp.int32)
    cell = jnp.arange(h * w, dtype=jnp.int32)
    top = (cell // w)[:, None]
    left = (cell % w)[:, None] - first_col[None, :]
    on_board = (
        (left >= 0)
        & (left + puzzle.shape_width[None, :] <= puzzle.width)
        & (top + puzzle.shape_height[None, :] <= puzzle.height)
    )
    covers = _shift_up(puzzle.shape_board[None], jnp.where(on_board, top * w + left, 0))

    # Where the line ends inside a region, two neighbours of it have the line between them.
    split_right = _pack_cells(jnp.pad(line_right(trace.visited), ((0, 0), (0, 1))).ravel())
    split_below = _pack_cells(jnp.pad(line_below(trace.visited), ((0, 1), (0, 0))).ravel())
    own = covers & inside[None]
    to_right = _shift_down(own, 1) & split_right[None, None]
    to_below = _shift_down(own, w) & split_below[None, None]
    crosses = jnp.any(own & (to_right | to_below) != 0, axis=-1)
    return covers, on_board & ((puzzle.shape_sign < 0)[None, :] | ~crosses)


def _shift_up(cells, amount):
    """Move sets of cells up by 0 to 63 places, each by its own amount."""
    low, high = cells[..., 0], cells[..., 1]
    within = (amount % 32).astype(jnp.uint32)
    # Two shifts, as a shift by the full width of a word is undefined.
    carried = (low >> 1) >> (31 - within)
    is_far = amount >= 32
    new_low = jnp.where(is_far, jnp.uint32(0), low << within)
    new_high = jnp.where(is_far, low << within, (high << within) | carried)
    return jnp.stack([new_low, new_high], axis=-1)


def _shift_down(cells, amount):
    """Move sets of cells down by a fixed amount of 1 to 31 places."""
    low, high = cells[..., 0], cells[..., 1]
    return jnp.stack([(low >> amount) | (high << (32 - amount)), high >> amount], axis=-1)


def _pack_cells(cells):
    """Pack sets of cells, flat on the last axis, into two words each."""
    padding = [(0, 0)] * (cells.ndim - 1) + [(0, 64 - cells.shape[-1])]
    return _pack_slots(jnp.pad(cells, padding).reshape(*cells.shape[:-1], 2, 32))


def _pack_slots(slots):
    """Pack sets of slots, at most 32 on the last axis, into a word each."""
    bit = jnp.uint32(1) << jnp.arange(slots.shape[-1], dtype=jnp.uint32)
    return jnp.sum(jnp.where(slots, bit, jnp.uint32(0)), axis=-1, dtype=jnp.uint32)

"""Exact search: do the polyominoes of a region fit it?

A placement of all shapes of a region fits when, for every cell of the board,

    polys covering it  =  (1 if it lies in the region)  +  ylops covering it.

Give every cell a counter, (1 if in the region) + (number of ylops). A placed poly takes one from
each cell it covers, a placed ylop one from each cell it does not cover. A fit is then a placement
that brings every counter to exactly zero, and no counter may pass below zero on the way: an exact
cover with multiplicities, in which a ylop is the complement of its shape.

The search walks over (cell, shape) pairs, cells in reading order and ylops before polys. At each
pair it first places the shape with its first filled cell there, and later leaves it out. When the
walk leaves a cell, no shape to come can reach it, so the cell's equation must hold by then. The
shape placed last is always the largest pair, so the place of each shape is all the stack there is.
One loop serves the regions of a board one after another and never opens a decided one again.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int8, Int32


_NO_LABEL = 127


class Fit(NamedTuple):
    """The shapes of one board and the regions they must fill; `C` cells, `S` slots of shapes.

    Attributes:
      cover: cells that lose one when the shape of a slot has its first filled cell at a cell.
      is_possible: whether the shape may lie there at all.
      is_ylop: sign of the shape.
      twin: whether two slots of one region, the second lower, hold the same shape and sign.
      label: region of each slot.
      cancels: whether the shapes of the slot's region are to cancel rather than to fill it.
      region: region of each cell, negative beyond the board.
    """

    cover: Bool[Array, "C S C"]
    is_possible: Bool[Array, "C S"]
    is_ylop: Bool[Array, " S"]
    twin: Bool[Array, "S S"]
    label: Int8[Array, " S"]
    cancels: Bool[Array, " S"]
    region: Int8[Array, " C"]


class _Search(NamedTuple):
    """Loop carry: the region being filled, the cursor, and what is decided so far.

    A ylop's rank is its slot, a poly's its slot plus S, so that `rank % S` is the slot.

    Attributes:
      pending: slots whose region is not decided yet.
      member: slots of the region being filled.
      unfit: slots of regions found not to fit.
      counter: what each cell still has to lose.
      num_ylops: ylops not yet placed.
      placed: `cell * 2 S + rank` of each placed slot, else -1.
      cell, rank: the next pair to try.
      steps: steps so far, over all regions.
    """

    pending: Bool[Array, " S"]
    member: Bool[Array, " S"]
    unfit: Bool[Array, " S"]
    counter: Int8[Array, " C"]
    num_ylops: Int32[Array, ""]
    placed: Int32[Array, " S"]
    cell: Int32[Array, ""]
    rank: Int32[Array, ""]
    steps: Int32[Array, ""]


def find_unfit(
    fit: Fit, wanted: Bool[Array, " S"], max_steps: int
) -> tuple[Bool[Array, " S"], Bool[Array, " S"]]:
    """Return the wanted slots whose region cannot be filled, and those left undecided.

    `wanted` marks all slots of some regions. A step places a shape, takes one back, or moves on to
    another cell; what is not decided after `max_steps` stays undecided.
    """
    num_slots, num_cells = wanted.shape[0], fit.region.shape[0]
    nothing = jnp.zeros((), jnp.int32)
    # A region without shapes and cells to cover: the first step finds it filled and opens another.
    state = _Search(
        pending=wanted,
        member=jnp.zeros(num_slots, bool),
        unfit=jnp.zeros(num_slots, bool),
        counter=jnp.zeros(num_cells, jnp.int8),
        num_ylops=nothing,
        placed=jnp.full(num_slots, -1, jnp.int32),
        cell=nothing,
        rank=nothing,
        steps=nothing,
    )
    state = lax.while_loop(
        lambda s: jnp.any(s.pending) & (s.steps < max_steps), lambda s: _step(fit, s), state
    )
    return state.unfit, state.pending


def _open_region(fit: Fit, s: _Search) -> _Search:
    """Begin with the pending region of the lowest label."""
    label = jnp.min(jnp.where(s.pending, fit.label, _NO_LABEL))
    member = s.pending & (fit.label == label)
    num_ylops = jnp.sum(member & fit.is_ylop, dtype=jnp.int32)
    is_target = (fit.region == label) & ~jnp.any(member & fit.cancels)
    counter = num_ylops.astype(jnp.int8) + is_target.astype(jnp.int8)
    nothing = jnp.zeros((), jnp.int32)
    return s._replace(
        member=member,
        counter=jnp.where(fit.region >= 0, counter, 0),
        num_ylops=num_ylops,
        placed=jnp.full(member.shape[0], -1, jnp.int32),
        cell=nothing,
        rank=nothing,
    )


def _step(fit: Fit, s: _Search) -> _Search:
    num_slots, num_cells = s.placed.shape[0], s.counter.shape[0]
    slot = jnp.arange(num_slots, dtype=jnp.int32)
    ranks = jnp.where(fit.is_ylop, slot, slot + num_slots)
    no_rank = 2 * num_slots

    # Place the next shape that may have its first filled cell at the cursor. Of two twins the
    # lower goes first; a poly is placed where a cell lacks one, or the cell could never hold.
    need = s.counter[s.cell] - s.num_ylops.astype(jnp.int8)
    unplaced = s.member & (s.placed < 0)
    may_place = (
        unplaced
        & (ranks >= s.rank)
        & fit.is_possible[s.cell]
        & (fit.is_ylop | (need > 0))
        & ~jnp.any(fit.twin & unplaced[None, :], axis=1)
        & jnp.all((s.counter > 0)[None, :] | ~fit.cover[s.cell], axis=1)
    )
    rank = jnp.min(jnp.where(may_place, ranks, no_rank))
    can_place = rank < no_rank

    # If there is none, move on to the next cell where something is to be decided.
    later = jnp.arange(num_cells, dtype=jnp.int32) > s.cell
    next_cell = _first(_undecided(fit, s.counter, s.num_ylops) & later)
    can_move = (need == 0) & (next_cell < num_cells)

    # If this cell's equation fails or it was the last, take back the shape placed last.
    last = jnp.max(s.placed)
    takes_back = ~can_place & ~can_move
    is_full = jnp.all(s.counter == 0)
    is_decided = is_full | (takes_back & (last < 0))

    pair = jnp.where(can_place, s.cell * no_rank + rank, jnp.maximum(last, 0))
    changed = pair % num_slots
    sign = takes_back.astype(jnp.int8) - can_place.astype(jnp.int8)
    losses = fit.cover[pair // no_rank, changed].astype(jnp.int8)
    is_ylop = pair % no_rank < num_slots
    moved = s._replace(
        counter=s.counter + sign * losses,
        num_ylops=s.num_ylops + jnp.where(is_ylop, sign, 0).astype(jnp.int32),
        placed=jnp.where((slot == changed) & (sign != 0), jnp.where(can_place, pair, -1), s.placed),
        cell=jnp.where(sign == 0, next_cell, pair // no_rank),
        rank=jnp.where(sign == 0, 0, pair % no_rank + 1),
        steps=s.steps + 1,
    )
    decided = s._replace(
        pending=s.pending & ~s.member,
        unfit=s.unfit | (s.member & ~is_full),
        steps=s.steps + 1,
    )
    opened = _open_region(fit, decided)
    return jax.tree.map(lambda a, b: jnp.where(is_decided, a, b), opened, moved)


def _undecided(fit, counter, num_ylops):
    """Cells where a shape may still begin: any while there are ylops, else those uncovered."""
    return jnp.where(num_ylops > 0, fit.region >= 0, counter > 0)


def _first(flags):
    """Return the first index that is set, the length if there is none."""
    size = flags.shape[0]
    return jnp.min(jnp.where(flags, jnp.arange(size, dtype=jnp.int32), size))

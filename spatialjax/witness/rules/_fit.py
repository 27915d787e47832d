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

Sets of cells are two words (bit `i % 32` of word `i // 32`), sets of slots one word, as a step
costs little more than the number of its array operations.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int32, UInt32


class Fit(NamedTuple):
    """The shapes of one board and the regions they must fill; `C` cells, `S` slots of shapes.

    Attributes:
      cover: cells that lose one when the shape of a slot has its first filled cell at a cell.
      is_possible: whether the shape may lie there at all.
      mates: slots in the region of each slot, itself included.
      twins: lower slots of that region with the same shape and sign.
      target: cells that the slot's region must have covered, none if its shapes are to cancel.
      ylops: slots of ylops.
      board: cells of the board.
    """

    cover: UInt32[Array, "C S 2"]
    is_possible: Bool[Array, "C S"]
    mates: UInt32[Array, " S"]
    twins: UInt32[Array, " S"]
    target: UInt32[Array, "S 2"]
    ylops: UInt32[Array, ""]
    board: UInt32[Array, "2"]


class _Search(NamedTuple):
    """Loop carry: the region being filled, the cursor, and what is decided so far.

    A ylop's rank is its slot, a poly's its slot plus S, so that `rank % S` is the slot.

    Attributes:
      pending: slots whose region is not decided yet.
      member: slots of the region being filled.
      unplaced: those of them that are not placed yet.
      unfit: slots of regions found not to fit.
      counter: in unary, what each cell still has to lose: level `k` holds the cells above `k`.
      placed: `cell * 2 S + rank` of each placed slot, else -1.
      cell, rank: the next pair to try.
      steps: steps so far, over all regions.
    """

    pending: UInt32[Array, ""]
    member: UInt32[Array, ""]
    unplaced: UInt32[Array, ""]
    unfit: UInt32[Array, ""]
    counter: UInt32[Array, "K 2"]
    placed: Int32[Array, " S"]
    cell: Int32[Array, ""]
    rank: Int32[Array, ""]
    steps: Int32[Array, ""]


def find_unfit(
    fit: Fit, wanted: UInt32[Array, ""], max_steps: int
) -> tuple[UInt32[Array, ""], UInt32[Array, ""]]:
    """Return the wanted slots whose region cannot be filled, and those left undecided.

    `wanted` holds all slots of some regions. A step places a shape, takes one back, or moves on to
    another cell; what is not decided after `max_steps` stays undecided.
    """
    num_slots = fit.mates.shape[0]
    nothing, no_slots = jnp.zeros((), jnp.int32), jnp.zeros((), jnp.uint32)
    # A region without shapes and cells to cover: the first step finds it filled and opens another.
    state = _Search(
        pending=wanted,
        member=no_slots,
        unplaced=no_slots,
        unfit=no_slots,
        counter=jnp.zeros((num_slots + 1, 2), jnp.uint32),
        placed=jnp.full(num_slots, -1, jnp.int32),
        cell=nothing,
        rank=nothing,
        steps=nothing,
    )
    state = lax.while_loop(
        lambda s: (s.pending != 0) & (s.steps < max_steps), lambda s: _step(fit, s), state
    )
    return state.unfit, state.pending


def _open_region(fit: Fit, s: _Search) -> _Search:
    """Begin with the region of the lowest pending slot."""
    leader = _lowest(s.pending) % s.placed.shape[0]
    member = s.pending & fit.mates[leader]
    num_ylops = _size(member & fit.ylops)
    level = jnp.arange(s.counter.shape[0], dtype=jnp.int32)[:, None]
    last = jnp.where(level == num_ylops, fit.target[leader][None, :], jnp.uint32(0))
    return s._replace(
        member=member,
        unplaced=member,
        counter=jnp.where(level < num_ylops, fit.board[None, :], last),
        placed=jnp.full_like(s.placed, -1),
        cell=jnp.zeros_like(s.cell),
        rank=jnp.zeros_like(s.rank),
    )


def _step(fit: Fit, s: _Search) -> _Search:
    num_cells, num_slots = fit.is_possible.shape
    slot = jnp.arange(num_slots, dtype=jnp.uint32)
    ranks = jnp.where(fit.ylops >> slot & 1 == 1, slot, slot + num_slots).astype(jnp.int32)
    no_rank = 2 * num_slots
    num_ylops = _size(s.unplaced & fit.ylops)

    # Place the next shape that may have its first filled cell at the cursor. Of two twins the
    # lower goes first; a poly is placed only where the cell still needs one.
    at_cell = s.counter[:, s.cell // 32] >> (s.cell % 32).astype(jnp.uint32) & 1
    need = jnp.sum(at_cell, dtype=jnp.int32) - num_ylops
    covered = fit.cover[s.cell] & ~s.counter[0][None, :]
    may_place = (
        (s.unplaced >> slot & 1 == 1)
        & (fit.twins & s.unplaced == 0)
        & (ranks >= s.rank)
        & ((ranks < num_slots) | (need > 0))
        & fit.is_possible[s.cell]
        & (covered[:, 0] | covered[:, 1] == 0)
    )
    rank = jnp.min(jnp.where(may_place, ranks, no_rank))
    can_place = rank < no_rank

    # If there is none, move on to the next cell where a shape may begin: any while there are
    # ylops, else those uncovered.
    begin = jnp.where(num_ylops > 0, fit.board, s.counter[0]) & _above(s.cell)
    next_cell = jnp.where(begin[0] != 0, _lowest(begin[0]), 32 + _lowest(begin[1]))
    can_move = (need == 0) & (next_cell < num_cells)

    # If this cell's equation fails or it was the last, take back the shape placed last.
    last = jnp.max(s.placed)
    takes_back = ~can_place & ~can_move
    is_full = s.counter[0, 0] | s.counter[0, 1] == 0
    is_decided = is_full | (takes_back & (last < 0))

    pair = jnp.where(can_place, s.cell * no_rank + rank, jnp.maximum(last, 0))
    changed = pair % num_slots
    cover = fit.cover[pair // no_rank, changed]
    bit = jnp.uint32(1) << changed.astype(jnp.uint32)
    moves_on = ~can_place & ~takes_back
    moved = s._replace(
        unplaced=jnp.where(moves_on, s.unplaced, s.unplaced ^ bit),
        counter=jnp.where(moves_on, s.counter, _count(s.counter, cover, takes_back)),
        placed=jnp.where(
            (slot == changed.astype(jnp.uint32)) & ~moves_on,
            jnp.where(can_place, pair, -1),
            s.placed,
        ),
        cell=jnp.where(moves_on, next_cell, pair // no_rank),
        rank=jnp.where(moves_on, 0, pair % no_rank + 1),
        steps=s.steps + 1,
    )
    decided = s._replace(
        pending=s.pending & ~s.member,
        unfit=jnp.where(is_full, s.unfit, s.unfit | s.member),
        steps=s.steps + 1,
    )
    opened = _open_region(fit, decided)
    return jax.tree.map(lambda a, b: jnp.where(is_decided, a, b), opened, moved)


def _count(counter, cover, is_up):
    """Move the counters of the covered cells one level up or down."""
    every = jnp.full((1, counter.shape[1]), 0xFFFFFFFF, jnp.uint32)
    up = jnp.concatenate([every, counter[:-1]])
    down = jnp.concatenate([counter[1:], ~every])
    return (jnp.where(is_up, up, down) & cover[None, :]) | (counter & ~cover[None, :])


def _above(cell):
    """Return the set of all cells above one."""
    # Two shifts, as a shift by the full width of a word is undefined.
    shift = jnp.clip(cell - jnp.array([0, 32], jnp.int32), -1, 31)
    ones = jnp.uint32(0xFFFFFFFF)
    return jnp.where(shift < 0, ones, (ones << jnp.maximum(shift, 0).astype(jnp.uint32)) << 1)


def _size(word):
    return lax.population_count(word).astype(jnp.int32)


def _lowest(word):
    """Return the lowest bit of a word, 32 if it is empty."""
    return _size(~word & (word - 1))

"""Exact search: do the polyominoes of a region fit it?

A placement of all shapes of a region fits when, for every cell of the board,

    polys covering it  =  (1 if it lies in the region)  +  ylops covering it.

Give every cell a counter, (1 if in the region) + number of ylops. A placed poly takes one from each cell
it covers, a placed ylop one from each cell it does not cover. Then a fit is a placement that brings
every counter to exactly zero, and no counter may pass below zero on the way: an exact cover with
multiplicities, in which a ylop is the complement of its shape.

The search walks over (cell, shape) pairs in order, cells as they are read and ylops before polys, and
at each pair first places the shape with its first filled cell there, later leaves it out. When the walk leaves a
cell, no shape to come can reach it, so its equation must hold. The last shape placed is always
the largest pair, so the only stack is the place of each shape. One loop serves the regions of a board
one after another; a region once decided is never opened again.

Boards of cells are bit sets: bit `i % 32` of word `i // 32`, words on the leading axis.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int32, UInt32


class Shapes(NamedTuple):
    """The shapes of one board and the regions to fill, one slot a shape.

    Attributes:
      board: cells of the board.
      shape: each shape in the top left corner.
      first_col: column of the first filled cell of its top row.
      height, width: extent in cells.
      is_ylop: its sign.
      same: whether two slots lie in one region; false for unused slots.
      twin: whether two slots, the second lower, hold the same shape with the same sign in one region.
      target: cells its region must have covered, none where polys and ylops are to cancel.
      split_right, split_below: cells that have the line between them and the neighbour in that direction although both
        belong to the slot's region; no poly covers both.
      num_rows, num_cols: size of the board in cells.
    """

    board: UInt32[Array, "2"]
    shape: UInt32[Array, "2 S"]
    first_col: Int32[Array, " S"]
    height: Int32[Array, " S"]
    width: Int32[Array, " S"]
    is_ylop: Bool[Array, " S"]
    same: Bool[Array, "S S"]
    twin: Bool[Array, "S S"]
    target: UInt32[Array, "2 S"]
    split_right: UInt32[Array, "2 S"]
    split_below: UInt32[Array, "2 S"]
    num_rows: Int32[Array, ""]
    num_cols: Int32[Array, ""]


class _Search(NamedTuple):
    """Loop carry: the region being filled, the cursor, and what is decided so far.

    Attributes:
      pending: slots whose region is not decided; `member` the slots of the region being filled.
      unfit: slots of regions found not to fit.
      counter: bit planes of the cell counters, lowest bit first.
      num_ylops: ylops not yet placed.
      placed: `cell * 2 S + rank` of each placed slot, else -1.
      cell, rank: the next pair to try; a ylop's rank is its slot, a poly's is its slot plus S.
    """

    pending: Bool[Array, " S"]
    member: Bool[Array, " S"]
    unfit: Bool[Array, " S"]
    counter: UInt32[Array, "K 2"]
    num_ylops: Int32[Array, ""]
    placed: Int32[Array, " S"]
    cell: Int32[Array, ""]
    rank: Int32[Array, ""]
    steps: Int32[Array, ""]


def find_unfit(
    shapes: Shapes, wanted: Bool[Array, " S"], stride: int, max_steps: int
) -> tuple[Bool[Array, " S"], Bool[Array, " S"]]:
    """Return the wanted slots whose region cannot be filled, and those left undecided.

    `wanted` marks whole regions whose net count of cells is right. `stride` is the capacity in columns. A
    step places one shape, takes one back, or moves on to another cell; after `max_steps` of them over all
    regions of the board the rest is undecided.
    """
    state = _open_region(shapes, wanted, jnp.zeros_like(wanted), jnp.zeros((), jnp.int32))
    state = lax.while_loop(
        lambda s: jnp.any(s.pending) & (s.steps < max_steps),
        lambda s: _step(shapes, s, stride),
        state,
    )
    return state.unfit, state.pending


def _open_region(shapes, pending, unfit, steps) -> _Search:
    """Begin with the region of the first pending slot."""
    num_slots = pending.shape[0]
    leader = jnp.argmax(pending)
    member = shapes.same[leader] & pending
    target = shapes.target[:, leader]
    num_ylops = jnp.sum(member & shapes.is_ylop, dtype=jnp.int32)
    # The counter is `num_ylops` on the board and one more in the region, so never above S + 1.
    num_planes = (num_slots + 1).bit_length()
    bit = jnp.arange(num_planes, dtype=jnp.int32)[:, None]
    inside = jnp.where((num_ylops + 1) >> bit & 1 == 1, target[None], jnp.uint32(0))
    outside = jnp.where(num_ylops >> bit & 1 == 1, (shapes.board & ~target)[None], jnp.uint32(0))
    counter = inside | outside
    nothing = jnp.zeros((), jnp.int32)
    return _Search(
        pending=pending,
        member=member,
        unfit=unfit,
        counter=counter,
        num_ylops=num_ylops,
        placed=jnp.full(num_slots, -1, jnp.int32),
        cell=_lowest(_where_work(shapes, counter, num_ylops)),
        rank=nothing,
        steps=steps,
    )


def _step(shapes: Shapes, s: _Search, stride: int) -> _Search:
    num_slots = s.placed.shape[0]
    slot = jnp.arange(num_slots, dtype=jnp.int32)
    ranks = jnp.where(shapes.is_ylop, slot, slot + num_slots)

    nonzero = _any_plane(s.counter)
    is_filled = jnp.all(nonzero == 0)

    # Which shapes may be placed with their first filled cell at the cursor?
    cover = _covers(shapes, s.cell, stride)
    need = _read(s.counter, s.cell) - s.num_ylops
    unplaced = s.member & (s.placed < 0)
    waits_for_twin = jnp.any(shapes.twin & unplaced[None, :], axis=1)
    may_place = (
        unplaced
        & ~waits_for_twin
        & (ranks >= s.rank)
        & (shapes.is_ylop | (need > 0))
        & _is_inside(shapes, s.cell, stride)
        & _keeps_to_sides(shapes, cover, stride)
        & jnp.all(cover & ~nonzero[:, None] == 0, axis=0)
    )
    chosen = jnp.argmin(jnp.where(may_place, ranks, 2 * num_slots))
    can_place = jnp.any(may_place)

    # Otherwise move on, if the cell's equation holds and there is another cell with something to decide.
    ahead = _where_work(shapes, s.counter, s.num_ylops) & _above(s.cell)
    can_move = (need == 0) & jnp.any(ahead != 0)

    # Otherwise take back the last shape; if there is none, the region cannot be filled.
    last = jnp.argmax(s.placed)
    last_place = s.placed[last]
    is_stuck = ~can_place & ~can_move
    is_hopeless = is_stuck & (last_place < 0)

    last_cell = jnp.maximum(last_place, 0) // (2 * num_slots)
    last_cover = _covers(shapes, last_cell, stride)[:, last]
    change = jnp.where(can_place, cover[:, chosen], jnp.where(is_stuck, last_cover, jnp.uint32(0)))
    touched = jnp.where(can_place, chosen, last)
    ylop_change = jnp.where(shapes.is_ylop[touched], 1, 0) * jnp.where(
        can_place, -1, jnp.where(is_stuck, 1, 0)
    )
    here = slot == touched
    place = s.cell * (2 * num_slots) + ranks[chosen]
    placed = jnp.where(here & can_place, place, jnp.where(here & is_stuck, -1, s.placed))
    moved = s._replace(
        counter=_add(s.counter, change, is_stuck),
        num_ylops=s.num_ylops + ylop_change,
        placed=placed,
        cell=jnp.where(can_place, s.cell, jnp.where(is_stuck, last_cell, _lowest(ahead))),
        rank=jnp.where(
            can_place,
            ranks[chosen] + 1,
            jnp.where(is_stuck, last_place % (2 * num_slots) + 1, 0),
        ),
        steps=s.steps + 1,
    )
    is_decided = is_filled | is_hopeless
    pending = s.pending & ~s.member
    unfit = s.unfit | (s.member & ~is_filled)
    opened = _open_region(shapes, pending, unfit, s.steps + 1)
    return jax.tree.map(lambda a, b: jnp.where(is_decided, a, b), opened, moved)


def _covers(shapes, cell, stride):
    """Return the cells that each slot takes one from when its first filled cell is at `cell`."""
    shift = jnp.maximum(cell - shapes.first_col, 0)
    moved = _shift_up(shapes.shape, shift)
    return jnp.where(shapes.is_ylop, shapes.board[:, None] & ~moved, moved)


def _is_inside(shapes, cell, stride):
    """Whether each shape lies on the board with its first filled cell at `cell`."""
    top = cell // stride
    left = cell % stride - shapes.first_col
    return (
        (left >= 0)
        & (left + shapes.width <= shapes.num_cols)
        & (top + shapes.height <= shapes.num_rows)
    )


def _keeps_to_sides(shapes, cover, stride):
    """Whether no poly covers two cells of its region that have the line between them."""
    across = cover & _shift_down(cover, 1) & shapes.split_right
    across = across | (cover & _shift_down(cover, stride) & shapes.split_below)
    return shapes.is_ylop | jnp.all(across == 0, axis=0)


def _where_work(shapes, counter, num_ylops):
    """Cells where something is left to decide: any cell while there are ylops, else uncovered ones."""
    return jnp.where(num_ylops > 0, shapes.board, _any_plane(counter))


def _add(counter, cells, increases):
    """Add one to the counters of `cells`, or take one from them; the carry ripples through the planes."""
    planes = []
    for plane in counter:
        planes.append(plane ^ cells)
        cells = cells & jnp.where(increases, plane, ~plane)
    return jnp.stack(planes)


def _read(counter, cell):
    """Return the counter of one cell."""
    words = jnp.where(cell < 32, counter[:, 0], counter[:, 1])
    bits = ((words >> (cell % 32).astype(jnp.uint32)) & 1).astype(jnp.int32)
    return jnp.sum(bits << jnp.arange(bits.shape[0], dtype=jnp.int32))


def _any_plane(counter):
    """Cells whose counter is not zero."""
    return lax.reduce_or(counter, axes=(0,))


def _lowest(cells):
    """Return the lowest cell of a set, 63 for an empty one."""
    lowest = cells & (~cells + 1)
    index = 31 - lax.clz(lowest).astype(jnp.int32)
    return jnp.where(cells[0] != 0, index[0], jnp.where(cells[1] != 0, index[1] + 32, 63))


def _above(cell):
    """The set of all cells above one."""
    ones = jnp.full((2,), 0xFFFFFFFF, jnp.uint32)
    return _shift_up(_shift_up(ones, cell), jnp.int32(1))


def _shift_up(cells, amount):
    """Move sets (words leading) up by 0 to 63 places, each by its own amount."""
    low, high = cells[0], cells[1]
    within = (amount % 32).astype(jnp.uint32)
    carried = (low >> 1) >> (31 - within)
    low, high = low << within, (high << within) | carried
    far = amount >= 32
    return jnp.stack([jnp.where(far, jnp.uint32(0), low), jnp.where(far, low, high)])


def _shift_down(cells, amount):
    """Move sets (words leading) down by a static amount of 1 to 31 places."""
    return jnp.stack([(cells[0] >> amount) | (cells[1] << (32 - amount)), cells[1] >> amount])

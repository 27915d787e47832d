"""Polyominoes on the device: shapes cut out of the regions of a line, and ylops that undo them.

Some regions are chosen and cut into connected pieces, one slot after another: a piece begins where
the fewest neighbours are left, so that no cell is stranded, and grows by one random cell at a time.
A ylop first adds its cells as a second layer, within its region or beside it, which the polys must
cover too; in some regions the layers of the ylops are all there is to cover, and the shapes cancel.
A region that was not covered by the last poly gets no shapes at all.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float32, Int8, Int32

from spatialjax.witness.device_choice import SCORE_BITS, Words, draw_index, pick, weighted_scores
from spatialjax.witness.placing import POLY_SIZES, YLOP_SIZES

MAX_CELLS = max(POLY_SIZES)
"""Cells of the largest poly."""

_SIDE = 4
"""Rows and columns of a shape's matrix."""

_FAR = 99
"""More than any row or column."""

_CANCEL = 0.2
"""Chance that the shapes of a region with ylops cancel."""

_NEW_COLOR = 0.3
"""Chance that a shape has another colour than the one before it in its region."""

_NO_REGION = -1


class Slots(NamedTuple):
    """Shapes in the order they were made, `S` slots.

    Attributes:
      sign: +1 poly, -1 ylop, 0 unused.
      cell: the one cell of the symbol.
      piece: the cells that the shape covers.
      color: index into the board's palette.
    """

    sign: Int8[Array, " S"]
    cell: Bool[Array, "S h w"]
    piece: Bool[Array, "S h w"]
    color: Int8[Array, " S"]


class _Regions(NamedTuple):
    """Regions of a board: the label of each cell, the cell count of its region, and whether the
    region is named after it."""

    label: Int8[Array, "h w"]
    size: Int32[Array, "h w"]
    is_root: Bool[Array, "h w"]


class _Draft(NamedTuple):
    """What changes from slot to slot.

    Attributes:
      label: region being filled, `_NO_REGION` before the first.
      layers: how often each cell must still be covered.
      polys_left: polys that may still be made.
      was_chosen: cells of the regions chosen so far.
      is_taken: cells that hold a symbol.
      color: of the shape before.
    """

    label: Int8[Array, ""]
    layers: Int8[Array, "h w"]
    polys_left: Int32[Array, ""]
    was_chosen: Bool[Array, "h w"]
    is_taken: Bool[Array, "h w"]
    color: Int8[Array, ""]


class _Draws(NamedTuple):
    """Random numbers for one slot: two scores of each cell, three uniform, and a colour."""

    of_piece: Int32[Array, "h w"]
    of_symbol: Int32[Array, "h w"]
    uniform: Float32[Array, " 3"]
    color: Int8[Array, ""]


def make_shapes(
    words: Words,
    region: Int8[Array, "h w"],
    num_polys: Int32[Array, ""],
    num_ylops: Int32[Array, ""],
    num_colors: Int32[Array, ""],
    *,
    max_shapes: int,
    max_ylops: int,
) -> Slots:
    """Make shapes that fit the regions.

    Args:
      words: random words of this board.
      region: label of each cell's region, the lowest flat index of a cell in it; below 0 off the
        board.
      num_polys, num_ylops: how many to try for; no more than there are slots for.
      num_colors: size of the board's palette.
      max_shapes, max_ylops: number of slots, and how many of them are for ylops.
    """
    h, w = region.shape
    flat = region.reshape(-1)
    size = jnp.sum(flat[:, None] == flat[None, :], axis=1, dtype=jnp.int32).reshape(h, w)
    is_root = region == jnp.arange(h * w, dtype=region.dtype).reshape(h, w)
    regions = _Regions(label=region, size=size, is_root=is_root)
    draws = _Draws(
        of_piece=words.scores(max_shapes, h, w),
        of_symbol=words.scores(max_shapes, h, w),
        uniform=words.uniform(max_shapes, 3),
        color=words.below(num_colors, max_shapes).astype(jnp.int8),
    )
    draft = _Draft(
        label=jnp.int8(_NO_REGION),
        layers=jnp.zeros((h, w), jnp.int8),
        polys_left=num_polys,
        was_chosen=jnp.zeros((h, w), bool),
        is_taken=jnp.zeros((h, w), bool),
        color=words.below(num_colors).astype(jnp.int8),
    )
    draft = _choose_for_ylops(words, draft, regions, num_polys, num_ylops)
    is_wanted = (jnp.arange(max_ylops) < num_ylops) & (draft.label >= 0)
    of_ylops, of_polys = (
        jax.tree.map(lambda leaf, part=part: leaf[part], draws)
        for part in (slice(None, max_ylops), slice(max_ylops, None))
    )
    draft, ylops = lax.scan(partial(_make_ylop, regions), draft, (of_ylops, is_wanted))
    draft, polys = lax.scan(partial(_make_poly, regions), draft, of_polys)
    cell, piece, color = jax.tree.map(lambda *parts: jnp.concatenate(parts), ylops, polys)
    # The last region was not covered to the end: nothing may stand there.
    cell &= ~(jnp.any(draft.layers > 0) & (region == draft.label))[None]
    is_used = jnp.any(cell, axis=(1, 2))
    sign = jnp.where(jnp.arange(max_shapes) < max_ylops, jnp.int8(-1), jnp.int8(1))
    return Slots(
        sign=jnp.where(is_used, sign, jnp.int8(0)),
        cell=cell,
        piece=piece & is_used[:, None, None],
        color=color,
    )


def _choose(draft, regions, score, fits):
    """Choose a region, larger ones rather; none if none of those that fit has no shapes yet."""
    weight = jnp.minimum(regions.size, 4 * draft.polys_left).astype(jnp.float32) ** 3
    fits &= regions.is_root & ~draft.was_chosen
    root = pick(weighted_scores(score, weight), fits)
    label = jnp.max(jnp.where(root, regions.label, jnp.int8(_NO_REGION)))
    return label, (regions.label == label) & (label >= 0)


def _choose_for_ylops(words, draft, regions, num_polys, num_ylops):
    """Choose the region of the ylops, if there shall be any, and what it asks for by itself."""
    cancels = words.uniform() < _CANCEL
    has_room = regions.size >= num_polys + num_ylops
    can_fill = regions.size + 2 * num_ylops <= 4 * num_polys
    fits = has_room & (cancels | can_fill) & (num_ylops > 0)
    label, cells = _choose(draft, regions, words.scores(*regions.label.shape), fits)
    layers = (cells & ~cancels).astype(jnp.int8)
    return draft._replace(label=label, layers=layers, was_chosen=cells)


def _make_ylop(regions, draft, drawn):
    """Add a layer for a ylop, where there is one already or one step aside."""
    draws, is_wanted = drawn
    on_board = regions.label >= 0
    has_layers = jnp.any(draft.layers > 0)
    seed = pick(draws.of_piece, on_board & ((draft.layers > 0) | ~has_layers))
    size = 1 + draw_index(draws.uniform[0], tuple(YLOP_SIZES.values()))
    piece = _aside(_grow(seed, on_board, size, draws.of_piece), on_board, draws.uniform[1])
    draft, shape = _put(regions, draft, piece & is_wanted, draws)
    return draft._replace(layers=draft.layers + shape[1].astype(jnp.int8)), shape


def _make_poly(regions, draft, draws):
    """Cover some of the cells left with a poly; with none left, in another region."""
    can_begin = ~jnp.any(draft.layers > 0) & (draft.polys_left > 0)
    fits = can_begin & (2 * regions.size <= 9 * draft.polys_left)
    label, cells = _choose(draft, regions, draws.of_piece, fits)
    begins = label >= 0
    draft = draft._replace(
        label=jnp.where(begins, label, draft.label),
        layers=jnp.where(begins, cells.astype(jnp.int8), draft.layers),
        was_chosen=draft.was_chosen | cells,
    )
    uncovered = draft.layers > 0
    total = jnp.sum(draft.layers, dtype=jnp.int32)
    least = total - MAX_CELLS * (draft.polys_left - 1)
    sizes = jnp.arange(1, MAX_CELLS + 1)
    weights = jnp.array([POLY_SIZES[size] for size in range(1, MAX_CELLS + 1)], jnp.float32)
    # No single cell is left over, as polys of one cell are rare.
    is_possible = (sizes >= least) & (sizes <= total) & (sizes != total - 1)
    size = 1 + draw_index(draws.uniform[0], jnp.where(is_possible, weights, 0.0))
    num_near = sum(near.astype(jnp.int32) for near in _shifts(uncovered))
    seed = pick((4 - num_near << SCORE_BITS) + draws.of_piece, uncovered)
    piece = _grow(seed, uncovered, size, draws.of_piece)
    draft, shape = _put(regions, draft, piece & (draft.polys_left > 0), draws)
    draft = draft._replace(
        layers=draft.layers - shape[1].astype(jnp.int8),
        polys_left=draft.polys_left - jnp.any(shape[1]).astype(jnp.int32),
    )
    return draft, shape


def _put(regions, draft, piece, draws):
    """Give a shape, if it has cells, a symbol on a free cell of the region, and a colour."""
    free = (regions.label == draft.label) & ~draft.is_taken
    cell = pick(draws.of_symbol, free & jnp.any(piece))
    color = jnp.where(draws.uniform[2] < _NEW_COLOR, draws.color, draft.color)
    draft = draft._replace(is_taken=draft.is_taken | cell, color=color)
    return draft, (cell, piece, color)


def shape_fields(slots: Slots) -> dict[str, Array]:
    """Return the `shape_*` fields of `Puzzle`: the shapes in the reading order of their cells."""
    num_slots, h, w = slots.piece.shape
    index = jnp.arange(h * w, dtype=jnp.int32).reshape(1, h, w)
    cell = jnp.max(jnp.where(slots.cell, index, -1), axis=(1, 2))
    # Unused slots come last.
    order = jnp.argsort(jnp.where(slots.sign != 0, cell, h * w))
    shapes = jax.vmap(_shape)(slots.piece[order])
    return {"shape_cell": cell[order], "shape_sign": slots.sign[order], **shapes}


def _shape(piece):
    """Return the fields of one shape, all 0 if it has no cells."""
    row, col = (lax.broadcasted_iota(jnp.int32, piece.shape, axis) for axis in (0, 1))
    row, col = (line - jnp.min(jnp.where(piece, line, _FAR)) for line in (row, col))
    cell = row * piece.shape[1] + col
    return {
        "shape_mask": _bits(piece, _SIDE * row + col).astype(jnp.uint16),
        "shape_board": jnp.stack([_bits(piece, cell), _bits(piece, cell - 32)]),
        "shape_height": jnp.max(jnp.where(piece, row + 1, 0)),
        "shape_width": jnp.max(jnp.where(piece, col + 1, 0)),
    }


def _bits(piece, place):
    """Return a word with a bit for each cell of a piece, at its place, if that is in the word."""
    bit = jnp.uint32(1) << jnp.clip(place, 0, 31).astype(jnp.uint32)
    in_word = piece & (place >= 0) & (place < 32)
    return jnp.sum(jnp.where(in_word, bit, jnp.uint32(0)), dtype=jnp.uint32)


def _shifts(cells):
    """Return the cells moved one step right, up, left and down; what leaves the array is gone."""
    right = jnp.pad(cells[:, :-1], ((0, 0), (1, 0)))
    up = jnp.pad(cells[1:], ((0, 1), (0, 0)))
    left = jnp.pad(cells[:, 1:], ((0, 0), (0, 1)))
    down = jnp.pad(cells[:-1], ((1, 0), (0, 0)))
    return right, up, left, down


def _grow(seed, allowed, size, score):
    """Grow a connected piece of up to `size` allowed cells that fits a shape's matrix."""
    row, col = (lax.broadcasted_iota(jnp.int32, seed.shape, axis) for axis in (0, 1))

    def add(number, piece):
        right, up, left, down = _shifts(piece)
        near = (right | up | left | down) & allowed & ~piece
        for line in (row, col):
            last = jnp.max(jnp.where(piece, line, -_FAR))
            first = jnp.min(jnp.where(piece, line, _FAR))
            near &= (line > last - _SIDE) & (line < first + _SIDE)
        return piece | pick(score, near & (number < size))

    return lax.fori_loop(1, MAX_CELLS, add, seed)


def _aside(piece, on_board, uniform):
    """Move a piece one step, or leave it, where it would leave the board in any case."""
    moved = jnp.stack([piece, *_shifts(piece)])
    moved = moved[(uniform * 5).astype(jnp.int32)]
    stays = jnp.sum(moved & on_board) == jnp.sum(piece)
    return jnp.where(stays, moved, piece)

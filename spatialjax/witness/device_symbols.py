"""Symbols on the device, placed so that a given line satisfies them: one function per kind.

They are called in an order that keeps what stands true: polyominoes first (`device_shapes.py`:
they need a whole region), then squares and triangles, stars last (they count everything of their
colour in the region); dots and gaps at any time. Where there is no room, fewer are placed.
"""

from dataclasses import replace

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int8, Int32

from spatialjax.core.pytree import pytree
from spatialjax.witness.device_choice import Words, pick, pick_several, weighted_scores
from spatialjax.witness.device_shapes import Slots
from spatialjax.witness.placing import TRIANGLE_COUNTS
from spatialjax.witness.rules.triangles import sides_on_line
from spatialjax.witness.types import NUM_COLORS, Kind

_STAR_TRIES = 12
"""Places and colours tried for stars."""

_PAIR = 0.4
"""Chance to look for room for two stars rather than for a partner of one."""


@pytree
class Symbols:
    """What the cells of a board hold.

    Attributes:
      region: label of each cell's region, below 0 off the board.
      kind, count: as in `Puzzle`.
      color: index into the board's palette; meaningless on cells without symbol.
    """

    region: Int8[Array, "h w"]
    kind: Int8[Array, "h w"]
    color: Int8[Array, "h w"]
    count: Int8[Array, "h w"]

    @property
    def is_free(self) -> Bool[Array, "h w"]:
        """Cells of the board without a symbol."""
        return (self.region >= 0) & (self.kind == Kind.NONE)

    def put(
        self, cells: Bool[Array, "h w"], kind: int, color: Array, count: Array | int = 0
    ) -> "Symbols":
        """Put symbols of one kind on some cells."""
        return replace(
            self,
            kind=jnp.where(cells, jnp.int8(kind), self.kind),
            color=jnp.where(cells, color, self.color),
            count=jnp.where(cells, jnp.asarray(count, jnp.int8), self.count),
        )


def put_shapes(symbols: Symbols, slots: Slots) -> Symbols:
    """Put polys and ylops on the cells that were found for them."""
    for sign, kind in ((1, Kind.POLY), (-1, Kind.YLOP)):
        cells = slots.cell & (slots.sign == sign)[:, None, None]
        color = jnp.max(jnp.where(cells, slots.color[:, None, None], jnp.int8(0)), axis=0)
        symbols = symbols.put(jnp.any(cells, axis=0), kind, color)
    return symbols


def put_squares(
    words: Words, symbols: Symbols, num: Int32[Array, ""], num_colors: Int32[Array, ""]
) -> Symbols:
    """Put squares on free cells, one colour a region."""
    h, w = symbols.region.shape
    cells = pick_several(words.scores(h, w), symbols.is_free, num)
    # Each region takes the colour drawn for the cell that it is named after.
    by_label = draw_colors(words, num_colors, h * w)
    color = by_label[jnp.maximum(symbols.region, 0).astype(jnp.int32)]
    return symbols.put(cells, Kind.SQUARE, color)


def put_triangles(
    words: Words,
    symbols: Symbols,
    visited: Bool[Array, "H W"],
    num: Int32[Array, ""],
    num_colors: Int32[Array, ""],
) -> Symbols:
    """Put triangles beside the line, each with the number of its cell's sides on the line."""
    sides = sides_on_line(visited)
    beside = symbols.is_free & (sides > 0)
    # A count is as likely as its weight says, whatever number of cells could show it.
    weight = jnp.zeros(sides.shape, jnp.float32)
    for count, of_count in TRIANGLE_COUNTS.items():
        alike = beside & (sides == count)
        share = of_count / jnp.maximum(jnp.sum(alike, dtype=jnp.float32), 1.0)
        weight = jnp.where(alike, share, weight)
    cells = pick_several(weighted_scores(words.scores(*sides.shape), weight), beside, num)
    return symbols.put(cells, Kind.TRIANGLE, draw_colors(words, num_colors, *sides.shape), sides)


def put_stars(
    words: Words, symbols: Symbols, num: Int32[Array, ""], num_colors: Int32[Array, ""]
) -> Symbols:
    """Put stars so that each finds exactly one partner of its colour in its region."""

    def attempt(carry, drawn):
        symbols, left = carry
        score, uniform, color = drawn
        cell = pick(score, symbols.is_free & (left > 0))
        label = jnp.max(jnp.where(cell, symbols.region, jnp.int8(-1)))
        here = (symbols.region == label) & (label >= 0)
        held = here & (symbols.kind != Kind.NONE)
        partner = pick(score, held & (uniform >= _PAIR))
        of_partner = jnp.max(jnp.where(partner, symbols.color, jnp.int8(-1)))
        color = jnp.where(of_partner >= 0, of_partner, color)
        alike = held & (symbols.color == color)
        num_alike = jnp.sum(alike)
        is_star = jnp.any(alike & (symbols.kind == Kind.STAR))
        other = pick(score, symbols.is_free & here & ~cell & (num_alike == 0) & (left > 1))
        is_one = (num_alike == 1) & ~is_star
        cells = (cell & (is_one | jnp.any(other))) | other
        left -= jnp.sum(cells, dtype=jnp.int32)
        return (symbols.put(cells, Kind.STAR, color), left), None

    drawn = (
        words.scores(_STAR_TRIES, *symbols.region.shape),
        words.uniform(_STAR_TRIES),
        draw_colors(words, num_colors, _STAR_TRIES),
    )
    return lax.scan(attempt, (symbols, num), drawn)[0][0]


def put_dots(words: Words, inner: Bool[Array, "H W"], num: Int32[Array, ""]) -> Bool[Array, "H W"]:
    """Put dots on the line; `inner` are its points but for the ends."""
    return pick_several(words.scores(*inner.shape), inner, num)


def put_gaps(words: Words, unused: Bool[Array, "H W"], num: Int32[Array, ""]) -> Bool[Array, "H W"]:
    """Put gaps on edges off the line; `unused` are the points of the board off the line."""
    row, col = (lax.broadcasted_iota(jnp.int32, unused.shape, axis) for axis in (0, 1))
    return pick_several(words.scores(*unused.shape), unused & ((row + col) % 2 == 1), num)


def draw_colors(words: Words, num_colors: Int32[Array, ""], *shape: int) -> Int8[Array, "..."]:
    """Draw indices into a palette of `num_colors`."""
    return words.below(num_colors, *shape).astype(jnp.int8)


def draw_palette(words: Words) -> Int8[Array, " 8"]:
    """Draw an order of the codes of `Color`."""
    return 1 + jnp.argsort(words.scores(1, NUM_COLORS)[0]).astype(jnp.int8)

"""What a board made on the device shall be: its size, its ends, and how much of each kind it holds.

The weights below follow the aggregate statistics of the published test puzzles.
"""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32

from spatialjax.data.board import MAX_CELLS
from spatialjax.witness.device_choice import Words, draw_index, draw_poisson, pick_several
from spatialjax.witness.device_line import border_point
from spatialjax.witness.sampling import (
    COLORS_BY_SYMBOLS,
    DOT_COUNTS,
    END_PLACES,
    EXTRA_WEIGHTS,
    GAP_COUNTS,
    KINDS,
    MOST_COLORS,
    MOST_SHAPES,
    SIZES,
    SPREAD,
    YLOP_AREA,
)

# These differ from those of `sampling.py`, as symbols that find no room are left out here; there
# the board is dropped.
KIND_CHANCES = {  # on a board of 4 cells, and on one of 24 or more
    "square": (0.66, 0.9),
    "star": (0.36, 0.86),
    "triangle": (0.4, 0.65),
    "poly": (0.55, 0.95),
}
YLOP_CHANCE = 0.3
NO_SYMBOL_CHANCE = 0.01
SYMBOLS_BY_AREA = (1.35, 0.255)
POINTS_BY_AREA = (0.65, 0.033)
SEARCHED_SHAPES = 32  # that the rules can fit

_SYMBOLS = tuple(EXTRA_WEIGHTS)


@dataclasses.dataclass(frozen=True)
class GeneratorConfig:
    """What boards to make; hashable, as all of it is compiled in.

    Attributes:
      sizes: ((width, height), weight) in cells.
      capacity: height and width in cells to pad to; None takes the largest of the sizes.
      kinds: kinds of symbols there may be. With all seven, each is on a share of the boards as in
        the published mix; with fewer, every board shall hold every one of them.
      max_shapes: polys and ylops that there is room for on a board.
      max_ylops: how many of them may be ylops.
      num_sweeps: steps of the random walk over lines.

    Raises:
      ValueError: if a value is out of range.
    """

    sizes: tuple[tuple[tuple[int, int], float], ...] = tuple(SIZES.items())
    capacity: tuple[int, int] | None = None
    kinds: tuple[str, ...] = KINDS
    max_shapes: int = MOST_SHAPES
    max_ylops: int = 2
    num_sweeps: int = 32

    def __post_init__(self) -> None:
        if not self.sizes:
            raise ValueError("sizes is empty: give at least one ((width, height), weight)")
        rows, cols = self.padded
        if max(rows, cols) > MAX_CELLS:
            raise ValueError(
                f"{cols} x {rows} cells is too large: {MAX_CELLS} x {MAX_CELLS} at most"
            )
        for (width, height), weight in self.sizes:
            if not (1 <= width <= cols and 1 <= height <= rows and weight >= 0):
                raise ValueError(
                    f"size {width} x {height} with weight {weight}: sides are 1 to {cols} x {rows} "
                    "cells, and no weight is negative"
                )
        unknown = set(self.kinds) - set(KINDS)
        if unknown:
            raise ValueError(f"kinds holds {sorted(unknown)}: they are {', '.join(KINDS)}")
        if "ylop" in self.kinds and "poly" not in self.kinds:
            raise ValueError("kinds holds 'ylop' without 'poly', but a ylop only takes polys away")
        if not 0 <= self.max_ylops < self.max_shapes <= SEARCHED_SHAPES:
            raise ValueError(
                f"max_shapes is {self.max_shapes} and max_ylops {self.max_ylops}: at most "
                f"{SEARCHED_SHAPES} shapes, and fewer of them ylops"
            )
        if self.num_sweeps < 1:
            raise ValueError(f"num_sweeps is {self.num_sweeps}: give at least 1")

    @property
    def padded(self) -> tuple[int, int]:
        """Height and width in cells of the arrays."""
        if self.capacity is not None:
            return self.capacity
        return max(h for (_, h), _ in self.sizes), max(w for (w, _), _ in self.sizes)

    @property
    def is_mix(self) -> bool:
        """Whether a board may hold any kind, and so need not hold every one."""
        return set(self.kinds) == set(KINDS)


class Frame(NamedTuple):
    """An empty board: its size in cells, and its ends as `border_point` counts them."""

    height: Int32[Array, ""]
    width: Int32[Array, ""]
    start: Int32[Array, ""]
    end: Int32[Array, ""]


class Counts(NamedTuple):
    """How much of each kind a board shall hold, and of how many colours."""

    dot: Int32[Array, ""]
    gap: Int32[Array, ""]
    square: Int32[Array, ""]
    star: Int32[Array, ""]
    triangle: Int32[Array, ""]
    poly: Int32[Array, ""]
    ylop: Int32[Array, ""]
    colors: Int32[Array, ""]


def draw_frame(config: GeneratorConfig, words: Words) -> Frame:
    """Draw a size and two ends on the border: corners, other nodes or edge midpoints."""
    size = draw_index(words.uniform(), [weight for _, weight in config.sizes])
    width, height = jnp.array([size for size, _ in config.sizes], jnp.int32)[size]

    place = jnp.arange(4 * sum(config.padded), dtype=jnp.int32)
    is_place = place < 4 * (height + width)
    row, col = border_point(place, height, width)
    is_corner = (row % (2 * height) == 0) & (col % (2 * width) == 0)
    is_edge = place % 2 == 1
    groups = {"corner": is_corner, "edge": is_edge, "side": ~is_corner & ~is_edge}
    weight = jnp.zeros(place.shape, jnp.float32)
    for name, group in groups.items():
        num_places = jnp.maximum(jnp.sum(group & is_place, dtype=jnp.float32), 1.0)
        weight = jnp.where(group & is_place, END_PLACES[name] / num_places, weight)
    start = draw_index(words.uniform(), weight)
    end = draw_index(words.uniform(), jnp.where(place == start, 0.0, weight))
    return Frame(height, width, start, end)


def draw_counts(config: GeneratorConfig, words: Words, area: Int32[Array, ""]) -> Counts:
    """Draw how much of each kind a board of `area` cells shall hold."""
    number = _draw_number(config, words, area)
    chosen = _draw_kinds(config, words, area, number)
    weights = jnp.where(chosen, jnp.array([EXTRA_WEIGHTS[kind] for kind in _SYMBOLS]), 0.0)
    extra = jax.vmap(draw_index, (0, None))(words.uniform(_most_symbols(config)), weights)
    is_extra = jnp.arange(extra.shape[0]) < number - jnp.sum(chosen)
    is_of_kind = (extra[:, None] == jnp.arange(len(_SYMBOLS))[None, :]) & is_extra[:, None]
    counts = jnp.where(chosen, 1 + jnp.sum(is_of_kind, axis=0, dtype=jnp.int32), 0)
    square, star, triangle, poly, ylop = counts
    mean_colors = COLORS_BY_SYMBOLS * number.astype(jnp.float32)
    return Counts(
        dot=_draw_points(config, words, area, "dot", DOT_COUNTS),
        gap=_draw_points(config, words, area, "gap", GAP_COUNTS),
        square=square,
        star=star,
        triangle=triangle,
        poly=jnp.minimum(poly, config.max_shapes - config.max_ylops),
        ylop=jnp.minimum(ylop, config.max_ylops),
        colors=1 + draw_poisson(words.uniform(), mean_colors, MOST_COLORS - 1),
    )


def _draw_number(config, words, area):
    """Draw the number of symbols in all."""
    spread = jnp.array(SPREAD)[words.below(len(SPREAD))]
    mean = spread * (SYMBOLS_BY_AREA[0] + SYMBOLS_BY_AREA[1] * area.astype(jnp.float32))
    number = 1 + draw_poisson(words.uniform(), mean, _most_symbols(config))
    return jnp.minimum(jnp.where(words.uniform() < NO_SYMBOL_CHANCE, 0, number), area)


def _draw_kinds(config, words, area, number):
    """Draw which kinds of symbols there shall be, at most `number`, in the order of `_SYMBOLS`."""
    share = jnp.clip((area.astype(jnp.float32) - 4.0) / 20.0, 0.0, 1.0)
    chance = jnp.zeros(len(KIND_CHANCES), jnp.float32)
    for place, (kind, (low, high)) in enumerate(KIND_CHANCES.items()):
        if kind in config.kinds:
            of_kind = low + share * (high - low) if config.is_mix else 1.0
            chance = chance.at[place].set(of_kind)
    chosen = words.uniform(*chance.shape) < chance
    chosen = jnp.where(jnp.any(chosen), chosen, chance > 0)
    chosen = pick_several(words.scores(1, *chance.shape)[0], chosen, number)
    ylop_chance = YLOP_CHANCE if config.is_mix else 1.0
    ylop_chance = ylop_chance if "ylop" in config.kinds and config.max_ylops else 0.0
    has_poly = chosen[_SYMBOLS.index("poly")]
    has_ylop = has_poly & (area >= YLOP_AREA) & (number > jnp.sum(chosen))
    return jnp.append(chosen, has_ylop & (words.uniform() < ylop_chance))


def _draw_points(config, words, area, kind, weights: Mapping[int, float]):
    """Draw the number of dots or gaps."""
    if kind not in config.kinds:
        return jnp.int32(0)
    cells = area.astype(jnp.float32)
    if config.is_mix:
        number = draw_index(words.uniform(), tuple(weights.values())).astype(jnp.float32)
        scale = POINTS_BY_AREA[0] + POINTS_BY_AREA[1] * cells
        return jnp.floor(number * scale + words.uniform()).astype(jnp.int32)
    mean = cells / 4.0 if len(config.kinds) == 1 else jnp.float32(1.5)
    return 1 + draw_poisson(words.uniform(), mean, _most_symbols(config))


def _most_symbols(config):
    return config.padded[0] * config.padded[1]

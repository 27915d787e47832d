"""Line puzzles made on the device: any number of solvable boards from a key, in pure JAX.

    env, _ = spatialjax.make("Witness-v0", success="rules")
    params = generate_params(jax.random.key(0), 4096, GeneratorConfig())
    observation, episode = env.reset(jax.random.key(1), params)

A board is made round a random line (`device_line.py`): symbols are placed so that the line
satisfies them (`device_shapes.py`, `device_symbols.py`), as many of each kind as were drawn before
(`device_plan.py`) and find room. So every board can be solved; other lines may solve it too, and
nobody lists them: `success="rules"` judges. One compilation serves every key.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int8, Int32, Key

from spatialjax.core.pytree import pytree
from spatialjax.witness.device_choice import with_words
from spatialjax.witness.device_line import border_point, line_moves, random_lines
from spatialjax.witness.device_plan import GeneratorConfig, draw_counts, draw_frame
from spatialjax.witness.device_shapes import make_shapes, shape_fields
from spatialjax.witness.device_symbols import (
    Symbols,
    draw_palette,
    put_dots,
    put_gaps,
    put_shapes,
    put_squares,
    put_stars,
    put_triangles,
)
from spatialjax.witness.difficulty import LEVEL_BOUNDS, raw_difficulty
from spatialjax.witness.lattice import cells_on_lattice, open_directions, point_on_lattice
from spatialjax.witness.observations import OBSERVATIONS, base_observations
from spatialjax.witness.pixels import DEFAULT_PIXELS
from spatialjax.witness.regions import cell_regions
from spatialjax.witness.types import NUM_KINDS, Kind, Pack, Puzzle, Trie

__all__ = ["Boards", "GeneratorConfig", "generate_boards", "generate_params"]


@pytree
class Boards:
    """Boards, and for each a line that solves it; every field has a leading axis `N`.

    Attributes:
      puzzles: the boards.
      moves: the line's moves from the start, then -1.
      length: their number.
    """

    puzzles: Puzzle
    moves: Int8[Array, "N T"]
    length: Int32[Array, " N"]


def generate_params(
    key: Key[Array, ""],
    n: int,
    config: GeneratorConfig,
    observation: str = "planes",
    pixels: int = DEFAULT_PIXELS,
) -> Pack:
    """Return `n` boards as `params` of the environment, with no solution stored.

    Args:
      key: consumed.
      n: number of boards; static under `jit`, as are the next three.
      config: what boards to make.
      observation, pixels: the form of observation that the environment was made for, and the side
        of its pictures.

    Raises:
      ImportError: for pixels without Pillow.
      ValueError: if there is no such form, or pixels don't fit the lattice.
    """
    if observation not in OBSERVATIONS:
        raise ValueError(f"observation is {observation!r}; it must be one of {OBSERVATIONS}")
    return make_params(generate_boards(key, n, config).puzzles, observation, pixels)


@partial(jax.jit, static_argnames=("n", "config"))
def generate_boards(key: Key[Array, ""], n: int, config: GeneratorConfig) -> Boards:
    """Return the boards of `generate_params`, each with the line that it was made round."""
    frame_key, line_key, fill_key = jax.random.split(key, 3)
    frame = with_words(frame_key, n, partial(draw_frame, config))
    lines = random_lines(line_key, *frame, capacity=config.padded, num_sweeps=config.num_sweeps)
    bare = jax.vmap(partial(_bare_board, config))(frame)
    puzzles = with_words(fill_key, n, partial(_fill, config), bare, lines)
    moves, length = jax.vmap(line_moves)(lines, puzzles.start, puzzles.end)
    return Boards(puzzles=puzzles, moves=moves, length=length)


def make_params(puzzles: Puzzle, observation: str, pixels: int = DEFAULT_PIXELS) -> Pack:
    """Return puzzles, stacked, as `params` of an environment with this form of observation."""
    no_solutions = Trie(
        root=jnp.full(puzzles.start.shape, -1, jnp.int32),
        child=jnp.full((1, 4), -1, jnp.int32),
        parent=jnp.full(1, -1, jnp.int32),
        complete=jnp.zeros(1, bool),
    )
    base = base_observations(puzzles, observation, pixels)
    return Pack(puzzles=puzzles, trie=no_solutions, base_observation=base)


def _bare_board(config, frame):
    """Return a board that holds nothing."""
    h, w = config.padded
    rows, cols = 2 * h + 1, 2 * w + 1
    start, end = (
        row * cols + col
        for row, col in (
            border_point(place, frame.height, frame.width) for place in (frame.start, frame.end)
        )
    )
    points, cells = jnp.zeros((rows, cols), bool), jnp.zeros((h, w), jnp.int8)
    slots = jnp.zeros(config.max_shapes, jnp.int32)
    return Puzzle(
        height=frame.height,
        width=frame.width,
        start=start,
        end=end,
        open_directions=points.astype(jnp.uint8),
        dot=points,
        gap=points,
        kind=cells,
        color=cells,
        count=cells,
        shape_cell=slots - 1,
        shape_sign=slots.astype(jnp.int8),
        shape_mask=slots.astype(jnp.uint16),
        shape_board=jnp.zeros((config.max_shapes, 2), jnp.uint32),
        shape_height=slots,
        shape_width=slots,
        level=jnp.zeros((), jnp.int32),
        optimal_length=jnp.zeros((), jnp.int32),
    )


def _fill(config, words, puzzle, line):
    """Return the bare board with symbols that the line satisfies."""
    counts = draw_counts(config, words, puzzle.height * puzzle.width)
    region = cell_regions(puzzle, line.visited)
    slots = make_shapes(
        words,
        region,
        counts.poly,
        counts.ylop,
        counts.colors,
        max_shapes=config.max_shapes,
        max_ylops=config.max_ylops,
    )
    puzzle = _with_symbols(words, puzzle, line, region, counts, slots)
    puzzle = _with_points(words, puzzle, line, counts)
    return dataclasses.replace(puzzle, **shape_fields(slots), level=_level(puzzle))


def _with_symbols(words, puzzle, line, region, counts, slots):
    """Put symbols on the cells."""
    symbols = Symbols(region=region, kind=puzzle.kind, color=puzzle.color, count=puzzle.count)
    symbols = put_shapes(symbols, slots)
    symbols = put_squares(words, symbols, counts.square, counts.colors)
    symbols = put_triangles(words, symbols, line.visited, counts.triangle, counts.colors)
    symbols = put_stars(words, symbols, counts.star, counts.colors)
    color = draw_palette(words)[symbols.color.astype(jnp.int32)]
    return dataclasses.replace(
        puzzle,
        kind=symbols.kind,
        color=jnp.where(symbols.kind == Kind.NONE, jnp.int8(0), color),
        count=symbols.count,
    )


def _with_points(words, puzzle, line, counts):
    """Put dots on the line and gaps beside it."""
    shape = line.visited.shape
    row, col = jnp.arange(shape[0])[:, None], jnp.arange(shape[1])[None, :]
    on_board = (row <= 2 * puzzle.height) & (col <= 2 * puzzle.width)
    ends = point_on_lattice(puzzle.start, shape) | point_on_lattice(puzzle.end, shape)
    gap = put_gaps(words, on_board & ~line.visited, counts.gap)
    walkable = on_board & ~gap & ~cells_on_lattice(jnp.ones(puzzle.kind.shape, bool))
    return dataclasses.replace(
        puzzle,
        dot=put_dots(words, line.visited & ~ends, counts.dot),
        gap=gap,
        open_directions=jnp.where(walkable, open_directions(walkable), jnp.uint8(0)),
    )


def _level(puzzle):
    """Return the level of difficulty."""
    kinds = jnp.arange(1, NUM_KINDS + 1, dtype=jnp.int8)
    num_kinds = jnp.sum(jnp.any(puzzle.kind[None] == kinds[:, None, None], axis=(1, 2)))
    numbers = (num_kinds, jnp.sum(puzzle.kind != Kind.NONE), puzzle.height * puzzle.width)
    raw = raw_difficulty(*(number.astype(jnp.float32) for number in numbers))
    return 1 + jnp.sum(raw >= jnp.array(LEVEL_BOUNDS), dtype=jnp.int32)

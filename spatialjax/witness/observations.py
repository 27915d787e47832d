"""What an agent sees of a line puzzle: planes, a compact vector, a picture, or nothing.

`planes` is `uint8[H, W, 13]`, indexed `[row, col, channel]`:

| channel | holds |
|---|---|
| 0 `LINE` | 1 on every point of the line |
| 1 `HEAD` | 1 on the line's last point |
| 2 `USABLE` | 1 on every free point where the line may stand: no gap, no cell, not on the line |
| 3 `START`, 4 `END` | 1 there |
| 5 `DOT`, 6 `GAP` | 1 there; a dot under start or end is shown too |
| 7 `BOARD` | 1 on every point of the board, 0 in the padding |
| 8 `KIND` | code of `Kind` on cells |
| 9 `COLOR` | code of `Color` on cells |
| 10 `COUNT` | 1..4 on triangle cells |
| 11 `SHAPE_TOP` | rows 0 and 1 of a polyomino: bit `4 * row + col` set where filled |
| 12 `SHAPE_BOTTOM` | rows 2 and 3 of it: bit `4 * (row - 2) + col` |

`vector` is the same in one byte a point and two a shape, `uint8[H * W + 2 * S]`. Byte `i` describes
flat lattice index `i`; the last `2 * S` bytes are the shapes (top, bottom) in the reading order of
their cells, 0 for unused slots.

| byte | holds |
|---|---|
| points | 0 padding, else bit 0, plus 2 start, 4 end, 8 dot, 16 gap, 64 the head, 128 the line |
| cells | 0 padding, 1 empty, else 2 + 8 * form + (color - 1) |

The forms, from 0: square, star, triangle of 1, 2, 3, 4, poly, ylop.

`pixels` is a picture, `uint8[P, P, 3]`: see `pixels.py`. It takes Pillow when the pack is made.

`none` is an empty `uint8[0]`, for programs that read the episode itself.
"""

import enum
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, UInt8

from spatialjax.core.spaces import Box
from spatialjax.witness.lattice import cells_on_lattice, point_on_lattice, unpack_bits
from spatialjax.witness.pixels import DEFAULT_PIXELS, base_frame, observe_frame
from spatialjax.witness.types import NUM_COLORS, NUM_KINDS, Kind, Pack, Puzzle, State

OBSERVATIONS = ("planes", "vector", "pixels", "none")

_POINT, _START, _END, _DOT, _GAP, _HEAD, _LINE = 1, 2, 4, 8, 16, 64, 128


class Channel(enum.IntEnum):
    """Channels of the planes."""

    LINE = 0
    HEAD = 1
    USABLE = 2
    START = 3
    END = 4
    DOT = 5
    GAP = 6
    BOARD = 7
    KIND = 8
    COLOR = 9
    COUNT = 10
    SHAPE_TOP = 11
    SHAPE_BOTTOM = 12


def space(form: str, rows: int, cols: int, num_shapes: int, pixels: int = DEFAULT_PIXELS) -> Box:
    """Return the space of an observation form over a padded lattice."""
    shapes = {
        "planes": (rows, cols, len(Channel)),
        "vector": (rows * cols + 2 * num_shapes,),
        "pixels": (pixels, pixels, 3),
    }
    return Box(0, 255, shapes.get(form, (0,)), jnp.uint8)


def base_observation(
    puzzle: Puzzle, form: str, pixels: int = DEFAULT_PIXELS
) -> UInt8[Array, "..."]:
    """Return the part of an observation that the line doesn't change: computed once a puzzle."""
    if form == "planes":
        return _base_planes(puzzle)
    if form == "pixels":
        return base_frame(puzzle, pixels)
    return _base_vector(puzzle) if form == "vector" else jnp.zeros(0, jnp.uint8)


def observe(pack: Pack, state: State, form: str) -> UInt8[Array, "..."]:
    """Return the observation of a state; `pack.base_observation` was made for the same form."""
    if form == "pixels":
        return observe_frame(pack, state)
    base = pack.base_observation[state.puzzle_index]
    if form == "none":
        return base
    rows, cols = pack.puzzles.dot.shape[-2:]
    line = unpack_bits(state.visited, (rows, cols))
    head = point_on_lattice(state.position, (rows, cols)).astype(jnp.uint8)
    if form == "planes":
        usable = base[:, :, Channel.USABLE] * (1 - line)
        return jnp.concatenate([jnp.stack([line, head, usable], -1), base[:, :, 3:]], axis=-1)
    tail = base.shape[0] - rows * cols
    return base | jnp.pad((line * _LINE + head * _HEAD).reshape(-1), (0, tail))


def one_hot_planes(planes: UInt8[Array, "*b H W 13"]) -> Float32[Array, "*b H W 41"]:
    """Expand planes for a network: 8 binary channels, 5 kinds, 8 colours, 4 counts, 16 squares."""
    shapes = [_bits(planes[..., c]) for c in (Channel.SHAPE_TOP, Channel.SHAPE_BOTTOM)]
    parts = [
        planes[..., : Channel.KIND],
        _one_hot(planes[..., Channel.KIND], NUM_KINDS),
        _one_hot(planes[..., Channel.COLOR], NUM_COLORS),
        _one_hot(planes[..., Channel.COUNT], 4),
        *shapes,
    ]
    return jnp.concatenate([part.astype(jnp.float32) for part in parts], axis=-1)


def _one_hot(codes: UInt8[Array, "*b"], num_codes: int) -> Bool[Array, "*b codes"]:
    """Return one channel for each of the codes 1 .. num_codes; 0 is none of them."""
    return jnp.stack([codes == code for code in range(1, num_codes + 1)], axis=-1)


def _bits(codes: UInt8[Array, "*b"]) -> UInt8[Array, "*b 8"]:
    return jnp.stack([(codes >> bit) & 1 for bit in range(8)], axis=-1)


def _board(puzzle: Puzzle) -> Array:
    rows, cols = puzzle.dot.shape
    row = jnp.arange(rows, dtype=jnp.int32)[:, None]
    col = jnp.arange(cols, dtype=jnp.int32)[None, :]
    return (row <= 2 * puzzle.height) & (col <= 2 * puzzle.width)


def _shape_bytes(puzzle: Puzzle) -> UInt8[Array, "S 2"]:
    mask = puzzle.shape_mask
    return jnp.stack([mask & 255, mask >> 8], axis=-1).astype(jnp.uint8)


def _base_planes(puzzle: Puzzle) -> UInt8[Array, "H W 13"]:
    rows, cols = puzzle.dot.shape
    # A comparison with every cell, as a scatter takes longer to compile and to run.
    cell = jnp.arange(puzzle.kind.size, dtype=jnp.int32)
    here = puzzle.shape_cell[:, None] == cell[None, :]
    spread = jnp.where(here[:, :, None], _shape_bytes(puzzle)[:, None, :], jnp.uint8(0))
    shapes = jnp.sum(spread, axis=0, dtype=jnp.uint8).reshape(*puzzle.kind.shape, 2)
    board = _board(puzzle)
    is_cell = cells_on_lattice(jnp.ones(puzzle.kind.shape, bool))
    zero = jnp.zeros((rows, cols), jnp.uint8)
    planes = {
        Channel.LINE: zero,
        Channel.HEAD: zero,
        Channel.USABLE: board & ~is_cell & ~puzzle.gap,
        Channel.START: point_on_lattice(puzzle.start, (rows, cols)),
        Channel.END: point_on_lattice(puzzle.end, (rows, cols)),
        Channel.DOT: puzzle.dot,
        Channel.GAP: puzzle.gap,
        Channel.BOARD: board,
        Channel.KIND: cells_on_lattice(puzzle.kind),
        Channel.COLOR: cells_on_lattice(puzzle.color),
        Channel.COUNT: cells_on_lattice(puzzle.count),
        Channel.SHAPE_TOP: cells_on_lattice(shapes[..., 0]),
        Channel.SHAPE_BOTTOM: cells_on_lattice(shapes[..., 1]),
    }
    # Selects, as the compiler makes a program of its own of every part of a concatenation.
    channels = jnp.arange(len(Channel))[None, None, :]
    stacked = jnp.zeros((rows, cols, len(Channel)), jnp.uint8)
    for channel, plane in planes.items():
        chosen = channels == channel.value
        stacked = jnp.where(chosen, plane.astype(jnp.uint8)[:, :, None], stacked)
    return stacked


def _base_vector(puzzle: Puzzle) -> UInt8[Array, " L"]:
    rows, cols = puzzle.dot.shape
    points = jnp.full((rows, cols), _POINT)
    for bit, plane in (
        (_START, point_on_lattice(puzzle.start, (rows, cols))),
        (_END, point_on_lattice(puzzle.end, (rows, cols))),
        (_DOT, puzzle.dot),
        (_GAP, puzzle.gap),
    ):
        points = jnp.where(plane, points | bit, points)
    points = points.astype(jnp.uint8)
    # Triangles are the forms 2 to 5: their count on top of 1.
    first_form = jnp.array([0, 0, 1, 1, 6, 7], jnp.int8)[puzzle.kind]
    symbol = 1 + 8 * (first_form + puzzle.count) + puzzle.color
    symbol = jnp.where(puzzle.kind == Kind.NONE, 1, symbol)
    is_cell = cells_on_lattice(jnp.ones(puzzle.kind.shape, bool))
    codes = jnp.where(is_cell, cells_on_lattice(symbol.astype(jnp.uint8)), points)
    codes = jnp.where(_board(puzzle), codes, 0).astype(jnp.uint8)
    return jnp.concatenate([codes.reshape(-1), _shape_bytes(puzzle).reshape(-1)])


@partial(jax.jit, static_argnames=("form", "pixels"))
def base_observations(
    puzzles: Puzzle, form: str, pixels: int = DEFAULT_PIXELS
) -> UInt8[Array, "N ..."]:
    """Return `base_observation` of all puzzles of a pack.

    Raises:
      ImportError: for pixels without Pillow.
      ValueError: for pixels that don't fit the lattice.
    """

    def base(puzzle: Puzzle) -> UInt8[Array, "..."]:
        return base_observation(puzzle, form, pixels)

    if form == "pixels":
        # A few at a time: a picture takes some fifty times its size to make.
        return jax.lax.map(base, puzzles, batch_size=64)
    return jax.vmap(base)(puzzles)

"""The picture of a line puzzle as an observation, in pure JAX.

A frame is a square of `pixels` x `pixels`. In its middle lies the lattice of the pack's capacity,
at a whole number of pixels a lattice step, drawn in the style "original" of `render.py`; a smaller
board lies in its top left corner, and all around is background. Only the margin of the picture on
the host is wider: here it is half a lattice step, and cuts off the nub at the end.

Most of a frame is the same all along an episode, so it is kept with the puzzle:

    base = H * W codes of the lattice points, then the frame without a line

and a step adds the difference that the line makes to the tile of every point, modulo 256: a gather
from a table of tiles that were drawn once, on the host (`sprites.py`). A puzzle takes
`H * W + 3 * pixels ** 2` bytes: 12.8 kB at 65 x 65.
"""

import enum
import functools
import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Int32, UInt8, UInt16

from spatialjax.core.picture import load_drawing
from spatialjax.witness.encode import COLOR_CODES
from spatialjax.witness.lattice import get_move, unpack_bits
from spatialjax.witness.styles import STYLES
from spatialjax.witness.types import ACTION_STEPS, NUM_COLORS, Kind, Pack, Puzzle, State

DEFAULT_PIXELS = 65
"""Side of a frame: 5 pixels for each of 13 lattice points."""

MIN_SIDE = 4  # pixels a lattice step: with fewer, symbols run together
MAX_SIDE = 64

STYLE = STYLES["original"]

NUM_PLACES = 16
"""Places of a lattice point: four of its row times four of its column, each of them first, inside,
between two nodes, or last."""

NUM_LINES = 17
"""What the line does at a point: not there, or 1 + bits of the actions that lead along it."""


class Content(enum.IntEnum):
    """What a lattice point of the grid holds."""

    PLAIN = 0
    DOT = 1
    GAP = 2
    START = 3
    START_DOT = 4
    END = 5
    END_DOT = 6


def tile_side(pixels: int, rows: int, cols: int) -> int:
    """Return how many pixels of a frame a lattice step takes; ValueError if too few or many."""
    longest = max(rows, cols)
    if type(pixels) is not int or not MIN_SIDE <= pixels // longest <= MAX_SIDE:
        raise ValueError(
            f"pixels is {pixels!r}; for a lattice of {cols} x {rows} points it must be a whole"
            f" number from {MIN_SIDE * longest} to {(MAX_SIDE + 1) * longest - 1}"
        )
    return pixels // longest


def base_frame(puzzle: Puzzle, pixels: int) -> UInt8[Array, " L"]:
    """Return codes of the points and the frame of a puzzle without a line, as one row of bytes.

    Raises:
      ImportError: without Pillow.
      ValueError: if the lattice does not fit the frame.
    """
    rows, cols = puzzle.dot.shape
    side = tile_side(pixels, rows, cols)
    codes = _point_codes(puzzle)
    tiles = _sprites().point_tiles(side)[:, :, 0].reshape(-1, side, side, 3)
    grid = _spread(jnp.asarray(tiles)[codes], pixels, jnp.array(STYLE.background, jnp.uint8))
    # Symbols and grid don't overlap, so that what they change adds up.
    frame = grid.astype(jnp.int32) + _symbol_changes(puzzle, side, pixels)
    frame = jnp.clip(frame, 0, 255).astype(jnp.uint8)
    return jnp.concatenate([codes.astype(jnp.uint8).reshape(-1), frame.reshape(-1)])


def observe_frame(pack: Pack, state: State) -> UInt8[Array, "P P 3"]:
    """Return the frame of a state; `pack.base_observation` is made of `base_frame`s."""
    rows, cols = pack.puzzles.dot.shape[-2:]
    num_points, num_bytes = rows * cols, pack.base_observation.shape[-1]
    pixels = math.isqrt((num_bytes - num_points) // 3)
    # Cut out of the pack one by one: a row cut in two would be copied first.
    index = state.puzzle_index
    codes = lax.dynamic_slice(pack.base_observation, (index, 0), (1, num_points))
    frame = lax.dynamic_slice(
        pack.base_observation, (index, num_points), (1, num_bytes - num_points)
    )
    codes = codes.astype(jnp.int32).reshape(rows, cols)
    changes = jnp.asarray(_line_changes(tile_side(pixels, rows, cols)))
    tiles = changes[_with_line(codes, pack.puzzles.start[index], state)]
    return frame.reshape(pixels, pixels, 3) + _spread(tiles, pixels, jnp.zeros(3, jnp.uint8))


def _sprites() -> Any:
    return load_drawing("spatialjax.witness.sprites")


@functools.lru_cache(maxsize=4)
def _line_changes(side: int) -> UInt8[np.ndarray, "codes p p 3"]:
    """Return what each line changes in the tile of each point, modulo 256."""
    tiles = _sprites().point_tiles(side)
    return (tiles - tiles[:, :, :1]).reshape(-1, side, side, 3)


def _spread(
    tiles: UInt8[Array, "H W p p 3"], pixels: int, around: UInt8[Array, " 3"]
) -> UInt8[Array, "P P 3"]:
    """Put tiles beside each other in the middle of a frame."""
    rows, cols, side = tiles.shape[:3]
    spread = tiles.transpose(0, 2, 1, 3, 4).reshape(rows * side, cols * side, 3)
    return _framed(spread, pixels, around)


def _framed(picture: Array, pixels: int, around: Array) -> Array:
    rows, cols = picture.shape[:2]
    top, left = (pixels - rows) // 2, (pixels - cols) // 2
    if (rows, cols) == (pixels, pixels):
        return picture
    # The lattice may be no square, and the frame no multiple of it.
    pad = ((top, pixels - rows - top), (left, pixels - cols - left))
    inside = jnp.pad(jnp.ones((rows, cols, 1), bool), (*pad, (0, 0)))
    return jnp.where(inside, jnp.pad(picture, (*pad, (0, 0))), around[None, None])


def _point_codes(puzzle: Puzzle) -> Int32[Array, "H W"]:
    """Return place and content of every lattice point; cells and padding have that of a cell."""
    rows, cols = puzzle.dot.shape
    row = jnp.arange(rows, dtype=jnp.int32)[:, None]
    col = jnp.arange(cols, dtype=jnp.int32)[None, :]
    place = 4 * _place(row, puzzle.height) + _place(col, puzzle.width)
    index = row * cols + col
    content = jnp.where(puzzle.dot, Content.DOT, Content.PLAIN)
    content = jnp.where(puzzle.gap, Content.GAP, content)
    for point, plain in ((puzzle.start, Content.START), (puzzle.end, Content.END)):
        content = jnp.where(index == point, plain + puzzle.dot.astype(jnp.int32), content)
    on_grid = (row % 2 == 0) | (col % 2 == 0)
    on_board = (row <= 2 * puzzle.height) & (col <= 2 * puzzle.width)
    cell = (4 * 2 + 2) * len(Content)
    return jnp.where(on_grid & on_board, place * len(Content) + content, cell)


def _place(at: Array, length: Int32[Array, ""]) -> Array:
    """Return where on a side of some cells a coordinate is, as `NUM_PLACES` says."""
    inside = jnp.where(at % 2 == 1, 2, 1)
    return jnp.where(at == 0, 0, jnp.where(at == 2 * length, 3, inside))


def _symbol_changes(puzzle: Puzzle, side: int, pixels: int) -> Int32[Array, "P P 3"]:
    """Return what the symbols change in a frame of background."""
    forms = jnp.asarray(_sprites().symbol_covers(side))
    kind, count = puzzle.kind.astype(jnp.int32), puzzle.count.astype(jnp.int32)
    # Triangles are the forms 2 to 5: their count on top of 1.
    form = jnp.where(kind == Kind.TRIANGLE, 1 + count, kind - 1)
    cover = forms[jnp.clip(form, 0, len(forms) - 1)]
    is_shape = ((kind == Kind.POLY) | (kind == Kind.YLOP))[:, :, None, None]
    cover = jnp.where(is_shape, _shape_cover(puzzle, side), cover)
    cover = jnp.where((kind == Kind.NONE)[:, :, None, None], 0.0, cover)
    inks = jnp.asarray(_inks())[puzzle.color.astype(jnp.int32)]
    ground = jnp.array(STYLE.background, jnp.float32)[None, None, None, None]
    change = cover[..., None] * (inks[:, :, None, None] - ground)
    # As a picture is averaged down: to the nearest, halves up.
    change = jnp.floor(change + 0.5).astype(jnp.int32)
    h, w = kind.shape
    patches = change.transpose(0, 2, 1, 3, 4).reshape(h * 2 * side, w * 2 * side, 3)
    before = side // 2
    margins = ((before, side - before), (before, side - before), (0, 0))
    return _framed(jnp.pad(patches, margins), pixels, jnp.zeros(3, jnp.int32))


def _shape_cover(puzzle: Puzzle, side: int) -> Array:
    """Return which part of each pixel of each cell's patch its polyomino covers."""
    masks = _shapes_on_cells(puzzle).astype(jnp.int32)
    bits = (masks[..., None] >> jnp.arange(16, dtype=jnp.int32)[None, None]) & 1
    blocks = bits.reshape(*masks.shape, 4, 4)
    at = jnp.arange(4, dtype=jnp.int32)[None, None]
    last_y, last_x = (jnp.max(jnp.max(blocks, axis=axis) * at, axis=-1) for axis in (3, 2))
    covers = jnp.asarray(_sprites().block_covers(side))
    longest = jnp.maximum(last_x, last_y)
    filled = blocks.astype(jnp.float32)
    whole, hole = (
        jnp.einsum("rcyx,rcyv,rcxh->rcvh", filled, sides[longest, last_y], sides[longest, last_x])
        for sides in covers
    )
    is_hollow = (puzzle.kind == Kind.YLOP)[:, :, None, None]
    return jnp.where(is_hollow, whole - hole, whole)


def _shapes_on_cells(puzzle: Puzzle) -> UInt16[Array, "h w"]:
    """Return the mask of the polyomino on every cell, 0 where there is none."""
    cell = jnp.arange(puzzle.kind.size, dtype=jnp.int32)
    here = puzzle.shape_cell[:, None] == cell[None, :]
    masks = jnp.where(here, puzzle.shape_mask[:, None], jnp.uint16(0))
    return jnp.max(masks, axis=0).reshape(puzzle.kind.shape)


def _inks() -> np.ndarray:
    """Return red, green and blue of each code of `Color`."""
    inks = np.zeros((NUM_COLORS + 1, 3), np.float32)
    for letter, code in COLOR_CODES.items():
        inks[code] = STYLE.symbols[letter]
    return inks


def _with_line(
    codes: Int32[Array, "H W"], start: Int32[Array, ""], state: State
) -> Int32[Array, "H W"]:
    """Return codes of points times `NUM_LINES`, plus what the line does there."""
    rows, cols = codes.shape
    line = unpack_bits(state.visited, codes.shape) == 1
    # Between its ends the line leads on to every neighbour that is on it, as it never touches
    # itself; its ends may lie beside points that they are not joined to.
    index = jnp.arange(rows * cols, dtype=jnp.int32).reshape(rows, cols)
    first = get_move(state.path, jnp.int32(0))
    back = (get_move(state.path, jnp.maximum(state.length - 1, 0)) + 2) % 4
    ways = jnp.where(line, 15, 0)
    for point, way in ((start, first), (state.position, back)):
        ways = jnp.where(index == point, jnp.where(state.length > 0, 1 << way, 0), ways)
    around = jnp.pad(ways, 1)

    def add_way(codes: Array, step: tuple[Array, ...]) -> tuple[Array, None]:
        action, row, col = step
        near = lax.dynamic_slice(around, (1 + row, 1 + col), (rows, cols))
        return codes + (((ways >> action) & (near >> ((action + 2) % 4)) & 1) << action), None

    actions = jnp.arange(len(ACTION_STEPS), dtype=jnp.int32)
    steps = jnp.array(ACTION_STEPS, jnp.int32)
    # A loop that is not unrolled: the compiler would do the sum again for every byte of the frame.
    codes = codes * NUM_LINES + line.astype(jnp.int32)
    return lax.scan(add_way, codes, (actions, steps[:, 0], steps[:, 1]))[0]

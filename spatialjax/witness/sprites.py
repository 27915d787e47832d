"""Small pictures from which `pixels.py` puts a board together; importing this imports Pillow.

Every lattice point has a square tile of `side` pixels around it, and every cell a patch of twice
that. They are cut from what `drawing.py` draws at `side` pixels a lattice step, so a board put
together from them looks as if it had been drawn.
"""

import functools
import itertools
from collections.abc import Iterable

import numpy as np
from jaxtyping import Float32, UInt8

from spatialjax.core.pen import OVERSAMPLE, Pen
from spatialjax.core.picture import BLACK, WHITE
from spatialjax.data.board import STEPS, Board, Symbol
from spatialjax.witness.drawing import (
    BLOCK_FILL,
    HOLE_FILL,
    block_middle,
    block_pitch,
    draw_points,
    draw_symbol,
)
from spatialjax.witness.pixels import NUM_LINES, NUM_PLACES, STYLE, Content
from spatialjax.witness.scene import Point, board_scene, is_cell

FORMS = (Symbol(0, 0, "square", "W"), Symbol(0, 0, "star", "W")) + tuple(
    Symbol(0, 0, "triangle", "W", count) for count in (1, 2, 3, 4)
)
"""The symbols that look alike but for their colour: one each, around (0, 0)."""

# A coordinate for each of the places on a side: first, inside, between two nodes, last.
_COORDINATES = (0, 2, 1, 4)


@functools.lru_cache(maxsize=4)
def point_tiles(side: int) -> UInt8[np.ndarray, "places contents lines p p 3"]:
    """Return the tile of a lattice point for each place, content and line through it."""
    shape = (NUM_PLACES, len(Content), NUM_LINES, side, side, 3)
    tiles = np.empty(shape, np.uint8)
    tiles[:] = STYLE.background
    for place, (y, x) in enumerate(itertools.product(_COORDINATES, _COORDINATES)):
        if is_cell((x, y)):
            continue
        for content in Content:
            board = _board_with(content, (x, y))
            for line, path in _lines((x, y), content):
                tiles[place, content, line] = _tile(board, (x, y), path, side)
    return tiles


@functools.lru_cache(maxsize=4)
def symbol_covers(side: int) -> Float32[np.ndarray, "forms 2p 2p"]:
    """Return which part of each pixel of its cell's patch each of `FORMS` covers."""
    return np.stack([_cover(side, symbol) for symbol in FORMS])


@functools.lru_cache(maxsize=4)
def block_covers(side: int) -> Float32[np.ndarray, "2 4 4 4 2p"]:
    """Return which part of each column of a patch the blocks of a polyomino cover.

    The axes are: block or the hole in it; blocks along the longer side of the shape, less 1; blocks
    along this side of it, less 1; number of the block. As blocks are squares in rows and columns,
    the same holds for rows, and a product of the two for pixels.
    """
    covers = np.zeros((2, 4, 4, 4, 2 * side), np.float32)
    for longest, count in itertools.product(range(4), range(4)):
        pitch = block_pitch([(longest, 0)])
        for block in range(count + 1):
            for is_hole, fill in enumerate((BLOCK_FILL, HOLE_FILL)):
                pen = _patch_pen(side, height=1)
                pen.box(block_middle(block, count, pitch), 0.0, fill * pitch, 9.0, WHITE)
                covers[is_hole, longest, count, block] = _parts(pen)[0]
    return covers


def _board_with(content: Content, point: Point) -> Board:
    """Return a board that holds this at a point."""
    is_start = content in (Content.START, Content.START_DOT)
    is_end = content in (Content.END, Content.END_DOT)
    has_dot = content in (Content.DOT, Content.START_DOT, Content.END_DOT)
    return Board(
        2,
        2,
        point if is_start else (0, 0) if point != (0, 0) else (2, 2),
        point if is_end else (4, 4) if point != (4, 4) else (2, 2),
        dots=frozenset([point] if has_dot else []),
        gaps=frozenset([point] if content == Content.GAP else []),
    )


def _lines(point: Point, content: Content) -> Iterable[tuple[int, list[Point]]]:
    """Return the codes of all lines that may stand on a point, and for each such a line."""
    yield 0, []
    if content == Content.GAP:
        return
    x, y = point
    near = [(x + dx, y + dy) for dx, dy in STEPS]
    ways = [way for way, (nx, ny) in enumerate(near) if 0 <= nx <= 4 and 0 <= ny <= 4]
    ways = [way for way in ways if not is_cell(near[way])]
    if content in (Content.START, Content.START_DOT):
        yield 1, [point]
        yield from ((1 + (1 << way), [point, near[way]]) for way in ways)
        return
    yield from ((1 + (1 << way), [near[way], point]) for way in ways)
    for one, other in itertools.combinations(ways, 2):
        yield 1 + (1 << one) + (1 << other), [near[one], point, near[other]]


def _tile(board: Board, point: Point, path: list[Point], side: int) -> UInt8[np.ndarray, "p p 3"]:
    x, y = point
    pen = Pen((side, side), STYLE.background, side, left=0.5 - x, top=0.5 - y)
    scene = board_scene(board, tuple(path))
    near = [spot for spot in scene.spots if max(abs(spot.x - x), abs(spot.y - y)) <= 1]
    draw_points(pen, [spot for spot in near if not spot.is_cell], STYLE)
    return np.asarray(pen.finish())


def _cover(side: int, symbol: Symbol) -> Float32[np.ndarray, "2p 2p"]:
    pen = _patch_pen(side, height=2 * side)
    draw_symbol(pen, symbol, STYLE, BLACK)
    return _parts(pen)


def _patch_pen(side: int, height: int) -> Pen:
    """Return a black surface for a patch, (0, 0) in the middle of its cell."""
    # A patch begins half a tile, rounded down, before the tile of its cell's top left corner ends.
    margin = 1.5 - side // 2 / side
    return Pen((2 * side, height), BLACK, side, margin, margin)


def _parts(pen: Pen) -> Float32[np.ndarray, "rows cols"]:
    """Return which part of each pixel is white."""
    levels = OVERSAMPLE * OVERSAMPLE
    white = np.asarray(pen.finish())[..., 0].astype(np.float32)
    return np.rint(white / 255 * levels) / levels

"""Draw a board of a sliding puzzle with Pillow; importing this module imports Pillow.

The unit of length is a pixel of a picture of 1200 x 900. Other sizes hold that picture in their
middle, as large as it fits, with the label moved to their own corner.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PIL import Image

from spatialjax.core.pen import Pen
from spatialjax.core.picture import BLACK, RGB, WHITE, readable_on
from spatialjax.sliding.board import Board
from spatialjax.sliding.names import TILE_SHAPE, Point, cell_name
from spatialjax.sliding.styles import GEOM_COLORS

WIDTH, HEIGHT = 1200, 900

# The board stands left of the middle: the longest label fits beside it.
BOARD_LEFT, BOARD_TOP, BOARD_SIDE = 140, 54, 740
FRAME = 12  # lies outside the cells, so that all are alike
GRID = 4
EDGE = 4
EDGE_TEXT = 48  # height of the letters below and the numbers at the left
EDGE_GAP = 48  # from the board to their middle
CELL_TEXT = 0.4  # height of a cell's name and
TILE_TEXT = 0.5  # of a tile's number, as parts of the cell

LABEL_MARGIN = 50
LABEL_TEXT = 34
LABEL_HEIGHT = 58
LABEL_PAD = 16
LABEL_EDGE = 3
LABEL_ROUND = 14


def _ring(corners: int, radius: float) -> list[tuple[float, float]]:
    """Return the corners of a regular polygon, the first straight up."""
    angles = [2 * math.pi * i / corners for i in range(corners)]
    return [(radius * math.sin(angle), -radius * math.cos(angle)) for angle in angles]


def _square(side: float) -> list[tuple[float, float]]:
    half = side / 2
    return [(-half, -half), (half, -half), (half, half), (-half, half)]


def _sector(radius: float, width: float) -> list[tuple[float, float]]:
    """Return a sector of a disc, of this width, that stands on its point below the middle."""
    widest = math.asin(width / 2 / radius)
    angles = [widest * i / 16 for i in range(-16, 17)]
    arc = [(radius * math.sin(angle), radius / 2 - radius * math.cos(angle)) for angle in angles]
    return [(0.0, radius / 2), *arc]


OUTLINES: Mapping[str, Sequence[tuple[float, float]]] = MappingProxyType(
    {
        "sphere": _ring(96, 0.42),
        "cube": _square(0.78),
        "pyramid": [(0.0, -0.4), (0.44, 0.38), (-0.44, 0.38)],
        "cylinder": _ring(6, 0.45),
        "cone": _sector(0.84, 0.84),
        "prism": _ring(4, 0.45),
        TILE_SHAPE: _square(0.85),
    }
)
"""Shape -> its outline around the middle of a cell of side 1, y downwards; no two look alike."""


def draw(board: Board, size: tuple[int, int], background: RGB, label: str | None) -> Image.Image:
    """Draw a board on a picture of width x height pixels, with a word in its top right corner."""
    scale = min(size[0] / WIDTH, size[1] / HEIGHT)
    width, height = size[0] / scale, size[1] / scale
    left, top = (width - WIDTH) / 2, (height - HEIGHT) / 2
    pen = Pen(size, background, scale, left, top)
    _draw_grid(pen, board.size)
    _draw_edge_texts(pen, board.size)
    for slot in range(len(board)):
        _draw_geom(pen, board, slot)
    _draw_names(pen, board)
    if label is not None:
        _draw_label(pen, WIDTH + left - LABEL_MARGIN, LABEL_MARGIN - top, label, background)
    return pen.finish()


def _middle(size: int, cell: Point) -> tuple[float, float]:
    """Return the middle of a cell; row 0 is the bottom one."""
    side = BOARD_SIDE / size
    x, y = cell
    return BOARD_LEFT + (x + 0.5) * side, BOARD_TOP + (size - y - 0.5) * side


def _draw_grid(pen: Pen, size: int) -> None:
    right, bottom = BOARD_LEFT + BOARD_SIDE, BOARD_TOP + BOARD_SIDE
    width = max(GRID, pen.pixel)
    for line in range(1, size):
        at = BOARD_SIDE * line / size
        pen.bar(BOARD_LEFT + at, BOARD_TOP, BOARD_LEFT + at, bottom, width, BLACK)
        pen.bar(BOARD_LEFT, BOARD_TOP + at, right, BOARD_TOP + at, width, BLACK)
    frame = max(FRAME, 2 * pen.pixel)
    out = (frame - width) / 2
    left, top, right, bottom = BOARD_LEFT - out, BOARD_TOP - out, right + out, bottom + out
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    pen.stroke([*corners, corners[0]], frame, BLACK)


def _draw_edge_texts(pen: Pen, size: int) -> None:
    for i in range(size):
        x, y = _middle(size, (i, i))
        letter, number = cell_name((i, i))
        pen.text(x, BOARD_TOP + BOARD_SIDE + EDGE_GAP, letter, EDGE_TEXT, WHITE)
        pen.text(BOARD_LEFT - EDGE_GAP, y, number, EDGE_TEXT, WHITE)


def _draw_names(pen: Pen, board: Board) -> None:
    """Write its name into every empty cell."""
    text_height = CELL_TEXT * BOARD_SIDE / board.size
    for cell in itertools.product(range(board.size), range(board.size)):
        if cell not in board.positions:
            pen.text(*_middle(board.size, cell), cell_name(cell), text_height, WHITE)


def _draw_geom(pen: Pen, board: Board, slot: int) -> None:
    side = BOARD_SIDE / board.size
    x, y = _middle(board.size, board.positions[slot])
    shape, color = board.shapes[slot], GEOM_COLORS[board.colors[slot]]
    outline = [(x + side * dx, y + side * dy) for dx, dy in OUTLINES[shape]]
    pen.polygon(outline, color)
    pen.stroke([*outline, outline[0]], max(EDGE, pen.pixel), BLACK)
    if shape == TILE_SHAPE:
        pen.text(x, y, str(slot + 1), TILE_TEXT * side, readable_on(color))


def _draw_label(pen: Pen, right: float, top: float, word: str, background: RGB) -> None:
    """Write a word in a half-transparent box with this corner."""
    width = pen.text_width(word, LABEL_TEXT) + 2 * LABEL_PAD
    x, y = right - width / 2, top + LABEL_HEIGHT / 2
    red, green, blue = ((part + 255) // 2 for part in background)
    pen.box(x, y, width, LABEL_HEIGHT, BLACK, LABEL_ROUND)
    width, height = width - 2 * LABEL_EDGE, LABEL_HEIGHT - 2 * LABEL_EDGE
    pen.box(x, y, width, height, (red, green, blue), LABEL_ROUND - LABEL_EDGE)
    pen.text(x, y, word, LABEL_TEXT, BLACK)

"""Draw the scene of a line puzzle with Pillow; importing this module imports Pillow.

The unit of length is one lattice step, half the side of a cell.
"""

import math
from collections.abc import Sequence

from PIL import Image

from spatialjax.core.pen import Pen
from spatialjax.core.picture import RGB
from spatialjax.data.board import Symbol
from spatialjax.witness.scene import Scene, Spot
from spatialjax.witness.styles import Style

# Lengths in lattice steps. Symbols keep within 0.64 of the middle of their cell, clear of the start
# disc on the middle of a side.
MARGIN = 1.0
GRID_WIDTH = 0.32
LINE_WIDTH = 0.22
GAP_STUB = 0.62
START_RADIUS = 0.35
HEAD_RADIUS = 0.22
END_LENGTH = 0.6
DOT_RADIUS = 0.23
SQUARE_SIDE = 0.98
STAR_RADIUS = 0.62
TRIANGLE_SIDES = {1: 0.66, 2: 0.56, 3: 0.4, 4: 0.54}  # by count: few triangles are drawn larger
TRIANGLE_GAP = 0.05
SHAPE_SIDE = 1.28
BLOCK_PITCH = 0.42  # of shapes up to three blocks long; longer ones shrink to SHAPE_SIDE
BLOCK_FILL = 0.86  # side of a block, and
HOLE_FILL = 0.42  # side of the hole in a negative one, as parts of the pitch
MARK_RADIUS = 0.42
MARK_WIDTH = 0.1
HALO_WIDTH = 0.05


def draw(scene: Scene, style: Style, size: int) -> Image.Image:
    """Draw a scene; the longer side of the image has `size` pixels."""
    pen = _board_pen(scene, style, size)
    for spot in scene.spots:
        if spot.is_cell:
            _draw_cell(pen, spot, style)
    for spot in scene.spots:
        if not spot.is_cell:
            _draw_grid(pen, spot, style)
    # Marks lie under the line and the dots, so that they hide neither.
    for spot in scene.spots:
        if spot.broken and not spot.is_cell:
            pen.disc(spot.x, spot.y, MARK_RADIUS + HALO_WIDTH, style.broken_halo)
            pen.disc(spot.x, spot.y, MARK_RADIUS, style.broken)
    _draw_ends(pen, scene, style)
    _draw_line(pen, scene, style)
    for spot in scene.spots:
        if spot.symbol is not None:
            inside = style.broken_cell if spot.broken else style.background
            _draw_symbol(pen, spot.symbol, style, inside)
        if spot.dot:
            _draw_dot(pen, spot, style)
    return pen.finish()


def _board_pen(scene: Scene, style: Style, size: int) -> Pen:
    """Make the surface for a board, (0, 0) at its top left lattice point."""
    width, height = (side - 1 + 2 * MARGIN for side in (scene.board.columns, scene.board.rows))
    step = size / max(width, height)
    pixels = max(1, round(step * width)), max(1, round(step * height))
    return Pen(pixels, style.background, step, left=MARGIN, top=MARGIN)


def _draw_cell(pen: Pen, spot: Spot, style: Style) -> None:
    if not spot.broken:
        return
    side = 2 - GRID_WIDTH
    for width, color in (
        (HALO_WIDTH, style.broken_halo),
        (MARK_WIDTH, style.broken),
        (HALO_WIDTH, style.broken_halo),
        (0.0, style.broken_cell),
    ):
        pen.box(spot.x, spot.y, side, side, color, round_by=0.16)
        side -= 2 * width


def _draw_grid(pen: Pen, spot: Spot, style: Style) -> None:
    if spot.is_node:
        pen.disc(spot.x, spot.y, GRID_WIDTH / 2, style.grid)
        return
    for dx, dy in spot.grid:
        # A gap leaves a stub at each node: it reads as a broken line, not as a missing one.
        inner = 1 - GAP_STUB if spot.gap else 0.0
        near = spot.x + dx * inner, spot.y + dy * inner
        pen.bar(*near, spot.x + dx, spot.y + dy, GRID_WIDTH, style.grid)


def _end_tip(scene: Scene) -> tuple[float, float] | None:
    """Return the tip of the nub that leads off the board at the end, or None inside the board."""
    board, (x, y) = scene.board, scene.board.end
    dx = (x == board.columns - 1) - (x == 0)
    dy = (y == board.rows - 1) - (y == 0)
    length = math.hypot(dx, dy)
    return (x + dx / length * END_LENGTH, y + dy / length * END_LENGTH) if length else None


def _draw_ends(pen: Pen, scene: Scene, style: Style) -> None:
    pen.disc(*scene.board.start, START_RADIUS, style.grid)
    tip = _end_tip(scene)
    if tip is None:
        pen.disc(*scene.board.end, START_RADIUS, style.grid)
        pen.disc(*scene.board.end, START_RADIUS - 0.12, style.background)
    else:
        pen.stroke([scene.board.end, tip], GRID_WIDTH, style.grid)


def _draw_line(pen: Pen, scene: Scene, style: Style) -> None:
    if not scene.path:
        return
    points: list[tuple[float, float]] = list(scene.path)
    tip = _end_tip(scene) if scene.path[-1] == scene.board.end else None
    if tip is not None:
        points.append(tip)
    pen.stroke(points, LINE_WIDTH, style.line)
    if scene.path[0] == scene.board.start:
        pen.disc(*points[0], START_RADIUS - 0.06, style.line)
    if tip is None:
        pen.disc(*points[-1], HEAD_RADIUS, style.line)
        pen.disc(*points[-1], HEAD_RADIUS / 2, style.head)


def _draw_dot(pen: Pen, spot: Spot, style: Style) -> None:
    for radius, color in ((DOT_RADIUS, style.dot_edge), (DOT_RADIUS - 0.06, style.dot)):
        pen.polygon(_ring(spot.x, spot.y, [radius] * 6), color)


def _draw_symbol(pen: Pen, symbol: Symbol, style: Style, inside: RGB) -> None:
    """Draw one symbol on its cell; `inside` is the colour seen through a hollow shape."""
    color = style.symbols[symbol.color]
    x, y = symbol.x, symbol.y
    if symbol.kind == "square":
        pen.box(x, y, SQUARE_SIDE, SQUARE_SIDE, color, round_by=0.28)
    elif symbol.kind == "star":
        pen.polygon(_ring(x, y, [STAR_RADIUS, STAR_RADIUS * 0.64] * 8), color)
    elif symbol.kind == "triangle":
        side = TRIANGLE_SIDES[symbol.count]
        for tx, ty in _triangle_places(symbol.count, side + TRIANGLE_GAP):
            _draw_triangle(pen, x + tx, y + ty, side, color)
    else:
        _draw_shape(pen, symbol, color, inside)


def _draw_triangle(pen: Pen, x: float, y: float, side: float, color: RGB) -> None:
    half, height = side / 2, side * 0.9
    top = y - height / 2
    pen.polygon([(x - half, top + height), (x + half, top + height), (x, top)], color)


def _triangle_places(count: int, pitch: float) -> list[tuple[float, float]]:
    """Return the middles of the triangles: a row of up to three, four as two rows of two."""
    rows = [2, 2] if count == 4 else [count]
    return [
        ((i - (row - 1) / 2) * pitch, (j - (len(rows) - 1) / 2) * pitch)
        for j, row in enumerate(rows)
        for i in range(row)
    ]


def _draw_shape(pen: Pen, symbol: Symbol, color: RGB, inside: RGB) -> None:
    columns = max(dx for dx, _ in symbol.shape) + 1
    rows = max(dy for _, dy in symbol.shape) + 1
    pitch = min(BLOCK_PITCH, SHAPE_SIDE / max(columns, rows))
    for dx, dy in symbol.shape:
        x = symbol.x + (dx - (columns - 1) / 2) * pitch
        y = symbol.y + (dy - (rows - 1) / 2) * pitch
        pen.box(x, y, BLOCK_FILL * pitch, BLOCK_FILL * pitch, color)
        if symbol.kind == "ylop":
            pen.box(x, y, HOLE_FILL * pitch, HOLE_FILL * pitch, inside)


def _ring(x: float, y: float, radii: Sequence[float]) -> list[tuple[float, float]]:
    """Return points around (x, y) at these distances and even angles, the first straight up."""
    turn = 2 * math.pi / len(radii)
    return [(x + r * math.sin(i * turn), y - r * math.cos(i * turn)) for i, r in enumerate(radii)]

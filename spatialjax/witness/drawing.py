"""Draw the scene of a line puzzle with Pillow; importing this module imports Pillow.

The unit of length is one lattice step, half the side of a cell.
"""

import math
from collections.abc import Callable, Iterable, Sequence

from PIL import Image

from spatialjax.core.pen import Pen
from spatialjax.core.picture import BLACK, RGB
from spatialjax.data.board import Symbol
from spatialjax.data.tokens import COLORS
from spatialjax.witness.scene import Scene, Spot
from spatialjax.witness.styles import Style

# Lengths in lattice steps. Symbols keep within 0.64 of the middle of their cell, clear of the start
# disc on the middle of a side.
MARGIN = 1.0
LINE_WIDTH = 0.22
GAP_STUB = 0.62
START_RADIUS = 0.35  # at least, and
START_FACTOR = 0.62  # at least as a part of the width of the grid
START_RIM = 0.06
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

LETTER_TEXT = 0.56  # font height of S and E
AXIS = 0.8  # room for the numbers of an axis, which stand
AXIS_GAP = 1.15  # from the first lattice points, and
AXIS_TEXT = 0.46  # as high as this
AXIS_TICK = 0.8  # by which the lines of the axes reach out
AXIS_LINE = 0.02
LABEL_WIDTH = 0.66  # of the widest label of a point,
WORD_WIDTH = 1.2  # and of a cell, unless they would be higher than
LABEL_TEXT = 0.34
LABEL_PITCH = 0.95  # from line to line, as a part of the font height
WORD_SHAPE_SIDE = 0.52  # of a shape below its name, which
WORD_SHAPE_PITCH = 0.2  # has smaller blocks
WORD_SHAPE_DROP = 0.3  # lies below the middle, and
WORD_SHAPE_LIFT = 0.3  # lifts its name above it


def draw(scene: Scene, style: Style, size: int) -> Image.Image:
    """Draw a scene; the longer side of the image has `size` pixels."""
    left = top = MARGIN + style.frame + (AXIS if style.has_axes else 0.0)
    width = scene.board.columns - 1 + left + MARGIN + style.frame
    height = scene.board.rows - 1 + top + MARGIN + style.frame
    cos, sin = math.cos(math.radians(style.angle)), math.sin(math.radians(style.angle))
    turned = width * cos + height * sin, width * sin + height * cos
    step = size / max(turned)
    pen = Pen(_pixels(step, width, height), style.background, step, left, top)
    if style.frame:
        _draw_frame(pen, style, left, top, width, height)
    if style.has_axes:
        _draw_axes(pen, scene, style)
    draw_board(pen, scene, style)
    image = pen.finish_turned(style.angle, _pixels(step, *turned)) if style.angle else pen.finish()
    if style.coarseness > 1:
        image = image.reduce(style.coarseness).resize(image.size, Image.Resampling.NEAREST)
    return image


def _pixels(step: float, width: float, height: float) -> tuple[int, int]:
    return max(1, round(step * width)), max(1, round(step * height))


def draw_board(pen: Pen, scene: Scene, style: Style) -> None:
    """Draw a scene on a surface with (0, 0) at its top left lattice point."""
    points = [spot for spot in scene.spots if not spot.is_cell]
    cells = [spot for spot in scene.spots if spot.is_cell]
    for spot in cells:
        _draw_cell(pen, spot, style)
    draw_points(pen, points, style)
    for spot in cells:
        if spot.symbol is not None and not style.in_words:
            inside = style.broken_cell if spot.broken else style.background
            draw_symbol(pen, spot.symbol, style, inside)
    _write_labels(pen, points, style, _point_label, LABEL_WIDTH)
    _write_labels(pen, cells, style, _cell_label, WORD_WIDTH)


def draw_points(pen: Pen, points: Sequence[Spot], style: Style) -> None:
    """Draw the grid, start and end, the line and the dots at some lattice points."""
    for spot in points:
        _draw_grid(pen, spot, style)
    # Marks lie under the line and the dots, so that they hide neither.
    for spot in points:
        if spot.broken:
            pen.disc(spot.x, spot.y, MARK_RADIUS + HALO_WIDTH, style.broken_halo)
            pen.disc(spot.x, spot.y, MARK_RADIUS, style.broken)
    for spot in points:
        _draw_ends(pen, spot, style)
    for spot in points:
        _draw_line(pen, spot, style)
    for spot in points:
        _draw_line_ends(pen, spot, style)
    for spot in points:
        if spot.dot and not style.in_words:
            _draw_dot(pen, spot, style)


def _draw_frame(
    pen: Pen, style: Style, left: float, top: float, width: float, height: float
) -> None:
    x, y = width / 2 - left, height / 2 - top
    pen.box(x, y, width, height, BLACK)
    pen.box(x, y, width - 2 * style.frame, height - 2 * style.frame, style.background)


def _draw_axes(pen: Pen, scene: Scene, style: Style) -> None:
    """Number columns and rows, and bound each by thin lines: broad ones hold the cells."""
    right, bottom = scene.board.columns - 1, scene.board.rows - 1
    width = max(AXIS_LINE, pen.pixel)
    for last, is_across in ((right, True), (bottom, False)):
        across = bottom + MARGIN if is_across else right + MARGIN
        for at in range(last + 1):
            middle = (at, -AXIS_GAP) if is_across else (-AXIS_GAP, at)
            pen.text(*middle, str(at), AXIS_TEXT, style.writing)
            for edge in (
                (at - style.grid_width / 2, at + style.grid_width / 2) if at % 2 == 0 else ()
            ):
                ends = (edge, -AXIS_TICK), (edge, across)
                (x0, y0), (x1, y1) = ends if is_across else (end[::-1] for end in ends)
                pen.bar(x0, y0, x1, y1, width, style.writing)
    corner = -MARGIN - AXIS
    pen.bar(corner, corner, -AXIS_TICK, -AXIS_TICK, width, style.writing)
    near, far = (corner - AXIS_TICK) / 2 - 0.25, (corner - AXIS_TICK) / 2 + 0.25
    pen.text(far, near, "x", AXIS_TEXT, style.writing)
    pen.text(near, far, "y", AXIS_TEXT, style.writing)


def _draw_cell(pen: Pen, spot: Spot, style: Style) -> None:
    if not spot.broken:
        return
    side = 2 - style.grid_width
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
        pen.disc(spot.x, spot.y, style.grid_width / 2, style.grid)
        return
    for dx, dy in spot.grid:
        # A gap leaves a stub at each node: it reads as a broken line, not as a missing one.
        inner = 1 - GAP_STUB if spot.gap else 0.0
        near = spot.x + dx * inner, spot.y + dy * inner
        pen.bar(*near, spot.x + dx, spot.y + dy, style.grid_width, style.grid)


def _start_radius(style: Style) -> float:
    return max(START_RADIUS, START_FACTOR * style.grid_width)


def _tip(spot: Spot) -> tuple[float, float] | None:
    """Return the tip of the nub that leads off the board at the end, or None inside the board."""
    if spot.way_out is None:
        return None
    dx, dy = spot.way_out
    length = math.hypot(dx, dy)
    return spot.x + dx / length * END_LENGTH, spot.y + dy / length * END_LENGTH


def _draw_ends(pen: Pen, spot: Spot, style: Style) -> None:
    if style.in_words or not (spot.is_start or spot.is_end):
        return
    radius, tip = _start_radius(style), _tip(spot)
    if spot.is_start or tip is None or style.has_letters:
        pen.disc(spot.x, spot.y, radius, style.grid)
    if tip is not None:
        pen.stroke([(spot.x, spot.y), tip], style.grid_width, style.grid)
    elif spot.is_end and not style.has_letters:
        pen.disc(spot.x, spot.y, radius - 0.12, style.background)


def _draw_line(pen: Pen, spot: Spot, style: Style) -> None:
    if spot.on_line:
        pen.disc(spot.x, spot.y, LINE_WIDTH / 2, style.line)
    for dx, dy in spot.line:
        pen.bar(spot.x, spot.y, spot.x + dx, spot.y + dy, LINE_WIDTH, style.line)


def _draw_line_ends(pen: Pen, spot: Spot, style: Style) -> None:
    if spot.is_tail and spot.is_start:
        pen.disc(spot.x, spot.y, _start_radius(style) - START_RIM, style.line)
    if not spot.is_head:
        return
    tip = _tip(spot)
    if tip is None:
        pen.disc(spot.x, spot.y, HEAD_RADIUS, style.line)
        pen.disc(spot.x, spot.y, HEAD_RADIUS / 2, style.head)
    elif not style.in_words:
        pen.stroke([(spot.x, spot.y), tip], LINE_WIDTH, style.line)


def _draw_dot(pen: Pen, spot: Spot, style: Style) -> None:
    for radius, color in ((DOT_RADIUS, style.dot_edge), (DOT_RADIUS - 0.06, style.dot)):
        pen.polygon(_ring(spot.x, spot.y, [radius] * 6), color)


def draw_symbol(pen: Pen, symbol: Symbol, style: Style, inside: RGB) -> None:
    """Draw one symbol on its cell; `inside` is the colour seen through a hollow shape."""
    color, scale = style.symbols[symbol.color], style.symbol_scale
    x, y = symbol.x, symbol.y
    if symbol.kind == "square":
        pen.box(x, y, scale * SQUARE_SIDE, scale * SQUARE_SIDE, color, round_by=scale * 0.28)
    elif symbol.kind == "star":
        radius = scale * STAR_RADIUS
        pen.polygon(_ring(x, y, [radius, radius * 0.64] * 8), color)
    elif symbol.kind == "triangle":
        side = scale * TRIANGLE_SIDES[symbol.count]
        for tx, ty in _triangle_places(symbol.count, side + scale * TRIANGLE_GAP):
            _draw_triangle(pen, x + tx, y + ty, side, color)
    else:
        pitch = scale * block_pitch(symbol.shape)
        _draw_shape(pen, symbol, x, y, pitch, color, inside)


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


def block_pitch(shape: Iterable[tuple[int, int]]) -> float:
    """Return the distance from block to block of a shape as large as it is drawn on a thin grid."""
    return min(BLOCK_PITCH, SHAPE_SIDE / (1 + max(max(block) for block in shape)))


def block_middle(block: int, last: int, pitch: float) -> float:
    """Return where along one side, with blocks 0 to last, a block lies from the middle."""
    return (block - last / 2) * pitch


def _draw_shape(
    pen: Pen, symbol: Symbol, x: float, y: float, pitch: float, color: RGB, inside: RGB
) -> None:
    """Draw the blocks of a polyomino around a middle."""
    last_x, last_y = (max(sides) for sides in zip(*symbol.shape, strict=True))
    for dx, dy in symbol.shape:
        middle = x + block_middle(dx, last_x, pitch), y + block_middle(dy, last_y, pitch)
        pen.box(*middle, BLOCK_FILL * pitch, BLOCK_FILL * pitch, color)
        if symbol.kind == "ylop":
            pen.box(*middle, HOLE_FILL * pitch, HOLE_FILL * pitch, inside)


def _ring(x: float, y: float, radii: Sequence[float]) -> list[tuple[float, float]]:
    """Return points around (x, y) at these distances and even angles, the first straight up."""
    turn = 2 * math.pi / len(radii)
    return [(x + r * math.sin(i * turn), y - r * math.cos(i * turn)) for i, r in enumerate(radii)]


def _write_labels(
    pen: Pen,
    spots: Sequence[Spot],
    style: Style,
    label_of: Callable[[Spot, Style], list[str]],
    width: float,
) -> None:
    """Write a label on every spot that has one, all as large as the widest of them allows."""
    labels = {spot: label_of(spot, style) for spot in spots}
    widest = max(
        (pen.text_width(text, 1.0) for lines in labels.values() for text in lines), default=0
    )
    if widest == 0:
        return
    height = LETTER_TEXT if style.has_letters else min(LABEL_TEXT, width / widest)
    for spot, lines in labels.items():
        _write_label(pen, spot, lines, height, style)


def _write_label(pen: Pen, spot: Spot, lines: list[str], height: float, style: Style) -> None:
    middle = spot.y
    color, halo = (style.dot_edge, None) if spot.is_cell else (style.writing, style.grid)
    if spot.symbol is not None and spot.symbol.shape:
        inside = style.broken_cell if spot.broken else style.background
        pitch = WORD_SHAPE_PITCH / BLOCK_PITCH * block_pitch(spot.symbol.shape)
        _draw_shape(pen, spot.symbol, spot.x, middle + WORD_SHAPE_DROP, pitch, color, inside)
        middle -= WORD_SHAPE_LIFT
    for row, text in enumerate(lines):
        y = middle + (row - (len(lines) - 1) / 2) * LABEL_PITCH * height
        pen.text(spot.x, y, text, height, color, halo)


def _point_label(spot: Spot, style: Style) -> list[str]:
    """Return the lines of text on a point of the grid."""
    if style.has_letters:
        return ["S"] if spot.is_start else ["E"] if spot.is_end else []
    if not style.has_coordinates:
        return []
    if spot.gap:
        return ["Gap"]
    name = ["Start"] if spot.is_start else ["End"] if spot.is_end else []
    dot = ["Dot"] if spot.dot and style.in_words else []
    # A dot hides the coordinates of its point.
    return name + dot + ([f"{spot.x},{spot.y}"] if name or not spot.dot else [])


def _cell_label(spot: Spot, style: Style) -> list[str]:
    """Return the lines of text on a cell."""
    symbol = spot.symbol
    if symbol is None or not style.in_words:
        return []
    color = COLORS[symbol.color].capitalize()
    if symbol.kind == "triangle":
        return [f"{symbol.count} {color}", "Triangle" if symbol.count == 1 else "Triangles"]
    return [
        color,
        {"poly": "Positive", "ylop": "Negative"}.get(symbol.kind, symbol.kind.capitalize()),
    ]

"""Pictures of line puzzles: an image with Pillow, and text for a terminal. Host code only."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from spatialjax.core.picture import PLAIN, checked_pixels, load_drawing, on_ground
from spatialjax.data.board import Symbol
from spatialjax.data.tokens import Token, write_token
from spatialjax.witness.scene import Broken, Point, Scene, Spot, build_scene
from spatialjax.witness.styles import STYLES

if TYPE_CHECKING:
    from PIL import Image

DEFAULT_SIZE = 512
CELL_COLUMNS = 7  # characters between two nodes of the text form
CELL_LINES = 3  # lines between two nodes
# Line pieces by the directions they join: 1 right, 2 up, 4 left, 8 down.
LIGHT = " ╶╵└╴─┘┴╷┌│├┐┬┤┼"
HEAVY = " ╺╹┗╸━┛┻╻┏┃┣┓┳┫╋"
LINE_INK = "\x1b[1;38;5;37m"  # a cyan that stands out from black and from white
BITS: Mapping[Point, int] = {(1, 0): 1, (0, -1): 2, (-1, 0): 4, (0, 1): 8}


def render(
    record: Mapping[str, Any],
    path: Iterable[Point] | None = None,
    broken: Broken | None = None,
    style: str = "original",
    size: int = DEFAULT_SIZE,
) -> "Image.Image":
    """Draw a puzzle, a line on it and the points where the line breaks a rule.

    Args:
        record: a puzzle in the published format.
        path: lattice points (x, y) of the line, one step apart; it may be wrong or unfinished.
        broken: points to mark, or a dict from rule to points as `check_path(...).broken`.
        style: a name in `STYLES`, those of SPaRC's visual experiments; what each shows:

            original: the board alone.
            start_end_marked: S and E on start and end.
            coordinate_grid: x and y numbered at the top and the left.
            path_cell_annotated: `x,y` on every point of the grid but gaps and dots, with the words
                Start, End and Gap.
            text: as that, and words for symbols and dots; shapes are drawn below their name.
            black_frame: a black frame around the picture.
            low_contrast: colours half way to grey.
            low_resolution: half as many pixels each way.
            rotated: turned by 15 degrees.

            `coordinate_grid_and_start_end_marked` combines two, as do the last four with
            `_and_path_cell_annotated` after their name.
        size: pixels of the longer side, 32 to 4096; the other side follows the board.

    Returns an RGB image. Raises PuzzleError for a malformed record, ValueError for any other bad
    argument, ImportError without Pillow.
    """
    if style not in STYLES:
        raise ValueError(f"style = {style!r} is unknown; it must be one of {_names(STYLES)}.")
    pixels = checked_pixels("size", size, "longer side")
    scene = build_scene(record, path, broken)
    drawing = load_drawing("spatialjax.witness.drawing")
    return drawing.draw(scene, STYLES[style], pixels)


def render_text(
    record: Mapping[str, Any],
    path: Iterable[Point] | None = None,
    broken: Broken | None = None,
    color: bool = False,
) -> str:
    """Draw a puzzle and a line on it in box-drawing characters.

    The line is heavy; S start, E end, @ head of an unfinished line, ● dot, × gap. Cells hold the
    published tokens (`o-R` square, `*-R` star, `A-R` to `D-R` triangles 1 to 4, `P-R-1` polyomino,
    `Y-R-1` ylop), with shapes numbered from 1 and drawn below the board. Arguments and errors as
    `render`; no newline at the end.

    Args:
        broken: points to mark with a red ground, which takes `color`.
        color: whether to use ANSI escape sequences of 256 colours: for the line, for every symbol a
            ground of its colour.
    """
    scene = build_scene(record, path, broken)
    board = scene.board
    shapes = _number_shapes(scene)
    rows = board.height * (CELL_LINES + 1) + 1
    columns = board.width * (CELL_COLUMNS + 1) + 1
    canvas = [[" "] * columns for _ in range(rows)]
    for spot in scene.spots:
        row, column = _text_place(spot)
        _draw_reach(canvas, spot, row, column, color)
        text = _spot_text(spot, shapes)
        first = column - len(text) // 2
        painted = list(text)
        if color:
            # A place of the canvas may hold escape sequences beside its character.
            if spot.broken and spot.is_cell:
                mark = on_ground(STYLES["original"].broken) + " " + PLAIN
                side = CELL_COLUMNS // 2
                canvas[row][column - side : column + side + 1] = [mark] * CELL_COLUMNS
            before, after = _escapes(spot)
            painted[0] = before + painted[0]
            painted[-1] += after
        canvas[row][first : first + len(text)] = painted
    lines = ["".join(line).rstrip() for line in canvas]
    return "\n".join(lines + _shape_lines(shapes))


def _names(choices: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in choices)


def _text_place(spot: Spot) -> Point:
    """Return row and column of the character in the middle of a lattice point."""
    return spot.y * (CELL_LINES + 1) // 2, spot.x * (CELL_COLUMNS + 1) // 2


def _draw_reach(
    canvas: list[list[str]], spot: Spot, row: int, column: int, is_colored: bool
) -> None:
    """Draw the grid and the line from an edge half way to its nodes; nodes need no reach."""
    for step in () if spot.is_node else spot.grid:
        dx, dy = step
        pieces = HEAVY if step in spot.line else LIGHT
        piece = pieces[5 if dx else 10]
        if is_colored and step in spot.line:
            piece = LINE_INK + piece + PLAIN
        for by in range(1, (CELL_COLUMNS if dx else CELL_LINES) // 2 + 1):
            canvas[row + dy * by][column + dx * by] = piece


def _escapes(spot: Spot) -> tuple[str, str]:
    """Return the escape sequences before and after the text of a lattice point."""
    style = STYLES["original"]
    if spot.symbol is not None:
        return on_ground(style.symbols[spot.symbol.color]), PLAIN
    if spot.broken:
        return on_ground(style.broken), PLAIN
    return (LINE_INK, PLAIN) if spot.on_line else ("", "")


def _spot_text(spot: Spot, shapes: dict[tuple[Point, ...], int]) -> str:
    if spot.symbol is not None:
        return _symbol_text(spot.symbol, shapes)
    for is_here, text in (
        (spot.is_start, "S"),
        (spot.is_end, "E"),
        (spot.is_head, "@"),
        (spot.dot, "●"),
        (spot.gap and not spot.on_line, "×"),
    ):
        if is_here:
            return text
    pieces, steps = (HEAVY, spot.line) if spot.on_line else (LIGHT, spot.grid)
    return pieces[sum(BITS[step] for step in steps)]


def _symbol_text(symbol: Symbol, shapes: dict[tuple[Point, ...], int]) -> str:
    return write_token(Token(symbol.kind, symbol.color, symbol.count, shapes.get(symbol.shape, 0)))


def _number_shapes(scene: Scene) -> dict[tuple[Point, ...], int]:
    """Number the different shapes of a board from 1, in reading order."""
    shapes = dict.fromkeys(symbol.shape for symbol in scene.board.symbols if symbol.shape)
    return {shape: number for number, shape in enumerate(shapes, start=1)}


def _shape_lines(shapes: dict[tuple[Point, ...], int]) -> list[str]:
    lines = []
    for shape, number in shapes.items():
        width = max(dx for dx, _ in shape) + 1
        height = max(dy for _, dy in shape) + 1
        rows = ["".join(".#"[(x, y) in shape] for x in range(width)) for y in range(height)]
        label = f"{number}: "
        lines += ["", label + rows[0], *(" " * len(label) + row for row in rows[1:])]
    return lines

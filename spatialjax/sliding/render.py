"""Pictures of sliding puzzles: an image with Pillow, and text for a terminal. Host code only.

| geom | cube | sphere | cylinder | pyramid | cone | prism |
|---|---|---|---|---|---|---|
| drawn as | square | disc | hexagon | triangle, point up | sector of a disc, point down | diamond |
| written as | `cu` | `sp` | `cy` | `py` | `co` | `pr` |

iVISPAR's pictures are always 4 x 4 and draw cones and prisms as discs, so that a red cone looks
like a red sphere; ours show every board and every geom.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spatialjax.core.options import require_one_of
from spatialjax.core.picture import PLAIN, checked_pixels, load_drawing, on_ground
from spatialjax.data.fields import shown
from spatialjax.data.sliding import config_board
from spatialjax.sliding.board import Board
from spatialjax.sliding.names import TILE_SHAPE, Point, cell_name
from spatialjax.sliding.styles import GEOM_COLORS, STATES
from spatialjax.sliding.types import COLORS, MAX_SIZE, SHAPES

if TYPE_CHECKING:
    from PIL import Image

DEFAULT_SIZE = (1200, 900)
MARKINGS = ("color", "label", "both", "none")
"""How a picture tells its state: by its colour, a word, both or not at all."""


def render(
    puzzle: Mapping[str, Any] | Board,
    state: str = "active",
    marking: str = "both",
    size: int | tuple[int, int] = DEFAULT_SIZE,
) -> "Image.Image":
    """Draw a sliding puzzle.

    Args:
        puzzle: a config, which shows its start, or a board as it stands.
        state: a name in `STATES`; "goal" draws every geom on its goal cell.
        marking: one of `MARKINGS`; without colour every state has that of "active".
        size: pixels as (width, height), or the width of a picture of 4 by 3; 32 to 4096. At 400 x
            300 every name on a board of 8 x 8 can be read.

    Returns an RGB image. Raises PuzzleError for a malformed config, ValueError for any other bad
    argument, ImportError without Pillow.
    """
    board = _shown_board(puzzle, state)
    require_one_of("marking", marking, MARKINGS)
    pixels = _checked_size(size)
    drawing = load_drawing("spatialjax.sliding.drawing")
    background = STATES[state if marking in ("color", "both") else "active"]
    return drawing.draw(board, pixels, background, state if marking in ("label", "both") else None)


def render_text(
    puzzle: Mapping[str, Any] | Board, state: str = "active", color: bool = False
) -> str:
    """Draw a sliding puzzle in characters.

    A geom is the first letter of its colour and the first two of its shape, `Rcu` a red cube; a
    tile is its number. Puzzle, state and errors as `render`; no newline at the end.

    Args:
        color: whether to colour the geoms, with ANSI escape sequences of 256 colours.
    """
    board = _shown_board(puzzle, state)
    cells = {cell: _geom_text(board, slot, color) for slot, cell in enumerate(board.positions)}
    columns = range(board.size)
    top, between, bottom = (
        f"  {left}{middle.join(['─' * 5 for _ in columns])}{right}"
        for left, middle, right in ("┌┬┐", "├┼┤", "└┴┘")
    )
    lines = []
    for y in reversed(range(board.size)):
        row = "│".join(cells.get((x, y), " " * 5) for x in columns)
        lines += [between, f"{y + 1} │{row}│"]
    letters = "     ".join(cell_name((x, 0))[0] for x in columns)
    return "\n".join([top, *lines[1:], bottom, f"     {letters}"])


def _shown_board(puzzle: Any, state: str) -> Board:
    """Return the board that a picture of this state shows."""
    require_one_of("state", state, tuple(STATES))
    if isinstance(puzzle, Board):
        board = puzzle
    elif isinstance(puzzle, Mapping):
        board = config_board(puzzle)
    else:
        raise ValueError(f"puzzle is {shown(puzzle)}; it must be a config or a Board")
    board = board.at_goal() if state == "goal" else board
    _check_board(board)
    return board


def _check_board(board: Board) -> None:
    """Raise ValueError for a board, made by hand, that no picture can show."""
    if not 2 <= board.size <= MAX_SIZE:
        raise ValueError(f"board.size is {board.size}; it must be 2 to {MAX_SIZE}")
    taken: set[Point] = set()
    for slot, geom in enumerate(zip(board.colors, board.shapes, board.positions, strict=True)):
        color, shape, cell = geom
        is_known = color in GEOM_COLORS and shape in (*SHAPES, TILE_SHAPE)
        if not is_known or cell in taken or not all(0 <= at < board.size for at in cell):
            raise ValueError(
                f"geom {slot} of the board is {shown(geom)}; it must be a colour of "
                f"{', '.join(COLORS)}, a shape of {', '.join(SHAPES)} or {TILE_SHAPE}, and a cell "
                f"of its own among {board.size}x{board.size}"
            )
        taken.add(cell)


def _checked_size(size: Any) -> tuple[int, int]:
    if isinstance(size, tuple | list):
        if len(size) != 2:
            raise ValueError(f"size is {shown(size)}; it must be (width, height) in pixels")
        width = checked_pixels("size[0]", size[0], "width")
        return width, checked_pixels("size[1]", size[1], "height")
    width = checked_pixels("size", size, "width")
    return width, round(width * 3 / 4)


def _geom_text(board: Board, slot: int, is_colored: bool) -> str:
    """Return the five characters of a geom's cell, apart from escape sequences."""
    shape, color = board.shapes[slot], board.colors[slot]
    text = str(slot + 1) if shape == TILE_SHAPE else color[0].upper() + shape[:2]
    text = f"{text:^5}"
    return on_ground(GEOM_COLORS[color]) + text + PLAIN if is_colored else text

"""The board of a record as a small typed value; the only reader of the published tokens.

Lattice of a board of `width` x `height` cells, (x, y) with x to the right and y down:

    node edge node      even, even   node: the line may pass
    edge cell edge      one odd      edge: the middle between two nodes
    node edge node      odd, odd     cell: holds a symbol, never the line
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from spatialjax.data.fields import as_int, as_list, as_mapping, as_text, fail, parse_json
from spatialjax.data.tokens import (
    COLORS,
    SHAPE_ID,
    SYMBOL_KINDS,
    Token,
    may_stand,
    parse_token,
    place_of,
    wanted_at,
    write_token,
)
from spatialjax.data.visualization import (
    Visualization,
    read_visualization,
    write_visualization,
)
from spatialjax.errors import PuzzleError

__all__ = [
    "COLORS",
    "MAX_CELLS",
    "SHAPE_SIDE",
    "STEPS",
    "SYMBOL_KINDS",
    "Board",
    "Point",
    "Symbol",
    "board_fields",
    "parse_board",
    "record_name",
]

MAX_CELLS = 8  # cells per side: the widest board any part of the package is built for
SHAPE_SIDE = 4  # rows and columns of a published polyomino matrix
STEPS = ((1, 0), (0, -1), (-1, 0), (0, 1))  # one lattice step (dx, dy): right, up, left, down

Point = tuple[int, int]


@dataclass(frozen=True)
class Symbol:
    """One symbol on a cell.

    Attributes:
        x, y: lattice point of the cell, both odd.
        kind: "square", "star", "triangle", "poly" or "ylop".
        color: colour letter, a key of `COLORS`.
        count: sides the line must touch, 1 to 4; 0 for other kinds than triangle.
        shape: filled cells (dx, dy) of a poly or ylop, sorted, with smallest dx and dy 0; else ().
        shape_id: the id the record gives the shape; a label that says nothing about the shape.
    """

    x: int
    y: int
    kind: str
    color: str
    count: int = 0
    shape: tuple[Point, ...] = ()
    shape_id: int = 0


@dataclass(frozen=True)
class Board:
    """A board: size in cells, and everything on it in lattice points (x, y).

    Attributes:
        width, height: size in cells.
        start, end: first and last point of the line.
        dots: points the line must pass, with those under the start or the end.
        gaps: edges the line must not stand on.
        symbols: in reading order, row by row.
    """

    width: int
    height: int
    start: Point
    end: Point
    dots: frozenset[Point] = frozenset()
    gaps: frozenset[Point] = frozenset()
    symbols: tuple[Symbol, ...] = ()

    @property
    def columns(self) -> int:
        """Lattice columns."""
        return 2 * self.width + 1

    @property
    def rows(self) -> int:
        """Lattice rows."""
        return 2 * self.height + 1

    def is_open(self, point: Point) -> bool:
        """Say whether the line may stand on this point: on the lattice, no cell, no gap."""
        x, y = point
        inside = 0 <= x < self.columns and 0 <= y < self.rows
        return inside and not (x % 2 and y % 2) and point not in self.gaps


def parse_board(record: Mapping[str, Any], where: str | None = None) -> Board:
    """Read the board of a record; raise PuzzleError where it is malformed.

    Reads `grid_size`, `puzzle_array`, `polyshapes` and `text_visualization` (the last two may be
    absent); the latter must agree with `puzzle_array` and adds the dots under start or end.
    `where` opens the error messages; without it they name the record by its id.
    """
    record = as_mapping(record, where or "record", "the record")
    where = where or record_name("record", record)
    width, height = _size(record.get("grid_size"), where)
    tokens = _tokens(record.get("puzzle_array"), where, width, height)
    start, end = _single(tokens, "start", where), _single(tokens, "end", where)
    shapes = _shapes(record.get("polyshapes"), where)
    board = Board(
        width,
        height,
        start,
        end,
        dots=frozenset(point for point, token in tokens.items() if token.kind == "dot"),
        gaps=frozenset(point for point, token in tokens.items() if token.kind == "gap"),
        symbols=tuple(
            _symbol(point, token, shapes, where)
            for point, token in tokens.items()
            if token.kind in SYMBOL_KINDS
        ),
    )
    text = record.get("text_visualization")
    if text is None or as_text(text, where, "text_visualization") == "":
        return board
    return replace(board, dots=board.dots | _hidden(board, tokens, text, where))


def board_fields(board: Board) -> dict[str, Any]:
    """Write `grid_size`, `puzzle_array`, `polyshapes` and `text_visualization` of a board.

    The inverse of `parse_board`. Shapes move to the top left of their matrix; two shapes with one
    id are a ValueError, and so is a shape that does not fit the matrix.
    """
    points = [(x, y) for y in range(board.rows) for x in range(board.columns)]
    shown = {point: Token("dot") for point in board.dots}
    shown |= {point: Token("gap") for point in board.gaps}
    shown |= {(s.x, s.y): Token(s.kind, s.color, s.count, s.shape_id) for s in board.symbols}
    blank = {p: Token("empty" if place_of(*p) == "cell" else "free") for p in points}
    tokens = blank | shown | {board.start: Token("start"), board.end: Token("end")}
    shapes: dict[str, list[list[int]]] = {}
    for symbol in board.symbols:
        if symbol.shape:
            matrix = _matrix(symbol.shape)
            if shapes.setdefault(str(symbol.shape_id), matrix) != matrix:
                raise ValueError(f"two shapes have the id {symbol.shape_id}; ids must differ")
    visualization = Visualization(board.width, board.height, board.start, board.end, shown)
    return {
        "grid_size": {"width": board.width, "height": board.height},
        "puzzle_array": [
            [write_token(tokens[x, y]) for x in range(board.columns)] for y in range(board.rows)
        ],
        "polyshapes": json.dumps(shapes, separators=(",", ":")),
        "text_visualization": write_visualization(visualization),
    }


def record_name(source: str, record: Mapping[str, Any], id_field: str = "id") -> str:
    """Name a record in an error message: its source, and its id where it has a usable one."""
    name = record.get(id_field)
    return f"{source} (id {name!r})" if isinstance(name, str) and 0 < len(name) <= 64 else source


def _size(value: object, where: str) -> Point:
    wanted = "an object with width and height in cells"
    size = as_mapping(value, where, "grid_size", wanted)
    sides = []
    for side in ("width", "height"):
        if side not in size:
            fail(where, "grid_size", dict(size), wanted)
        try:
            sides.append(as_int(size[side], where, f"grid_size.{side}", 1, MAX_CELLS))
        except PuzzleError as error:
            limit = f"boards are at most {MAX_CELLS}x{MAX_CELLS} cells"
            raise PuzzleError(f"{error} ({limit})") from None
    return sides[0], sides[1]


def _tokens(value: object, where: str, width: int, height: int) -> dict[Point, Token]:
    """Return the token of every lattice point, in reading order."""
    rows, columns = 2 * height + 1, 2 * width + 1
    wanted = f"{rows} rows of {columns} tokens, as grid_size {width}x{height} asks"
    lines = as_list(value, where, "puzzle_array", wanted)
    if len(lines) != rows:
        fail(where, "puzzle_array", f"{len(lines)} rows", wanted)
    tokens: dict[Point, Token] = {}
    for y, line in enumerate(lines):
        row = as_list(line, where, f"puzzle_array[{y}]", wanted)
        if len(row) != columns:
            fail(where, f"puzzle_array[{y}]", f"{len(row)} tokens", wanted)
        for x, text in enumerate(row):
            token = parse_token(text) if isinstance(text, str) else None
            if token is None or not may_stand(token.kind, x, y):
                field = f"puzzle_array[{y}][{x}] (the {place_of(x, y)} at x={x}, y={y})"
                fail(where, field, text, wanted_at(x, y))
            tokens[x, y] = token
    return tokens


def _single(tokens: Mapping[Point, Token], kind: str, where: str) -> Point:
    points = [point for point, token in tokens.items() if token.kind == kind]
    if len(points) != 1:
        letter = write_token(Token(kind))
        found = f"{kind} points at {points}" if points else f"no {kind} point"
        fail(where, "puzzle_array", found, f"a board with exactly one {letter}")
    return points[0]


def _symbol(
    point: Point, token: Token, shapes: Mapping[int, tuple[Point, ...]], where: str
) -> Symbol:
    shape: tuple[Point, ...] = ()
    if token.kind in ("poly", "ylop"):
        field = f"the shape id at x={point[0]}, y={point[1]}"
        if token.shape_id not in shapes:
            fail(where, field, token.shape_id, f"a key of polyshapes, one of {sorted(shapes)}")
        shape = shapes[token.shape_id]
        if not shape:
            fail(where, f"polyshapes['{token.shape_id}']", "all 0", "a shape with a filled cell")
    return Symbol(*point, token.kind, token.color, token.count, shape, token.shape_id)


def _shapes(value: object, where: str) -> dict[int, tuple[Point, ...]]:
    """Read the `polyshapes` text; absent and "" mean no shapes."""
    if value is None or as_text(value, where, "polyshapes") == "":
        return {}
    wanted = "JSON text of an object from shape id to 4x4 rows of 0 and 1"
    parsed = parse_json(str(value), where, "polyshapes", wanted)
    shapes = {}
    for key, rows in as_mapping(parsed, where, "polyshapes", wanted).items():
        if not SHAPE_ID.fullmatch(key):
            fail(where, "polyshapes id", key, "a whole number of at most 18 digits")
        shapes[int(key)] = _shape(rows, where, f"polyshapes[{key!r}]")
    return shapes


def _shape(value: object, where: str, field: str) -> tuple[Point, ...]:
    wanted = f"{SHAPE_SIDE} rows of {SHAPE_SIDE} values, each 0 or 1"
    rows = [as_list(row, where, field, wanted) for row in as_list(value, where, field, wanted)]
    if [len(row) for row in rows] != [SHAPE_SIDE] * SHAPE_SIDE:
        fail(where, field, value, wanted)
    filled = [
        (x, y)
        for y, row in enumerate(rows)
        for x, entry in enumerate(row)
        if as_int(entry, where, f"{field}[{y}][{x}]", 0, 1)
    ]
    left, top = min((x for x, _ in filled), default=0), min((y for _, y in filled), default=0)
    return tuple(sorted((x - left, y - top) for x, y in filled))


def _matrix(shape: tuple[Point, ...]) -> list[list[int]]:
    if any(not (0 <= x < SHAPE_SIDE and 0 <= y < SHAPE_SIDE) for x, y in shape):
        raise ValueError(f"shape {shape} does not fit a {SHAPE_SIDE}x{SHAPE_SIDE} matrix")
    return [[int((x, y) in shape) for x in range(SHAPE_SIDE)] for y in range(SHAPE_SIDE)]


def _hidden(
    board: Board, tokens: Mapping[Point, Token], text: object, where: str
) -> frozenset[Point]:
    """Check the visualization against `puzzle_array`; return the dots only it shows."""
    visible = read_visualization(as_text(text, where, "text_visualization"), where, MAX_CELLS)
    for field in ("width", "height", "start", "end"):
        shown, real = getattr(visible, field), getattr(board, field)
        if shown != real:
            fail(where, f"text_visualization {field}", shown, f"{real}, as in puzzle_array")
    hidden = set()
    for point, token in tokens.items():
        shown = visible.tokens.get(point)
        if token.kind in ("start", "end") and shown == Token("dot"):
            hidden.add(point)
            continue
        expected = None if token.kind in ("free", "empty", "start", "end") else token
        if shown != expected:
            field = f"text_visualization at x={point[0]}, y={point[1]}"
            told, real = (write_token(t) if t else "nothing" for t in (shown, expected))
            fail(where, field, told, f"{real!r}, as in puzzle_array")
    return frozenset(hidden)

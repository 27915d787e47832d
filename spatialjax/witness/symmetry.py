"""The eight symmetries of the square and recolouring, for whole records.

Symmetry k turns the board k % 4 quarter turns clockwise, after mirroring it left to right if
k >= 4. Shapes turn with the board, as they may not be turned by the solver. Rules don't know
directions or colour names, so solutions turn with the board and survive recolouring.
"""

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from spatialjax.data.board import COLORS, Board, Symbol, board_fields, parse_board

NUM_SYMMETRIES = 8
KIND_LETTERS = {"square": "o", "star": "*", "triangle": "t", "poly": "p", "ylop": "y"}

Point = tuple[int, int]


def transform(record: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Return the record seen under symmetry `k` (0 to 7): board, shapes, solutions and text.

    Fields that don't depend on the view (id, difficulty, ...) are kept as they are.
    """
    board = parse_board(record)
    turned = copy.deepcopy(dict(record))
    turned |= board_fields(transform_board(board, k))
    for solution in turned.get("solutions", []):
        points = [(point["x"], point["y"]) for point in solution["path"]]
        points = [_turn(point, k, board.columns, board.rows) for point in points]
        solution["path"] = [{"x": x, "y": y} for x, y in points]
    return turned


def transform_board(board: Board, k: int) -> Board:
    """Return the board seen under symmetry `k`; shapes get the ids of their new form."""
    if not 0 <= k < NUM_SYMMETRIES:
        raise ValueError(f"symmetry {k!r} does not exist: give one of 0 to {NUM_SYMMETRIES - 1}")

    def turn(point: Point) -> Point:
        return _turn(point, k, board.columns, board.rows)

    symbols = []
    for symbol in board.symbols:
        x, y = turn((symbol.x, symbol.y))
        shape = _turn_shape(symbol.shape, k)
        symbols.append(replace(symbol, x=x, y=y, shape=shape, shape_id=shape_id(shape)))
    width, height = (board.width, board.height) if k % 2 == 0 else (board.height, board.width)
    return Board(
        width,
        height,
        turn(board.start),
        turn(board.end),
        frozenset(map(turn, board.dots)),
        frozenset(map(turn, board.gaps)),
        tuple(sorted(symbols, key=lambda symbol: (symbol.y, symbol.x))),
    )


def recolor(record: Mapping[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    """Return the record with colour letters replaced; letters not in `mapping` stay.

    Two letters must not become one, as that could change which lines solve the puzzle.
    """
    full = {letter: letter for letter in COLORS} | dict(mapping)
    if set(full) != set(COLORS) or sorted(full.values()) != sorted(COLORS):
        raise ValueError(
            f"the mapping {dict(mapping)!r} does not permute the colours {' '.join(COLORS)}"
        )
    board = parse_board(record)
    symbols = tuple(replace(symbol, color=full[symbol.color]) for symbol in board.symbols)
    return copy.deepcopy(dict(record)) | board_fields(replace(board, symbols=symbols))


def canonical_key(record: Mapping[str, Any]) -> str:
    """Return a text that two records share exactly if their boards are the same puzzle.

    The same means: up to rotation, reflection and recolouring. Ids, solutions and the ids of
    shapes play no part.
    """
    return board_key(parse_board(record))


def board_key(board: Board) -> str:
    """Return `canonical_key` of a parsed board."""
    return min(_spell(board, k) for k in range(NUM_SYMMETRIES))


def shape_id(shape: tuple[Point, ...]) -> int:
    """Return the published id of a shape: bit 4 x + y for each filled cell (x, y); 0 for none."""
    return sum(1 << (4 * x + y) for x, y in shape)


def _turn(point: Point, k: int, columns: int, rows: int) -> Point:
    """Turn a point of a grid of `columns` x `rows` points."""
    x, y = point
    if k >= 4:
        x = columns - 1 - x
    for _ in range(k % 4):
        x, y = rows - 1 - y, x
        columns, rows = rows, columns
    return x, y


def _turn_shape(shape: tuple[Point, ...], k: int) -> tuple[Point, ...]:
    """Turn a shape and move it back to smallest x and y 0."""
    if not shape:
        return shape
    columns = 1 + max(x for x, _ in shape)
    rows = 1 + max(y for _, y in shape)
    return tuple(sorted(_turn(cell, k, columns, rows) for cell in shape))


def _spell(board: Board, k: int) -> str:
    """Spell the board seen under `k`, colours numbered in the order they are read."""
    columns, rows = board.columns, board.rows

    def turn(points: Any) -> list[Point]:
        return sorted(_turn(point, k, columns, rows) for point in points)

    symbols: list[tuple[Point, Symbol]] = sorted(
        ((_turn((s.x, s.y), k, columns, rows), s) for s in board.symbols), key=lambda pair: pair[0]
    )
    numbers: dict[str, int] = {}
    spelled = []
    for (x, y), symbol in symbols:
        color = numbers.setdefault(symbol.color, len(numbers))
        code = KIND_LETTERS[symbol.kind]
        shape = shape_id(_turn_shape(symbol.shape, k))
        spelled.append(f"{x},{y}{code}{color}:{symbol.count}:{shape}")
    size = (board.width, board.height) if k % 2 == 0 else (board.height, board.width)
    ends = turn([board.start]) + turn([board.end])
    return f"{size}{ends}{turn(board.dots)}{turn(board.gaps)}{spelled}".replace(" ", "")

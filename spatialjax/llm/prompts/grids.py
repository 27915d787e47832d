"""Boards of line puzzles as text: an array, a Markdown table, or a table with coordinates."""

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from spatialjax.data.board import Board, Point

Rows = Sequence[Sequence[str]]


def drawn_rows(tokens: Rows, path: Sequence[Point]) -> list[list[str]]:
    """Return the tokens with V on the line and L on its head; a line of one point is not shown."""
    rows = [list(row) for row in tokens]
    if len(path) > 1:
        for x, y in path:
            rows[y][x] = "V"
        x, y = path[-1]
        rows[y][x] = "L"
    return rows


def as_array(rows: Rows) -> str:
    """Return every row as a list of texts."""
    return "\n".join(json.dumps(list(row)) for row in rows)


def as_markdown(rows: Rows) -> str:
    """Return a Markdown table; its head is empty."""
    columns = len(rows[0])
    head = ["|" + "  |" * columns, "|" + "---|" * columns]
    return "\n".join([*head, *(_row(row) for row in rows)])


def as_table(rows: Rows) -> str:
    """Return a Markdown table with x in its head and y in its first column."""
    columns = len(rows[0])
    head = [_row(["y \\ x", *map(str, range(columns))]), "|" + "---|" * (columns + 1)]
    return "\n".join([*head, *(_row([str(y), *row]) for y, row in enumerate(rows))])


GRIDS: Mapping[str, Callable[[Rows], str]] = MappingProxyType(
    {"array": as_array, "markdown": as_markdown, "table": as_table}
)
"""Name of a form -> what writes it."""


def shapes_text(board: Board) -> str:
    """Return the shapes of all polyominoes by their number, in rows of 1 and 0; "" if none."""
    texts = {}
    for symbol in board.symbols:
        if symbol.shape:
            width, height = (max(at[i] for at in symbol.shape) + 1 for i in (0, 1))
            rows = [
                " ".join(str(int((x, y) in symbol.shape)) for x in range(width))
                for y in range(height)
            ]
            texts[symbol.shape_id] = f"Shape {symbol.shape_id}:\n" + "\n".join(rows)
    return "\n".join(texts[number] for number in sorted(texts))


def hidden_dots_text(board: Board) -> str:
    """Return what no token can show: dots under the start or the end; "" if there are none."""
    names = {board.start: "start", board.end: "end"}
    hidden = [names[point] for point in sorted(board.dots & set(names))]
    return f"There is a dot under the {' and one under the '.join(hidden)}." if hidden else ""


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"

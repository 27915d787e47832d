"""One picture of every style and every symbol; importing this imports Pillow.

python -m spatialjax.witness.contact_sheet contact.png
"""

import argparse
import itertools
from typing import Any

from PIL import Image

from spatialjax.core.pen import Pen
from spatialjax.core.picture import BLACK, WHITE
from spatialjax.data.atomic import replacing
from spatialjax.data.board import Board, Symbol, board_fields
from spatialjax.data.sources import load_records
from spatialjax.witness.check import check_path
from spatialjax.witness.render import render
from spatialjax.witness.styles import NAMES, SYMBOL_COLORS

EXAMPLE = "28ff54c8297c97e1"
"""An embedded puzzle with dots, gaps and four kinds of symbols."""

SHAPES = ("#", "##", "#|##", "##|.#|.#", ".##|##", "#.#|.#", ".#|###|.#", "#|#|#|#", "##|##|##|##")
"""Polyominoes, row by row."""

SIDE = 256  # of a picture in pixels, and
GAP = 16  # the room around it
CAPTION = 22
TEXT = 13
COLUMNS = 5


def contact_sheet() -> Image.Image:
    """Draw an example in every style, a line that breaks rules, and every symbol."""
    (record,) = (r for r in load_records("embedded", split="test") if r["id"] == EXAMPLE)
    path = [(p["x"], p["y"]) for p in record["solutions"][0]["path"]]
    pictures = [(name, render(record, path, style=name, size=SIDE)) for name in NAMES]
    wrong = path[: len(path) // 3]
    broken = check_path(record, wrong).broken
    pictures.append(
        ("original, a line that breaks rules", render(record, wrong, broken, size=SIDE))
    )

    symbols = render(symbol_record(), size=3 * (SIDE + GAP))

    rows, row_height = -(-len(pictures) // COLUMNS), SIDE + CAPTION + GAP
    width, top = COLUMNS * (SIDE + GAP) + GAP, rows * row_height
    corners = [
        (GAP + column * (SIDE + GAP), row * row_height + CAPTION)
        for row, column in itertools.product(range(rows), range(COLUMNS))
    ]
    corners = [*corners[: len(pictures)], ((width - symbols.width) // 2, top + CAPTION)]
    pictures.append(("every symbol", symbols))
    pen = Pen((width, top + CAPTION + symbols.height + GAP), WHITE, unit=1.0)
    for (left, below), (caption, picture) in zip(corners, pictures, strict=True):
        pen.text(left + picture.width / 2, below - CAPTION / 2, caption, TEXT, BLACK)
    sheet = pen.finish()
    for corner, (_, picture) in zip(corners, pictures, strict=True):
        sheet.paste(picture, corner)
    return sheet


def symbol_record() -> dict[str, Any]:
    """Return a board with every symbol, every colour, dots and gaps."""
    letters = list(SYMBOL_COLORS)
    rows = [
        [{"kind": "square", "color": letter} for letter in letters],
        [{"kind": "star", "color": letter} for letter in letters],
        [{"kind": "triangle", "color": c, "count": 1 + i % 4} for i, c in enumerate(letters)],
    ]
    for kind in ("poly", "ylop"):
        shapes = SHAPES[:8] if kind == "poly" else SHAPES[1:]
        rows.append(
            [
                {"kind": kind, "color": c, "shape": _shape(text), "shape_id": SHAPES.index(text)}
                for c, text in zip(letters, shapes, strict=True)
            ]
        )
    symbols = tuple(
        Symbol(2 * column + 1, 2 * row + 1, **fields)
        for row, line in enumerate(rows)
        for column, fields in enumerate(line)
    )
    board = Board(
        width=len(letters),
        height=len(rows),
        start=(0, 2 * len(rows)),
        end=(2 * len(letters), 0),
        dots=frozenset({(2, 2), (5, 4), (8, 7), (12, 8)}),
        gaps=frozenset({(4, 1), (7, 2), (10, 5), (13, 8)}),
        symbols=symbols,
    )
    return {"id": "symbols", **board_fields(board)}


def _shape(text: str) -> tuple[tuple[int, int], ...]:
    lines = text.split("|")
    blocks = [(x, y) for y, line in enumerate(lines) for x, c in enumerate(line) if c == "#"]
    return tuple(sorted(blocks))


def main() -> None:
    """Write the sheet to the path on the command line."""
    parser = argparse.ArgumentParser(description="Draw every style and symbol of line puzzles.")
    parser.add_argument("path", help="where to write the picture, a PNG file")
    path = parser.parse_args().path
    with replacing(path, suffix=".png") as scratch:
        # Few colours but for soft edges: a palette makes a third of the file.
        contact_sheet().quantize(256, dither=Image.Dither.NONE).save(scratch, optimize=True)


if __name__ == "__main__":
    main()

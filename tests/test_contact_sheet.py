"""The sheet of all styles and symbols that README shows."""

import sys

import pytest

from spatialjax.data.board import parse_board
from spatialjax.data.tokens import COLORS, SYMBOL_KINDS

pytest.importorskip("PIL", reason="needs the extra 'render'")
from spatialjax.witness import contact_sheet  # noqa: E402


def test_the_board_of_symbols_holds_every_symbol():
    board = parse_board(contact_sheet.symbol_record())
    assert {symbol.kind for symbol in board.symbols} == set(SYMBOL_KINDS)
    assert {symbol.count for symbol in board.symbols if symbol.kind == "triangle"} == {1, 2, 3, 4}
    for kind in ("square", "star"):
        assert {s.color for s in board.symbols if s.kind == kind} == set(COLORS)
    assert board.dots and board.gaps


def test_the_program_writes_a_small_file(tmp_path, monkeypatch):
    path = tmp_path / "sheet.png"
    monkeypatch.setattr(sys, "argv", ["contact_sheet", str(path)])
    contact_sheet.main()
    assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size < 300_000
    assert list(tmp_path.iterdir()) == [path]

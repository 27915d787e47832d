"""Boards as arrays, compared with the plain-Python reading of the same records."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from boards import draw, random_record
from oracle import MOVES, read_board

from spatialjax.data.board import STEPS, board_fields, parse_board
from spatialjax.errors import PuzzleError
from spatialjax.witness.encode import (
    board_capacity,
    decode_board,
    decode_line,
    encode_board,
    encode_record,
)
from spatialjax.witness.types import Color, Kind

KINDS = {
    name: getattr(Kind, name.upper()) for name in ("square", "star", "triangle", "poly", "ylop")
}
COLORS = {
    "R": Color.RED, "B": Color.BLUE, "Y": Color.YELLOW, "G": Color.GREEN,
    "K": Color.BLACK, "P": Color.PURPLE, "O": Color.ORANGE, "W": Color.WHITE,
}  # fmt: skip


def boards(count=60, seed=0):
    """Random records of many sizes, each with room to spare in every direction or in none."""
    rng = random.Random(seed)
    for i in range(count):
        width, height = rng.randint(1, 6), rng.randint(1, 6)
        record = random_record(rng, width, height, density=0.7)
        spare = (rng.randint(0, 2), rng.randint(0, 2), rng.randint(0, 3)) if i % 2 else (0, 0, 0)
        capacity = np.add(board_capacity(parse_board(record)), spare)
        yield read_board(record), encode_record(record, tuple(capacity.tolist()))


def points(puzzle):
    rows, cols = puzzle.dot.shape
    return [(x, y) for y in range(rows) for x in range(cols)]


def test_every_point_of_random_boards():
    for board, puzzle in boards():
        rows, cols = puzzle.dot.shape
        assert (puzzle.height, puzzle.width) == (board.height, board.width)
        assert divmod(int(puzzle.start), cols) == board.start[::-1]
        assert divmod(int(puzzle.end), cols) == board.end[::-1]
        for x, y in points(puzzle):
            assert puzzle.dot[y, x] == ((x, y) in board.dots)
            assert puzzle.gap[y, x] == ((x, y) in board.gaps)
            bits = sum(
                1 << action
                for action, (dx, dy) in enumerate(MOVES)
                if board.is_free((x, y)) and board.is_free((x + dx, y + dy))
            )
            assert puzzle.open_directions[y, x] == bits, (x, y)
        for x in range(1, cols, 2):
            for y in range(1, rows, 2):
                symbol = board.symbols.get((x, y))
                found = [int(plane[y // 2, x // 2]) for plane in (puzzle.kind, puzzle.color)]
                expected = [KINDS[symbol.kind], COLORS[symbol.color]] if symbol else [0, 0]
                assert found == expected
                assert puzzle.count[y // 2, x // 2] == (symbol.count if symbol else 0)


def test_every_shape_of_random_boards():
    seen = 0
    for board, puzzle in boards():
        cells = sorted(
            (cell for cell, symbol in board.symbols.items() if symbol.shape),
            key=lambda cell: (cell[1], cell[0]),
        )
        width = puzzle.kind.shape[1]
        seen += len(cells)
        for slot, (x, y) in enumerate(cells):
            symbol = board.symbols[x, y]
            assert puzzle.shape_cell[slot] == (y // 2) * width + x // 2
            assert puzzle.shape_sign[slot] == (1 if symbol.kind == "poly" else -1)
            assert puzzle.shape_mask[slot] == sum(1 << (4 * y + x) for x, y in symbol.shape)
            assert puzzle.shape_height[slot] == max(y for _, y in symbol.shape) + 1
            assert puzzle.shape_width[slot] == max(x for x, _ in symbol.shape) + 1
            assert bits_of(puzzle.shape_board[slot]) == {y * width + x for x, y in symbol.shape}
        for name in ("sign", "mask", "board", "height", "width"):
            assert not getattr(puzzle, f"shape_{name}")[len(cells) :].any()
        assert (puzzle.shape_cell[len(cells) :] == -1).all()
    assert seen > 100


def bits_of(words):
    return {i for i in range(64) if int(words[i // 32]) >> (i % 32) & 1}


def test_boards_and_lines_come_back():
    rng = random.Random(4)
    for _ in range(60):
        record = random_record(rng, rng.randint(1, 6), rng.randint(1, 6), density=0.9)
        board = parse_board(record)
        capacity = [size + rng.randint(0, 1) for size in board_capacity(board)]
        back = decode_board(encode_board(board, *capacity))
        # Shapes have other ids, and equal shapes one id.
        assert replace(back, symbols=()) == replace(board, symbols=())
        named = [replace(symbol, shape_id=0) for symbol in board.symbols]
        assert [replace(symbol, shape_id=0) for symbol in back.symbols] == named
        assert parse_board(board_fields(back)) == back
    moves = [0, 3, 3, 2, 1, 0] * 5
    words = [sum(move << 2 * t for t, move in enumerate(moves[i : i + 16])) for i in (0, 16)]
    line = decode_line((4, 5), np.array(words, np.uint32), len(moves))
    assert line[0] == (4, 5) and len(line) == len(moves) + 1
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(line)]
    assert steps == [STEPS[move] for move in moves]


def test_a_shape_larger_than_the_board_has_a_mask_but_no_board():
    bar = [[1, 1, 1, 1]] + [[0] * 4] * 3
    record = draw(
        """
        S + + + +
        + P-R-7 + N +
        + + + + E
        """,
        {"7": bar},
    )
    puzzle = encode_record(record)
    assert puzzle.shape_mask[0] == 0b1111 and puzzle.shape_width[0] == 4
    assert not puzzle.shape_board.any()
    wider = encode_record(record, (1, 6, 1))
    assert not wider.shape_board.any(), "padding is no room for a shape"


def test_a_hidden_dot_is_encoded():
    picture = "S + +\n+ N +\n+ + E"
    plain = encode_record(draw(picture))
    hidden = encode_record(draw(picture, hidden_dots=[(2, 2)]))
    assert not plain.dot.any()
    assert np.argwhere(hidden.dot).tolist() == [[2, 2]]


def test_dtypes_are_the_same_whatever_the_board():
    kinds = {
        tuple((name, value.dtype) for name, value in vars(puzzle).items())
        for _, puzzle in boards(10)
    }
    assert len(kinds) == 1


@pytest.mark.parametrize(
    ("capacity", "message"),
    [
        ((1, 2, 1), "2 x 2 cells with 0 polyominoes does not fit the capacity of 2 x 1 cells"),
        ((2, 1, 1), "does not fit the capacity of 1 x 2 cells and 1 polyominoes"),
        ((9, 2, 1), "capacity 2 x 9 cells is too large: at most 8 x 8"),
    ],
)
def test_what_does_not_fit_is_an_error(capacity, message):
    tokens = [["N" if x % 2 and y % 2 else "+" for x in range(5)] for y in range(5)]
    tokens[0][0], tokens[4][4] = "S", "E"
    board = parse_board(draw("\n".join(" ".join(row) for row in tokens)))
    with pytest.raises(PuzzleError, match=message):
        encode_board(board, *capacity)


def test_more_shapes_than_slots_are_an_error():
    record = draw("S + +\n+ P-R-1 +\n+ + E", {"1": [[1, 0, 0, 0]] + [[0] * 4] * 3})
    with pytest.raises(PuzzleError, match="1 polyominoes does not fit .* and 0 polyominoes"):
        encode_record(record, (1, 1, 0))

"""One hand-made record with every kind of symbol, its altered copies, and a few drawn records."""

import json
import random

import oracle
import pytest
from boards import build_record, solvable_record

from spatialjax.data.records import validate_record
from spatialjax.errors import PuzzleError

NOTHING = [[0, 0, 0, 0]] * 4

# Every kind of symbol, a gap, two dots, one of them under the start; one line solves it.
TOKENS = """
S +   +   +   .   +         +
+ o-R +   *-R +   C-B       +
+ G   +   +   +   +         +
+ N   +   P-G-17 + Y-W-70000 +
+ +   +   +   +   +         E
"""
SHAPES = {"17": [[1, 1, 1, 0], *NOTHING[1:]], "70000": [NOTHING[0], [0, 1, 0, 0], *NOTHING[2:]]}


def make_record():
    tokens = [str.split(line) for line in TOKENS.strip().split("\n")]
    record = build_record(tokens, SHAPES, [(0, 0)], record_id="own-1")
    return build_record(tokens, SHAPES, [(0, 0)], oracle.solve(record), "own-1")


RECORD = make_record()


def changed(**fields):
    """A copy of RECORD with other fields; a field set to KeyError is removed."""
    record = json.loads(json.dumps(RECORD)) | fields
    return {key: value for key, value in record.items() if value is not KeyError}


def with_token(x, y, token):
    """RECORD with another token, no solutions and no visualization (they would disagree first)."""
    rows = [list(row) for row in RECORD["puzzle_array"]]
    rows[y][x] = token
    return changed(
        puzzle_array=rows, text_visualization="", solutions=KeyError, solution_count=KeyError
    )


def with_path(points):
    path = [{"x": x, "y": y} for x, y in points]
    return changed(solutions=[{"path": path}], solution_count=1)


def edited(old, new):
    text = RECORD["text_visualization"]
    assert old in text
    return changed(text_visualization=text.replace(old, new, 1))


def message(record, **kwargs):
    with pytest.raises(PuzzleError) as caught:
        validate_record(record, **kwargs)
    return str(caught.value)


def base_records():
    rng = random.Random(5)
    sizes = [(1, 2), (2, 2), (3, 2)]
    drawn = [solvable_record(rng, *size, list_solutions=True)[0] for size in sizes]
    return [RECORD, *drawn, solvable_record(rng, 6, 4)[0]]


def plain_types(value):
    """Every type that occurs in a nested value."""
    parts = list(value.values()) if isinstance(value, dict) else value
    inner = [plain_types(part) for part in parts] if isinstance(value, dict | list) else []
    return {type(value)}.union(*inner)


def assert_boards_agree(board, other):
    assert (board.width, board.height) == (other.width, other.height)
    assert (board.start, board.end, board.dots, board.gaps) == (
        other.start,
        other.end,
        other.dots,
        other.gaps,
    )
    found = {(s.x, s.y): (s.kind, s.color, s.count, frozenset(s.shape)) for s in board.symbols}
    wanted = {
        point: (s.kind, s.color, s.count, frozenset(s.shape)) for point, s in other.symbols.items()
    }
    assert found == wanted

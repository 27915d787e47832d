"""Validation of records: each clause by its message, then mutated records by the thousand."""

import copy
import json
import math
import random

import numpy as np
import oracle
import pytest
from boards import build_record, mutate_path, solvable_record
from conftest import PUBLISHED

from spatialjax.data.board import MAX_CELLS, Board, Symbol, board_fields, parse_board
from spatialjax.data.records import hidden_dots, solution_paths, validate_record
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


# ------------------------------------------------------------------------------------ the board


def test_board_of_the_record():
    assert parse_board(RECORD) == Board(
        width=3,
        height=2,
        start=(0, 0),
        end=(6, 4),
        dots=frozenset({(0, 0), (4, 0)}),
        gaps=frozenset({(1, 2)}),
        symbols=(
            Symbol(1, 1, "square", "R"),
            Symbol(3, 1, "star", "R"),
            Symbol(5, 1, "triangle", "B", count=3),
            Symbol(3, 3, "poly", "G", shape=((0, 0), (1, 0), (2, 0)), shape_id=17),
            Symbol(5, 3, "ylop", "W", shape=((0, 0),), shape_id=70000),
        ),
    )


def test_open_points():
    board = parse_board(RECORD)
    assert board.is_open((0, 0)) and board.is_open((6, 4)) and board.is_open((3, 0))
    assert not any(map(board.is_open, [(1, 1), (1, 2), (-1, 0), (7, 0), (0, 5)]))


def test_fields_of_a_board_give_the_board_back():
    board = parse_board(RECORD)
    fields = board_fields(board)
    assert parse_board(fields) == board
    assert fields["text_visualization"] == RECORD["text_visualization"]
    assert fields["puzzle_array"] == RECORD["puzzle_array"]


def test_board_that_no_record_can_hold():
    shapes = [Symbol(1, 1, "poly", "R", shape=((0, 0),), shape_id=5)]
    shapes += [Symbol(3, 1, "poly", "R", shape=((0, 0), (0, 1)), shape_id=5)]
    with pytest.raises(ValueError, match="two shapes have the id 5"):
        board_fields(Board(2, 1, (0, 0), (4, 2), symbols=tuple(shapes)))
    wide = Symbol(1, 1, "poly", "R", shape=tuple((x, 0) for x in range(5)), shape_id=5)
    with pytest.raises(ValueError, match="does not fit a 4x4 matrix"):
        board_fields(Board(2, 1, (0, 0), (4, 2), symbols=(wide,)))


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (changed(grid_size=KeyError), "grid_size is None; it must be an object with width"),
        (changed(grid_size=[3, 2]), "grid_size is [3, 2]; it must be an object"),
        (changed(grid_size={"width": 3}), "an object with width and height"),
        (changed(grid_size={"width": 0, "height": 2}), "grid_size.width is 0; it must be a whole"),
        (changed(grid_size={"width": True, "height": 2}), "grid_size.width is True"),
        (changed(grid_size={"width": 3.0, "height": 2}), "grid_size.width is 3.0"),
        (changed(grid_size={"width": 9, "height": 2}), "boards are at most 8x8 cells"),
        (
            changed(grid_size={"width": 10**5000, "height": 2}),
            "type int that cannot be shown",
        ),
        (changed(grid_size={"width": 2, "height": 3}), "7 rows of 5 tokens"),
        (changed(puzzle_array=KeyError), "puzzle_array is None; it must be 5 rows of 7 tokens"),
        (changed(puzzle_array="S"), "puzzle_array is 'S'"),
        (changed(puzzle_array=RECORD["puzzle_array"][:4]), "puzzle_array is '4 rows'"),
        (changed(puzzle_array=[["+"] * 6] * 5), "puzzle_array[0] is '6 tokens'"),
        (changed(puzzle_array=["+++++++"] * 5), "puzzle_array[0] is '+++++++'"),
        (with_token(2, 0, "N"), "puzzle_array[0][2] (the node at x=2, y=0) is 'N'; it must be one"),
        (with_token(2, 2, "G"), "is 'G'; it must be one of + . S E"),
        (with_token(1, 0, "o-R"), "(the edge at x=1, y=0) is 'o-R'; it must be one of + . G S E"),
        (with_token(1, 3, "+"), "(the cell at x=1, y=3) is '+'; it must be N or a symbol"),
        (with_token(1, 3, "."), "(the cell at x=1, y=3) is '.'"),
        (with_token(1, 3, "S"), "(the cell at x=1, y=3) is 'S'"),
        (with_token(1, 3, "o-V"), "is 'o-V'"),
        (with_token(1, 3, "E-R"), "is 'E-R'"),
        (with_token(1, 3, "o-R-5"), "is 'o-R-5'"),
        (with_token(1, 3, "P-R"), "is 'P-R'"),
        (with_token(1, 3, "P-R-05"), "is 'P-R-05'"),
        (with_token(1, 3, "P-R-" + "9" * 19), "is 'P-R-9999"),
        (with_token(1, 3, "o-R\n"), "is 'o-R\\n'"),
        (with_token(1, 3, None), "is None"),
        (with_token(1, 3, 5), "is 5"),
        (
            with_token(2, 0, "S"),
            "start points at [(0, 0), (2, 0)]'; it must be a board with",
        ),
        (with_token(0, 0, "+"), "no start point"),
        (with_token(6, 4, "+"), "no end point'; it must be a board with exactly one E"),
    ],
)
def test_malformed_board(record, expected):
    assert expected in message(record)


def test_largest_and_smallest_board():
    for side in (1, MAX_CELLS):
        board = Board(side, side, (0, 0), (2 * side, 2 * side))
        record = validate_record(board_fields(board) | {"id": "x"})
        assert parse_board(record) == board


def test_start_and_end_may_be_on_edges_and_inside():
    board = Board(2, 2, (1, 0), (2, 2), dots=frozenset({(1, 0), (2, 2)}))
    record = board_fields(board) | {"id": "x"}
    assert parse_board(record) == board
    assert hidden_dots(record) == [(1, 0), (2, 2)]
    assert hidden_dots(record | {"text_visualization": ""}) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "the shape id at x=3, y=3 is 17; it must be a key of polyshapes, one of []"),
        ("", "the shape id at x=3, y=3 is 17"),
        ("{}", "the shape id at x=3, y=3 is 17"),
        ({"17": NOTHING}, "polyshapes is {'17'"),
        ("[]", "polyshapes is []; it must be JSON text of an object from shape id to 4x4 rows"),
        ("{", "polyshapes is '{'; it must be JSON text"),
        ("[" * 100_000, "it must be JSON text"),
        ("9" * 5000, "it must be JSON text"),
        ('{"17":NaN}', "polyshapes is 'NaN'"),
        ('{"17":[],"17":[]}', "polyshapes key is '17'; it must be there at most once"),
        ('{"x":[]}', "polyshapes id is 'x'; it must be a whole number of at most 18 digits"),
        ('{"007":[]}', "polyshapes id is '007'"),
        ('{"17":1}', "polyshapes['17'] is 1; it must be 4 rows of 4 values, each 0 or 1"),
        ('{"17":[[1,1],[1,1]]}', "polyshapes['17'] is [[1, 1], [1, 1]]"),
        (json.dumps({"17": [[1] * 5] * 5}), "it must be 4 rows of 4 values"),
        (json.dumps({"17": [[2, 0, 0, 0], *NOTHING[1:]]}), "polyshapes['17'][0][0] is 2"),
        (json.dumps({"17": [[True, 0, 0, 0], *NOTHING[1:]]}), "polyshapes['17'][0][0] is True"),
        (json.dumps({"17": [[1.0, 0, 0, 0], *NOTHING[1:]]}), "polyshapes['17'][0][0] is 1.0"),
        (json.dumps({"17": NOTHING}), "polyshapes['17'] is 'all 0'; it must be a shape with a fil"),
    ],
)
def test_malformed_polyshapes(text, expected):
    assert expected in message(changed(polyshapes=text))


def test_shape_larger_than_the_board_is_a_puzzle_without_solution():
    tall = Symbol(1, 1, "poly", "R", shape=tuple((0, y) for y in range(4)), shape_id=1)
    board = Board(1, 1, (0, 0), (2, 2), symbols=(tall,))
    assert parse_board(validate_record(board_fields(board) | {"id": "x"})) == board


# -------------------------------------------------------------------------- text_visualization


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (changed(text_visualization=5), "text_visualization is 5; it must be a string"),
        (changed(text_visualization=" \n"), "it must be YAML text that starts with 'puzzle:'"),
        (changed(text_visualization="puzzle: 5"), "text_visualization puzzle is 5"),
        (changed(text_visualization="puzzle:\n  x: 1"), "a mapping with dimensions and start"),
        (changed(text_visualization="- " * 9999 + "x: 1"), "nested deeper than 16 levels"),
        (edited("puzzle:", "puzzle: {"), "line 1 cannot be read: its value is neither"),
        (edited("  start:", "  start"), "line 5 cannot be read: it is neither 'key:'"),
        (edited("  start:", " start:"), "line 5 cannot be read: it is indented like no entry"),
        (edited("    width: 3", "\twidth: 3"), "line 3 cannot be read: it is neither"),
        (edited("height: 2", "width: 2"), "line 4 cannot be read: the key 'width' is there twice"),
        (edited("width: 3", "width: 3.0"), "line 3 cannot be read: its value is neither"),
        (edited("width: 3", "width: 4"), "text_visualization width is 4; it must be 3, as in"),
        (edited("height: 2", "height: 3"), "text_visualization height is 3; it must be 2"),
        (edited("width: 3", "width: 9"), "dimensions.width is 9"),
        (edited("    y: 0", "    y: 2"), "text_visualization start is (0, 2); it must be (0, 0)"),
        (edited("    x: 6", "    x: 4"), "text_visualization end is (4, 4); it must be (6, 4)"),
        (
            edited("    x: 6", "    x: 8"),
            "text_visualization end.x is 8; it must be a whole",
        ),
        (edited("        x: 4", "        x: 2"), "at x=2, y=0 is '.'; it must be 'nothing'"),
        (edited("        y: 2", "        y: 0"), "at x=1, y=0 is 'G'; it must be 'nothing'"),
        (edited("gap: 1", "dot: 1"), "at x=1, y=2 is '.'; it must be 'G', as in puzzle_array"),
        (edited("dot: 1", "gap: 1"), "at x=0, y=0 is 'G'; it must be 'nothing', as in puzzle_arr"),
        (edited("gap: 1", "gap: 2"), "properties.gap is 2; it must be a whole number from 1 to 1"),
        (edited("gap: 1", "gate: 1"), "properties.type is None; it must be one of square, star"),
        (edited('"square"', '"stone"'), "properties.type is 'stone'"),
        (edited('"square"', '"star"'), "at x=1, y=1 is '*-R'; it must be 'o-R'"),
        (edited('"red"', '"blue"'), "at x=1, y=1 is 'o-B'; it must be 'o-R'"),
        (edited('"red"', '"pink"'), "properties.color is 'pink'; it must be one of red, blue"),
        (edited("count: 3", "count: 5"), "properties.count is 5; it must be a whole number from 1"),
        (edited("count: 3", "count: 2"), "at x=5, y=1 is 'B-B'; it must be 'C-B'"),
        (edited("        count: 3\n", ""), "a mapping with type and count and color"),
        (edited("polyshape: 17", "polyshape: 18"), "at x=3, y=3 is 'P-G-18'; it must be 'P-G-17'"),
        (edited("polyshape: 17", 'polyshape: "17"'), "properties.polyshape is '17'"),
        (edited("        x: 1\n        y: 1", "        x: 1\n        y: 2"), "it must be a point"),
        (
            edited("    - position:\n        x: 4", "    - place:\n        x: 4"),
            "position and pro",
        ),
    ],
)
def test_malformed_visualization(record, expected):
    assert expected in message(record)


def test_visualization_that_leaves_a_cell_out():
    text = RECORD["text_visualization"]
    assert "at x=5, y=3 is 'nothing'; it must be 'Y-W-70000'" in message(
        changed(text_visualization=text[: text.rindex("    - position")])
    )


def test_visualization_as_other_yaml_writers_lay_it_out():
    lines = RECORD["text_visualization"].split("\n")
    cells = lines.index("  cells:")
    closer = [line[2:] for line in lines[cells + 1 :]]  # lists at the indent of their key
    text = "\r\n".join(["# a board", "", *lines[: cells + 1], *closer])
    text = text.replace('"', "'").replace("'red'", "red")
    assert parse_board(changed(text_visualization=text)) == parse_board(RECORD)


def test_visualization_of_a_board_without_symbols():
    board = Board(1, 1, (0, 0), (2, 2))
    fields = board_fields(board)
    empty = fields["text_visualization"].replace("cells:", "cells: []")
    assert parse_board(fields) == parse_board(fields | {"text_visualization": empty}) == board


# --------------------------------------------------------------------------- the other fields


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ([], "record: the record is []; it must be an object with the fields of a puzzle"),
        (None, "record: the record is None"),
        (changed(id=KeyError), "id is None; it must be non-empty printable text"),
        (changed(id=""), "id is ''"),
        (changed(id="  "), "id is '  '"),
        (changed(id="a\0"), "id is 'a\\x00'"),
        (changed(id="\ud800"), "id is '\\ud800'"),
        (changed(id=5), "id is 5"),
        (changed(id="x" * 257), "at most 256 characters"),
        (
            changed(difficulty_level=0),
            "difficulty_level is 0; it must be a whole number from 1",
        ),
        (changed(difficulty_level=6), "difficulty_level is 6"),
        (changed(difficulty_level=True), "difficulty_level is True"),
        (changed(difficulty_level="3"), "difficulty_level is '3'"),
        (changed(difficulty_level=2.0), "difficulty_level is 2.0"),
        (
            changed(difficulty_score=5.1),
            "difficulty_score is 5.1; it must be a number from 0.0",
        ),
        (changed(difficulty_score=-0.1), "difficulty_score is -0.1"),
        (changed(difficulty_score=math.nan), "difficulty_score is nan"),
        (changed(difficulty_score=math.inf), "difficulty_score is inf"),
        (changed(difficulty_score=10**400), "difficulty_score is 1000"),
        (changed(difficulty_score=True), "difficulty_score is True"),
        (changed(difficulty_score="1"), "difficulty_score is '1'"),
        (changed(solution_count=-1), "solution_count is -1; it must be a whole number from 0"),
        (changed(solution_count=1.0), "solution_count is 1.0"),
        (changed(solution_count=2), "solution_count is 2; it must be 1, the number of solutions"),
        (changed(solutions=[]), "solution_count is 1; it must be 0, the number of solutions"),
        (changed(solutions={}), "solutions is {}; it must be a list"),
        (changed(solutions=[[]]), "solutions[0] is []; it must be an object with a path"),
        (changed(solutions=[{}]), "solutions[0].path is None; it must be a list of points"),
    ],
)
def test_malformed_field(record, expected):
    assert expected in message(record)


def solution(**fields):
    return RECORD["solutions"][0] | fields


@pytest.mark.parametrize(
    ("solutions", "expected"),
    [
        ([solution(index=-1)], "solutions[0].index is -1"),
        ([solution(index="0")], "solutions[0].index is '0'"),
        ([solution(pathLength=3)], "solutions[0].pathLength is 3; it must be "),
        ([solution(pathLength=True)], "solutions[0].pathLength is True"),
        ([solution(), solution(index=1)], "solutions[1].path is [(0, 0), "),
        ([solution(), solution(index=1)], "it must be another line than solutions[0].path"),
        ([solution(path=[])], "solutions[0].path's start is []; it must be (0, 0), the start"),
        ([solution(path=[[0, 0]])], "solutions[0].path[0] is [0, 0]; it must be an object with x"),
        ([solution(path=[{"x": 0}])], "solutions[0].path[0].y is None"),
        ([solution(path=[{"x": 0.0, "y": 0}])], "solutions[0].path[0].x is 0.0"),
        ([solution(path=[{"x": False, "y": 0}])], "solutions[0].path[0].x is False"),
    ],
)
def test_malformed_solution(solutions, expected):
    assert expected in message(changed(solutions=solutions, solution_count=KeyError))


def test_indices_must_differ():
    record = build_record([["S", "+", "+"], ["+", "N", "+"], ["+", "+", "E"]])
    record = build_record(record["puzzle_array"], solutions=oracle.solve(record))
    assert validate_record(record)["solution_count"] == 2
    record["solutions"][1]["index"] = 0
    assert "solutions[1].index is 0; it must be another index" in message(record)


LINE = solution_paths(RECORD)[0]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        (LINE[1:], f"solutions[0].path's start is {LINE[1]}; it must be (0, 0), the start of the"),
        (LINE[:-1], f"solutions[0].path's end is {LINE[-2]}; it must be (6, 4), the end of the"),
        ([*LINE, LINE[-2]], "'s end is"),
        ([*LINE[:3], *LINE[4:]], f"[3] is {LINE[4]}; it must be one lattice step from {LINE[2]}"),
        ([*LINE[:3], LINE[1], *LINE[2:]], f"[3] is {LINE[1]}; it must be a point the line has not"),
        ([LINE[0], *LINE], "[1] is (0, 0); it must be one lattice step from (0, 0)"),
        (
            [(0, 0), (0, 1), (1, 1), (6, 4)],
            "[2] is (1, 1); it must be a point the line may pass",
        ),
        ([(0, 0), (0, 1), (1, 1), (6, 4)], "and here is a cell"),
        (
            [(0, 0), (0, 1), (0, 2), (1, 2), (6, 4)],
            "[3] is (1, 2); it must be a point the line may",
        ),
        ([(0, 0), (0, 1), (0, 2), (1, 2), (6, 4)], "and here is a gap"),
        ([(0, 0), (-1, 0), (6, 4)], "[1] is (-1, 0)"),
        ([(0, 0), (10**30, 0), (6, 4)], "nothing, outside the 7x5 lattice"),
    ],
)
def test_solution_that_is_no_line(points, expected):
    assert expected in message(with_path(points))


def test_message_names_source_index_and_id():
    text = message(changed(difficulty_level=9), source="puzzles.jsonl line", index=3)
    assert text.startswith("puzzles.jsonl line 3 (id 'own-1'): difficulty_level is 9; it must be")
    assert message({}).startswith("record: grid_size")


# -------------------------------------------------------------------------------- what is fine


def test_valid_record_comes_back_equal():
    assert validate_record(RECORD) == RECORD


def test_optional_fields_stay_absent_and_unknown_ones_go():
    bare = {key: RECORD[key] for key in ("id", "grid_size", "puzzle_array", "polyshapes")}
    expected = bare | {"text_visualization": ""}
    assert validate_record(bare) == expected
    nulls = dict.fromkeys(("difficulty_level", "difficulty_score", "solutions", "solution_count"))
    assert validate_record(bare | nulls | {"text_visualization": None, "more": 5}) == expected
    plain = with_token(3, 3, "N")
    plain["puzzle_array"][3][5] = "N"
    assert validate_record(plain | {"polyshapes": ""})["polyshapes"] == "{}"
    assert validate_record(bare | {"solutions": []})["solutions"] == []
    assert validate_record(bare | {"solution_count": 7})["solution_count"] == 7


def test_index_and_path_length_are_optional():
    path_only = [{"path": solution["path"]} for solution in RECORD["solutions"]]
    assert validate_record(changed(solutions=path_only)) == RECORD


def as_arrays(value):
    """Rebuild a record from NumPy scalars, tuples and arrays, as Arrow and pandas give them."""
    if isinstance(value, dict):
        return {key: as_arrays(item) for key, item in value.items()}
    if isinstance(value, list):
        items = [as_arrays(item) for item in value]
        return np.array(items, dtype=object) if len(items) % 2 else tuple(items)
    if isinstance(value, int):
        return np.int64(value)
    return np.float64(value) if isinstance(value, float) else np.str_(value)


def plain_types(value):
    """Every type that occurs in a nested value."""
    parts = list(value.values()) if isinstance(value, dict) else value
    inner = [plain_types(part) for part in parts] if isinstance(value, dict | list) else []
    return {type(value)}.union(*inner)


def test_numpy_values_become_plain():
    clean = validate_record(as_arrays(RECORD))
    assert clean == RECORD
    assert plain_types(clean) == {dict, list, str, int, float}


def test_published_records_load_with_and_without_visualization():
    if not PUBLISHED.exists():
        pytest.skip(f"the published puzzles are not here ({PUBLISHED})")
    records = [json.loads(line) for line in PUBLISHED.read_text().splitlines()]
    assert len(records) == 500
    for record in records:
        assert validate_record(record) == record
        board = parse_board(record)
        bare = validate_record(record | {"text_visualization": ""})
        assert parse_board(bare) == board
        fields = board_fields(board)
        assert fields["text_visualization"] == record["text_visualization"]
        assert fields["puzzle_array"] == record["puzzle_array"]
        assert_boards_agree(board, oracle.read_board(record))


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


# ------------------------------------------------------------------------------------ the fuzz


class Unshowable:
    """A value whose repr fails, as foreign objects' may."""

    def __repr__(self):
        raise RuntimeError("no repr")


def nested(depth):
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


JUNK = [
    None, True, False, 0, 1, -1, 2, 3, 9, 17, 2**31, 2**63, 10**400, 10**5000, 0.5, 1.0, -0.0,
    math.nan, math.inf, -math.inf, 1e308, "", " ", "+", "N", "S", "E", ".", "G", "o-R", "A-K",
    "P-R-17", "Y-B-70000", "P-R-" + "9" * 30, "x", "0", "\ud800", "\0", "é" * 300, "{}", "[]",
    "puzzle:", [], {}, [[]], [None], {"x": 0, "y": 0}, {"path": []}, (), b"bytes", 1j, object(),
    Unshowable(), nested(5000), np.int64(2), np.uint8(1), np.float32(1.5), np.float64("nan"),
    np.bool_(True), np.str_("S"), np.zeros(()), np.zeros(3), np.array([["+"]]), {1: 2}, {5},
]  # fmt: skip
ALL_TOKENS = ["+", "N", "S", "E", ".", "G", "o-R", "*-K", "A-B", "D-W", "P-G-17", "Y-W-70000"]


def places(value, depth=0):
    """Every (container, key) of a nested value, down to where junk may be nested very deep."""
    keys = range(len(value)) if isinstance(value, list) else list(value)
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list) and depth < 8:
            yield from places(value[key], depth + 1)


def put_junk(rng, record):
    container, key = rng.choice(list(places(record)))
    container[key] = copy.copy(rng.choice(JUNK))  # the next mutation may change it


def remove(rng, record):
    container, key = rng.choice(list(places(record)))
    del container[key]


def repeat(rng, record):
    lists = [c[k] for c, k in places(record) if isinstance(c[k], list) and c[k]]
    if lists:
        chosen = rng.choice(lists)
        chosen.insert(rng.randrange(len(chosen)), rng.choice(chosen))


def nudge_number(rng, record):
    spots = [(c, k) for c, k in places(record) if type(c[k]) in (int, float)]
    if spots:
        container, key = rng.choice(spots)
        container[key] += rng.choice([-2, -1, 1, 2, 0.0, 2**40])


def replace_token(rng, record):
    rows = record.get("puzzle_array")
    if isinstance(rows, list) and rows and isinstance(rows[0], list):
        row = rng.choice(rows)
        if isinstance(row, list) and row:
            row[rng.randrange(len(row))] = rng.choice(ALL_TOKENS)


def swap_tokens(rng, record):
    rows = record.get("puzzle_array")
    rows = rows if isinstance(rows, list) else []
    spots = [(c, k) for c, k in places(rows) if isinstance(c[k], str)]
    if len(spots) > 1:
        (a, i), (b, j) = rng.sample(spots, 2)
        a[i], b[j] = b[j], a[i]


def edit_text(rng, record):
    key = rng.choice(["polyshapes", "text_visualization"])
    text = record.get(key)
    if isinstance(text, str) and text:
        at = rng.randrange(len(text))
        piece = rng.choice(["", rng.choice('0123456789 -:"[]{},\n\txye\u2028é'), text[:at]])
        record[key] = text[:at] + piece + text[at + rng.choice([0, 1, 1, 2, 30]) :]


def edit_lines(rng, record):
    text = record.get("text_visualization")
    if isinstance(text, str):
        lines = text.split("\n")
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[i], lines[j] = rng.choice([(lines[j], lines[i]), (lines[i], lines[i])])
        record["text_visualization"] = "\n".join(lines)


def edit_shapes(rng, record):
    try:
        shapes = json.loads(record["polyshapes"])
        rng.choice([put_junk, remove, repeat, nudge_number])(rng, shapes)
        record["polyshapes"] = json.dumps(shapes)
    except (KeyError, TypeError, ValueError, IndexError, RecursionError):
        return  # an earlier mutation or this one left nothing that JSON can hold


def edit_path(rng, record):
    solutions = record.get("solutions")
    if isinstance(solutions, list) and solutions and isinstance(solutions[0], dict):
        try:
            path = solution_paths(record)[0]
            moved = mutate_path(rng, path, record)
        except (KeyError, TypeError, ValueError, IndexError):
            return  # an earlier mutation broke the record
        solutions[0]["path"] = [{"x": x, "y": y} for x, y in moved]
        if rng.random() < 0.8:
            solutions[0]["pathLength"] = len(moved)


def drop_text(rng, record):
    record["text_visualization"] = ""


def drop_solutions(rng, record):
    record.pop("solutions", None)
    record.pop("solution_count", None)


MUTATIONS = [
    put_junk, put_junk, remove, repeat, nudge_number, replace_token, swap_tokens, edit_text,
    edit_lines, edit_shapes, edit_path, drop_text, drop_solutions,
]  # fmt: skip


def base_records():
    rng = random.Random(5)
    sizes = [(1, 2), (2, 2), (3, 2)]
    drawn = [solvable_record(rng, *size, list_solutions=True)[0] for size in sizes]
    return [RECORD, *drawn, solvable_record(rng, 6, 4)[0]]


def mutants(seed, count):
    rng = random.Random(seed)
    texts = [json.dumps(record) for record in base_records()]
    weights = [6, 3, 3, 3, 1]
    for _ in range(count):
        record = json.loads(rng.choices(texts, weights)[0])
        for _ in range(rng.choice([1, 1, 2, 3])):
            rng.choice(MUTATIONS)(rng, record)
            if not record:
                break
        yield record


def test_base_records_load():
    for record in base_records():
        assert validate_record(record) == record


def test_ten_thousand_mutants_load_or_raise_puzzle_error():
    loaded = 0
    for record in mutants(seed=1, count=10_000):
        try:
            clean = validate_record(record)
        except PuzzleError as error:
            assert "record" in str(error) and "\n" not in str(error)
            continue
        loaded += 1
        assert validate_record(clean) == clean
        assert plain_types(clean) <= {dict, list, str, int, float}
        assert_boards_agree(parse_board(clean), oracle.read_board(clean))
    assert 500 < loaded < 5000  # neither everything nor nothing is refused

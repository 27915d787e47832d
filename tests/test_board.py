"""Reading the board of a record: tokens, shapes and the YAML text, each fault by its message."""

import json

import pytest
from sample import NOTHING, RECORD, changed, edited, message, with_token

from spatialjax.data.board import MAX_CELLS, Board, Symbol, board_fields, parse_board
from spatialjax.data.records import hidden_dots, validate_record

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

"""Validation of records: each clause by its message, then mutated records by the thousand."""

import math

import numpy as np
import oracle
import pytest
from boards import build_record
from mutants import mutants
from sample import (
    RECORD,
    assert_boards_agree,
    base_records,
    changed,
    message,
    plain_types,
    with_path,
    with_token,
)

from spatialjax.data.board import board_fields, parse_board
from spatialjax.data.records import solution_paths, validate_record
from spatialjax.errors import PuzzleError


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


def test_numpy_values_become_plain():
    clean = validate_record(as_arrays(RECORD))
    assert clean == RECORD
    assert plain_types(clean) == {dict, list, str, int, float}


def test_published_records_load_with_and_without_visualization(published_raw):
    assert len(published_raw) == 500
    for record in published_raw:
        assert validate_record(record) == record
        board = parse_board(record)
        bare = validate_record(record | {"text_visualization": ""})
        assert parse_board(bare) == board
        fields = board_fields(board)
        assert fields["text_visualization"] == record["text_visualization"]
        assert fields["puzzle_array"] == record["puzzle_array"]
        assert_boards_agree(board, oracle.read_board(record))


# ------------------------------------------------------------------------------------ the fuzz


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

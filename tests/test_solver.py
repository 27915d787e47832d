"""The exhaustive solver against judging every path, published solution sets and known counts."""

import json
import random
import subprocess
import sys

import boards
import oracle
import pytest

pytest.importorskip("numba", reason="the solver needs the extra `solve`")

from spatialjax.data.board import parse_board
from spatialjax.errors import PuzzleError
from spatialjax.solvers import exhaustive
from spatialjax.solvers.exhaustive import count_solutions, search, solve, solve_many

SIZES = [(1, 1), (2, 1), (1, 3), (2, 2), (2, 3), (3, 2), (3, 3)]


def empty_record(width, height):
    """A board without symbols, start and end in opposite corners."""
    tokens = [
        ["N" if x % 2 and y % 2 else "+" for x in range(2 * width + 1)]
        for y in range(2 * height + 1)
    ]
    tokens[0][0], tokens[-1][-1] = "S", "E"
    return boards.build_record(tokens, {}, set())


@pytest.mark.parametrize(("side", "count"), [(1, 2), (2, 12), (3, 184), (4, 8512), (5, 1262816)])
def test_lines_between_opposite_corners(side, count):
    assert count_solutions(empty_record(side, side)) == count


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 34))]
)
def test_equals_judging_every_path(seed):
    """With all seeds 2,040 boards."""
    rng = random.Random(seed)
    for _ in range(60):
        kinds = rng.sample(boards.KINDS, rng.randint(1, len(boards.KINDS)))
        options = {"kinds": kinds, "density": rng.random(), "interior": rng.choice([0, 0.2, 1])}
        width, height = rng.choice(SIZES)
        if rng.random() < 0.3:
            record = boards.random_record(rng, width, height, **options)
        else:
            record, path = boards.solvable_record(rng, width, height, **options)
            assert path in solve(record)
        expected = oracle.solve(record)
        result = search(record)
        assert result.complete
        assert result.paths == expected, json.dumps(record)
        assert count_solutions(record) == len(expected)


def test_published_solution_sets(published):
    found = solve_many(published)
    assert sum(map(len, found)) == 3218
    for record, paths in zip(published, found, strict=True):
        assert paths == sorted(oracle.stored_solutions(record)), record["id"]


def test_limit_deadline_and_moves_stop_and_say_so():
    record = empty_record(4, 4)
    result = search(record, limit=10)
    assert len(result.paths) == 10 and not result.complete
    assert len(solve(record, limit=10)) == 10
    assert search(record, limit=9000).complete
    stopped = search(record, max_moves=1000)
    assert stopped.moves == 1000 and not stopped.complete
    assert set(map(tuple, stopped.paths)) < set(map(tuple, solve(record)))
    stopped = search(empty_record(7, 7), deadline=0.01, max_moves=10**8)
    assert stopped.moves < 10**8 and not stopped.complete


def test_result_table_is_emptied_as_often_as_needed(monkeypatch):
    record = empty_record(3, 3)
    monkeypatch.setattr(exhaustive, "CHUNK_ROWS", 7)
    assert solve(record) == oracle.solve(record)


@pytest.mark.parametrize("limit", [0, -1])
def test_limit_below_one_is_refused(limit):
    with pytest.raises(ValueError, match="limit"):
        solve(empty_record(1, 1), limit=limit)


def test_board_beyond_64_nodes_is_refused():
    with pytest.raises(PuzzleError, match="8x8 cells"):
        solve(empty_record(8, 8))
    assert parse_board(empty_record(8, 6)).width == 8
    assert not search(empty_record(8, 6), limit=1).complete


def test_missing_numba_is_one_clear_sentence():
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "try:\n    import spatialjax.solvers.exhaustive\n"
        "except ImportError as error:\n    print(error)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'spatialjax[solve]'" in out.stdout

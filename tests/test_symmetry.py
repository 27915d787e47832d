"""Turned, mirrored and recoloured records: same puzzle, same key, solutions carried along."""

import copy
import random

import boards
import oracle
import pytest
import symmetries

from spatialjax.data.board import parse_board
from spatialjax.witness.symmetry import canonical_key, recolor, transform, transform_board

LETTERS = "RBGYWOPK"


def sample(seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        size = rng.randint(1, 4), rng.randint(1, 4)
        record, path = boards.solvable_record(rng, *size)
        yield boards.with_solutions(record, [path])


def permutation(rng):
    return dict(zip(LETTERS, rng.sample(LETTERS, len(LETTERS)), strict=True))


def test_transformed_solutions_still_solve():
    for record in sample(0, 40):
        for k in range(8):
            turned = transform(record, k)
            [path] = oracle.stored_solutions(turned)
            assert oracle.check(turned, path)["solved"]
            assert turned["id"] == record["id"]


def test_the_eight_are_those_of_the_square():
    # Ours turns, the one of the tests mirrors and swaps: the same eight in another order.
    for record in sample(1, 20):
        ours = {str(oracle.read_board(transform(record, k))) for k in range(8)}
        others = {str(oracle.read_board(symmetries.transform(record, k))) for k in range(8)}
        assert ours == others


def test_four_quarter_turns_and_two_mirrors_are_nothing():
    for record in sample(2, 20):
        board = parse_board(record)
        turned = board
        for _ in range(4):
            turned = transform_board(turned, 1)
        start = transform_board(board, 0)
        assert turned == start
        for k in range(4, 8):
            assert transform_board(transform_board(board, k), k) == start


def test_record_is_left_alone():
    record = next(sample(3, 1))
    before = copy.deepcopy(record)
    transform(record, 5)
    recolor(record, {"R": "B", "B": "R"})
    assert record == before


def spelled(record):
    """The board as text, colours numbered in reading order."""
    board = oracle.read_board(record)
    numbers = {}
    symbols = [
        (cell, s.kind, s.count, s.shape, numbers.setdefault(s.color, len(numbers)))
        for cell, s in sorted(board.symbols.items())
    ]
    ends = record["grid_size"], board.start, board.end
    return str((ends, sorted(board.dots), sorted(board.gaps), symbols))


def test_key_is_shared_by_equal_puzzles_only():
    rng = random.Random(4)
    equal = 0
    for record in sample(4, 40):
        key = canonical_key(record)
        turned = recolor(transform(record, rng.randrange(8)), permutation(rng))
        assert canonical_key(turned) == key
        changed = boards.perturb_record(rng, turned)
        same = spelled(changed) in {spelled(symmetries.transform(record, k)) for k in range(8)}
        assert (canonical_key(changed) == key) == same
        equal += same
    assert equal < 20


def test_published_solutions_survive(published):
    rng = random.Random(5)
    for record in rng.sample(published, 40):
        turned = recolor(transform(record, rng.randrange(8)), permutation(rng))
        for path in oracle.stored_solutions(turned):
            assert oracle.check(turned, path)["solved"]


@pytest.mark.parametrize("mapping", [{"R": "B"}, {"R": "X"}, {"Z": "R"}])
def test_mapping_that_merges_colours_is_refused(mapping):
    with pytest.raises(ValueError, match="permute"):
        recolor(next(sample(6, 1)), mapping)


def test_unknown_symmetry_is_refused():
    with pytest.raises(ValueError, match="0 to 7"):
        transform(next(sample(7, 1)), 8)

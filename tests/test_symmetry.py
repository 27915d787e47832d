"""Turned, mirrored and recoloured records: same puzzle, same key, solutions carried along."""

import copy
import random

import boards
import oracle
import pytest
import symmetries

from spatialjax.data.board import parse_board
from spatialjax.witness.symmetry import canonical_key, recolor, transform, transform_board

# Ours turns, the one the tests have mirrors and swaps: the same eight in another order.
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


def test_key_is_shared_by_equal_puzzles_only():
    rng = random.Random(4)
    keys = {}
    for record in sample(4, 60):
        key = canonical_key(record)
        for k in range(8):
            assert canonical_key(recolor(transform(record, k), permutation(rng))) == key
        board = str(oracle.read_board(record))
        assert keys.setdefault(key, board) == board or len(record["puzzle_array"]) <= 5
        changed = boards.perturb_record(rng, record)
        same = any(
            oracle.read_board(symmetries.recolor(symmetries.transform(record, k), {}))
            == oracle.read_board(changed)
            for k in range(8)
        )
        assert same or canonical_key(changed) != key or _only_colors_differ(record, changed)


def _only_colors_differ(record, other):
    """Whether the boards are alike once every colour letter is gone."""

    def plain(tokens):
        return [[t.split("-")[0] + t[3:] for t in row] for row in tokens["puzzle_array"]]

    return any(plain(transform(record, k)) == plain(transform(other, 0)) for k in range(8))


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

"""Checked lines against the oracle, on random and on published boards, and under symmetries."""

import json
import random

import numpy as np
import oracle
import pytest
from boards import perturb_record, random_record, solvable_record
from building import draw
from oracle import stored_solutions
from symmetries import recolor, transform, transform_path
from walks import free_neighbours, mutate_path, random_path

from spatialjax import PuzzleError, check_path
from spatialjax.witness.check import check_paths


def random_lines(count, seed):
    """Random and solvable boards, some altered afterwards, and all sorts of lines over each."""
    rng = random.Random(seed)
    pairs = []
    while len(pairs) < count:
        size = rng.randint(1, 6), rng.randint(1, 6)
        paths = []
        if rng.random() < 0.5:
            record, path = solvable_record(rng, *size)
            paths.append(path)
        else:
            record = random_record(rng, *size)
        around = free_neighbours(oracle.read_board(record))
        paths += [random_path(rng, record, finished, around) for finished in (True, True, False)]
        paths += [mutate_path(rng, path, record) for path in paths if rng.random() < 0.4]
        if rng.random() < 0.3:
            record = perturb_record(rng, record)
        pairs += [(record, path) for path in paths]
    return pairs[:count]


def published_lines(records, count, seed):
    """Random lines, and stored solutions spoilt by a little, over the published boards."""
    rng = random.Random(seed)
    boards = [(r, stored_solutions(r), free_neighbours(oracle.read_board(r))) for r in records]
    pairs = []
    while len(pairs) < count:
        record, solutions, around = rng.choice(boards)
        path = random_path(rng, record, rng.random() < 0.6, around)
        pairs.append((record, path))
        pairs.append((record, mutate_path(rng, rng.choice(solutions), record)))
    return pairs[:count]


def assert_as_oracle(pairs):
    reports = check_paths(*zip(*pairs, strict=True))
    for (record, path), report in zip(pairs, reports, strict=True):
        truth = oracle.check(record, path)
        context = json.dumps([record["puzzle_array"], record["polyshapes"], path])
        assert report.solved == truth["solved"], context
        for key, points in report.broken.items():
            assert points == sorted(truth["broken"][key]), (key, context)
            assert report.rules[key] == truth[key], (key, context)
    return sum(report.solved for report in reports)


def test_random_boards_as_oracle():
    assert assert_as_oracle(random_lines(1500, seed=0)) > 100


def test_published_boards_as_oracle(published):
    assert_as_oracle(published_lines(published, 600, seed=0))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_large_sample_as_oracle(published, seed):
    """With all seeds 200,000 lines; quarter of an hour and more."""
    assert assert_as_oracle(random_lines(5000, seed)) > 300
    assert_as_oracle(published_lines(published, 5000, seed))


def test_published_solutions_solve(published):
    pairs = [(record, path) for record in published for path in stored_solutions(record)]
    assert len(pairs) == 3218
    assert all(report.solved for report in check_paths(*zip(*pairs, strict=True)))


def test_symmetry_and_recolouring():
    pairs, base = [], random_lines(60, seed=3)
    rng = random.Random(4)
    for record, path in base:
        for k in range(8):
            pairs.append((transform(record, k), transform_path(path, k, record)))
        letters = list("RBGYWOPK")
        colors = dict(zip(letters, rng.sample(letters, 8), strict=True))
        pairs.append((recolor(record, colors), path))
    reports = check_paths(*zip(*pairs, strict=True))
    for number, (record, path) in enumerate(base):
        own = check_path(record, path)
        for k in range(8):
            turned = reports[9 * number + k]
            assert turned.rules == own.rules
            for key, points in own.broken.items():
                assert turned.broken[key] == sorted(transform_path(points, k, record))
        assert reports[9 * number + 8] == own


def test_boards_larger_than_the_published():
    rng = random.Random(5)
    pairs = [solvable_record(rng, 8, 8), solvable_record(rng, 7, 3)]
    assert assert_as_oracle(pairs) == 2


RECORD = draw("S + +\n+ N +\n+ + E")


def test_numpy_points_and_no_lines():
    path = np.array([(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)])
    assert check_path(RECORD, path).solved
    assert check_path(RECORD, iter(path.tolist())).solved
    assert check_paths([], []) == []


@pytest.mark.parametrize("point", [(0.0, 1), (1,), (1, 2, 3), 3, "ab", None, (True, 0), ("0", 1)])
def test_refuses_points_that_are_no_pairs_of_integers(point):
    with pytest.raises(ValueError, match="path 0: point 1 is .* a pair of integers"):
        check_path(RECORD, [(0, 0), point])


def test_refuses_a_malformed_record():
    with pytest.raises(PuzzleError):
        check_path({"id": "x"}, [])


def test_refuses_unequal_numbers():
    with pytest.raises(ValueError, match="1 records but 0 paths"):
        check_paths([RECORD], [])


def test_undecided_is_an_error_not_a_verdict(monkeypatch):
    from spatialjax.witness import check

    def gives_up(puzzles, rows, lines, length):
        return np.zeros((len(lines), 8, 13, 13), bool), np.ones(len(lines), bool)

    monkeypatch.setattr(check, "_check_batch", gives_up)
    with pytest.raises(RuntimeError, match="no verdict on poly_ylop_area"):
        check_path(RECORD, [])

"""The makers of random boards and lines, and symmetries of them, as the oracle judges them."""

import random
from collections import Counter

import pytest
from boards import KINDS, perturb_record, random_record, solvable_record
from building import COLORS, draw
from oracle import RULES, check, read_board, stored_solutions
from symmetries import recolor, transform, transform_path
from walks import free_neighbours, mutate_path, random_path


def test_solvable_records_are_solved_and_full():
    rng = random.Random(1)
    seen = Counter()
    for _ in range(150):
        record, path = solvable_record(rng, rng.randint(1, 6), rng.randint(1, 6))
        assert check(record, path)["solved"]
        assert stored_solutions(record) == [path]
        board = read_board(record)
        seen.update({symbol.kind for symbol in board.symbols.values()})
        seen.update({"dot": bool(board.dots), "gap": bool(board.gaps)})
        seen["hidden dot"] += bool(board.dots & {board.start, board.end})
    assert all(seen[kind] >= 15 for kind in (*KINDS, "hidden dot"))


def test_records_and_paths_repeat_by_seed():
    def make(seed):
        rng = random.Random(seed)
        record = random_record(rng, 3, 3, list_solutions=True)
        other, path = solvable_record(rng, 4, 4)
        around = free_neighbours(read_board(other))
        return record, other, random_path(rng, other, True, around), mutate_path(rng, path, other)

    assert make(3) == make(3)
    assert make(3) != make(4)


def test_random_paths_are_legal():
    rng = random.Random(2)
    for number in range(200):
        record = random_record(rng, rng.randint(1, 6), rng.randint(1, 6))
        finished = number % 2 == 0
        verdict = check(record, random_path(rng, record, finished))
        assert verdict["path_not_crossing"] and verdict["no_gap_violations"]
        assert verdict["reached_target"] == finished


def test_no_path_to_an_end_that_gaps_cut_off():
    cut_off = draw("""
        S G E
        G N +
        + + +
    """)
    assert random_path(random.Random(0), cut_off, finished=False) == [(0, 0)]
    with pytest.raises(ValueError, match=r"no path leads from S at \(0, 0\) to E at \(2, 0\)"):
        random_path(random.Random(0), cut_off, finished=True)


def test_verdicts_keep_under_symmetry_and_recolouring():
    rng = random.Random(3)
    verdicts = Counter()
    for number in range(120):
        record, path = solvable_record(rng, rng.randint(1, 4), rng.randint(1, 4))
        if number % 3 == 1:
            record = perturb_record(rng, record)
        elif number % 3 == 2:
            path = mutate_path(rng, path, record)
        verdict = check(record, path)
        verdicts.update(rule for rule in RULES if not verdict[rule])
        for k in range(8):
            turned = check(transform(record, k), transform_path(path, k, record))
            for rule in RULES:
                points = transform_path(verdict["broken"][rule], k, record)
                assert turned["broken"][rule] == sorted(points), (record["id"], k, rule)
        names = list(COLORS)
        shuffled = rng.sample(names, len(names))
        renamed = recolor(record, dict(zip(names, shuffled, strict=True)))
        assert check(renamed, path) == verdict
    assert set(verdicts) == set(RULES)

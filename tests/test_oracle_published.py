"""The oracle on the published puzzles, read as the file has them."""

import itertools
import json

import pytest
from oracle import MOVES, check_board, difficulty, read_board, solve, stored_solutions
from oracle_env import SpatialGymOracle
from symmetries import transform


def test_every_published_solution_solves(published_raw):
    number = 0
    for puzzle in published_raw:
        board = read_board(puzzle)
        for path in stored_solutions(puzzle):
            assert check_board(board, path)["solved"], puzzle["id"]
            number += 1
    assert number == 3218


def test_solve_finds_the_published_sets(published_raw):
    small = [
        puzzle
        for puzzle in published_raw
        if puzzle["grid_size"]["width"] * puzzle["grid_size"]["height"] <= 9
    ]
    assert len(small) == 208
    for puzzle in small:
        assert solve(puzzle) == sorted(stored_solutions(puzzle)), puzzle["id"]


def test_difficulty_of_published_puzzles(published_raw):
    for puzzle in published_raw:
        score, level = difficulty(puzzle)
        assert score == pytest.approx(puzzle["difficulty_score"], abs=1e-12)
        assert level == puzzle["difficulty_level"]


def test_transform_by_nothing_gives_a_published_record_back(published_raw):
    for puzzle in published_raw[:100]:
        again = transform(puzzle, 0)
        again["difficulty_score"] = puzzle["difficulty_score"]
        names = json.loads(puzzle["polyshapes"])
        if all(int(name) < 1 << 16 for name in names):
            again["polyshapes"] = puzzle["polyshapes"]
            assert json.loads(transform(puzzle, 0)["polyshapes"]) == names
            assert again == puzzle


def test_stored_solutions_earn_one(published_raw):
    for puzzle in published_raw[:200]:
        path = stored_solutions(puzzle)[-1]
        for native in (False, True):
            env = SpatialGymOracle(puzzle, False, 2000, native)
            for here, there in itertools.pairwise(path):
                action = MOVES.index((there[0] - here[0], there[1] - here[1]))
                reward, terminated, truncated, info = env.step(action)
                assert reward == (1.0 if terminated else 0.01)
            assert terminated and not truncated and info["outcome_reward"] == 1.0

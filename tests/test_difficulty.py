"""The difficulty formula against the published scores and an independent reading."""

import random

import boards
import oracle
import pytest

from spatialjax.witness.difficulty import difficulty, score_and_level


def test_equals_published_scores_and_levels(published):
    for record in published:
        score, level = difficulty(record)
        assert score == pytest.approx(record["difficulty_score"], abs=1e-9)
        assert level == record["difficulty_level"]


def test_equals_the_plain_reading():
    rng = random.Random(0)
    for _ in range(200):
        record = boards.random_record(rng, rng.randint(1, 7), rng.randint(1, 7))
        score, level = difficulty(record)
        expected_score, expected_level = oracle.difficulty(record)
        assert score == pytest.approx(expected_score, abs=1e-9)
        assert level == expected_level


def test_levels_stay_within_one_to_five():
    assert score_and_level(0, 0, 1) == (pytest.approx(0.0, abs=0.05), 1)
    score, level = score_and_level(5, 49, 49)
    assert level == 5 and score <= 5

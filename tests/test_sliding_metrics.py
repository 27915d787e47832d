"""Metrics of sliding puzzles: by hand, and their identities over random episodes on 3x3."""

import functools
import math
import random

import oracle_sliding as oracle
import pytest
from sliding_boards import EPISODE, EXAMPLE, random_config

from spatialjax.data.sliding import config_board
from spatialjax.sliding.commands import play_command
from spatialjax.sliding.metrics import (
    ACTIONS,
    EpisodeRecord,
    Estimate,
    estimate,
    heatmap,
    summarize,
    summarize_curves,
)
from spatialjax.sliding.types import Direction, Result

CAP = 20
MOVED, OCCUPIED, ILLEGAL = Result.MOVED, Result.OCCUPIED, Result.ILLEGAL_COMMAND


def played(board, texts, distance):
    """Play commands until the board is solved; distances by breadth-first search."""
    distances, results = [distance(board.positions)], []
    for text in texts:
        result, board = play_command(board, text)
        results.append(result)
        distances.append(distance(board.positions))
        if board.solved:
            break
    return EpisodeRecord(tuple(distances), tuple(results))


def toward(distance, board, rng):
    """A command that brings the board nearer to the goal."""
    for text in (f"move {name} {way}" for name in board.names for way in oracle.WAYS):
        result, after = play_command(board, text)
        if result == MOVED and distance(after.positions) < distance(board.positions):
            return text
    raise AssertionError("there is always a way")


def random_episodes(count=150):
    """Episodes on 3x3 boards by players from the best to the worst, up to 20 actions long."""
    rng = random.Random(1)
    for number in range(count):
        if number % 10 == 0:
            board = config_board(random_config(rng, 3, rng.choice([2, 3, 4])))
            distance = oracle.distances_to(3, board.goals).__getitem__
        skill, current, texts = rng.choice([0, 0.3, 0.7, 0.9, 1]), board, []
        while len(texts) < CAP and not current.solved:
            moves = [f"move {rng.choice(board.names)} {rng.choice([*oracle.WAYS])}"]
            moves += ["move red prism up", "go", "done"] if rng.random() < 0.2 else []
            best = rng.random() < skill
            texts.append(toward(distance, current, rng) if best else rng.choice(moves))
            current = play_command(current, texts[-1])[1]
        yield played(board, texts, distance)


@pytest.fixture(scope="module")
def episodes():
    return list(random_episodes())


# ------------------------------------------------------------------------------------- by hand


def test_the_worked_example():
    board = config_board(EXAMPLE)
    distance = functools.partial(oracle.distance, 4, goal=board.goals)
    episode = played(board, [text for text, *_ in EPISODE], lambda cells: distance(cells))
    assert episode.distances == (3, *[d for _, _, d, _ in EPISODE])
    assert episode.regret == (0, *[r for *_, r in EPISODE])
    assert [result.name for result in episode.results] == [name for _, name, *_ in EPISODE]
    assert episode.actions() == [
        "ineffective", "effective", "out_of_bounds", "occupied", "no_such_geom", "illegal_command",
        "effective", "effective", "effective",
    ]  # fmt: skip
    assert episode.solved and not episode.solved_optimally
    assert (episode.length, len(episode)) == (3, 9)
    assert episode.step_deviation == 3 and episode.minimal_distance == 0
    assert episode.progress == (0, -33.33, 0, 0, 0, 0, 0, 33.33, 66.67, 100)


def test_an_optimal_episode():
    episode = EpisodeRecord((2, 1, 0), (MOVED, MOVED))
    assert episode.solved_optimally and episode.regret == (0, 0, 0)
    assert episode.step_deviation == 0 and episode.progress == (0, 50, 100)


def test_doing_nothing_deviates_by_the_length():
    episode = EpisodeRecord((5,) * 21, (ILLEGAL,) * 20)
    assert episode.step_deviation == episode.minimal_distance == 5 and not episode.solved
    assert episode.regret == tuple(range(21))


def test_fewer_actions_than_a_shortest_solution_has():
    episode = EpisodeRecord((25, 24, 23), (MOVED, MOVED))
    assert episode.step_deviation == 23 and episode.regret == (0, 0, 0)


def test_without_automatic_check_regret_stays_from_the_first_solved_step():
    results = (MOVED, MOVED, MOVED, MOVED, Result.DONE_RIGHT)
    episode = EpisodeRecord((2, 1, 0, 1, 0, 0), results)
    assert episode.regret == (0, 0, 0, 0, 0, 0)
    assert episode.solved and not episode.solved_optimally
    assert episode.actions()[-1] == "done"


@pytest.mark.parametrize(
    ("distances", "results", "expected"),
    [
        ((2, 1), (MOVED, MOVED), "2 results need a distance more, got 2"),
        ((), (), "0 results need a distance more"),
        ((0,), (), "they start at 1 or more"),
        ((1, 0, -1), (MOVED, MOVED), "none is below 0"),
        ((3, 3), (MOVED,), "action 1 was MOVED, but the distance went from 3 to 3"),
        ((3, 2, 1), (MOVED, OCCUPIED), "action 2 was OCCUPIED, but the distance went from 2 to 1"),
        ((3, 1), (MOVED,), "action 1 was MOVED"),
    ],
)
def test_distances_and_results_must_belong_together(distances, results, expected):
    with pytest.raises(ValueError, match=expected):
        EpisodeRecord(distances, results)


# ---------------------------------------------------------------------------------- identities


def test_identities_hold_in_every_episode(episodes):
    solved = sum(episode.solved for episode in episodes)
    assert 20 < solved < len(episodes) - 20
    for episode in episodes:
        d, r, length, total = episode.distances, episode.regret, episode.length, len(episode)
        actions = episode.actions()
        assert total <= CAP and len(actions) == total and set(actions) <= set(ACTIONS)
        if total >= length:
            assert r[length] == d[length] == episode.step_deviation
        if episode.solved:
            assert r[total] == total - length
            assert episode.solved_optimally == (r[total] == 0)
        for t in range(total + 1):
            up, down = (actions[:t].count(kind) for kind in ("ineffective", "effective"))
            assert r[t] == 2 * up + (t - up - down)
            assert d[t] == length - down + up
            assert r[t] >= 0
            assert episode.progress[t] == pytest.approx(100 * (length - d[t]) / length, abs=0.005)
        assert episode.minimal_distance == sorted(d)[0]
        for kind, result in zip(actions, episode.results, strict=True):
            assert (kind in ("effective", "ineffective")) == (result == MOVED)


def test_the_summary_is_the_mean_of_the_episodes(episodes):
    summary = summarize(episodes)
    assert list(summary)[4:] == list(ACTIONS)
    count = len(episodes)
    share = 100 * sum(episode.solved for episode in episodes) / count
    assert summary["solved"].mean == pytest.approx(share)
    left = [e.distances[min(e.length, len(e))] for e in episodes]
    assert summary["step_deviation"].mean == pytest.approx(sum(left) / count)
    assert sum(summary[kind].mean for kind in ACTIONS) == pytest.approx(
        sum(map(len, episodes)) / count
    )
    assert {value.count for value in summary.values()} == {count}


def test_curves_keep_their_last_values(episodes):
    done = EpisodeRecord((2, 1, 2, 1, 0), (MOVED,) * 4)
    curves = summarize_curves([done], CAP)
    assert [value.mean for value in curves["distance"]] == [2, 1, 2, 1, *[0] * 17]
    assert [value.mean for value in curves["regret"]] == [0, 0, 2, 2, *[2] * 17]
    assert [value.mean for value in curves["progress"]] == [0, 50, 0, 50, *[100] * 17]
    curves = summarize_curves(episodes, CAP)
    lengths = [episode.length for episode in episodes]
    for t in range(CAP + 1):
        at = [e.distances[min(t, len(e))] for e in episodes]
        assert curves["distance"][t].mean == pytest.approx(sum(at) / len(at))
    assert curves["distance"][0] == estimate(lengths) and curves["regret"][0].mean == 0
    with pytest.raises(ValueError, match="an episode has 4 actions, more than 3"):
        summarize_curves([done], 3)


# ---------------------------------------------------------------------------------- statistics


def test_intervals_are_those_of_student():
    """The 97.5 % quantiles of Student's t for 1, 4 and 29 degrees of freedom are in every table."""
    for values, quantile in [([0, 1], 12.706), ([1, 2, 3, 4, 5], 2.776), ([0, 1] * 15, 2.045)]:
        mean = sum(values) / len(values)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
        found = estimate(values)
        assert found.mean == mean and found.count == len(values)
        width = quantile * deviation / math.sqrt(len(values))
        assert found.half_width == pytest.approx(width, rel=1e-3)


def test_one_value_has_no_interval_and_none_has_no_mean():
    assert estimate([3]) == Estimate(3, None, 1)
    assert estimate([2, 2, 2]) == Estimate(2, 0, 3)
    with pytest.raises(ValueError, match="no mean of no values"):
        estimate([])


def test_heatmap():
    found = heatmap([1, 3, 5, 0], [4, 4, 2, 4], [2, 2, 2, 3])
    assert found == {(2, 2): 5, (4, 2): 2, (4, 3): 0}


def test_directions_of_the_oracle_and_the_package_are_the_same():
    assert [way.upper() for way in oracle.WAYS] == [direction.name for direction in Direction]

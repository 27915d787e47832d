"""Episodes reply by reply: moves and ends as in Spatial-Gym, and replays that score every turn."""

import random
from itertools import pairwise

import pytest
from answers import drawn_path, ways
from sample import RECORD, base_records

from spatialjax.data.board import STEPS
from spatialjax.data.records import solution_paths
from spatialjax.llm.episodes import LineEpisode, SlidingEpisode, replay
from spatialjax.sliding.board import Board
from spatialjax.sliding.types import Result
from spatialjax.wrappers.spatial_gym import SpatialGym

PATH = solution_paths(RECORD)[0]
MOVES = [STEPS.index((c - a, d - b)) for (a, b), (c, d) in pairwise(PATH)]
REPLIES = [f"I go on.\nFinal: {move}" for move in MOVES]


def test_the_last_reply_is_scored():
    episode = replay(LineEpisode(RECORD), REPLIES)
    assert (episode.end, episode.path, episode.steps) == ("end", PATH, len(MOVES))
    assert episode.score().verdict == "solved"
    assert episode.rewards() == [0.0] * (len(MOVES) - 1) + [1.0] == episode.rewards("stored")
    # Just as many steps as it takes are enough.
    exact = replay(LineEpisode(RECORD, max_steps=len(MOVES)), REPLIES)
    assert exact.score().rules and exact.rewards()[-1] == 1.0


def test_ends_and_their_verdicts():
    short = replay(LineEpisode(RECORD, max_steps=len(MOVES) - 1), REPLIES[:-1])
    assert (short.end, short.score().verdict) == ("max_steps", "incomplete")
    assert short.rewards() == [0.0] * (len(MOVES) - 1)

    stuck = replay(LineEpisode(RECORD), ["Final: " + word for word in STUCK.split()])
    assert (stuck.end, stuck.score().verdict) == ("dead_end", "incomplete")

    mute = replay(LineEpisode(RECORD), [*REPLIES[:3], "I don't know"])
    score = mute.score()
    assert (mute.end, score.verdict, score.path) == ("parse_failed", "parse_failed", (*PATH[:4],))
    assert mute.actions == [*MOVES[:3], None] and mute.rewards() == [0.0] * 4

    unfinished = replay(LineEpisode(RECORD), REPLIES[:3])
    assert not unfinished.is_over and unfinished.score().verdict == "incomplete"
    around = ["Final: down"] * 4 + ["Final: right"] * 6
    broken = replay(LineEpisode(RECORD), around)
    assert (broken.end, broken.score().verdict) == ("end", "rule_broken")
    assert broken.rewards() == [0.0] * 10 == broken.rewards("stored")


STUCK = "right right right right down down left left up"  # (2, 1) is walled in by the line


def test_steps_back_and_moves_that_are_not_legal():
    there_and_back = ["Final: right", "Final: left"]
    forward = replay(LineEpisode(RECORD), there_and_back)
    assert (forward.path, forward.illegal, forward.steps) == ([(0, 0), (1, 0)], 1, 2)
    back = replay(LineEpisode(RECORD, traceback=True), there_and_back)
    assert (back.path, back.illegal, back.legal_actions) == ([(0, 0)], 0, [0, 3])
    off = replay(LineEpisode(RECORD), ["Final: up"])
    assert (off.path, off.illegal, off.is_over) == ([(0, 0)], 1, False)


def test_replies_after_the_end_are_an_error():
    with pytest.raises(ValueError, match=r"reply 19 comes after the end of the episode \(end\)"):
        replay(LineEpisode(RECORD), [*REPLIES, "Final: up"])
    with pytest.raises(ValueError, match=r"max_steps is 0; it must be a whole number from 1"):
        LineEpisode(RECORD, max_steps=0)


@pytest.mark.parametrize("traceback", [False, True])
def test_random_play_goes_as_in_spatial_gym(traceback):
    records = base_records()
    rng = random.Random(traceback)
    env = SpatialGym(records, observation="SPaRC", traceback=traceback, max_steps=40)
    ends = set()
    for _ in range(60):
        record = rng.choice(records)
        env.reset(options={"puzzle_id": record["id"]})
        episode = LineEpisode(record, traceback=traceback, max_steps=40)
        path = drawn_path(rng, record, ways(record))
        wanted = [(c - a, d - b) for (a, b), (c, d) in pairwise(path)]
        plan = [STEPS.index(step) for step in wanted if step in STEPS]
        while not episode.is_over:
            action = plan.pop(0) if plan else rng.randrange(4)
            episode.reply(f"Final: {action}")
            *_, terminated, truncated, info = env.step(action)
            assert episode.path == env.path
            assert episode.legal_actions == info["legal_actions"]
            assert episode.illegal == info["invalid_actions"]
            assert episode.is_over == (terminated or truncated)
        assert (episode.end == "end") == terminated
        assert episode.score().stored == info["success"]
        ends.add(episode.end)
    assert ends >= {"end", "max_steps"}


# The worked example of the specification: three moves away from the goal, L = 3.
BOARD = Board(4, ("cube", "sphere"), ("red", "blue"), ((0, 0), (1, 0)), ((2, 0), (1, 1)))
COMMANDS = {
    "move blue sphere right": Result.MOVED,
    "Move  BLUE circle left": Result.MOVED,
    "move red cube left": Result.OUT_OF_BOUNDS,
    "move red cube right": Result.OCCUPIED,
    "move green cube up": Result.NO_SUCH_GEOM,
    "go red cube": Result.ILLEGAL_COMMAND,
    "move blue sphere up": Result.MOVED,
    "**move red cube right**": Result.MOVED,
    "Move red square right.": Result.MOVED,
}


def test_a_sliding_puzzle_reply_by_reply():
    replies = [f"Blue is in the way of red.\naction: {command}" for command in COMMANDS]
    episode = replay(SlidingEpisode(BOARD), replies)
    assert episode.results == list(COMMANDS.values())
    assert (episode.end, episode.is_solved) == ("end", True)
    assert episode.rewards() == [0.0] * 8 + [1.0]
    assert len(episode.boards) == 10 and episode.boards[0] == BOARD
    with pytest.raises(ValueError, match="reply 10 comes after the end"):
        episode.reply("action: move red cube left")


def test_a_sliding_puzzle_ends_with_its_last_step_and_counts_every_reply():
    exact = replay(SlidingEpisode(BOARD, max_steps=9), [f"action: {one}" for one in COMMANDS])
    assert exact.is_solved and exact.end == "end"
    mute = replay(SlidingEpisode(BOARD, max_steps=3), ["move red cube right", "", "action:"])
    assert mute.results == [Result.ILLEGAL_COMMAND] * 3
    assert (mute.end, mute.rewards()) == ("max_steps", [0.0] * 3)
    assert mute.boards == [BOARD] * 4

"""The plain-Python environment: rewards, ends and legal actions move by move."""

import pytest
from building import draw, with_solutions
from drawn import EMPTY, ROUND
from oracle_env import SpatialGymOracle


def play(record, moves, traceback=False, max_steps=100, native=False):
    """The (reward, terminated, truncated) of each of the moves r, u, l, d."""
    env = SpatialGymOracle(record, traceback, max_steps, native)
    return [env.step("ruld".index(move))[:3] for move in moves]


GOOD = (0.01, False, False)
BAD = (-0.01, False, False)
STILL = (0.0, False, False)
CORNERED = draw("""
    S + + + E
    + N + N G
    + + + + +
""")


def test_rewards_follow_the_stored_solutions():
    record = with_solutions(EMPTY, [ROUND])
    assert play(record, "rrrrdddd") == [GOOD] * 7 + [(1.0, True, False)]
    assert play(record, "ddddrrrr") == [BAD] * 7 + [(-1.0, True, False)]
    assert play(record, "uldr") == [STILL, STILL, BAD, STILL]
    assert play(record, "rlu") == [GOOD, STILL, STILL]
    assert play(record, "rldudr", traceback=True) == [GOOD, GOOD, BAD, GOOD, BAD, STILL]


def test_step_limit():
    record = with_solutions(EMPTY, [ROUND])
    assert play(record, "rrr", max_steps=3) == [GOOD, GOOD, (-1.0, False, True)]
    assert play(record, "uuu", max_steps=3) == [STILL, STILL, (-1.0, False, True)]
    assert play(record, "rrrrdddd", max_steps=8)[-1] == (1.0, True, False)
    assert play(record, "rrrrdddd", max_steps=8, native=True)[-1] == (1.0, True, False)


def test_dead_end():
    record = with_solutions(CORNERED, [])
    stuck = "rrddrr"
    assert play(record, stuck)[-1] == (-1.0, False, True)
    assert play(record, stuck, native=True)[-1] == (-1.0, True, False)
    assert play(record, stuck, traceback=True)[-1] == BAD
    assert play(record, stuck, max_steps=6, native=True)[-1] == (-1.0, True, False)


def test_legal_actions():
    env = SpatialGymOracle(EMPTY, False, 100)
    assert env.reset()["legal_actions"] == [0, 3]
    assert env.step(0)[3]["legal_actions"] == [0]  # on an edge: no way into the cells, nor back
    assert env.step(0)[3]["legal_actions"] == [0, 3]
    again = SpatialGymOracle(EMPTY, True, 100)
    assert again.step(0)[3]["legal_actions"] == [0, 2]
    assert again.step(7)[:3] == again.step(-1)[:3] == STILL


def test_reset_starts_clean_and_ended_episodes_refuse_steps():
    env = SpatialGymOracle(with_solutions(EMPTY, [ROUND]), False, 1)
    env.step(0)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)
    assert env.reset() == {
        "legal_actions": [0, 3],
        "agent_location": (0, 0),
        "path": [(0, 0)],
        "current_step": 0,
        "outcome_reward": 0.0,
    }

"""Rewards of the sliding puzzles: plain functions, chosen by name or passed in.

Their signature is that of `core/rewards.py`, with the pack as `params`.
"""

from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Float32

from spatialjax.core.rewards import outcome_reward
from spatialjax.core.types import Outcome
from spatialjax.sliding.dynamics import capacity
from spatialjax.sliding.estimate import manhattan
from spatialjax.sliding.types import Pack, State

RewardFunction = Callable[[Pack, State, State, Outcome], Float32[Array, ""]]


def progress_reward(
    pack: Pack, state: State, next_state: State, outcome: Outcome
) -> Float32[Array, ""]:
    """Pay the fall of the summed Manhattan distance, as a share of the start's: +1 in all.

    The exact distance would need a search at every step; on boards without interference the two
    agree along every shortest solution.
    """
    del outcome
    goal = pack.puzzles.goal[state.puzzle_index]
    start = pack.puzzles.start[state.puzzle_index]
    of_start, before, after = (
        manhattan(position, goal, capacity(pack))
        for position in (start, state.position, next_state.position)
    )
    return (before - after).astype(jnp.float32) / of_start.astype(jnp.float32)


def progress_solved_reward(
    pack: Pack, state: State, next_state: State, outcome: Outcome
) -> Float32[Array, ""]:
    """Pay the progress, and +1 more for the solution: nearly there is far less than there."""
    progress = progress_reward(pack, state, next_state, outcome)
    return progress + outcome.solved.astype(jnp.float32)


REWARDS: dict[str, RewardFunction] = {
    "outcome": outcome_reward,
    "progress": progress_reward,
    "progress_solved": progress_solved_reward,
}

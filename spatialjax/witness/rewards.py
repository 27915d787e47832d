"""Rewards of the line puzzles: plain functions, chosen by name or passed in.

Their signature is that of `core/rewards.py`, with the pack as `params`.
"""

from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Float32

from spatialjax.core.rewards import at_end, outcome_reward
from spatialjax.core.types import Outcome
from spatialjax.witness.types import Pack, State

RewardFunction = Callable[[Pack, State, State, Outcome], Float32[Array, ""]]


def spatial_gym_reward(
    pack: Pack, state: State, next_state: State, outcome: Outcome
) -> Float32[Array, ""]:
    """Pay as Spatial-Gym: the outcome at the end, before it by whether the line begins a solution.

    +0.01 for a move after which the line begins some stored solution, -0.01 for any other move, 0
    for an action that moved nothing.
    """
    del pack, state
    # A puzzle without stored solutions has no node, and its bare start is no beginning of one.
    begins = (next_state.astray == 0) & (next_state.node >= 0)
    moved = jnp.where(begins, 0.01, -0.01)
    return at_end(outcome, jnp.where(outcome.moved, moved, 0.0).astype(jnp.float32))


def prefix_reward(
    pack: Pack, state: State, next_state: State, outcome: Outcome
) -> Float32[Array, ""]:
    """Pay +1 for a solution, and -1 at once for the move that leaves all stored solutions.

    Paid where the mistake is made, so that the moves before and after it are not blamed. It needs
    the stored solutions. With `traceback` every new departure costs.
    """
    del pack
    strays = (state.astray == 0) & (next_state.astray > 0)
    return (outcome.solved.astype(jnp.float32) - strays.astype(jnp.float32)).astype(jnp.float32)


REWARDS: dict[str, RewardFunction] = {
    "outcome": outcome_reward,
    "spatial_gym": spatial_gym_reward,
    "prefix": prefix_reward,
}

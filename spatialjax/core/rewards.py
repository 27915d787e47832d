"""The reward every family has, and the signature of all of them.

A reward function takes `(params, state, next_state, outcome)` and returns a float32 scalar.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float32

from spatialjax.core.types import Outcome


def outcome_reward(
    params: Any, state: Any, next_state: Any, outcome: Outcome
) -> Float32[Array, ""]:
    """Pay +1 for a solution and -1 for any other end, 0 before the end."""
    del params, state, next_state
    return at_end(outcome, jnp.float32(0.0))


def at_end(outcome: Outcome, before: Float32[Array, ""]) -> Float32[Array, ""]:
    """Return +1 or -1 at the end of an episode, and `before` until then."""
    ended = outcome.terminated | outcome.truncated
    return jnp.where(ended, jnp.where(outcome.solved, 1.0, -1.0), before).astype(jnp.float32)

"""Play many lanes at once: one scan over a vmapped, auto-resetting environment.

Used by benchmarks and tests; agents that learn have loops of their own.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32, Key

from spatialjax.core.environment import Environment
from spatialjax.core.types import Episode

BatchPolicy = Callable[[Key[Array, ""], chex.ArrayTree, Bool[Array, "B A"]], Int32[Array, " B"]]
"""From a key, the observations and the masks of all lanes to their actions."""


class Totals(NamedTuple):
    """Sums over all lanes and steps."""

    reward: Float32[Array, ""]
    ended: Int32[Array, ""]
    solved: Int32[Array, ""]


class Lanes(NamedTuple):
    """Where every lane stands."""

    episode: Episode
    observation: chex.ArrayTree


def start(env: Environment, params: Any, key: Key[Array, ""], num_lanes: int) -> Lanes:
    """Reset `num_lanes` lanes. The key is consumed."""
    keys = jax.random.split(key, num_lanes)
    observation, episode = jax.vmap(env.reset, (0, None))(keys, params)
    return Lanes(episode, observation)


def play(
    env: Environment,
    params: Any,
    policy: BatchPolicy,
    lanes: Lanes,
    key: Key[Array, ""],
    num_steps: int,
) -> tuple[Lanes, Totals]:
    """Take `num_steps` steps in every lane. The key is consumed."""

    def step(carry, key):
        lanes, totals = carry
        act_key, step_key = jax.random.split(key)
        mask = jax.vmap(env.action_mask, (0, None))(lanes.episode, params)
        action = policy(act_key, lanes.observation, mask)
        # All lanes share the key: each draws its next puzzle with its own stream as well.
        observation, episode, reward, terminated, truncated, info = jax.vmap(
            env.step, (None, 0, 0, None)
        )(step_key, lanes.episode, action, params)
        totals = Totals(
            totals.reward + jnp.sum(reward),
            totals.ended + jnp.sum(terminated | truncated, dtype=jnp.int32),
            totals.solved + jnp.sum(info["solved"], dtype=jnp.int32),
        )
        return (Lanes(episode, observation), totals), None

    nothing = Totals(jnp.float32(0), jnp.int32(0), jnp.int32(0))
    return jax.lax.scan(step, (lanes, nothing), jax.random.split(key, num_steps))[0]


def random_legal(
    key: Key[Array, ""], observation: chex.ArrayTree, mask: Bool[Array, "B A"]
) -> Int32[Array, " B"]:
    """Choose one of the legal actions of each lane uniformly. The key is consumed."""
    del observation
    num_lanes, num_actions = mask.shape
    num_legal = jnp.sum(mask, axis=1, dtype=jnp.uint32)
    bits = jax.random.bits(key, (num_lanes,), jnp.uint32)
    # The bias of a remainder is below 1e-7 for the few actions a puzzle has.
    rank = bits % jnp.maximum(num_legal, 1)
    action, seen = jnp.zeros(num_lanes, jnp.int32), jnp.zeros(num_lanes, jnp.uint32)
    for candidate in range(num_actions):
        is_legal = mask[:, candidate]
        action = jnp.where(is_legal & (seen == rank), candidate, action)
        seen = seen + is_legal.astype(jnp.uint32)
    return action

"""Tiny environments whose best values are known: one thing each can go wrong in each.

They have gymnax 1.x's call shapes and nothing else; a state is the pair (observation, time).
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from spatialjax.core.spaces import Box


class Params(NamedTuple):
    """No instance data."""


@dataclasses.dataclass(frozen=True)
class Probe:
    """An episode of `length` steps; `sign` is drawn at reset and is what the agent sees.

    Attributes:
      reward: function of (sign, time, action).
      cut: the end of the episode is a truncation.
    """

    reward: Any
    length: int = 1
    cut: bool = False
    num_actions: int = 2
    name: str = "probe"

    def observation_space(self, params):
        return Box(-1.0, float(self.length), (2,), jnp.float32)

    def reset(self, key, params):
        sign = jnp.where(jax.random.bernoulli(key), 1.0, -1.0)
        state = (sign, jnp.zeros((), jnp.int32))
        return self.observe(state), state

    def observe(self, state):
        sign, time = state
        return jnp.stack([sign, time.astype(jnp.float32)])

    def step(self, key, state, action, params):
        sign, time = state
        reward = jnp.asarray(self.reward(sign, time, action), jnp.float32)
        after = (sign, time + 1)
        done = after[1] >= self.length
        terminated, truncated = done & (not self.cut), done & self.cut
        info = {"final_observation": self.observe(after), "terminated": terminated, "truncated": truncated}
        observation, fresh = self.reset(key, params)
        state = jax.tree.map(lambda new, old: jnp.where(done, new, old), fresh, after)
        observation = jnp.where(done, observation, self.observe(after))
        return observation, state, reward, terminated, truncated, info


class MaskedProbe(Probe):
    """The same with action 1 always illegal."""

    def action_mask(self, state, params):
        return jnp.array([True, False])

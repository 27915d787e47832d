"""Tiny environments whose best values are known, to find what a learner gets wrong.

One environment with gymnax 1.x's call shapes, whose reward table, length and ends are instance
data: one compilation serves every probe. An episode draws a sign, -1 or +1, which the agent sees
beside the time.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from spatialjax.core.spaces import Box

MAX_LENGTH = 2


class Probe(NamedTuple):
    """One probe.

    Attributes:
      reward: by sign (-1, +1), time and action.
      length: steps of an episode.
      cut: whether an episode's end is a truncation.
      blind: whether the time is hidden.
      legal: the legal actions.
    """

    reward: Array
    length: Array
    cut: Array
    blind: Array
    legal: Array


def probe(reward, length=1, cut=False, blind=False, legal=(True, True)) -> Probe:
    """Return a probe whose reward is `reward(sign, time, action)`."""
    table = [[[reward(s, t, a) for a in range(2)] for t in range(MAX_LENGTH)] for s in (-1, 1)]
    return Probe(
        jnp.asarray(np.array(table, np.float32)),
        jnp.int32(length),
        jnp.bool_(cut),
        jnp.bool_(blind),
        jnp.array(legal),
    )


@dataclasses.dataclass(frozen=True)
class ProbeEnv:
    """The environment of all probes; a state is the pair (index of the sign, time)."""

    num_actions: int = 2
    name: str = "Probe"

    def observation_space(self, params):
        return Box(-1.0, float(MAX_LENGTH), (2,), jnp.float32)

    def action_mask(self, state, params):
        return params.legal

    def reset(self, key, params):
        state = (jax.random.bernoulli(key).astype(jnp.int32), jnp.zeros((), jnp.int32))
        return self.observe(state, params), state

    def observe(self, state, params):
        sign, time = state
        time = jnp.where(params.blind, 0, time)
        return jnp.stack([2 * sign - 1, time]).astype(jnp.float32)

    def step(self, key, state, action, params):
        sign, time = state
        reward = params.reward[sign, time, action]
        after = (sign, time + 1)
        done = after[1] >= params.length
        terminated, truncated = done & ~params.cut, done & params.cut
        last = self.observe(after, params)
        info = {"final_observation": last, "terminated": terminated, "truncated": truncated}
        observation, fresh = self.reset(key, params)
        state = jax.tree.map(lambda new, old: jnp.where(done, new, old), fresh, after)
        observation = jnp.where(done, observation, last)
        return observation, state, reward, terminated, truncated, info

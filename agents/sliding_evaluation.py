"""How an agent plays sliding puzzles, by the exact metrics of `spatialjax.sliding.metrics`.

params -> play_episodes -> Episodes (arrays) -> exact_distances -> EpisodeRecord each
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int8, Int32, Key

from agents.base import Policy
from spatialjax.sliding.dynamics import action_result
from spatialjax.sliding.metrics import EpisodeRecord
from spatialjax.sliding.types import Pack, Result
from spatialjax.solvers.sliding_distances import exact_distances

LANES = 256
"""Boards played side by side."""


class Episodes(NamedTuple):
    """One episode of every board; `T` is the step limit.

    Attributes:
      position: where the geoms stood at the start and after every action.
      result: code of `Result` of every action.
      length: actions made.
    """

    position: Int8[Array, "N T_plus_1 G"]
    result: Int8[Array, "N T"]
    length: Int32[Array, " N"]


@partial(jax.jit, static_argnums=(0, 1))
def play_episodes(
    env: Any, policy: Policy, params: Pack, policy_params: Any, key: Key[Array, ""]
) -> Episodes:
    """Play every board of the pack once, to its end or to the step limit."""

    def play(index):
        observation, episode = env.reset_to(index, params)

        def step(carry, number):
            observation, episode = carry
            step_key = jax.random.fold_in(jax.random.fold_in(key, index), number)
            mask = env.action_mask(episode, params)
            action = policy.act(policy_params, observation, mask, step_key)
            result = action_result(params, episode.state, action)
            observation, episode, *_ = env.step_env(step_key, episode, action, params)
            return (observation, episode), (episode.state.position, result)

        (_, last), (positions, results) = jax.lax.scan(
            step, (observation, episode), jnp.arange(env.max_steps)
        )
        return jnp.concatenate([episode.state.position[None], positions]), results, last.steps

    indices = jnp.arange(env.num_puzzles(params), dtype=jnp.int32)
    return Episodes(*jax.lax.map(play, indices, batch_size=LANES))


def episode_records(params: Pack, episodes: Episodes) -> list[EpisodeRecord]:
    """Return what the metrics need of every episode."""
    episodes = jax.device_get(episodes)
    rows = np.repeat(np.arange(len(episodes.length)), episodes.length + 1)
    times = np.concatenate([np.arange(length + 1) for length in episodes.length])
    visited = np.asarray(episodes.position)[rows, times]
    distances = exact_distances(params, rows, visited)
    by_episode = np.split(distances, np.cumsum(episodes.length + 1)[:-1])
    return [
        EpisodeRecord(tuple(own.tolist()), tuple(Result(code) for code in results[:length]))
        for own, results, length in zip(by_episode, episodes.result, episodes.length, strict=True)
    ]

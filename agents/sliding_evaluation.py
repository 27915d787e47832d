"""How an agent plays sliding puzzles, by the exact metrics of `spatialjax.sliding.metrics`.

params -> play_episodes -> Episodes (arrays) -> exact_distances -> EpisodeRecord each
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32, Key

from agents.base import Policy
from spatialjax.sliding.dynamics import action_result
from spatialjax.sliding.metrics import EpisodeRecord
from spatialjax.sliding.types import Pack, Result
from spatialjax.solvers.ida_star import exact_distance
from spatialjax.solvers.sliding_astar import Status, solve_board

LANES = 256
"""Boards searched side by side: all of them wait for the hardest."""

CHUNK = 8 * LANES
"""Boards are searched in whole chunks."""

BUDGET = 1000
"""Iterations after which a board is left to the host's solver."""


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


def exact_distances(
    params: Pack, rows: Int32[np.ndarray, " M"], positions: Int8[np.ndarray, "M G"]
) -> Int32[np.ndarray, " M"]:
    """Return the exact distance to the goal of arrangements of the boards in some rows.

    Every different one is solved once: by IDA* on the device, and by A* on the host where that
    runs out of its budget.
    """
    keys = np.column_stack([rows, positions])
    distinct, back = np.unique(keys, axis=0, return_inverse=True)
    rows, positions = distinct[:, 0].astype(np.int32), distinct[:, 1:].astype(np.int8)
    # Whole chunks of boards, so that few numbers of them are compiled for.
    padding = -len(rows) % CHUNK
    filled = (np.concatenate([x, np.repeat(x[:1], padding, axis=0)]) for x in (rows, positions))
    distance, is_exact = (np.array(x)[: len(rows)] for x in _search(params, *filled))
    side = params.cells.shape[0]
    puzzles = jax.device_get(params.puzzles)
    for i in np.flatnonzero(~is_exact):
        size, used = int(puzzles.size[rows[i]]), positions[i] >= 0
        start, goal = (
            [int(c) % side + size * (int(c) // side) for c in cells[used]]
            for cells in (positions[i], puzzles.goal[rows[i]])
        )
        solution = solve_board(size, start, goal)
        if solution.status != Status.SOLVED:
            raise ValueError(f"no distance was found for board {rows[i]}: {solution.status.name}")
        distance[i] = len(solution.actions)
    return distance[back.reshape(-1)]


@jax.jit
def _search(
    params: Pack, rows: Int32[Array, " M"], positions: Int8[Array, "M G"]
) -> tuple[Int32[Array, " M"], Bool[Array, " M"]]:
    def one(item):
        row, position = item
        puzzles = params.puzzles
        found = exact_distance(position, puzzles.goal[row], puzzles.size[row], params.cells, BUDGET)
        return found.distance, found.exact

    return jax.lax.map(one, (rows, positions), batch_size=LANES)

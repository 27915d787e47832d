"""How an agent plays sliding puzzles, by the exact metrics of `spatialjax.sliding.metrics`.

params -> play_episodes -> Episodes (arrays) -> exact_distances -> EpisodeRecord each
       -> SlidingEvaluation
"""

import dataclasses
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int8, Int32, Key

from agents.base import Policy
from agents.evaluation import Evaluation
from spatialjax.sliding.dynamics import action_result
from spatialjax.sliding.metrics import EpisodeRecord, Estimate, heatmap, summarize, summarize_curves
from spatialjax.sliding.names import Point
from spatialjax.sliding.pack import HostPack
from spatialjax.sliding.types import Pack, Result
from spatialjax.solvers.sliding_astar import Status, solve_position
from spatialjax.solvers.sliding_distances import UNKNOWN, exact_distances

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

    def choose(index, number, observation, mask):
        step_key = jax.random.fold_in(jax.random.fold_in(key, index), number)
        return policy.act(policy_params, observation, mask, step_key)

    return _play(env, params, choose)


@partial(jax.jit, static_argnums=0)
def replay_episodes(env: Any, params: Pack, actions: Int32[Array, "N T"]) -> Episodes:
    """Play every board of the pack by its own list of actions."""

    def choose(index, number, observation, mask):
        del observation, mask
        return actions[index, number]

    return _play(env, params, choose)


def _play(env: Any, params: Pack, choose: Callable[..., Array]) -> Episodes:
    """Play every board; `choose(index, number, observation, mask)` is the action of a step."""

    def play(index):
        observation, episode = env.reset_to(index, params)

        def step(carry, number):
            observation, episode = carry
            mask = env.action_mask(episode, params)
            action = choose(index, number, observation, mask)
            result = action_result(params, episode.state, action)
            # No dynamics of these puzzles draws anything.
            observation, episode, *_ = env.step_env(jax.random.key(0), episode, action, params)
            return (observation, episode), (episode.state.position, result)

        (_, last), (positions, results) = jax.lax.scan(
            step, (observation, episode), jnp.arange(env.max_steps, dtype=jnp.int32)
        )
        return jnp.concatenate([episode.state.position[None], positions]), results, last.steps

    indices = jnp.arange(env.num_puzzles(params), dtype=jnp.int32)
    return Episodes(*jax.lax.map(play, indices, batch_size=LANES))


def shortest_solutions(pack: HostPack, max_steps: int) -> Int32[np.ndarray, "N T"]:
    """Return the first actions of a shortest solution of every board, 0 after its end.

    Raises:
      ValueError: if the search of a board gives up.
    """
    actions = np.zeros((len(pack), max_steps), np.int32)
    for i, name in enumerate(pack.ids):
        solution = solve_position(pack.board(i))
        if solution.status != Status.SOLVED:
            raise ValueError(f"board {name}: no solution was found ({solution.status.name})")
        found = solution.actions[:max_steps]
        actions[i, : len(found)] = found
    return actions


def episode_records(params: Pack, episodes: Episodes) -> list[EpisodeRecord | None]:
    """Return what the metrics need of every episode; None where a distance was not found."""
    episodes = jax.device_get(episodes)
    rows = np.repeat(np.arange(len(episodes.length)), episodes.length + 1)
    times = np.concatenate([np.arange(length + 1) for length in episodes.length])
    visited = np.asarray(episodes.position)[rows, times]
    distances = exact_distances(params, rows, visited)
    by_episode = np.split(distances, np.cumsum(episodes.length + 1)[:-1])
    return [
        None
        if UNKNOWN in own
        else EpisodeRecord(tuple(own.tolist()), tuple(Result(code) for code in results[:length]))
        for own, results, length in zip(by_episode, episodes.result, episodes.length, strict=True)
    ]


@dataclasses.dataclass(frozen=True)
class SlidingEvaluation(Evaluation):
    """Results of one agent on one pack of sliding puzzles.

    A puzzle's level is the length of its shortest solution, its kind the number of its geoms.

    Attributes:
      episodes: those of the first attempt; None where an exact distance was not found, which the
        metrics leave out and the tables say.
      lengths: moves of a shortest solution of every board, 0 where it is not known.
      ends: where the geoms stood at the end of each, cells [x, y].
      num_geoms: geoms of every board.
      max_steps: step limit of an episode.
    """

    episodes: list[EpisodeRecord | None]
    lengths: list[int]
    ends: list[tuple[Point, ...]]
    num_geoms: list[int]
    max_steps: int

    @cached_property
    def metrics(self) -> dict[str, Estimate]:
        """Every metric over the first attempt."""
        return summarize(self.measured)

    @cached_property
    def measured(self) -> list[EpisodeRecord]:
        """The episodes of the first attempt whose every distance is known."""
        return [episode for episode in self.episodes if episode]

    def solved_by_cell(self) -> dict[tuple[int, int], float]:
        """Return the per cent solved by length of the shortest solution and number of geoms."""
        known = np.flatnonzero(self.lengths)
        lengths, geoms = (np.array(x)[known].tolist() for x in (self.lengths, self.num_geoms))
        return heatmap((100.0 * self.solved[0][known]).tolist(), lengths, geoms)

    def distance_by_cell(self) -> dict[tuple[int, int], float]:
        """Return the mean minimal distance, likewise."""
        known = [(e, g) for e, g in zip(self.episodes, self.num_geoms, strict=True) if e]
        episodes, geoms = zip(*known, strict=True)
        return heatmap([e.minimal_distance for e in episodes], [e.length for e in episodes], geoms)

    def to_json(self, command: str) -> dict[str, Any]:
        """Return the object that `evaluate.py --json` writes."""
        curves = summarize_curves(self.measured, self.max_steps)
        return super().to_json(command) | {
            "measured": len(self.measured),
            "metrics": {name: vars(value) for name, value in self.metrics.items()},
            "curves": {name: [value.mean for value in curve] for name, curve in curves.items()},
            "by_level_and_geoms": [
                {"level": level, "geoms": geoms, "solved": solved}
                for (level, geoms), solved in self.solved_by_cell().items()
            ],
        }

    def tables(self) -> str:
        """Return the first attempt by every label, pass@k, and the metrics, as text."""
        lines = [super().tables(), "  an episode, mean and 95 % interval (Student's t)"]
        if missing := len(self.episodes) - len(self.measured):
            lines.append(f"    without {missing} whose exact distances no search found")
        for name, value in self.metrics.items():
            lines.append(f"    {name.replace('_', ' '):18} {estimate_text(value)}")
        return "\n".join(lines)


def points(cells: Int8[np.ndarray, " G"], side: int) -> tuple[Point, ...]:
    """Return the cells [x, y] of the slots in use; `side` is the capacity."""
    return tuple((int(cell) % side, int(cell) // side) for cell in cells if cell >= 0)


def estimate_text(value: Estimate) -> str:
    """Return a mean with its 95 % interval."""
    half = "" if value.half_width is None else f" ± {value.half_width:.2f}"
    return f"{value.mean:7.2f}{half}"


def evaluate(
    agent: str,
    env: Any,
    pack: HostPack,
    policy: Policy | None,
    policy_params: Any,
    source: str,
    attempts: int,
    seed: int,
) -> SlidingEvaluation:
    """Play a `HostPack` and measure the episodes; without a policy by shortest solutions."""
    params = pack.params()
    played = []
    if policy is None:
        plan = jnp.asarray(shortest_solutions(pack, env.max_steps))
        played = [jax.device_get(replay_episodes(env, params, plan))] * attempts
    else:
        for key in jax.random.split(jax.random.key(seed), attempts):
            played.append(jax.device_get(play_episodes(env, policy, params, policy_params, key)))
    boards = np.arange(len(pack))
    goal = np.asarray(pack.puzzles.goal)
    solved = np.array([(e.position[boards, e.length] == goal).all(axis=1) for e in played])
    episodes = episode_records(params, played[0])
    last = played[0].position[boards, played[0].length]
    sizes, num_geoms = (
        np.asarray(field).tolist() for field in (pack.puzzles.size, pack.puzzles.num_geoms)
    )
    stored = pack.puzzles.optimal_length.tolist()
    lengths = [e.length if e else known for e, known in zip(episodes, stored, strict=True)]
    if not any(episodes):
        raise ValueError(f"no search found the distances of any board of {source}")
    return SlidingEvaluation(
        agent=agent,
        source=source,
        pack_hash=pack.hash,
        seed=seed,
        solved=solved,
        labels={
            "level": [str(length or "unknown") for length in lengths],
            "size": [f"{size}x{size}" for size in sizes],
            "kind": [f"{geoms} geoms" for geoms in num_geoms],
        },
        episodes=episodes,
        lengths=lengths,
        ends=[points(row, pack.side) for row in last],
        num_geoms=num_geoms,
        max_steps=env.max_steps,
    )

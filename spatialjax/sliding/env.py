"""SlidingGeom-v0 and SlidingTile-v0: the sliding puzzles of iVISPAR. Wiring only.

Usage:

    env, params = spatialjax.make("SlidingGeom-v0")        # the embedded boards, split "train"
    obs, episode = env.reset(jax.random.key(0), params)
    mask = env.action_mask(episode, params)                # bool[4 * geoms]
    obs, episode, reward, terminated, truncated, info = env.step(key, episode, action, params)

Rules: a move slides one geom by one cell into an empty cell of the board; the puzzle is solved when
every geom is on its goal cell.

| | |
|---|---|
| actions | `4 * geom + direction`: 0 left, 1 right, 2 down, 3 up; geoms by their slot |
| legal | the target cell is on the board and empty; any other action costs a step |
| terminated | solved |
| truncated | after `max_steps` steps |
| reward | `"outcome"`: +1 solved, -1 truncated; the others: see `rewards.py` |
| observation | `"array"`, `"planes"` or `"none"`: see `observations.py` |
"""

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32

from spatialjax.core.environment import Environment
from spatialjax.core.options import named, require_callable, require_one_of, require_positive
from spatialjax.core.registry import register
from spatialjax.core.spaces import Space
from spatialjax.core.types import Episode, Outcome, Verdict
from spatialjax.sliding import dynamics, observations
from spatialjax.sliding.pack import HostPack
from spatialjax.sliding.rewards import REWARDS, RewardFunction
from spatialjax.sliding.sources import load_host_pack
from spatialjax.sliding.types import Pack, State


@dataclasses.dataclass(frozen=True, eq=True)
class Sliding(Environment[Pack, State]):
    """Sliding puzzles; see the module docstring.

    Attributes:
      max_steps: steps after which an episode is truncated.
      num_geoms: slots of geoms in the packs it plays, which fixes the number of actions.
      env_id: the id it was made by.
      observation: the form of observation.
      reward_function: the reward of one step.
      default_params: the pack that `make` built; no part of the object's identity.
    """

    max_steps: int = 20
    num_geoms: int = 11
    env_id: str = "SlidingGeom-v0"
    observation: Literal["array", "planes", "none"] = "array"
    reward_function: RewardFunction = REWARDS["outcome"]
    default_params: Pack | None = dataclasses.field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_one_of("observation", self.observation, observations.OBSERVATIONS)
        require_callable("reward", self.reward_function)
        require_positive("max_steps", self.max_steps)

    @property
    def name(self) -> str:
        return self.env_id

    @property
    def num_actions(self) -> int:
        return 4 * self.num_geoms

    def num_puzzles(self, params: Pack) -> int:
        return params.puzzles.size.shape[0]

    def initial(self, params: Pack, puzzle_index: Int32[Array, ""]) -> State:
        return dynamics.initial(params, puzzle_index)

    def legal_actions(self, params: Pack, state: State) -> Bool[Array, " A"]:
        return dynamics.legal_actions(params, state)

    def transition(self, params: Pack, state: State, action: Int32[Array, ""]) -> State:
        return dynamics.transition(params, state, action)

    def verdict(self, params: Pack, state: State) -> Verdict:
        solved = dynamics.is_solved(params, state)
        return Verdict(finished=solved, solved=solved, undecided=jnp.bool_(False))

    def reward(
        self, params: Pack, state: State, next_state: State, outcome: Outcome
    ) -> Float32[Array, ""]:
        return self.reward_function(params, state, next_state, outcome)

    def observe(self, params: Pack, episode: Episode) -> Any:
        return observations.observe(params, episode, self.observation)

    def path_length(self, params: Pack, state: State) -> Int32[Array, ""]:
        del params
        return state.moves

    def optimal_length(self, params: Pack, state: State) -> Int32[Array, ""]:
        return params.puzzles.optimal_length[state.puzzle_index]

    def observation_space(self, params: Pack) -> Space:
        side = dynamics.capacity(params)
        return observations.space(self.observation, side, self.num_geoms, self.max_steps)


_OPTIONS = ("source", "split", "capacity", "reward", "max_steps", "observation")


def make_sliding(
    env_id: str,
    subset: str,
    /,
    source: str | Path | Sequence[dict] | HostPack = "embedded",
    *,
    split: str = "train",
    capacity: tuple[int, int] | None = None,
    reward: str | RewardFunction = "outcome",
    **options: Any,
) -> tuple[Sliding, Pack]:
    """Make the environment and its pack.

    Args:
      env_id, subset: the id it is registered by, and the embedded sets that it plays.
      source: "embedded", a config file or a folder of them, a `.npz` pack, or configs or a
        `HostPack` at hand.
      split: of the embedded sets: "train", "test", or "hard".
      capacity: cells along the side and number of geoms to pad to; None takes the largest boards.
      reward: name of a reward, or a function with the signature of those in `rewards.py`.
      **options: `max_steps` and `observation`, fields of `Sliding`.

    Raises:
      PuzzleError: if the source is malformed.
      ValueError: if an option is unknown or has a value that is not allowed.
    """
    for option in options:
        require_one_of("option", option, _OPTIONS)
    pack = load_host_pack(source, subset, split, capacity=capacity)
    params = pack.params()
    env = Sliding(
        num_geoms=pack.capacity[1],
        env_id=env_id,
        reward_function=named("reward", reward, REWARDS),
        default_params=params,
        **options,
    )
    return env, params


register("SlidingGeom-v0", partial(make_sliding, "SlidingGeom-v0", "geoms"))
register("SlidingTile-v0", partial(make_sliding, "SlidingTile-v0", "tiles"))

"""Witness-v0: line puzzles in the style of SPaRC. Wiring only.

Usage:

    env, params = spatialjax.make("Witness-v0")            # the embedded pack, split "train"
    obs, episode = env.reset(jax.random.key(0), params)
    mask = env.action_mask(episode, params)                # bool[4]
    obs, episode, reward, terminated, truncated, info = env.step(key, episode, action, params)

Rules: a line from start to end, one lattice step a move, that breaks none of `rules.RULES`.

| | |
|---|---|
| actions | 0 right, 1 up, 2 left, 3 down |
| legal | a step to a free point that is no gap and no cell; with `traceback` also back |
| observation | `"planes"`, `"vector"`, `"pixels"` or `"none"`: tables in `observations.py` |
| reward | `"outcome"`, `"spatial_gym"` or a function: `rewards.py` |
| success | `"rules"`: the line breaks no rule; `"solutions"`: it is one the record stores |
| terminated | the line stands on the end, solved or not; or no legal step is left |
| truncated | `max_steps` steps were taken |

Differences from Spatial-Gym 0.1.5: a dead end terminates (there it truncates, so that learners
bootstrap from a lost state); an unknown puzzle is an error; observations have one shape for all
puzzles.

Version history: v0, first version.
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32, UInt8

from spatialjax.core.environment import Environment
from spatialjax.core.options import named, require_callable, require_one_of, require_positive
from spatialjax.core.registry import register
from spatialjax.core.spaces import Box
from spatialjax.core.types import Episode, Outcome, Verdict
from spatialjax.errors import PuzzleError
from spatialjax.witness import dynamics, observations, solutions
from spatialjax.witness.judge import solved_at_end
from spatialjax.witness.pack import HostPack
from spatialjax.witness.pixels import DEFAULT_PIXELS
from spatialjax.witness.rewards import REWARDS, RewardFunction, prefix_reward
from spatialjax.witness.sources import load_host_pack
from spatialjax.witness.types import Action, Pack, State

SUCCESS = ("rules", "solutions")


@dataclasses.dataclass(frozen=True)
class Witness(Environment[Pack, State]):
    """Line puzzles; see the module docstring.

    Attributes:
      max_steps: steps after which an episode is truncated. No line takes more than 162 moves.
      traceback: whether a step back over the last point is legal.
      success: what counts as solved, `"rules"` or `"solutions"`.
      observation: the form of observation.
      pixels: side of the pictures of observation `"pixels"`.
      reward_function: the reward of one step.
      default_params: the pack that `make` built; no part of the object's identity.
    """

    max_steps: int = 200
    traceback: bool = False
    success: Literal["rules", "solutions"] = "rules"
    observation: Literal["planes", "vector", "pixels", "none"] = "planes"
    pixels: int = DEFAULT_PIXELS
    reward_function: RewardFunction = REWARDS["outcome"]
    default_params: Pack | None = dataclasses.field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_one_of("success", self.success, SUCCESS)
        require_one_of("observation", self.observation, observations.OBSERVATIONS)
        require_callable("reward", self.reward_function)
        require_positive("max_steps", self.max_steps)
        require_positive("pixels", self.pixels)
        if type(self.traceback) is not bool:
            raise ValueError(f"traceback is {self.traceback!r}; it must be True or False")

    @property
    def name(self) -> str:
        return "Witness-v0"

    @property
    def num_actions(self) -> int:
        return len(Action)

    def num_puzzles(self, params: Pack) -> int:
        return params.puzzles.start.shape[0]

    def initial(self, params: Pack, puzzle_index: Int32[Array, ""]) -> State:
        return dynamics.initial(params, puzzle_index)

    def legal_actions(self, params: Pack, state: State) -> Bool[Array, " 4"]:
        return dynamics.legal_actions(params, state, traceback=self.traceback)

    def transition(self, params: Pack, state: State, action: Int32[Array, ""]) -> State:
        return dynamics.transition(params, state, action, traceback=self.traceback)

    def verdict(self, params: Pack, state: State) -> Verdict:
        at_end = state.position == params.puzzles.end[state.puzzle_index]
        if self.success == "solutions":
            stored = solutions.is_stored(params.trie, state.node, state.astray)
            return Verdict(finished=at_end, solved=at_end & stored, undecided=jnp.bool_(False))
        solved, undecided = solved_at_end(
            params, state.puzzle_index, state.visited, state.position, at_end
        )
        return Verdict(finished=at_end, solved=solved, undecided=undecided)

    def reward(
        self, params: Pack, state: State, next_state: State, outcome: Outcome
    ) -> Float32[Array, ""]:
        return self.reward_function(params, state, next_state, outcome)

    def observe(self, params: Pack, episode: Episode) -> UInt8[Array, "..."]:
        return observations.observe(params, episode.state, self.observation)

    def path_length(self, params: Pack, state: State) -> Int32[Array, ""]:
        del params
        return state.length

    def optimal_length(self, params: Pack, state: State) -> Int32[Array, ""]:
        return params.puzzles.optimal_length[state.puzzle_index]

    def observation_space(self, params: Pack) -> Box:
        rows, cols = dynamics.lattice_shape(params)
        num_shapes = params.puzzles.shape_cell.shape[-1]
        return observations.space(self.observation, rows, cols, num_shapes, self.pixels)


_OPTIONS = (
    "source", "subset", "split", "revision", "capacity", "reward",
    "max_steps", "traceback", "success", "observation", "pixels",
)  # fmt: skip


def make_witness(
    source: str | Path | Sequence[dict] | HostPack = "embedded",
    *,
    subset: str = "all",
    split: str = "train",
    revision: str | None = None,
    capacity: tuple[int, int] | None = None,
    reward: str | RewardFunction = "outcome",
    **options: Any,
) -> tuple[Witness, Pack]:
    """Make the environment and its pack.

    Args:
      source: what `load_records` takes, or an `.npz` pack, or records or a `HostPack` at hand. The
        solutions of records at hand are not judged by the rules.
      subset, split, revision: passed to `load_records`.
      capacity: height and width in cells to pad the boards to; None takes the largest of them.
      reward: name of a reward, or a function with the signature of those in `rewards.py`.
      **options: the fields of `Witness`.

    Raises:
      PuzzleError: if the source is malformed, or a record stores no solutions and
        `success="solutions"` or `reward="prefix"` needs them.
      ValueError: if an option is unknown or has a value that is not allowed.
      ImportError: for observation `"pixels"` without Pillow.
    """
    for option in options:
        require_one_of("option", option, _OPTIONS)
    env = Witness(reward_function=named("reward", reward, REWARDS), **options)
    pack = load_host_pack(source, subset, split, revision=revision, capacity=capacity)
    asks = {
        "success='solutions'": env.success == "solutions",
        "reward='prefix'": env.reward_function is prefix_reward,
    }
    for option in (name for name, is_asked in asks.items() if is_asked and pack.unsolved()):
        raise PuzzleError(
            f"record {pack.unsolved()[0]!r} stores no solutions, which {option} needs;"
            " choose another, or list them with spatialjax.solve"
        )
    params = pack.params(env.observation, env.pixels)
    return dataclasses.replace(env, default_params=params), params


register("Witness-v0", make_witness)

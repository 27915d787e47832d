"""The base of the pure wrappers: an environment around another one.

A wrapper is an `Environment` itself, frozen and hashable, so it goes wherever one goes: `jit`,
`vmap`, `scan`, `rollout.play`, the adapters, another wrapper. It keeps the calls and the `params`
of the environment inside, which is its `env`.
"""

import dataclasses
from typing import Any

import chex
from jaxtyping import Array, Bool, Float32, Int32, UInt32

from spatialjax.core.environment import Environment
from spatialjax.core.spaces import Space
from spatialjax.core.types import Episode, Outcome, Verdict


@dataclasses.dataclass(frozen=True)
class Wrapper(Environment[Any, Any]):
    """Does what the environment inside does; wrappers override what they change.

    The calls (`reset`, `step`, ...) are those of `Environment`, which are composed of the methods
    below. So a wrapper changes a step in `_advance` and the start of an episode in `_fresh`, once
    for all calls.

    Attributes:
      env: the environment inside.
      max_steps: that of `env`.
    """

    max_steps: int = dataclasses.field(init=False, repr=False)
    env: Environment[Any, Any]

    def __post_init__(self) -> None:
        require_environment(type(self).__name__, self.env)
        object.__setattr__(self, "max_steps", self.env.max_steps)

    @property
    def name(self) -> str:
        return self.env.name

    @property
    def num_actions(self) -> int:
        return self.env.num_actions

    @property
    def default_params(self) -> Any:
        """The params that `make` built."""
        return getattr(self.env, "default_params", None)

    @property
    def unwrapped(self) -> Environment[Any, Any]:
        """The environment inside all wrappers."""
        return self.env.unwrapped if isinstance(self.env, Wrapper) else self.env

    def num_puzzles(self, params: Any) -> int:
        return self.env.num_puzzles(params)

    def initial(self, params: Any, puzzle_index: Int32[Array, ""]) -> Any:
        return self.env.initial(params, puzzle_index)

    def legal_actions(self, params: Any, state: Any) -> Bool[Array, " A"]:
        return self.env.legal_actions(params, state)

    def transition(self, params: Any, state: Any, action: Int32[Array, ""]) -> Any:
        return self.env.transition(params, state, action)

    def verdict(self, params: Any, state: Any) -> Verdict:
        return self.env.verdict(params, state)

    def reward(
        self, params: Any, state: Any, next_state: Any, outcome: Outcome
    ) -> Float32[Array, ""]:
        return self.env.reward(params, state, next_state, outcome)

    def observe(self, params: Any, episode: Episode) -> chex.ArrayTree:
        return self.env.observe(params, episode)

    def path_length(self, params: Any, state: Any) -> Int32[Array, ""]:
        return self.env.path_length(params, state)

    def optimal_length(self, params: Any, state: Any) -> Int32[Array, ""]:
        return self.env.optimal_length(params, state)

    def observation_space(self, params: Any) -> Space:
        return self.env.observation_space(params)

    def info(self, episode: Episode, params: Any, verdict: Verdict) -> dict[str, Any]:
        return self.env.info(episode, params, verdict)

    def _advance(
        self, episode: Episode, action: Int32[Array, ""], params: Any
    ) -> tuple[Episode, Float32[Array, ""], dict[str, Any]]:
        return self.env._advance(episode, action, params)

    def _fresh(self, params: Any, index: Int32[Array, ""], stream: UInt32[Array, ""]) -> Episode:
        return self.env._fresh(params, index, stream)


def require_environment(wrapper: str, env: Any) -> None:
    """Raise ValueError unless what the wrapper of this name is put around is an environment."""
    if not isinstance(env, Environment):
        raise ValueError(
            f"{wrapper} is put around a {type(env).__name__}; it must be an environment, as"
            " spatialjax.make returns it beside the params"
        )


def with_max_steps(env: Environment[Any, Any], max_steps: int) -> Environment[Any, Any]:
    """Return the environment, wrapped as it is, with another step limit."""
    if isinstance(env, Wrapper):
        return dataclasses.replace(env, env=with_max_steps(env.env, max_steps))
    return dataclasses.replace(env, max_steps=max_steps)

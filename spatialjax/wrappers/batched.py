"""Many lanes of one environment with the calls of one."""

import dataclasses
from typing import Any

import chex
import jax
from jaxtyping import Array, Bool, Float32, Int32

from spatialjax.core.environment import Environment
from spatialjax.core.options import require_positive
from spatialjax.core.spaces import Discrete, Space
from spatialjax.core.types import Episode
from spatialjax.wrappers.wrapper import require_environment


@dataclasses.dataclass(frozen=True)
class Batched:
    """`B` lanes over shared `params`: every argument and result but key and params is `[B, ...]`.

    Put it around all other wrappers, and `jit` its calls or the loop that makes them. The spaces
    are those of one lane.

    Attributes:
      env: the environment of each lane.
      num_lanes: `B`.

    Raises:
      ValueError: if `env` is no environment, or `num_lanes` no whole number from 1.
    """

    env: Environment[Any, Any]
    num_lanes: int

    def __post_init__(self) -> None:
        require_environment("Batched", self.env)
        require_positive("num_lanes", self.num_lanes)

    @property
    def name(self) -> str:
        """The id of the environment."""
        return self.env.name

    @property
    def num_actions(self) -> int:
        """Number of discrete actions of a lane."""
        return self.env.num_actions

    @property
    def max_steps(self) -> int:
        """Steps after which an episode is truncated."""
        return self.env.max_steps

    @property
    def default_params(self) -> Any:
        """The params that `make` built."""
        return getattr(self.env, "default_params", None)

    def action_space(self, params: Any = None) -> Discrete:
        """Return the action space of a lane."""
        return self.env.action_space(params)

    def observation_space(self, params: Any) -> Space:
        """Return the observation space of a lane."""
        return self.env.observation_space(params)

    def action_mask(self, episode: Episode, params: Any) -> Bool[Array, "B A"]:
        """Return the legal actions of each lane, or all of them where none is legal."""
        return jax.vmap(self.env.action_mask, (0, None))(episode, params)

    def reset(self, key: chex.PRNGKey, params: Any) -> tuple[chex.ArrayTree, Episode]:
        """Start each lane on a random puzzle. The key is consumed."""
        keys = jax.random.split(key, self.num_lanes)
        return jax.vmap(self.env.reset, (0, None))(keys, params)

    def reset_to(
        self, puzzle_index: Int32[Array, " B"], params: Any
    ) -> tuple[chex.ArrayTree, Episode]:
        """Start each lane on the puzzle in its row `puzzle_index` of `params`."""
        return jax.vmap(self.env.reset_to, (0, None))(puzzle_index, params)

    def step_env(
        self, key: chex.PRNGKey, episode: Episode, action: Int32[Array, " B"], params: Any
    ) -> tuple[chex.ArrayTree, Episode, Float32[Array, " B"], Bool[Array, " B"], dict[str, Any]]:
        """Take one step in each lane without auto-reset: as `Environment.step_env`."""
        return jax.vmap(self.env.step_env, (None, 0, 0, None))(key, episode, action, params)

    def step(
        self, key: chex.PRNGKey, episode: Episode, action: Int32[Array, " B"], params: Any
    ) -> tuple[
        chex.ArrayTree,
        Episode,
        Float32[Array, " B"],
        Bool[Array, " B"],
        Bool[Array, " B"],
        dict[str, Any],
    ]:
        """Take one step in each lane and reset those that end: as `Environment.step`.

        The lanes share the key: each draws its next puzzle with its own stream as well.
        """
        return jax.vmap(self.env.step, (None, 0, 0, None))(key, episode, action, params)

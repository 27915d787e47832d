"""gymnax: importing this module registers the environments there (extra `gymnax`).

    import gymnax, spatialjax.wrappers.gymnax
    env, params = gymnax.make("Witness-v0")                      # six values a step, as gymnax 1.x
    env, params = gymnax.make("Witness-v0", source="puzzles.jsonl", max_steps=100)
    env, params = gymnax.make("Witness-v0-legacy")               # five values, as gymnax 0.x

Each id of `spatialjax.available()` is registered twice. Under its own name it is a gymnax
environment as the installed gymnax defines it. With `-legacy` behind the name `step` returns five
values with one `done`, which rejax and purejaxrl unpack:

    algorithm = rejax.get_algo("ppo").create(env="Witness-v0-legacy", env_params={"split": "test"})

gymnax knows no action masks: an illegal action costs a step and changes nothing else. Our own code
finds the legal ones by `env.action_mask(state, params)`.
"""

import dataclasses
from functools import partial
from typing import Any, Literal

import chex
import jax
from jaxtyping import Array, Bool, Float32, Int32

from spatialjax.api import available
from spatialjax.api import make as make_ours
from spatialjax.core import spaces as our_spaces
from spatialjax.core.environment import Environment
from spatialjax.core.options import require_one_of
from spatialjax.core.types import Episode
from spatialjax.wrappers.flatten import FlattenObservation
from spatialjax.wrappers.wrapper import require_environment, with_max_steps

try:
    import gymnax
    from flax import struct
    from gymnax.environments import environment, spaces
except ImportError as error:
    raise ImportError(
        "the gymnax adapter needs gymnax 1.0 or newer, and six, which gymnax imports without"
        " asking for it: install both with `pip install 'spatialjax[gymnax]'`"
    ) from error


def to_space(space: our_spaces.Space) -> spaces.Space:
    """Return the gymnax space of what our space holds: the only place that converts them."""
    if isinstance(space, our_spaces.Discrete):
        return spaces.Discrete(space.n, dtype=space.dtype)
    if isinstance(space, our_spaces.Dict):
        return spaces.Dict({name: to_space(part) for name, part in space.spaces.items()})
    return spaces.Box(space.low, space.high, space.shape, space.dtype)


@struct.dataclass
class GymnaxParams:
    """The pack, and the step limit under the name that gymnax's users read.

    The limit is static: `params.replace(max_steps_in_episode=50)` changes it, at the price of
    another compilation.
    """

    pack: Any
    max_steps_in_episode: int = struct.field(pytree_node=False)


@dataclasses.dataclass(frozen=True)
class GymnaxEnvironment(environment.Environment[Any, Any]):
    """A gymnax 1.x environment around one of ours: six values a step.

    The state is our `Episode`, the results are those of the environment inside: `step` resets an
    episode that ends by a gather from the pack. Its last observation is
    `info["final_observation"]`.

    Attributes:
      env: the environment inside.
      pack: its params; no part of the object's identity.
    """

    env: Environment[Any, Any]
    pack: Any = dataclasses.field(compare=False, repr=False)

    def __post_init__(self) -> None:
        require_environment(type(self).__name__, self.env)

    @property
    def name(self) -> str:
        """The id of the environment inside."""
        return self.env.name

    @property
    def num_actions(self) -> int:
        """Number of discrete actions."""
        return self.env.num_actions

    @property
    def default_params(self) -> GymnaxParams:
        """The params where a call gets none."""
        return GymnaxParams(self.pack, self.env.max_steps)

    def action_space(self, params: GymnaxParams | None = None) -> spaces.Space:
        """Return the action space."""
        return to_space(self.env.action_space(self._params(params).pack))

    def observation_space(self, params: GymnaxParams | None = None) -> spaces.Space:
        """Return the space that holds every observation."""
        params = self._params(params)
        return to_space(self._limited(params).observation_space(params.pack))

    def action_mask(self, state: Episode, params: GymnaxParams | None = None) -> Bool[Array, " A"]:
        """Return the legal actions, or all of them where none is legal."""
        return self.env.action_mask(state, self._params(params).pack)

    def reset(
        self, key: chex.PRNGKey, params: GymnaxParams | None = None
    ) -> tuple[chex.ArrayTree, Episode]:
        """Start an episode on a random puzzle. The key is consumed."""
        return _reset(self, key, self._params(params))

    def step(
        self,
        key: chex.PRNGKey,
        state: Episode,
        action: Int32[Array, ""],
        params: GymnaxParams | None = None,
    ) -> tuple[Any, ...]:
        """Take one step and reset an episode that ends.

        Returns observation, state, reward, terminated, truncated, info.
        """
        return _step(self, key, state, action, self._params(params))

    def reset_env(self, key: chex.PRNGKey, params: GymnaxParams) -> tuple[chex.ArrayTree, Episode]:
        """As `reset`, with params."""
        return self._limited(params).reset(key, params.pack)

    def step_env(
        self, key: chex.PRNGKey, state: Episode, action: Int32[Array, ""], params: GymnaxParams
    ) -> tuple[Any, Episode, Float32[Array, ""], Bool[Array, ""], dict[str, Any]]:
        """Take one step without auto-reset: observation, state, reward, terminated, info."""
        return self._limited(params).step_env(key, state, action, params.pack)

    def observe(
        self, key: chex.PRNGKey, state: Episode, action: Any, params: GymnaxParams
    ) -> chex.ArrayTree:
        """Return what a state shows, whatever key and action."""
        del key, action
        return self._limited(params).observe(params.pack, state)

    def is_terminated(self, state: Episode, params: GymnaxParams) -> Bool[Array, ""]:
        """Whether `step_env` has brought the episode to its own end."""
        del params
        return state.terminated

    def is_truncated(self, state: Episode, params: GymnaxParams) -> Bool[Array, ""]:
        """Whether `step_env` has brought the episode to the step limit."""
        del params
        return state.truncated

    def _params(self, params: GymnaxParams | None) -> GymnaxParams:
        return self.default_params if params is None else params

    def _limited(self, params: GymnaxParams) -> Environment[Any, Any]:
        """Return the environment inside with the step limit of the params."""
        return with_max_steps(self.env, params.max_steps_in_episode)


@dataclasses.dataclass(frozen=True)
class LegacyGymnaxEnvironment(GymnaxEnvironment):
    """The same with the five values of gymnax 0.x, where `done` is `terminated | truncated`."""

    def step(
        self,
        key: chex.PRNGKey,
        state: Episode,
        action: Int32[Array, ""],
        params: GymnaxParams | None = None,
    ) -> tuple[Any, ...]:
        """Take one step and reset an episode that ends.

        Returns observation, state, reward, done, info; flags apart are in `info`.
        """
        *values, terminated, truncated, info = super().step(key, state, action, params)
        return *values, terminated | truncated, info

    def step_env(
        self, key: chex.PRNGKey, state: Episode, action: Int32[Array, ""], params: GymnaxParams
    ) -> tuple[Any, Episode, Float32[Array, ""], Bool[Array, ""], dict[str, Any]]:
        """Take one step without auto-reset: observation, state, reward, done, info."""
        observation, state, reward, done, info = super().step_env(key, state, action, params)
        return observation, state, reward, done | state.truncated, info


# Not methods, so that a call without params never compiles a pack in: environments that are equal
# share their compilations, and packs are no part of that.
@partial(jax.jit, static_argnums=0)
def _reset(face: GymnaxEnvironment, key: Any, params: GymnaxParams) -> Any:
    return face.reset_env(key, params)


@partial(jax.jit, static_argnums=0)
def _step(
    face: GymnaxEnvironment, key: Any, state: Episode, action: Any, params: GymnaxParams
) -> Any:
    return face._limited(params).step(key, state, action, params.pack)


_FACES = {"1.0": GymnaxEnvironment, "legacy": LegacyGymnaxEnvironment}


def make(
    env_id: str,
    /,
    *,
    api: Literal["1.0", "legacy"] = "1.0",
    flat: bool | None = None,
    **options: Any,
) -> GymnaxEnvironment:
    """Make an environment for gymnax; `gymnax.make` calls this.

    Args:
      env_id: an id of `spatialjax.available()`.
      api: values of a step: `"1.0"` six, `"legacy"` five.
      flat: whether observations are flattened to `[D]`; None flattens those that are dicts, in
        the legacy face alone, whose users know no dicts.
      **options: those of `spatialjax.make`.

    Raises:
      ValueError: as `spatialjax.make`, or for an unknown `api`.
    """
    require_one_of("api", api, tuple(_FACES))
    env, pack = make_ours(env_id, **options)
    if flat is None:
        is_dict = isinstance(env.observation_space(pack), our_spaces.Dict)
        flat = api == "legacy" and is_dict
    return _FACES[api](FlattenObservation(env) if flat else env, pack)


for _id in available():
    gymnax.register(_id, partial(make, _id))
    gymnax.register(f"{_id}-legacy", partial(make, _id, api="legacy"))

"""What one lane of a Gymnasium environment does, as compiled functions for one or many lanes.

An episode's puzzle is drawn by the lane's own random `stream` alone, so a lane that was seeded
plays the same puzzles in the same order, alone, in any batch, and in any autoreset mode.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode
from jaxtyping import Array, Bool, Float32, Int32, UInt32

from spatialjax.core.compaction import compacted
from spatialjax.core.environment import Environment
from spatialjax.core.types import Episode, Verdict
from spatialjax.wrappers.gym_puzzles import GymPuzzles

AnyArray = Array | np.ndarray

OBSERVED_AT_ONCE = 128
"""Lanes whose last observations are made in one go."""


class Start(NamedTuple):
    """How a lane is reset: to puzzle `index`, or, where that is -1, to one that is drawn.

    `is_seeded` says whether its stream begins anew from `seed`.
    """

    is_reset: Bool[AnyArray, ""]
    is_seeded: Bool[AnyArray, ""]
    seed: UInt32[AnyArray, ""]
    index: Int32[AnyArray, ""]


class Report(NamedTuple):
    """What a lane shows of its episode; `info` holds the `action_mask`, int8, too."""

    observation: Any
    info: dict[str, Any]


class Stepped(NamedTuple):
    """What a step came to.

    `final` speaks of the episodes that ended, in SAME_STEP mode alone; of others its observation is
    zero.
    """

    report: Report
    reward: Float32[Array, ""]
    terminated: Bool[Array, ""]
    truncated: Bool[Array, ""]
    final: Report | None


@dataclass(frozen=True)
class Lane:
    """A lane; static, so that lanes made alike share one compilation.

    Attributes:
      env: the environment.
      present: from its observations to those shown.
      mode: when an episode that has ended is followed by the next.
    """

    env: Environment
    present: Any
    mode: AutoresetMode

    @classmethod
    def of(cls, puzzles: GymPuzzles, mode: AutoresetMode = AutoresetMode.DISABLED) -> "Lane":
        """Return a lane on these puzzles."""
        return cls(puzzles.env, puzzles.present, mode)

    def blank(self, params: Any, axes: tuple[int, ...] = ()) -> Episode:
        """Return zeros in the form of an episode, or of one a lane, for a first `begin`."""
        shapes = jax.eval_shape(self.env.reset, jax.random.key(0), params)[1]
        zeros = jax.tree.map(lambda leaf: np.zeros((*axes, *leaf.shape), leaf.dtype), shapes)
        return jax.device_put(zeros)

    def begin(self, params: Any, episode: Episode, start: Start) -> tuple[Episode, Report]:
        """Reset the lane if `start` says so."""
        _, seeded = self.env.reset(jax.random.key(start.seed), params)
        drawn = _select(start.is_seeded, seeded, self._next(params, episode))
        _, chosen = self.env.reset_to(jnp.maximum(start.index, 0), params)
        fresh = _select(start.index >= 0, replace(chosen, stream=drawn.stream), drawn)
        episode = _select(start.is_reset, fresh, episode)
        return episode, self._report(params, episode, self._opening(params, episode))

    def step(
        self, params: Any, episode: Episode, action: Int32[Array, ""]
    ) -> tuple[Episode, Stepped]:
        """Take one step, with the autoreset of the mode."""
        _, ended, reward, terminated, info = self.env.step_env(_key(), episode, action, params)
        truncated = ended.truncated
        if self.mode == AutoresetMode.DISABLED:
            report = self._report(params, ended, info)
            return ended, Stepped(report, reward, terminated, truncated, None)
        final = None
        if self.mode == AutoresetMode.SAME_STEP:
            is_reset = terminated | truncated
            # Few lanes end in one step, and planes take long to make.
            observe = compacted(self._observe, OBSERVED_AT_ONCE)
            final = Report(observe(is_reset, params, ended), self._masked(params, ended, info))
        else:
            # The action is not taken: a step after the end changes nothing and pays 0.
            is_reset = episode.terminated | episode.truncated
            terminated, truncated = terminated & ~is_reset, truncated & ~is_reset
        following = _select(is_reset, self._next(params, episode), ended)
        info = _select(is_reset, self._opening(params, following), info)
        report = self._report(params, following, info)
        return following, Stepped(report, reward, terminated, truncated, final)

    def _next(self, params: Any, episode: Episode) -> Episode:
        return self.env.next_episode(_key(), episode, params)

    def _opening(self, params: Any, episode: Episode) -> dict[str, Any]:
        """Return the info of an episode before its first step."""
        no = jnp.bool_(False)
        return self.env.info(episode, params, Verdict(finished=no, solved=no, undecided=no))

    def _report(self, params: Any, episode: Episode, info: dict[str, Any]) -> Report:
        return Report(self._observe(params, episode), self._masked(params, episode, info))

    def _observe(self, params: Any, episode: Episode) -> Any:
        return self.present(self.env.observe(params, episode))

    def _masked(self, params: Any, episode: Episode, info: dict[str, Any]) -> dict[str, Any]:
        return info | {"action_mask": self.env.action_mask(episode, params).astype(jnp.int8)}


@partial(jax.jit, static_argnums=0)
def begin(lane: Lane, params: Any, episode: Episode, start: Start) -> tuple[Episode, Report]:
    """Begin one lane."""
    return lane.begin(params, episode, start)


@partial(jax.jit, static_argnums=0)
def step(lane: Lane, params: Any, episode: Episode, action: Any) -> tuple[Episode, Stepped]:
    """Step one lane."""
    return lane.step(params, episode, action)


@partial(jax.jit, static_argnums=0)
def begin_all(lane: Lane, params: Any, episodes: Episode, starts: Start) -> tuple[Episode, Report]:
    """Begin many lanes; every leaf of episodes and starts has a leading axis."""
    return jax.vmap(lane.begin, (None, 0, 0))(params, episodes, starts)


@partial(jax.jit, static_argnums=0)
def step_all(lane: Lane, params: Any, episodes: Episode, actions: Any) -> tuple[Episode, Stepped]:
    """Step many lanes."""
    return jax.vmap(lane.step, (None, 0, 0))(params, episodes, actions)


def _key() -> Any:
    """Return the key that all lanes share for ever: each draws by its own stream."""
    return jax.random.key(0)


def _select(condition: Bool[AnyArray, ""], one: Any, other: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), one, other)

"""The contract of every environment, written once.

A puzzle family writes a handful of pure, unbatched functions; `Environment` composes them and owns
the rules of an episode. Callers `vmap` and `jit`, once, at the outside.

The contract:

1. `reset` draws a puzzle uniformly from `params` by its key. `reset_to` takes a chosen one.
2. `step_env` takes one action, an integer of any dtype. One that is not legal, so also one that is
   out of range, changes nothing but the step count and `invalid_actions`.
3. `terminated`: the puzzle is solved, has failed, or no legal action is left. `truncated`: the step
   limit was reached, and that alone: never both.
4. A step after the end of an episode changes nothing and pays 0.
5. `step` does what `step_env` does and then resets an episode that has ended to a new puzzle.
   Reward, flags and `info` speak of the old episode, the observation and the episode returned of
   the new one; the old one's last observation is `info["final_observation"]`. The structure of
   `info` never changes.
6. Dynamics are deterministic: the key given to `step` serves the reset alone. A batch may share one
   key: each episode draws with its own random `stream` as well.
7. `action_mask` is never all false: once no action is legal, which ends the episode, it is all
   true.

`params` is instance data (arrays), an environment object is static configuration (frozen,
hashable), an `Episode` is episode data (arrays).
"""

import abc
import dataclasses
from typing import Any, Generic, TypeVar

import chex
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32, UInt32

from spatialjax.core import spaces
from spatialjax.core.types import Episode, Outcome, Verdict

ParamsT = TypeVar("ParamsT")
StateT = TypeVar("StateT")


@dataclasses.dataclass(frozen=True, eq=False)
class Environment(abc.ABC, Generic[ParamsT, StateT]):
    """A family of puzzles as an environment with the call shapes of gymnax 1.x.

    Attributes:
      max_steps: steps after which an episode is truncated.
    """

    max_steps: int

    # ---- what a family writes: unbatched, no jit, no vmap inside ----

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The id under which the environment is registered."""

    @property
    @abc.abstractmethod
    def num_actions(self) -> int:
        """Number of discrete actions."""

    @abc.abstractmethod
    def num_puzzles(self, params: ParamsT) -> int:
        """Return the number of puzzles in `params` (static)."""

    @abc.abstractmethod
    def initial(self, params: ParamsT, puzzle_index: Int32[Array, ""]) -> StateT:
        """Return the first state of a puzzle; it has a field `puzzle_index`."""

    @abc.abstractmethod
    def legal_actions(self, params: ParamsT, state: StateT) -> Bool[Array, " A"]:
        """Return which actions change the state."""

    @abc.abstractmethod
    def transition(self, params: ParamsT, state: StateT, action: Int32[Array, ""]) -> StateT:
        """Return the state after an action; the result for one that is not legal is not used."""

    @abc.abstractmethod
    def verdict(self, params: ParamsT, state: StateT) -> Verdict:
        """Judge a state by the rules of the puzzle."""

    @abc.abstractmethod
    def reward(
        self, params: ParamsT, state: StateT, next_state: StateT, outcome: Outcome
    ) -> Float32[Array, ""]:
        """Return the reward of one step."""

    @abc.abstractmethod
    def observe(self, params: ParamsT, episode: Episode) -> chex.ArrayTree:
        """Return what an episode shows."""

    @abc.abstractmethod
    def path_length(self, params: ParamsT, state: StateT) -> Int32[Array, ""]:
        """Return how many moves the present solution attempt has taken."""

    @abc.abstractmethod
    def optimal_length(self, params: ParamsT, state: StateT) -> Int32[Array, ""]:
        """Return the fewest moves that solve the puzzle, 0 if not known."""

    @abc.abstractmethod
    def observation_space(self, params: ParamsT) -> spaces.Space:
        """Return the space that holds every observation."""

    # ---- written once ----

    def action_space(self, params: ParamsT | None = None) -> spaces.Discrete:
        """Return the action space."""
        del params
        return spaces.Discrete(self.num_actions)

    def action_mask(self, episode: Episode, params: ParamsT) -> Bool[Array, " A"]:
        """Return the legal actions, or all of them where none is legal."""
        legal = self.legal_actions(params, episode.state)
        return legal | ~jnp.any(legal)

    def reset(self, key: chex.PRNGKey, params: ParamsT) -> tuple[chex.ArrayTree, Episode]:
        """Start an episode on a random puzzle. The key is consumed."""
        episode = self._begin(params, jax.random.bits(key, dtype=jnp.uint32))
        return self.observe(params, episode), episode

    def reset_to(
        self, puzzle_index: Int32[Array, ""], params: ParamsT
    ) -> tuple[chex.ArrayTree, Episode]:
        """Start an episode on the puzzle in row `puzzle_index` of `params`."""
        index = jnp.asarray(puzzle_index, jnp.int32)
        episode = self._fresh(params, index, _scramble(index.astype(jnp.uint32)))
        return self.observe(params, episode), episode

    def next_episode(self, key: chex.PRNGKey, episode: Episode, params: ParamsT) -> Episode:
        """Return the episode that `step` goes on with, by this key, where this one ends."""
        return self._begin(params, _scramble(episode.stream ^ _key_word(key)))

    def step_env(
        self, key: chex.PRNGKey, episode: Episode, action: Int32[Array, ""], params: ParamsT
    ) -> tuple[chex.ArrayTree, Episode, Float32[Array, ""], Bool[Array, ""], dict[str, Any]]:
        """Take one step without auto-reset: observation, episode, reward, terminated, info."""
        del key  # dynamics are deterministic
        episode, reward, info = self._advance(episode, action, params)
        observation = self.observe(params, episode)
        return observation, episode, reward, episode.terminated, info

    def step(
        self, key: chex.PRNGKey, episode: Episode, action: Int32[Array, ""], params: ParamsT
    ) -> tuple[
        chex.ArrayTree,
        Episode,
        Float32[Array, ""],
        Bool[Array, ""],
        Bool[Array, ""],
        dict[str, Any],
    ]:
        """Take one step and reset an episode that ends.

        Returns observation, episode, reward, terminated, truncated, info.
        """
        ended, reward, info = self._advance(episode, action, params)
        over = ended.terminated | ended.truncated
        fresh = self.next_episode(key, ended, params)
        following = jax.tree.map(lambda new, old: jnp.where(over, new, old), fresh, ended)
        info |= {
            "terminated": ended.terminated,
            "truncated": ended.truncated,
            "final_observation": self.observe(params, ended),
        }
        observation = self.observe(params, following)
        return observation, following, reward, ended.terminated, ended.truncated, info

    def _advance(
        self, episode: Episode, action: Int32[Array, ""], params: ParamsT
    ) -> tuple[Episode, Float32[Array, ""], dict[str, Any]]:
        """Take one step: the episode after it, the reward, and what `info` tells of it."""
        action = _as_action(action)
        state, live = episode.state, ~(episode.terminated | episode.truncated)
        # A comparison instead of an index: an action out of range is not legal either.
        is_chosen = jnp.arange(self.num_actions, dtype=jnp.int32) == action
        legal = live & jnp.any(is_chosen & self.legal_actions(params, state))
        moved = self.transition(params, state, jnp.where(legal, action, 0))
        next_state = jax.tree.map(lambda new, old: jnp.where(legal, new, old), moved, state)

        verdict = self.verdict(params, next_state)
        stuck = ~jnp.any(self.legal_actions(params, next_state))
        steps = episode.steps + live.astype(jnp.int32)
        is_over = verdict.finished | stuck
        ended = dataclasses.replace(
            episode,
            state=next_state,
            steps=steps,
            invalid_actions=episode.invalid_actions + (live & ~legal).astype(jnp.int32),
            terminated=jnp.where(live, is_over, episode.terminated),
            truncated=jnp.where(live, (steps >= self.max_steps) & ~is_over, episode.truncated),
        )
        outcome = Outcome(
            moved=legal,
            solved=verdict.solved,
            terminated=ended.terminated,
            truncated=ended.truncated,
        )
        reward = jnp.where(live, self.reward(params, state, next_state, outcome), 0.0)
        return ended, reward, self.info(ended, params, verdict)

    def info(self, episode: Episode, params: ParamsT, verdict: Verdict) -> dict[str, Any]:
        """Return what `info` tells of an episode whose state is judged so."""
        return {
            "solved": verdict.solved,
            "undecided": verdict.undecided,
            "puzzle_index": episode.state.puzzle_index,
            "steps": episode.steps,
            "path_length": self.path_length(params, episode.state),
            "optimal_length": self.optimal_length(params, episode.state),
            "invalid_actions": episode.invalid_actions,
        }

    def _begin(self, params: ParamsT, stream: UInt32[Array, ""]) -> Episode:
        """Start an episode on the puzzle that a random word picks."""
        index = (stream % jnp.uint32(self.num_puzzles(params))).astype(jnp.int32)
        return self._fresh(params, index, stream)

    def _fresh(
        self, params: ParamsT, index: Int32[Array, ""], stream: UInt32[Array, ""]
    ) -> Episode:
        return Episode(
            state=self.initial(params, index),
            steps=jnp.int32(0),
            invalid_actions=jnp.int32(0),
            terminated=jnp.bool_(False),
            truncated=jnp.bool_(False),
            stream=stream,
        )


def _as_action(action: Any) -> Int32[Array, ""]:
    """Return an action of any integer dtype as int32, -1 where it has no place in that."""
    action = jnp.asarray(action)
    if action.shape or not jnp.issubdtype(action.dtype, jnp.integer):
        raise ValueError(
            f"the action has dtype {action.dtype} and shape {action.shape}; it must be one integer,"
            " and a batch of lanes is stepped by vmap"
        )
    narrow = action.astype(jnp.int32)
    return jnp.where(narrow.astype(action.dtype) == action, narrow, -1)


def _scramble(word: UInt32[Array, ""]) -> UInt32[Array, ""]:
    """Return the next word of a lane's stream: a bijective integer hash with full avalanche.

    A split PRNG key per lane would cost as much as the rest of a step.
    """
    word = word + jnp.uint32(0x9E3779B9)
    word = (word ^ (word >> 16)) * jnp.uint32(0x21F0AAAD)
    word = (word ^ (word >> 15)) * jnp.uint32(0xD35A2D97)
    return word ^ (word >> 15)


def _key_word(key: chex.PRNGKey) -> UInt32[Array, ""]:
    """Fold a PRNG key, typed or raw, into one word."""
    if jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
        key = jax.random.key_data(key)
    words = key.reshape(-1)
    # Not a plain exclusive or: (0, 1) and (1, 0) are different keys.
    return _scramble(words[0]) ^ words[-1] if words.shape[0] > 1 else words[0]

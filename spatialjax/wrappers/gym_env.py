"""One puzzle at a time as a `gymnasium.Env`: Witness-v0, SlidingGeom-v0 and SlidingTile-v0.

Usage:

    import gymnasium, spatialjax.wrappers.gymnasium
    env = gymnasium.make("spatialjax/Witness-v0", source="puzzles.jsonl", render_mode="ansi")
    observation, info = env.reset(seed=0, options={"puzzle_id": "..."})

Options are those of `spatialjax.make`, with its actions, rewards and ends of episodes. All puzzles
of a source share one space:

| environment | `observation` | space |
|---|---|---|
| Witness-v0 | `"dict"`, the default | Dict of the planes by name, each uint8 `[H, W]` |
| | `"planes"`, `"vector"`, `"pixels"` | Box of uint8 |
| SlidingGeom-v0, SlidingTile-v0 | `"array"`, the default | Dict; numbers are arrays of one |
| | `"planes"` | Box of uint8 |

`info` holds, after `reset` and after `step`, what that of `spatialjax.make` holds, as plain Python;
`puzzle_id`; and `action_mask` (int8, 1 where an action is legal, all 1 once none is).

The puzzle of a reset is the one that `options` name by `puzzle_id` or `puzzle_index`. Else it is
drawn: with a `seed` anew, so that `reset(seed=7)` is `env.reset(jax.random.key(7), params)` of the
environment in JAX; without one, the next of the same stream.
"""

import operator
from typing import Any, SupportsFloat

import gymnasium
import jax
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from spatialjax.core.options import require_one_of
from spatialjax.core.types import Episode
from spatialjax.wrappers import gym_lanes as lanes
from spatialjax.wrappers.gym_puzzles import RENDER_MODES, load_puzzles

WORD = 2**32
"""Seeds count modulo this, as JAX's do."""


class PuzzleEnv(gymnasium.Env):
    """A puzzle environment; see the module docstring."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}

    def __init__(self, env_id: str, render_mode: str | None = None, **options: Any) -> None:
        """Load the puzzles.

        Args:
          env_id: an id of `spatialjax.make`.
          render_mode: None, `"rgb_array"` or `"ansi"` (box-drawing characters).
          **options: those of `spatialjax.make`.

        Raises:
          PuzzleError: if the source is malformed.
          ValueError: if an option is unknown or has a value that is not allowed.
        """
        if render_mode is not None:
            require_one_of("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self._puzzles = load_puzzles(env_id, options)
        self._lane = lanes.Lane.of(self._puzzles)
        self.observation_space = self._puzzles.observation_space
        self.action_space = spaces.Discrete(self._puzzles.env.num_actions)
        self._episode: Episode | None = None
        self._mask = np.ones(0, np.int8)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode on the puzzle that the options name, or else on one that is drawn.

        Raises:
          ValueError: if an option is unknown, or there is no such puzzle.
        """
        index = self._puzzles.index_of(options or {})
        super().reset(seed=seed)
        episode, is_seeded = self._episode, seed is not None
        if episode is None:
            episode = self._lane.blank(self._puzzles.params)
            is_seeded, seed = True, int(self.np_random.integers(WORD)) if seed is None else seed
        start = lanes.Start(
            is_reset=np.array(True),
            is_seeded=np.array(is_seeded),
            seed=np.array((seed or 0) % WORD, np.uint32),
            index=np.array(index, np.int32),
        )
        self._episode, report = lanes.begin(self._lane, self._puzzles.params, episode, start)
        return self._show(report)

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take one action; one that is not legal costs a step.

        Raises:
          ResetNeeded: before the first `reset`.
          TypeError: if the action is no whole number.
        """
        if self._episode is None:
            raise ResetNeeded("there is no episode yet: call reset() before step()")
        action = operator.index(action)
        # What int32 can't hold is not legal either.
        action = np.int32(action if 0 <= action < self._puzzles.env.num_actions else -1)
        self._episode, stepped = lanes.step(self._lane, self._puzzles.params, self._episode, action)
        report, reward, terminated, truncated, _ = jax.device_get(stepped)
        observation, info = self._show(report)
        return observation, float(reward), bool(terminated), bool(truncated), info

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal, `bool[A]`, for learners that ask the environment."""
        return self._mask.astype(bool)

    def render(self) -> Any:
        """Return the picture `uint8[height, width, 3]` or the text of the render mode."""
        if self._episode is None:
            raise ResetNeeded("there is no episode yet: call reset() before render()")
        state = jax.device_get(self._episode.state)
        return self._puzzles.render(self.render_mode, int(state.puzzle_index), state)

    def _show(self, report: lanes.Report) -> tuple[Any, dict[str, Any]]:
        """Return an observation and an info of fresh, writable NumPy arrays and plain Python."""
        observation, found = jax.tree.map(np.array, jax.device_get(report))
        self._mask = found.pop("action_mask")
        info = {name: value.item() for name, value in found.items()}
        info["puzzle_id"] = self._puzzles.ids[info["puzzle_index"]]
        info["action_mask"] = self._mask.copy()
        return observation, info

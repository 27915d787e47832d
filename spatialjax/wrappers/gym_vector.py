"""Many puzzles at once as a `gymnasium.vector.VectorEnv`: one compiled call a step.

Usage:

    import gymnasium, spatialjax.wrappers.gymnasium
    envs = gymnasium.make_vec("spatialjax/Witness-v0", num_envs=1024)
    observations, infos = envs.reset(seed=0, options={"puzzle_index": range(1024)})

Each lane is what `gym_env.PuzzleEnv` is alone, and `autoreset_mode` is any of Gymnasium's; results
equal those of `SyncVectorEnv` over as many single environments:

| mode | after the end of an episode |
|---|---|
| `SAME_STEP`, the default | the same step returns the first observation and info of the next; the |
| | last ones are `infos["final_obs"]` and `infos["final_info"]` |
| `NEXT_STEP` | the next step ignores the action, pays 0 and returns the first ones of the next |
| `DISABLED` | the lane must be reset, alone by `reset(options={"reset_mask": mask})` |

In SAME_STEP mode, `RecordEpisodeStatistics` of Gymnasium before 1.4 leaves the first step out of
every episode but the first of a lane.

The options `puzzle_id` and `puzzle_index` of `reset` hold one value for all lanes or one for each,
None where the puzzle is to be drawn. A `seed` is that of the first lane, the next lane's is one
more; a sequence holds one for each, None where the lane's stream goes on.
"""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, iterate

from spatialjax.core.options import require_one_of, require_positive
from spatialjax.core.types import Episode
from spatialjax.wrappers import gym_lanes as lanes
from spatialjax.wrappers.gym_env import WORD, PuzzleEnv
from spatialjax.wrappers.gym_puzzles import RENDER_MODES, load_puzzles

MODES = tuple(mode.value for mode in AutoresetMode)


class PuzzleVectorEnv(VectorEnv):
    """Lanes of a puzzle environment; see the module docstring."""

    def __init__(
        self,
        env_id: str,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Load the puzzles.

        Args:
          env_id: an id of `spatialjax.make`.
          num_envs: number of lanes.
          autoreset_mode: one of Gymnasium's, or its value: `"SameStep"`, `"NextStep"`,
            `"Disabled"`.
          render_mode, **options: as `PuzzleEnv`.

        Raises:
          PuzzleError, ValueError: as `PuzzleEnv`.
        """
        require_positive("num_envs", num_envs)
        if not isinstance(autoreset_mode, AutoresetMode):
            require_one_of("autoreset_mode", autoreset_mode, MODES)
        if render_mode is not None:
            require_one_of("render_mode", render_mode, RENDER_MODES)
        mode = AutoresetMode(autoreset_mode)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {**PuzzleEnv.metadata, "autoreset_mode": mode}
        self._puzzles = load_puzzles(env_id, options)
        self._ids = np.array(self._puzzles.ids, object)
        self._lanes = lanes.Lane.of(self._puzzles, mode)
        self.single_observation_space = self._puzzles.observation_space
        self.single_action_space = spaces.Discrete(self._puzzles.env.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._episodes: Episode | None = None
        self._mask = np.ones((num_envs, 0), np.int8)
        self._ended = np.zeros(num_envs, bool)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every lane, or in those of the option `reset_mask`, `bool[lanes]`.

        Observations of all lanes come back, infos of those that were reset.

        Raises:
          ValueError: if seeds, a mask or an option don't fit the lanes, or a puzzle is unknown.
          ResetNeeded: for a mask that leaves out lanes that were never reset.
        """
        options = dict(options or {})
        is_reset = self._reset_mask(options.pop("reset_mask", None))
        rows = self._rows(options)
        seeds = self._seeds(seed)
        episodes = self._episodes
        if episodes is None:
            if not is_reset.all():
                raise ResetNeeded("reset_mask leaves out lanes that have no episode yet")
            episodes = self._lanes.blank(self._puzzles.params, (self.num_envs,))
            drawn = self.np_random.integers(WORD, size=self.num_envs).tolist()
            seeds = [new if one is None else one for one, new in zip(seeds, drawn, strict=True)]
        starts = lanes.Start(
            is_reset=is_reset,
            is_seeded=np.array([one is not None for one in seeds]),
            seed=np.array([(one or 0) % WORD for one in seeds], np.uint32),
            index=np.array(rows, np.int32),
        )
        self._episodes, report = lanes.begin_all(
            self._lanes, self._puzzles.params, episodes, starts
        )
        observations, info = jax.device_get(report)
        self._mask = np.array(info["action_mask"])
        self._ended = self._ended & ~is_reset
        return jax.tree.map(np.array, observations), self._infos(info, is_reset)

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take one action in every lane; one that is not legal costs a step.

        Raises:
          ValueError: if the actions are not one whole number a lane.
          ResetNeeded: before the first `reset`; in DISABLED mode for lanes that have ended.
        """
        if self._episodes is None:
            raise ResetNeeded("there are no episodes yet: call reset() before step()")
        mode = self._lanes.mode
        if mode == AutoresetMode.DISABLED and self._ended.any():
            raise ResetNeeded(
                f"the episodes of lanes {np.flatnonzero(self._ended).tolist()[:10]} have ended:"
                ' reset them first, with options={"reset_mask": mask}'
            )
        self._episodes, stepped = lanes.step_all(
            self._lanes, self._puzzles.params, self._episodes, self._checked(actions)
        )
        report, reward, terminated, truncated, final = jax.device_get(stepped)
        infos = {}
        self._ended = terminated | truncated
        if final is not None and self._ended.any():
            infos = self._final(final, self._ended)
        self._mask = np.array(report.info["action_mask"])
        infos |= self._infos(report.info, np.ones(self.num_envs, bool))
        observations = jax.tree.map(np.array, report.observation)
        flags = np.array(terminated), np.array(truncated)
        return observations, reward.astype(np.float64), *flags, infos

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal in each lane, `bool[lanes, A]`."""
        return self._mask.astype(bool)

    def render(self) -> tuple[Any, ...] | None:
        """Return the picture or text of every lane."""
        if self._episodes is None:
            raise ResetNeeded("there are no episodes yet: call reset() before render()")
        if self.render_mode is None:
            return None
        states = jax.device_get(self._episodes.state)
        each = [jax.tree.map(lambda leaf, i=i: leaf[i], states) for i in range(self.num_envs)]
        return tuple(
            self._puzzles.render(self.render_mode, int(state.puzzle_index), state) for state in each
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Let go of the episodes."""
        self._episodes = None

    def _infos(self, info: dict[str, np.ndarray], is_here: np.ndarray) -> dict[str, Any]:
        """Return the infos of the lanes marked, as Gymnasium batches them: zeros elsewhere."""
        everywhere = is_here.all()
        infos: dict[str, Any] = {}
        for name, values in (info | {"puzzle_id": self._ids[info["puzzle_index"]]}).items():
            # Counters have the dtype of Python's numbers, as in `SyncVectorEnv`.
            array = values.astype(np.int64 if values.dtype == np.int32 else values.dtype)
            if not everywhere:
                array[~is_here] = None if array.dtype == object else 0
            infos[name], infos[f"_{name}"] = array, is_here.copy()
        return infos

    def _final(self, final: lanes.Report, ended: np.ndarray) -> dict[str, Any]:
        """Return the last observations and infos of the episodes that ended."""
        rows = np.flatnonzero(ended)
        last = jax.tree.map(lambda leaf: leaf[rows], final.observation)
        observations = np.full(self.num_envs, None, object)
        for row, observation in zip(rows, iterate(self.observation_space, last), strict=True):
            observations[row] = observation
        return {
            "final_obs": observations,
            "_final_obs": ended.copy(),
            "final_info": self._infos(final.info, ended),
            "_final_info": ended.copy(),
        }

    def _checked(self, actions: Any) -> np.ndarray:
        """Return actions as int32, -1 for those that no lane has."""
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or not np.issubdtype(actions.dtype, np.integer):
            raise ValueError(
                f"the actions have dtype {actions.dtype} and shape {actions.shape}; they must be"
                f" whole numbers of shape ({self.num_envs},), one a lane"
            )
        known = (actions >= 0) & (actions < self._puzzles.env.num_actions)
        return np.where(known, actions, -1).astype(np.int32)

    def _reset_mask(self, mask: Any) -> np.ndarray:
        if mask is None:
            return np.ones(self.num_envs, bool)
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ValueError(
                f"reset_mask has dtype {mask.dtype} and shape {mask.shape}; it must be bool of"
                f" shape ({self.num_envs},), True for one lane at least"
            )
        return mask

    def _rows(self, options: dict[str, Any]) -> list[int]:
        """Return the row of each lane's puzzle, -1 for one to be drawn."""
        lists = {name: self._each(name, value) for name, value in options.items()}
        if all(len(set(map(repr, values))) == 1 for values in lists.values()):
            same = {name: values[0] for name, values in lists.items()}
            return [self._puzzles.index_of(same)] * self.num_envs
        return [
            self._puzzles.index_of({name: values[i] for name, values in lists.items()})
            for i in range(self.num_envs)
        ]

    def _seeds(self, seed: Any) -> list[int | None]:
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            return [int(seed) + i for i in range(self.num_envs)]
        return self._each("seed", seed)

    def _each(self, name: str, value: Any) -> list[Any]:
        """Return one value a lane; what is no sequence is that of all."""
        if value is None or isinstance(value, str | int | np.integer):
            return [value] * self.num_envs
        values = list(value)
        if len(values) != self.num_envs:
            raise ValueError(
                f"{name} holds {len(values)} values; it must be one value, or one for each of the"
                f" {self.num_envs} lanes"
            )
        return values

"""Lanes as a `VecEnv` of Stable-Baselines3, which is not part of the install: `pip install
stable-baselines3`, and `sb3-contrib` for MaskablePPO.

Usage:

    import gymnasium, spatialjax.wrappers.gymnasium
    from spatialjax.wrappers.sb3 import PuzzleVecEnv
    env = PuzzleVecEnv(gymnasium.make_vec("spatialjax/Witness-v0", num_envs=256))
    MaskablePPO("MultiInputPolicy", env).learn(100_000)

Single environments need no adapter: `PPO("MultiInputPolicy", gymnasium.make(...))`. Dict
observations take `"MultiInputPolicy"`, `observation="vector"` takes `"MlpPolicy"`. Planes that are
not a dict look like pictures to Stable-Baselines3: pass `policy_kwargs={"normalize_images": False}`
to learn from their codes as they are.
"""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from spatialjax.wrappers.gym_vector import PuzzleVectorEnv

try:
    from stable_baselines3.common.monitor import Monitor  # pyright: ignore
    from stable_baselines3.common.vec_env import VecEnv  # pyright: ignore
except ModuleNotFoundError as error:
    if error.name != "stable_baselines3":
        raise
    raise ImportError(
        "spatialjax.wrappers.sb3 needs Stable-Baselines3, which is missing:"
        " pip install stable-baselines3"
    ) from error


class PuzzleVecEnv(VecEnv):
    """Lanes of a puzzle environment, all stepped by one call.

    Infos are those of single environments in a `DummyVecEnv`, with `"episode"` (return, length,
    seconds) at the end of an episode as `Monitor` adds it.
    """

    def __init__(self, envs: gymnasium.vector.VectorEnv) -> None:
        """Adapt lanes that `gymnasium.make_vec` made, in SAME_STEP mode.

        Raises:
          ValueError: if they are of another kind, or in another mode.
        """
        if not isinstance(envs, PuzzleVectorEnv):
            raise ValueError(
                f"envs is {envs}; it must be made by gymnasium.make_vec from an id of spatialjax,"
                ' with vectorization_mode="vector_entry_point" and no wrapper'
            )
        mode = envs.metadata["autoreset_mode"]
        if mode != AutoresetMode.SAME_STEP:
            raise ValueError(f"autoreset_mode is {mode.value!r}; it must be 'SameStep'")
        self.envs = envs
        self._actions = np.zeros(envs.num_envs, np.int64)
        self._returns = np.zeros(envs.num_envs)
        self._began = np.zeros(envs.num_envs)
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Any:
        """Reset all lanes with the seeds and options that were set for this reset."""
        names = {name for options in self._options for name in options}
        options = {name: [each.get(name) for each in self._options] for name in names}
        observations, infos = self.envs.reset(seed=self._seeds, options=options)
        self.reset_infos = _rows(infos)
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        self._began[:] = time.perf_counter()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Take the step: observations, rewards (float32), dones, infos."""
        observations, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        done = terminated | truncated
        self._returns += rewards
        final = infos.pop("final_info", {})
        last = infos.pop("final_obs", None)
        rows = _rows(infos)
        if last is not None:
            ended = np.flatnonzero(done).tolist()
            now = time.perf_counter()
            for lane, row in zip(ended, _rows(final, ended), strict=True):
                self.reset_infos[lane], rows[lane] = rows[lane], row
                row["terminal_observation"] = last[lane]
                row["episode"] = {
                    "r": round(float(self._returns[lane]), 6),
                    "l": row["steps"],
                    "t": round(now - self._began[lane], 6),
                }
            self._returns[done] = 0
            self._began[done] = now
        for row, cut in zip(rows, truncated.tolist(), strict=True):
            row["TimeLimit.truncated"] = cut  # never of an episode that terminated
        return observations, rewards.astype(np.float32), done, rows

    def close(self) -> None:
        """Close the lanes."""
        self.envs.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return the picture of every lane, None in another render mode than `"rgb_array"`."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        return list(self.envs.render() or ())

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, which all lanes share, once for each lane asked for."""
        value = getattr(self.envs, attr_name)
        return [value for _ in self._lanes(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of all lanes.

        Raises:
          ValueError: for some lanes alone.
        """
        if set(self._lanes(indices)) != set(range(self.num_envs)):
            raise ValueError(f"{attr_name} is shared: it can be set for all lanes only")
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return what each lane has of `action_masks` or `render`.

        Raises:
          ValueError: for any other method: lanes have no methods of their own.
        """
        if method_name not in ("action_masks", "render"):
            raise ValueError(
                f"lanes have no method {method_name!r} of their own; it must be"
                " 'action_masks' or 'render'"
            )
        results = getattr(self.envs, method_name)(*method_args, **method_kwargs)
        return [None if results is None else results[lane] for lane in self._lanes(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Say whether lanes do what a wrapper does: they report episodes as `Monitor` does."""
        return [wrapper_class is Monitor for _ in self._lanes(indices)]

    def _lanes(self, indices: Any) -> Iterable[int]:
        return self._get_indices(indices)


def _rows(infos: dict[str, Any], lanes: list[int] | None = None) -> list[dict[str, Any]]:
    """Return infos as a dict a lane, of all lanes or of some."""
    names = [name for name in infos if not name.startswith("_")]
    columns = [infos[name] if lanes is None else infos[name][lanes] for name in names]
    # Numbers become Python's, masks stay arrays.
    columns = [list(values) if values.ndim > 1 else values.tolist() for values in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

"""Observations as one flat array, for networks that take nothing else."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Shaped

from spatialjax.core.spaces import Box, Dict, Discrete, Space
from spatialjax.core.types import Episode
from spatialjax.wrappers.wrapper import Wrapper


@dataclasses.dataclass(frozen=True)
class FlattenObservation(Wrapper):
    """Makes every observation, `final_observation` too, one array `[D]`.

    A single array keeps its dtype and its values in row-major order. The parts of a dict follow
    each other in the order of its space, as float32.
    """

    def observe(self, params: Any, episode: Episode) -> Shaped[Array, " D"]:
        space = self.env.observation_space(params)
        dtype = _dtype(space)
        leaves = [leaf for _, leaf in _leaves(space, self.env.observe(params, episode))]
        return jnp.concatenate([jnp.ravel(leaf).astype(dtype) for leaf in leaves])

    def observation_space(self, params: Any) -> Box:
        space = self.env.observation_space(params)
        boxes = [_box(part) for part, _ in _leaves(space)]
        size = sum(int(np.prod(box.shape)) for box in boxes)
        low, high = min(box.low for box in boxes), max(box.high for box in boxes)
        return Box(low, high, (size,), _dtype(space))


def _leaves(space: Space, observation: Any = None) -> Iterator[tuple[Discrete | Box, Any]]:
    """Return each space that is no dict, with its part of the observation where one is given."""
    if not isinstance(space, Dict):
        yield space, observation
        return
    for name, part in space.spaces.items():
        yield from _leaves(part, None if observation is None else observation[name])


def _box(space: Discrete | Box) -> Box:
    return Box(0, space.n - 1, space.shape) if isinstance(space, Discrete) else space


def _dtype(space: Space) -> Any:
    return jnp.float32 if isinstance(space, Dict) else space.dtype

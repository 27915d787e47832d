"""From our spaces to Gymnasium's, and observations with them: the only place that does so."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces

from spatialjax.core.spaces import Box, Dict, Discrete, Space


def to_space(space: Space) -> spaces.Space:
    """Return the Gymnasium space of what `to_observation` returns."""
    if isinstance(space, Discrete):
        return spaces.Discrete(space.n)
    if isinstance(space, Dict):
        return spaces.Dict({name: to_space(part) for name, part in space.spaces.items()})
    return _to_box(space)


def _to_box(space: Box) -> spaces.Box:
    low, high = (float(space.low), float(space.high))
    return spaces.Box(low, high, space.shape or (1,), np.dtype(space.dtype).type)


def to_observation(observation: Any) -> Any:
    """Make a single number an array of one, as Stable-Baselines3 flattens no other; traced."""
    return jax.tree.map(jnp.atleast_1d, observation)

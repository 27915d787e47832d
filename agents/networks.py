"""Policy and value networks: modules from an observation and a mask to `(logits, value)`.

`make_network` is the one place that decides which network sees which observation. Every module
takes any number of leading batch axes.
"""

import dataclasses
import math
from typing import Any, Literal

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32

from agents.base import Network
from agents.heads import PolicyHead, ValueHead
from agents.line_network import LineNetwork
from agents.sliding_network import SlidingNetwork
from spatialjax.core.spaces import Box, Dict
from spatialjax.witness import views
from spatialjax.witness.symmetry import NUM_SYMMETRIES


@dataclasses.dataclass(frozen=True)
class NetworkConfig:
    """Sizes of the networks."""

    hidden: tuple[int, ...] = (128,)  # dense layers before the heads; networks of boards: the last
    activation: Literal["tanh", "relu"] = "relu"  # of these layers
    width: int = 32  # channels of the networks of boards
    depth: int = 6  # residual layers of these

    def __post_init__(self):
        if not self.hidden:
            raise ValueError("network.hidden is empty; give the width of at least one layer")


class VectorNetwork(nn.Module):
    """Separate dense towers for policy and value over a vector."""

    num_actions: int
    config: NetworkConfig

    @nn.compact
    def __call__(self, observation: Array, mask: Bool[Array, "... A"]):
        """Return `(logits, value)`."""
        observation = observation.astype(jnp.float32)
        logits = PolicyHead(self.num_actions)(dense_tower(observation, self.config), mask)
        return logits, ValueHead()(dense_tower(observation, self.config))


def dense_tower(features: Float32[Array, "... F"], config: NetworkConfig) -> Array:
    """Apply the dense layers of `config.hidden`; to be called inside a compact module."""
    activation = getattr(nn, config.activation)
    for width in config.hidden:
        features = nn.Dense(width, kernel_init=nn.initializers.orthogonal(np.sqrt(2.0)))(features)
        features = activation(features)
    return features


def make_network(observation_space: Any, num_actions: int, config: NetworkConfig) -> Network:
    """Choose the network for one observation by its space: its names, or its `shape` and `dtype`.

    Raises:
      ValueError: if there is no network for it.
    """
    if side := sliding_side(observation_space):
        return SlidingNetwork(side, config.width, config.depth, config.hidden[-1])
    shape, dtype = tuple(observation_space.shape), observation_space.dtype
    if len(shape) == 1:
        return VectorNetwork(num_actions, config)
    if len(shape) == 3 and jnp.dtype(dtype) == jnp.uint8:
        return LineNetwork(num_actions, config.width, config.depth, config.hidden[-1])
    raise ValueError(
        f"no network for an observation of shape {shape} and type {dtype}; "
        "give a vector, the uint8 planes of a line puzzle, or the arrays of a sliding puzzle"
    )


def sliding_side(observation_space: Any) -> int:
    """Return the cells along the side of the largest sliding puzzle that a space is for, else 0."""
    spaces = observation_space.spaces if isinstance(observation_space, Dict) else {}
    cells = spaces.get("positions")
    return math.isqrt(int(cells.high) + 1) if isinstance(cells, Box) else 0


@dataclasses.dataclass(frozen=True)
class NetworkPolicy:
    """A network as a policy: the likeliest action if `greedy`, else one drawn at random."""

    network: Network
    greedy: bool = True

    def act(self, params: Any, observation: Any, mask: Bool[Array, " A"], key: Array) -> Array:
        """Return an action; `params` are the network's variables."""
        logits, _ = self.network.apply(params, observation, mask)
        if self.greedy:
            return jnp.argmax(logits).astype(jnp.int32)
        return jax.random.categorical(key, logits).astype(jnp.int32)


@dataclasses.dataclass(frozen=True)
class SymmetricPolicy:
    """A line network asked about all eight views of the board: the likeliest action on average.

    Rules know no direction, but a network learns that only roughly; the mean of its
    log-probabilities over the views is exactly as symmetric as the rules are.
    """

    network: Network

    def act(self, params: Any, observation: Any, mask: Bool[Array, " A"], key: Array) -> Array:
        """Return an action; `params` are the network's variables, the key is not used."""
        del key

        def log_probs(k):
            names = views.turn_actions(k)
            turned_mask = jnp.zeros_like(mask).at[names].set(mask)
            logits, _ = self.network.apply(params, views.turn_planes(observation, k), turned_mask)
            return jax.nn.log_softmax(logits)[names]

        each = jax.vmap(log_probs)(jnp.arange(NUM_SYMMETRIES, dtype=jnp.int32))
        return jnp.argmax(jnp.mean(each, axis=0)).astype(jnp.int32)

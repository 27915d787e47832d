"""Policy and value networks: modules from an observation and a mask to `(logits, value)`.

`make_network` is the one place that decides which network sees which observation. Every module
takes any number of leading batch axes.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32

ILLEGAL_LOGIT = -1e9
"""Logit of an illegal action: its probability is exactly zero, and every gradient stays finite."""


@dataclasses.dataclass(frozen=True)
class NetworkConfig:
    """Sizes of the networks; a vector observation uses `hidden` alone."""

    hidden: tuple[int, ...] = (128,)  # widths of the dense layers before the heads
    channels: tuple[int, ...] = (
        32,
        64,
        64,
    )  # channels of the 3 x 3 convolutions; the second has stride 2
    activation: Literal["tanh", "relu"] = "relu"


class Heads(nn.Module):
    """Policy and value heads; the only place where illegal actions are masked."""

    num_actions: int

    @nn.compact
    def __call__(
        self, features: Float32[Array, "... F"], mask: Bool[Array, "... A"]
    ) -> tuple[Float32[Array, "... A"], Float32[Array, "..."]]:
        """Return the logits, illegal ones at `ILLEGAL_LOGIT`, and the value (of any mask)."""
        # A small policy head starts near uniform play: early advantages are mostly noise.
        logits = nn.Dense(self.num_actions, kernel_init=nn.initializers.orthogonal(0.01))(features)
        value = nn.Dense(1, kernel_init=nn.initializers.orthogonal(1.0))(features)
        return jnp.where(mask, logits, ILLEGAL_LOGIT), value[..., 0]


class VectorNetwork(nn.Module):
    """Separate dense towers for policy and value over a vector."""

    num_actions: int
    config: NetworkConfig

    @nn.compact
    def __call__(self, observation: Array, mask: Bool[Array, "... A"]):
        """Return `(logits, value)`."""
        observation = observation.astype(jnp.float32)
        logits, _ = Heads(self.num_actions)(dense_tower(observation, self.config), mask)
        _, value = Heads(self.num_actions)(dense_tower(observation, self.config), mask)
        return logits, value


class PlanesNetwork(nn.Module):
    """Convolutions over planes `[rows, columns, channels]`, then a shared dense tower.

    `encode` turns the observed codes into float32 planes.
    """

    num_actions: int
    config: NetworkConfig
    encode: Callable[[Array], Float32[Array, "... H W C"]]

    @nn.compact
    def __call__(self, observation: Array, mask: Bool[Array, "... A"]):
        """Return `(logits, value)`."""
        activation = getattr(nn, self.config.activation)
        planes = self.encode(observation)
        for layer, channels in enumerate(self.config.channels):
            # The second layer halves the lattice: each of its points sees a node and its edges and
            # cells.
            stride = 2 if layer == 1 else 1
            planes = activation(nn.Dense(channels)(patches(planes, stride)))
        features = planes.reshape(*planes.shape[:-3], -1)
        return Heads(self.num_actions)(dense_tower(features, self.config), mask)


def patches(planes: Float32[Array, "... H W C"], stride: int) -> Float32[Array, "... h w K"]:
    """Return the 3 x 3 surroundings of every `stride`-th point as a vector, zeros past the border.

    A dense layer over them is a convolution. Inside a compiled loop XLA runs this several times
    faster on a CPU than its own convolution and the gradient of that.
    """
    rows, cols = planes.shape[-3:-1]
    padded = jnp.pad(planes, [(0, 0)] * (planes.ndim - 3) + [(1, 1), (1, 1), (0, 0)])
    shifted = [
        padded[..., row : row + rows : stride, col : col + cols : stride, :]
        for row in range(3)
        for col in range(3)
    ]
    return jnp.concatenate(shifted, axis=-1)


def dense_tower(features: Float32[Array, "... F"], config: NetworkConfig) -> Array:
    """Apply the dense layers of `config.hidden`; to be called inside a compact module."""
    activation = getattr(nn, config.activation)
    for width in config.hidden:
        features = nn.Dense(width, kernel_init=nn.initializers.orthogonal(np.sqrt(2.0)))(features)
        features = activation(features)
    return features


def as_float(planes: Array) -> Array:
    """Take planes that are numbers already."""
    return planes.astype(jnp.float32)


def make_network(observation_space: Any, num_actions: int, config: NetworkConfig) -> nn.Module:
    """Choose the network for one observation: `shape` and `dtype` of the space decide.

    Codes (uint8 planes) are spread to one plane per code; other planes are taken as numbers.
    """
    shape = tuple(observation_space.shape)
    if len(shape) == 1:
        return VectorNetwork(num_actions, config)
    if len(shape) != 3:
        raise ValueError(
            f"no network for an observation of shape {shape}; give a vector or planes [H, W, C]"
        )
    if jnp.dtype(observation_space.dtype) == jnp.uint8:
        from spatialjax.witness.observations import one_hot_planes

        return PlanesNetwork(num_actions, config, one_hot_planes)
    return PlanesNetwork(num_actions, config, as_float)


@dataclasses.dataclass(frozen=True)
class NetworkPolicy:
    """A network as a policy: the likeliest action if `greedy`, else one drawn at random."""

    network: nn.Module
    greedy: bool = True

    def act(self, params: Any, observation: Any, mask: Bool[Array, " A"], key: Array) -> Array:
        """Return an action; `params` are the network's variables."""
        logits, _ = self.network.apply(params, observation, mask)
        if self.greedy:
            return jnp.argmax(logits).astype(jnp.int32)
        return jax.random.categorical(key, logits).astype(jnp.int32)

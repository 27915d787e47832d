"""Policy and value heads, which every network ends in."""

import flax.linen as nn
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32

ILLEGAL_LOGIT = -1e9
"""Logit of an illegal action: its probability is exactly zero, and every gradient stays finite."""


class PolicyHead(nn.Module):
    """Logits of the actions; the only place where illegal ones are masked."""

    num_actions: int

    @nn.compact
    def __call__(
        self, features: Float32[Array, "... F"], mask: Bool[Array, "... A"]
    ) -> Float32[Array, "... A"]:
        """Return the logits, illegal ones at `ILLEGAL_LOGIT`."""
        # Small weights start near uniform play: early advantages are mostly noise.
        logits = nn.Dense(self.num_actions, kernel_init=nn.initializers.orthogonal(0.01))(features)
        return jnp.where(mask, logits, ILLEGAL_LOGIT)


class ValueHead(nn.Module):
    """The value of what is seen."""

    @nn.compact
    def __call__(self, features: Float32[Array, "... F"]) -> Float32[Array, "..."]:
        """Return the value."""
        return nn.Dense(1, kernel_init=nn.initializers.orthogonal(1.0))(features)[..., 0]

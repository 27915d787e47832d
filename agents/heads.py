"""Policy and value heads, which every network ends in."""

import flax.linen as nn
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32

ILLEGAL_LOGIT = -1e9
"""Logit of an illegal action: its probability is exactly zero, and every gradient stays finite."""


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

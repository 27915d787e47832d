"""The agent that moves at random."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, Key


@dataclasses.dataclass(frozen=True)
class RandomPolicy:
    """Draw uniformly among the legal actions."""

    def act(
        self, params: Any, observation: Any, mask: Bool[Array, " A"], key: Key[Array, ""]
    ) -> Int32[Array, ""]:
        """Return a legal action; params and observation are not looked at."""
        noise = jax.random.uniform(key, mask.shape, jnp.float32)
        return jnp.argmax(jnp.where(mask, noise, -1.0)).astype(jnp.int32)

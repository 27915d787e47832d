"""What several cell rules share."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int8

from spatialjax.witness.trace import Trace


def count_in_region(
    trace: Trace, value: Int8[Array, "h w"], is_counted: Bool[Array, "h w"]
) -> Int8[Array, "h w"]:
    """Count, for each cell, the counted cells of its region that have its value, 0 to 15."""
    # Nothing is counted beyond the board, whatever its region -1 makes of the key.
    key = trace.region.ravel().astype(jnp.int16) * 16 + value.ravel().astype(jnp.int16)
    counted = jnp.where(is_counted.ravel(), key, -1)

    # One pass over the board per cell; under `vmap` a sum over pairs of cells takes twice as long.
    def add(total, other):
        return total + (key == other).astype(jnp.int8), None

    total, _ = lax.scan(add, jnp.zeros(key.shape, jnp.int8), counted, unroll=4)
    return total.reshape(value.shape)

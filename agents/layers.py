"""What the networks over boards share."""

import jax.numpy as jnp
from jaxtyping import Array, Float32


def pooled(x: Array, board: Array) -> Float32[Array, "... C"]:
    """Return the mean of the features over the places of the board."""
    return jnp.sum(x, axis=(-3, -2)) / jnp.sum(board, axis=(-3, -2))


def patches(x: Float32[Array, "... h w C"]) -> Float32[Array, "... h w K"]:
    """Return the 3 x 3 surroundings of every place as a vector, zeros past the border.

    A dense layer over them is a convolution; on a CPU inside a compiled loop XLA's own, and above
    all its gradient, is many times slower.
    """
    rows, cols = x.shape[-3:-1]
    padded = jnp.pad(x, [(0, 0)] * (x.ndim - 3) + [(1, 1), (1, 1), (0, 0)])
    shifted = [padded[..., r : r + rows, c : c + cols, :] for r in range(3) for c in range(3)]
    return jnp.concatenate(shifted, axis=-1)

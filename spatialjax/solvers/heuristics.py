"""Estimates of the moves that remain on a lattice, for A*.

A heuristic is a function `(rows, cols, end) -> Int32[Array, "H W"]`: for every lattice point, a
lower bound of the moves from it to the flat lattice index `end`. A bound that is never too high
keeps A* optimal.
"""

from typing import Protocol

import jax.numpy as jnp
from jaxtyping import Array, Int32


class Heuristic(Protocol):
    """A lower bound of the remaining moves, for all points at once."""

    def __call__(self, rows: int, cols: int, end: Int32[Array, ""]) -> Int32[Array, "H W"]:
        """Return the bound of every point."""
        ...


def manhattan(rows: int, cols: int, end: Int32[Array, ""]) -> Int32[Array, "H W"]:
    """Return rows plus columns to the end: exact where nothing is in the way."""
    row, col = jnp.divmod(end, cols)
    down = jnp.abs(jnp.arange(rows, dtype=jnp.int32) - row)
    across = jnp.abs(jnp.arange(cols, dtype=jnp.int32) - col)
    return down[:, None] + across[None, :]


def zero(rows: int, cols: int, end: Int32[Array, ""]) -> Int32[Array, "H W"]:
    """Return no estimate: A* becomes the search of Dijkstra."""
    del end
    return jnp.zeros((rows, cols), jnp.int32)

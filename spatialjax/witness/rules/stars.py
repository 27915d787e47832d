"""Stars: exactly two symbols of a star's colour lie in its region, the star among them."""

import jax.numpy as jnp
from jaxtyping import Array, Bool

from spatialjax.witness.rules._cells import cells_on_lattice
from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Kind, Puzzle


def broken_stars(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Every star whose region does not hold exactly two symbols, of any kind, of its colour."""
    region, color = trace.region.ravel(), puzzle.color.ravel()
    same = (region[:, None] == region[None, :]) & (color[:, None] == color[None, :])
    num_same = same.sum(axis=1, dtype=jnp.int8)
    broken = (puzzle.kind.ravel() == Kind.STAR) & (num_same != 2)
    return cells_on_lattice(broken.reshape(puzzle.kind.shape))

"""Squares: all squares of a region have one colour."""

import jax.numpy as jnp
from jaxtyping import Array, Bool

from spatialjax.witness.lattice import cells_on_lattice
from spatialjax.witness.rules._cells import count_in_region
from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Kind, Puzzle


def broken_squares(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Every square whose region holds a square of another colour."""
    square = puzzle.kind == Kind.SQUARE
    num_squares = count_in_region(trace, jnp.zeros_like(puzzle.color), square)
    num_alike = count_in_region(trace, puzzle.color, square)
    return cells_on_lattice(square & (num_squares != num_alike))

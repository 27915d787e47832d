"""Rules on the line itself: it reaches the end, never crosses itself, never leaves the grid."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool

from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Puzzle


def broken_target(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Points where the line fails to run from start to end in single steps."""
    del puzzle
    return trace.loose


def broken_crossing(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Points the line touches more than once."""
    del puzzle
    return trace.repeated


def broken_gaps(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Points where the line stands on a gap or on a cell; those off the board cannot be marked."""
    shape = puzzle.gap.shape
    row = lax.broadcasted_iota(jnp.int32, shape, 0)
    col = lax.broadcasted_iota(jnp.int32, shape, 1)
    is_cell = (row % 2 == 1) & (col % 2 == 1)
    return trace.visited & (puzzle.gap | is_cell)

"""Squares: all squares of a region have one colour."""

from jaxtyping import Array, Bool

from spatialjax.witness.rules._cells import cells_on_lattice
from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Kind, Puzzle


def broken_squares(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Every square whose region holds a square of another colour."""
    region, color = trace.region.ravel(), puzzle.color.ravel()
    square = puzzle.kind.ravel() == Kind.SQUARE
    clash = (region[:, None] == region[None, :]) & (color[:, None] != color[None, :])
    broken = square & (clash & square[None, :]).any(axis=1)
    return cells_on_lattice(broken.reshape(puzzle.kind.shape))

"""Dots: the line collects every one."""

from jaxtyping import Array, Bool

from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Puzzle


def broken_dots(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Dots the line missed."""
    return puzzle.dot & ~trace.visited

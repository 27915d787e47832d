"""Stars: exactly two symbols of a star's colour lie in its region, the star among them."""

from jaxtyping import Array, Bool

from spatialjax.witness.lattice import cells_on_lattice
from spatialjax.witness.rules._cells import count_in_region
from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Kind, Puzzle


def broken_stars(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Every star whose region does not hold exactly two symbols, of any kind, of its colour."""
    num_alike = count_in_region(trace, puzzle.color, puzzle.kind != Kind.NONE)
    return cells_on_lattice((puzzle.kind == Kind.STAR) & (num_alike != 2))

"""Triangles: the line runs along exactly as many sides of the cell as it has triangles."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int8

from spatialjax.witness.lattice import cells_on_lattice
from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Kind, Puzzle


def broken_triangles(puzzle: Puzzle, trace: Trace) -> Bool[Array, "H W"]:
    """Every triangle cell with another number of side midpoints on the line; borders count."""
    sides = sides_on_line(trace.visited)
    return cells_on_lattice((puzzle.kind == Kind.TRIANGLE) & (sides != puzzle.count))


def sides_on_line(visited: Bool[Array, "H W"]) -> Int8[Array, "h w"]:
    """Count the side midpoints of each cell that are on the line."""
    on_line = visited.astype(jnp.int8)
    return on_line[0:-1:2, 1::2] + on_line[2::2, 1::2] + on_line[1::2, 0:-1:2] + on_line[1::2, 2::2]

"""What the rules need to know of a line: which points it touches and how it cuts the board."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int8, Int32, UInt32

from spatialjax.core.pytree import pytree
from spatialjax.witness.lattice import point_on_lattice, unpack_bits
from spatialjax.witness.regions import cell_regions
from spatialjax.witness.types import Puzzle


@pytree
class Trace:
    """One line over one puzzle, finished or not, legal or not.

    Attributes:
      visited: lattice points of the board that the line touches.
      repeated: points it touches more than once.
      loose: where it fails to run from start to end in single steps: a first point that is not
        the start, a last point that is not the end, both ends of a longer step or a stand-still;
        the start if it is empty.
      off_board: whether it has points off the board; the arrays cannot show those.
      region: label of each cell's region, -1 beyond the board.
    """

    visited: Bool[Array, "H W"]
    repeated: Bool[Array, "H W"]
    loose: Bool[Array, "H W"]
    off_board: Bool[Array, ""]
    region: Int8[Array, "h w"]


def trace_path(puzzle: Puzzle, points: Int32[Array, "T 2"], length: Int32[Array, ""]) -> Trace:
    """Trace the first `length` points, each a lattice (row, col), on the board or not."""
    rows, cols = puzzle.dot.shape
    row, col = points[:, 0], points[:, 1]
    used = jnp.arange(points.shape[0], dtype=jnp.int32) < length
    inside = (row >= 0) & (row <= 2 * puzzle.height) & (col >= 0) & (col <= 2 * puzzle.width)
    flat = jnp.where(used & inside, row * cols + col, rows * cols)

    def mark(chosen):
        """Count the chosen points on each lattice point; those off the board drop out."""
        empty = jnp.zeros(rows * cols, jnp.int32)
        return empty.at[flat].add(chosen.astype(jnp.int32), mode="drop").reshape(rows, cols)

    step = jnp.abs(row[1:] - row[:-1]) + jnp.abs(col[1:] - col[:-1])
    jump = (step != 1) & used[1:]
    first = jnp.arange(points.shape[0], dtype=jnp.int32) == 0
    last = jnp.arange(points.shape[0], dtype=jnp.int32) == length - 1
    loose = (first & (flat != puzzle.start)) | (last & (flat != puzzle.end))
    loose = loose | jnp.pad(jump, (0, 1)) | jnp.pad(jump, (1, 0))

    times = mark(used)
    visited = times > 0
    empty_line = (length == 0) & point_on_lattice(puzzle.start, (rows, cols))
    return Trace(
        visited=visited,
        repeated=times > 1,
        loose=(mark(loose & used) > 0) | empty_line,
        off_board=jnp.any(used & ~inside),
        region=cell_regions(puzzle, visited),
    )


def trace_line(puzzle: Puzzle, visited: UInt32[Array, " V"], position: Int32[Array, ""]) -> Trace:
    """Trace a legal line from the start to `position`, given as the set of its points."""
    points = unpack_bits(visited, puzzle.dot.shape) != 0
    return Trace(
        visited=points,
        repeated=jnp.zeros_like(points),
        loose=point_on_lattice(position, puzzle.dot.shape) & (position != puzzle.end),
        off_board=jnp.zeros((), bool),
        region=cell_regions(puzzle, points),
    )

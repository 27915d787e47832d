"""Random lines on the device: uniform over all lines from one border point to another.

A line from border to border parts the board into two sides, so it is kept as the side of each
*quarter cell* (two by two a cell, and a ring of them around the board): a lattice point lies
between four quarters, and the line runs through the points whose four are not all on one side.

Turning a cell over to the other side swaps the part of the line that runs along the cell for the
rest of the cell's outline. The line stays one line, without crossings and with the same ends,
exactly when it meets the outline in one piece. Cells of one colour class (row and column parity)
share no lattice point, so a class is turned at once, every cell with the same chance: a Markov
chain over lines that favours none, with a fixed number of steps and nothing to wait for.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int8, Int32, Key, UInt8

from spatialjax.core.pytree import pytree
from spatialjax.witness.dynamics import flat_steps

_CHANCE = 192
"""Chance, in 256, to turn a cell that may be turned; one half to all but always work alike."""

_AROUND = (
    (0, 0), (0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (3, 3), (3, 2), (3, 1), (3, 0), (2, 0), (1, 0)
)  # fmt: skip
"""The twelve quarters around a cell, clockwise, from the one diagonally above its top left."""

_BESIDE = (1, 2, 4, 5, 7, 8, 10, 11)
"""Those of them that share a side with the cell."""


@pytree
class Line:
    """A line on a board.

    Attributes:
      visited: the lattice points it touches.
      links: bit `a` is set where the line joins the point to the one that action `a` leads to.
    """

    visited: Bool[Array, "H W"]
    links: UInt8[Array, "H W"]


def border_point(
    place: Int32[Array, "*n"], height: Int32[Array, ""], width: Int32[Array, ""]
) -> tuple[Int32[Array, "*n"], Int32[Array, "*n"]]:
    """Return (row, col) of border points, counted clockwise from the top left corner."""
    rows, cols = 2 * height, 2 * width
    col = jnp.clip(jnp.minimum(place, 2 * cols + rows - place), 0, cols)
    row = jnp.clip(jnp.minimum(place - cols, 2 * (rows + cols) - place), 0, rows)
    return row, col


def random_lines(
    key: Key[Array, ""],
    height: Int32[Array, " N"],
    width: Int32[Array, " N"],
    start: Int32[Array, " N"],
    end: Int32[Array, " N"],
    *,
    capacity: tuple[int, int],
    num_sweeps: int,
) -> Line:
    """Draw a line on each of `N` boards; the key is consumed.

    Args:
      key: of all boards.
      height, width: sizes in cells, at most `capacity`.
      start, end: different places on the border as `border_point` counts them.
      capacity: height and width in cells that the arrays are padded to.
      num_sweeps: how often every cell is tried.

    The boards lie on the last axis inside: ten times as fast as on the first.
    """
    rows, cols = capacity
    first_key, turn_key = jax.random.split(key)
    outside, inside = jax.vmap(_outside, (0, 0, 0, 0, None), -1)(
        height, width, start, end, capacity
    )
    side = jnp.where(inside, jax.random.bernoulli(first_key, shape=start.shape), outside)
    on_board = inside[1:-1:2, 1:-1:2]
    parity = 2 * (jnp.arange(rows) % 2)[:, None] + (jnp.arange(cols) % 2)[None, :]

    bits = jax.random.bits(turn_key, (num_sweeps, *on_board.shape), jnp.uint8)

    def sweep(side, bits):
        is_tried = on_board & (bits < _CHANCE)

        def turn(number, side):
            is_turned = is_tried & _may_turn(side) & (parity == number)[:, :, None]
            quarters = jnp.repeat(jnp.repeat(is_turned, 2, axis=0), 2, axis=1)
            return side ^ jnp.pad(quarters, ((1, 1), (1, 1), (0, 0)))

        return lax.fori_loop(0, 4, turn, side), None

    side, _ = lax.scan(sweep, side, bits)
    return jax.vmap(_read_line, (-1, 0, 0))(side, height, width)


def _outside(height, width, start, end, capacity):
    """Return the side of every quarter off the board, and which quarters are on it.

    The border from the start clockwise to the end has one side, the rest of it the other.
    """
    rows, cols = 2 * height, 2 * width
    y = jnp.arange(2 * capacity[0] + 2)[:, None]
    x = jnp.arange(2 * capacity[1] + 2)[None, :]
    inside = (y >= 1) & (y <= rows) & (x >= 1) & (x <= cols)
    # The place at which each quarter's stretch of the border begins.
    from_top, from_left = jnp.clip(y, 1, rows), jnp.clip(x, 1, cols)
    place = jnp.where(x < 1, 2 * (cols + rows) - from_top, cols + from_top - 1)
    place = jnp.where(y > rows, 2 * cols + rows - from_left, place)
    place = jnp.where(y < 1, from_left - 1, place)
    around = 2 * (rows + cols)
    return (place - start) % around < (end - start) % around, inside


def _may_turn(side: Bool[Array, "2h+2 2w+2 N"]) -> Bool[Array, "h w N"]:
    """Whether the line meets each cell's outline in exactly one piece.

    So it does if, on the way around the cell, the side changes twice, and if not just at a corner.
    """

    def shifted(row, col):
        """Return for each cell the quarter at this place in the four by four around it."""
        return side[row : row + side.shape[0] - 3 : 2, col : col + side.shape[1] - 3 : 2]

    own = shifted(1, 1)
    around = [shifted(*place) for place in _AROUND]
    num_changes = jnp.zeros(own.shape, jnp.int8)
    for one, other in zip(around, around[1:] + around[:1], strict=True):
        num_changes += (one != other).astype(jnp.int8)
    touches = jnp.zeros(own.shape, bool)
    for number in _BESIDE:
        touches |= around[number] != own
    return (num_changes == 2) & touches


def _read_line(side, height, width):
    """Return the line between the two sides."""
    on_board = _on_board((side.shape[0] - 1, side.shape[1] - 1), height, width)
    right = side[:-1, 1:-1] != side[1:, 1:-1]  # from each point of a row to the next one
    down = side[1:-1, :-1] != side[1:-1, 1:]
    right = jnp.pad(right & on_board[:, 1:], ((0, 0), (1, 1))) & on_board.any(1)[:, None]
    down = jnp.pad(down & on_board[1:, :], ((1, 1), (0, 0))) & on_board.any(0)[None, :]
    by_action = (right[:, 1:], down[:-1], right[:, :-1], down[1:])
    links = jnp.zeros(on_board.shape, jnp.uint8)
    for action, is_joined in enumerate(by_action):
        links |= is_joined.astype(jnp.uint8) << action
    return Line(visited=links != 0, links=links)


def _on_board(shape, height, width):
    row, col = jnp.arange(shape[0])[:, None], jnp.arange(shape[1])[None, :]
    return (row <= 2 * height) & (col <= 2 * width)


def line_moves(
    line: Line, start: Int32[Array, ""], end: Int32[Array, ""]
) -> tuple[Int8[Array, " T"], Int32[Array, ""]]:
    """Return the moves along a line between two flat lattice indices, and their number.

    There is room for the longest line; unused places hold -1.
    """
    rows, cols = line.links.shape
    links = line.links.reshape(-1)
    steps = flat_steps(cols)

    def step(carry, _):
        position, back = carry
        is_over = position == end
        ahead = links[position] & ~back
        # The lowest bit that is set: the only one, as the line does not branch.
        move = lax.population_count(~ahead & (ahead - 1)).astype(jnp.int32)
        move = jnp.where(is_over, 0, move)
        back = jnp.uint8(1) << (move ^ 2).astype(jnp.uint8)
        position = jnp.where(is_over, position, position + steps[move])
        return (position, back), jnp.where(is_over, -1, move).astype(jnp.int8)

    num_nodes = (rows // 2 + 1) * (cols // 2 + 1)
    _, moves = lax.scan(step, (start, jnp.uint8(0)), length=2 * num_nodes)
    return moves, jnp.sum(moves >= 0, dtype=jnp.int32)

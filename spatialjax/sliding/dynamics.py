"""How geoms slide: which moves are legal and what a move does."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int8, Int32

from spatialjax.sliding.types import Pack, Result, State


def capacity(pack: Pack) -> int:
    """Return the cells along the side of the pack's largest board."""
    return pack.cells.shape[-1]


def initial(pack: Pack, puzzle_index: Int32[Array, ""]) -> State:
    """Return the start of a board as a state."""
    start = pack.puzzles.start[puzzle_index]
    return State(puzzle_index=puzzle_index, position=start, moves=jnp.int32(0))


def targets(
    position: Int8[Array, " G"], size: Int32[Array, ""], side: int
) -> tuple[Int8[Array, "G 4"], Bool[Array, "G 4"]]:
    """Return the cell each geom would slide to by each direction, and whether it is on the board.

    `side` is the capacity. Unused slots have no cell on the board.
    """
    x, y, last = position % side, position // side, size.astype(jnp.int8) - 1
    inside = jnp.stack([x > 0, x < last, y > 0, y < last], axis=-1)
    offset = jnp.array([-1, 1, -side, side], jnp.int8)
    return position[:, None] + offset[None, :], inside & (position >= 0)[:, None]


def is_occupied(position: Int8[Array, " G"], cells: Int8[Array, "G 4"]) -> Bool[Array, "G 4"]:
    """Whether a geom stands on each of the cells."""
    return jnp.any(cells[:, :, None] == position[None, None, :], axis=-1)


def legal_actions(pack: Pack, state: State) -> Bool[Array, " A"]:
    """Return which actions `4 * geom + direction` move a geom."""
    size = pack.puzzles.size[state.puzzle_index]
    cells, inside = targets(state.position, size, capacity(pack))
    return (inside & ~is_occupied(state.position, cells)).reshape(-1)


def transition(pack: Pack, state: State, action: Int32[Array, ""]) -> State:
    """Slide one geom by one cell; the action is legal."""
    side = capacity(pack)
    # Comparisons instead of an index, which a CPU would do lane by lane.
    direction = jnp.arange(4, dtype=jnp.int32) == action % 4
    offsets = jnp.array([-1, 1, -side, side], jnp.int8)
    offset = jnp.sum(jnp.where(direction, offsets, jnp.int8(0)), dtype=jnp.int8)
    is_moved = jnp.arange(state.position.shape[0], dtype=jnp.int32) == action // 4
    position = state.position + jnp.where(is_moved, offset, jnp.int8(0))
    return State(puzzle_index=state.puzzle_index, position=position, moves=state.moves + 1)


def is_solved(pack: Pack, state: State) -> Bool[Array, ""]:
    """Whether every geom is on its goal cell."""
    return jnp.all(state.position == pack.puzzles.goal[state.puzzle_index])


def action_result(pack: Pack, state: State, action: Int32[Array, ""]) -> Int8[Array, ""]:
    """Return the code in `Result` that an action has, whether legal or not."""
    geom, direction = action // 4, action % 4
    size = pack.puzzles.size[state.puzzle_index]
    cells, inside = targets(state.position, size, capacity(pack))
    exists = (geom >= 0) & (geom < pack.puzzles.num_geoms[state.puzzle_index])
    taken = is_occupied(state.position, cells)[geom, direction]
    result = jnp.where(taken, Result.OCCUPIED.value, Result.MOVED.value)
    result = jnp.where(inside[geom, direction], result, Result.OUT_OF_BOUNDS.value)
    return jnp.where(exists, result, Result.NO_SUCH_GEOM.value).astype(jnp.int8)

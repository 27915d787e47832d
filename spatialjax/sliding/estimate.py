"""Lower bounds of the moves to the goal, traced: Manhattan distance and linear conflict."""

import jax.numpy as jnp
from jaxtyping import Array, Int8, Int32


def manhattan(position: Int8[Array, " G"], goal: Int8[Array, " G"], side: int) -> Int32[Array, ""]:
    """Return the summed Manhattan distance of all geoms to their goal cells."""
    return jnp.sum(cell_distance(position, goal, side), dtype=jnp.int32)


def cell_distance(
    cells: Int8[Array, "*n"], others: Int8[Array, "*n"], side: int
) -> Int8[Array, "*n"]:
    """Return the Manhattan distance between cells of a board of full capacity."""
    return jnp.abs(cells % side - others % side) + jnp.abs(cells // side - others // side)


def linear_conflict(
    position: Int8[Array, " G"], goal: Int8[Array, " G"], cells: Int8[Array, "h w"]
) -> Int32[Array, ""]:
    """Return moves beyond Manhattan distance that geoms need to pass each other within a line.

    Of the geoms that stand in a line and have their goals in it, all but a longest run in the order
    of its goals must leave the line and come back. `cells` numbers the cells, `[y, x]`.
    """
    side = cells.shape[0]
    x, y, goal_x, goal_y = position % side, position // side, goal % side, goal // side
    # 1 + the goal's place in the line of each geom that has its goal there, else 0.
    in_row = jnp.where(y == goal_y, goal_x + 1, 0)
    in_column = jnp.where(x == goal_x, goal_y + 1, 0)
    here = cells[:, :, None] == position[None, None, :]
    rows, columns = (
        jnp.sum(jnp.where(here, wanted[None, None, :], 0), axis=-1, dtype=jnp.int8)
        for wanted in (in_row, in_column)
    )
    places = jnp.concatenate([rows, columns.T])  # one line a row
    runs = []
    for last in range(side):
        wanted = places[:, last]
        before = [
            jnp.where((places[:, i] > 0) & (places[:, i] < wanted), run, 0)
            for i, run in enumerate(runs)
        ]
        longest = jnp.stack(before).max(axis=0) if before else jnp.zeros_like(wanted)
        runs.append(jnp.where(wanted > 0, longest + 1, 0))
    count = jnp.sum(places > 0, axis=1, dtype=jnp.int32)
    longest = jnp.stack(runs).max(axis=0).astype(jnp.int32)
    return 2 * jnp.sum(count - longest, dtype=jnp.int32)

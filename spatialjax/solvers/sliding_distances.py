"""Exact distances of many arrangements: IDA* on the device, A* on the host where that gives up."""

import jax
import numpy as np
from jaxtyping import Array, Int8, Int32

from spatialjax.sliding.types import Pack
from spatialjax.solvers.ida_star import Distance, exact_distance
from spatialjax.solvers.sliding_astar import Status, solve_board

LANES = 256
"""Arrangements searched side by side: all of them wait for the hardest."""

BUDGET = 1000
"""Iterations after which an arrangement is left to the host."""


UNKNOWN = -1
"""In place of a distance that no search found."""


def search_arrangements(
    params: Pack,
    rows: Int32[np.ndarray, " M"],
    positions: Int8[np.ndarray, "M G"],
    budget: int = BUDGET,
) -> Distance:
    """Search arrangements of the boards in some rows by IDA*; every field gets a leading axis `M`.

    The result is on the host. Whatever `M` is, one program is compiled for a pack.
    """
    if not len(rows):
        raise ValueError("there are no arrangements to search")
    # Lanes to spare hold a goal, which is found at once.
    padding = -len(rows) % LANES
    goal = np.asarray(params.puzzles.goal[int(rows[0])])
    rows = np.concatenate([rows, np.full(padding, rows[0])]).astype(np.int32)
    positions = np.concatenate([positions, np.tile(goal, (padding, 1))]).astype(np.int8)
    chunks = [
        jax.device_get(_search(params, rows[i : i + LANES], positions[i : i + LANES], budget))
        for i in range(0, len(rows), LANES)
    ]
    return jax.tree.map(lambda *parts: np.concatenate(parts)[: len(rows) - padding], *chunks)


def exact_distances(
    params: Pack, rows: Int32[np.ndarray, " M"], positions: Int8[np.ndarray, "M G"]
) -> Int32[np.ndarray, " M"]:
    """Return the exact distance to the goal of arrangements of the boards in some rows.

    Every different one is solved once. `UNKNOWN` stands where the search of A* gave up: far
    arrangements of large boards hold more states than fit.
    """
    keys = np.column_stack([rows, positions])
    distinct, back = np.unique(keys, axis=0, return_inverse=True)
    rows, positions = distinct[:, 0].astype(np.int32), distinct[:, 1:].astype(np.int8)
    found = search_arrangements(params, rows, positions)
    distance = np.array(found.distance)
    side = params.cells.shape[0]
    puzzles = jax.device_get(params.puzzles)
    for i in np.flatnonzero(~np.asarray(found.exact)):
        size, used = int(puzzles.size[rows[i]]), positions[i] >= 0
        start, goal = (
            [int(c) % side + size * (int(c) // side) for c in cells[used]]
            for cells in (positions[i], puzzles.goal[rows[i]])
        )
        solution = solve_board(size, start, goal)
        is_solved = solution.status == Status.SOLVED
        distance[i] = len(solution.actions) if is_solved else UNKNOWN
    return distance[back.reshape(-1)]


@jax.jit
def _search(
    params: Pack, rows: Int32[Array, " M"], positions: Int8[Array, "M G"], budget: Int32[Array, ""]
) -> Distance:
    def one(row, position):
        puzzles = params.puzzles
        return exact_distance(position, puzzles.goal[row], puzzles.size[row], params.cells, budget)

    return jax.vmap(one)(rows, positions)

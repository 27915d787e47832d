"""A* over the lattice of one line puzzle: the shortest line from start to end, symbols ignored.

Written for one puzzle; `vmap` it for many. One iteration expands one point of every lane, so a
batch takes as many as its hardest lane.
"""

import enum
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int8, Int32, UInt8

from spatialjax.core.pytree import pytree
from spatialjax.solvers.heuristics import Heuristic, manhattan
from spatialjax.witness.dynamics import flat_steps

UNREACHED = 2**30
"""Cost of a point that no line has reached yet; room is left for adding an estimate."""


class Status(enum.IntEnum):
    """How a search ended."""

    FOUND = 0
    UNREACHABLE = 1


@pytree
class SearchResult:
    """The line that A* found.

    Attributes:
      actions: its moves from the start, then -1.
      cost: their number, -1 if there is no line.
      expanded: points taken from the frontier.
      status: a code of `Status`.
    """

    actions: Int8[Array, " HW"]
    cost: Int32[Array, ""]
    expanded: Int32[Array, ""]
    status: Int32[Array, ""]


class _Search(NamedTuple):
    """Loop state; arrays over flat lattice indices.

    cost: moves of the best line known to a point. arrival: the last move of it, -1 at the start.
    is_open: on the frontier. finished: the end was taken from the frontier.
    """

    cost: Int32[Array, " HW"]
    arrival: Int8[Array, " HW"]
    is_open: Bool[Array, " HW"]
    expanded: Int32[Array, ""]
    finished: Bool[Array, ""]


def shortest_line(
    open_directions: UInt8[Array, "H W"],
    start: Int32[Array, ""],
    end: Int32[Array, ""],
    heuristic: Heuristic = manhattan,
) -> SearchResult:
    """Find a line with the fewest moves.

    Optimal if the heuristic never exceeds the true number of moves; it needn't be consistent, a
    point reached more cheaply is opened again.

    Args:
      open_directions: as in `Puzzle`: bit `a` is set where the line may step by action `a`.
      start, end: flat lattice indices.
      heuristic: lower bound of the moves that remain.
    """
    rows, cols = open_directions.shape
    estimate = heuristic(rows, cols, end).reshape(-1)
    directions = open_directions.reshape(-1)
    steps = flat_steps(cols)

    def init() -> _Search:
        is_start = jnp.arange(rows * cols, dtype=jnp.int32) == start
        return _Search(
            cost=jnp.where(is_start, 0, UNREACHED).astype(jnp.int32),
            arrival=jnp.full(rows * cols, -1, jnp.int8),
            is_open=is_start,
            expanded=jnp.int32(0),
            finished=jnp.bool_(False),
        )

    def condition(search: _Search) -> Bool[Array, ""]:
        return ~search.finished & jnp.any(search.is_open)

    def body(search: _Search) -> _Search:
        # Of equally promising points the leftmost, then the topmost, as the published baseline
        # does.
        total = jnp.where(search.is_open, search.cost + estimate, 2 * UNREACHED - 1)
        order = jnp.argmin(total.reshape(rows, cols).T).astype(jnp.int32)
        point = order % rows * cols + order // rows
        is_legal = (directions[point] >> jnp.arange(4, dtype=jnp.uint8)) & 1 == 1
        cost = search.cost[point] + 1
        target = point + steps
        is_better = is_legal & (cost < search.cost.at[target].get(mode="fill", fill_value=-1))
        # An index out of range drops the write: closed directions may point off the lattice.
        target = jnp.where(is_better, target, rows * cols)
        return _Search(
            cost=search.cost.at[target].set(cost, mode="drop"),
            arrival=search.arrival.at[target].set(jnp.arange(4, dtype=jnp.int8), mode="drop"),
            is_open=search.is_open.at[point].set(False).at[target].set(True, mode="drop"),
            expanded=search.expanded + 1,
            finished=point == end,
        )

    search = jax.lax.while_loop(condition, body, init())
    return SearchResult(
        actions=_trace(search, end, steps),
        cost=jnp.where(search.finished, search.cost[end], -1),
        expanded=search.expanded,
        status=jnp.where(search.finished, Status.FOUND, Status.UNREACHABLE).astype(jnp.int32),
    )


def _trace(search: _Search, end: Int32[Array, ""], steps: Int32[Array, " 4"]) -> Int8[Array, " HW"]:
    """Walk back from the end along the arrivals; return the moves in order, then -1."""
    length = jnp.where(search.finished, search.cost[end], 0)

    def back(point, time):
        action = jnp.where(time < length, search.arrival[point], jnp.int8(-1))
        step = jnp.where(action < 0, 0, steps[action])
        return point - step, action

    times = jnp.arange(search.cost.shape[0], dtype=jnp.int32)
    _, backwards = jax.lax.scan(back, end, times)
    return jnp.where(times < length, backwards[length - 1 - times], jnp.int8(-1))

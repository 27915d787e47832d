"""Exact distances of many sliding boards at once: IDA* with a budget of iterations.

Written for one board; `vmap` it for many. A batch takes as long as its hardest lane, hence the
budget: a lane that runs out answers with a lower bound and `exact` false, and `sliding_astar`
finishes it on the host.

An iteration tries one move or takes one back. Of the moves at a state only these are tried:

- Their Manhattan distance stays within the bound; the linear conflict, which costs more, is asked
  of the state reached. Both are lower bounds, and so is their sum.
- None takes back the last one, as no shortest solution does.
- Two moves of different geoms that could as well be made in the other order are made with the lower
  geom first. A move of geom i after one of geom j > i could have come before it, unless i steps on
  the cell that j just left.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int8, Int16, Int32

from spatialjax.core.pytree import pytree
from spatialjax.sliding.dynamics import is_occupied, targets
from spatialjax.sliding.estimate import cell_distance, linear_conflict, manhattan

MAX_MOVES = 80
"""Longest solution looked for; a lane whose bound passes it is out of budget."""


@pytree
class Distance:
    """How far a board is from its goal.

    Attributes:
      distance: moves of a shortest solution if `exact`, else a lower bound of it.
      exact: whether the search came to its end within the budget.
      actions: the moves of a shortest solution, `4 * geom + direction`, then -1; all -1 if not
        exact.
      iterations: of the search.
    """

    distance: Int32[Array, ""]
    exact: Bool[Array, ""]
    actions: Int16[Array, " moves"]
    iterations: Int32[Array, ""]


class _Search(NamedTuple):
    """Loop carry.

    Attributes:
      position: where the geoms are after the moves on the stack.
      actions: the stack; -1 above its top.
      depth: moves on it.
      cursor: actions up to this one were tried at this state.
      bound: moves that the solution looked for may have.
      is_solved: whether the state is the goal.
      iterations: so far.
    """

    position: Int8[Array, " G"]
    actions: Int16[Array, " moves"]
    depth: Int32[Array, ""]
    cursor: Int32[Array, ""]
    bound: Int32[Array, ""]
    is_solved: Bool[Array, ""]
    iterations: Int32[Array, ""]


def exact_distance(
    start: Int8[Array, " G"],
    goal: Int8[Array, " G"],
    size: Int32[Array, ""],
    cells: Int8[Array, "h w"],
    budget: int | Int32[Array, ""] = 2000,
) -> Distance:
    """Return the exact distance from `start` to `goal`, within `budget` iterations.

    `cells` numbers the cells of a board of full capacity, as in `types.Pack`.
    """
    side = cells.shape[0]
    estimate = manhattan(start, goal, side) + linear_conflict(start, goal, cells)
    search = _Search(
        position=start,
        actions=jnp.full(MAX_MOVES, -1, jnp.int16),
        depth=jnp.int32(0),
        cursor=jnp.int32(-1),
        bound=estimate,
        is_solved=estimate == 0,
        iterations=jnp.int32(0),
    )
    search = lax.while_loop(
        lambda s: ~s.is_solved & (s.iterations < budget) & (s.bound <= MAX_MOVES),
        lambda s: _iterate(s, goal, size, cells),
        search,
    )
    return Distance(
        distance=jnp.where(search.is_solved, search.depth, search.bound),
        exact=search.is_solved,
        actions=jnp.where(search.is_solved, search.actions, jnp.int16(-1)),
        iterations=search.iterations,
    )


def _iterate(s: _Search, goal, size, cells) -> _Search:
    side = cells.shape[0]
    num_geoms = s.position.shape[0]
    level = jnp.arange(MAX_MOVES, dtype=jnp.int32)
    last = jnp.sum(jnp.where(level == s.depth - 1, s.actions, 0), dtype=jnp.int32)
    has_last = s.depth > 0
    offset = jnp.array([-1, 1, -side, side], jnp.int8)
    geom = jnp.arange(num_geoms, dtype=jnp.int32)
    of_direction = jnp.arange(4, dtype=jnp.int32)

    # The cell that the last move left, and the geom that it moved.
    last_geom = jnp.where(has_last, last // 4, -1)
    back = (last % 4) ^ 1
    left_cell = jnp.sum(jnp.where(geom == last_geom, s.position, 0), dtype=jnp.int8) + jnp.sum(
        jnp.where(of_direction == back, offset, 0), dtype=jnp.int8
    )

    reached, inside = targets(s.position, size, side)
    now = cell_distance(s.position, goal, side)
    then = cell_distance(reached, goal[:, None], side)
    distance = jnp.sum(now, dtype=jnp.int32)
    within = distance + (then - now[:, None]).astype(jnp.int32) + s.depth + 1 <= s.bound
    undoes = (geom == last_geom)[:, None] & (of_direction == back)[None, :]
    commutes = has_last & (geom < last_geom)[:, None] & (reached != left_cell)
    number = 4 * geom[:, None] + of_direction[None, :]
    may_try = (
        inside
        & ~is_occupied(s.position, reached)
        & within
        & ~(has_last & undoes)
        & ~commutes
        & (number > s.cursor)
    )
    # The conflict of this state, which its parent did not ask for.
    fits = distance + linear_conflict(s.position, goal, cells) + s.depth <= s.bound
    chosen = jnp.min(jnp.where(may_try & fits, number, 4 * num_geoms))
    goes_on = chosen < 4 * num_geoms

    # Forth by the chosen move, back by the last one, or from the start with a larger bound: every
    # solution has as many moves as the Manhattan distance, or an even number more.
    move = jnp.where(goes_on, chosen, jnp.where(has_last, last ^ 1, 0))
    is_moved = (geom == move // 4) & (goes_on | has_last)
    step = jnp.sum(jnp.where(of_direction == move % 4, offset, 0), dtype=jnp.int8)
    position = s.position + jnp.where(is_moved, step, jnp.int8(0))
    top = jnp.where(goes_on, s.depth, s.depth - 1)
    entry = jnp.where(goes_on, chosen, -1).astype(jnp.int16)
    return _Search(
        position=position,
        actions=jnp.where(level == top, entry, s.actions),
        depth=jnp.where(goes_on, s.depth + 1, jnp.maximum(s.depth - 1, 0)),
        cursor=jnp.where(goes_on, -1, jnp.where(has_last, last, -1)),
        bound=s.bound + jnp.where(goes_on | has_last, 0, 2),
        is_solved=jnp.all(position == goal),
        iterations=s.iterations + 1,
    )

"""Boards without interference, drawn on the device: pure JAX, no search.

A board is made backwards, as they would be scrambled by hand: the geoms start on their
goal cells and move away, each move one of those that take some geom farther from its goal by
Manhattan distance. After `k` such moves the walk read backwards is a solution of `k` moves, and no
solution is shorter than the Manhattan distance, which is `k` as well: so `k` is the exact optimum,
and the geoms never force a detour on each other. Every board of that kind can come up.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int8, Int16, Int32, Key, UInt32

from spatialjax.core.pytree import pytree
from spatialjax.sliding.dynamics import is_occupied, targets


@pytree
class Walk:
    """A board and a shortest solution of it.

    Attributes:
      start, goal: cell of each geom, -1 in unused slots.
      shape, color: codes of each geom, -1 in unused slots.
      actions: the solution, `4 * geom + direction`, then -1.
      is_complete: whether the walk found all the moves asked for; if not, the board has fewer.
    """

    start: Int8[Array, " G"]
    goal: Int8[Array, " G"]
    shape: Int8[Array, " G"]
    color: Int8[Array, " G"]
    actions: Int16[Array, " moves"]
    is_complete: Bool[Array, ""]


def draw_board(
    key: Key[Array, ""],
    size: Int32[Array, ""],
    num_geoms: Int32[Array, ""],
    num_moves: Int32[Array, ""],
    *,
    side: int,
    max_geoms: int,
    max_moves: int,
    num_shapes: int = 4,
    num_colors: int = 4,
) -> Walk:
    """Draw one board of `size` x `size` cells that takes `num_moves` moves. The key is consumed.

    The array shapes are those of a capacity of `side` x `side` cells, `max_geoms` geoms and
    `max_moves` moves. Identities are among the first shapes and colours, no two the same.
    """
    cell_key, identity_key, walk_key = jax.random.split(key, 3)
    used = jnp.arange(max_geoms, dtype=jnp.int32) < num_geoms
    along = jnp.arange(side, dtype=jnp.int32)
    on_board = (along[:, None] < size) & (along[None, :] < size)
    goal = _sample(cell_key, on_board.reshape(-1), max_geoms)
    goal = jnp.where(used, goal, -1).astype(jnp.int8)
    identity = _sample(identity_key, jnp.ones(num_shapes * num_colors, bool), max_geoms)
    shape, color = (
        jnp.where(used, code, -1).astype(jnp.int8)
        for code in (identity // num_colors, identity % num_colors)
    )

    offset = jnp.array([-1, 1, -side, side], jnp.int8)
    goal_x, goal_y = (goal % side)[:, None], (goal // side)[:, None]

    def step(position, inputs):
        number, word = inputs
        reached, inside = targets(position, size, side)
        x, y = (position % side)[:, None], (position // side)[:, None]
        away = jnp.concatenate([x <= goal_x, x >= goal_x, y <= goal_y, y >= goal_y], axis=1)
        may_move = inside & ~is_occupied(position, reached) & away & (number < num_moves)
        action, is_any = _choose(word, may_move.reshape(-1))
        is_moved = (jnp.arange(max_geoms, dtype=jnp.int32) == action // 4) & is_any
        of_direction = jnp.arange(4, dtype=jnp.int32) == action % 4
        moved_by = jnp.sum(jnp.where(of_direction, offset, jnp.int8(0)), dtype=jnp.int8)
        position = position + jnp.where(is_moved, moved_by, jnp.int8(0))
        # Read backwards, the geom slides back: directions come in pairs of opposites.
        return position, jnp.where(is_any, action ^ 1, -1).astype(jnp.int16)

    numbers = jnp.arange(max_moves, dtype=jnp.int32)
    words = jax.random.bits(walk_key, (max_moves,), jnp.uint32)
    start, taken = lax.scan(step, goal, (numbers, words))
    length = jnp.sum(taken >= 0, dtype=jnp.int32)
    backwards = jnp.where(numbers < length, length - 1 - numbers, max_moves - 1)
    actions = jnp.where(numbers < length, taken[backwards], jnp.int16(-1))
    return Walk(
        start=start,
        goal=goal,
        shape=shape,
        color=color,
        actions=actions,
        is_complete=length == num_moves,
    )


@partial(
    jax.jit,
    static_argnames=("side", "max_geoms", "max_moves", "num_shapes", "num_colors"),
)
def draw_boards(
    keys: Key[Array, " N"],
    size: Int32[Array, " N"],
    num_geoms: Int32[Array, " N"],
    num_moves: Int32[Array, " N"],
    **capacity: int,
) -> Walk:
    """Draw many boards at once: `draw_board` with a leading axis."""
    return jax.vmap(partial(draw_board, **capacity))(keys, size, num_geoms, num_moves)


def _sample(key: Key[Array, ""], allowed: Bool[Array, " n"], count: int) -> Int32[Array, " count"]:
    """Draw up to `count` different allowed indices in random order; past those, any."""
    # Random words sort as well as floats, and ties are as likely as they are rare.
    words = jax.random.bits(key, allowed.shape, jnp.uint32) >> 1
    words = jnp.where(allowed, words, jnp.uint32(0xFFFFFFFF))
    order = jnp.argsort(words)
    return order[jnp.minimum(jnp.arange(count, dtype=jnp.int32), allowed.shape[0] - 1)].astype(
        jnp.int32
    )


def _choose(
    word: UInt32[Array, ""], allowed: Bool[Array, " n"]
) -> tuple[Int32[Array, ""], Bool[Array, ""]]:
    """Choose one of the allowed indices by a random word; return it and whether there is any."""
    count = jnp.sum(allowed, dtype=jnp.uint32)
    # The bias of a remainder is below 1e-7 for so few.
    rank = word % jnp.maximum(count, 1)
    place = jnp.cumsum(allowed, dtype=jnp.uint32) - 1
    return jnp.argmax(allowed & (place == rank)).astype(jnp.int32), count > 0

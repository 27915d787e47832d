"""Run an expensive function only for the lanes of a batch that need it.

Under `vmap` a condition becomes a select and a loop waits for its slowest lane, so a search that
one lane in twenty needs is paid for by all of them. `compacted` gives such a function its own
batching rule: the active lanes are packed into rounds of fixed width, and no other lane is run.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap


def compacted(fn: Callable[..., Any], width: int) -> Callable[..., Any]:
    """Return `run(active, *args)`: `fn(*args)` where `active`, zeros of the same kind elsewhere.

    Args:
      fn: unbatched function of pytrees of arrays to a pytree of arrays. It must not close over
        traced values; hand them in as arguments.
      width: lanes per round.

    Under `vmap` there are `ceil(number of active lanes / width)` rounds. Arguments without a batch
    axis are never copied per lane. Nested `vmap` flattens all axes into one batch. No lane
    influences another. Not differentiable.
    """
    if width < 1:
        raise ValueError(f"width is {width}, but a round needs at least one lane")
    # The shape of its result is asked for first: `jit` remembers the trace, and nests for free.
    traced_once = jax.jit(lambda *args: fn(*args))

    @custom_vmap
    def run(active, args):
        shape = jax.eval_shape(traced_once, *args)
        return lax.cond(active, lambda: traced_once(*args), lambda: _zeros(shape))

    @run.def_vmap
    def batch_rule(size, is_batched, active, args):
        active_batched, args_batched = is_batched
        if not active_batched:
            active = jnp.broadcast_to(active, (size,))
        leaves, structure = jax.tree.flatten(args)
        flags = tuple(jax.tree.leaves(args_batched))
        results = _over_lanes(traced_once, width, structure, flags)(active, leaves)
        return results, jax.tree.map(lambda _: True, results)

    return lambda active, *args: run(active, args)


def _over_lanes(fn, width, structure, is_batched):
    """Return `fn` over lanes; the leaves flagged in `is_batched` have the lane axis in front."""

    @custom_vmap
    def run(active, leaves):
        return _in_rounds(fn, width, structure, is_batched, active, leaves)

    @run.def_vmap
    def outer_rule(size, is_outer, active, leaves):
        active_outer, leaves_outer = is_outer
        lanes = active.shape[-1]
        if not active_outer:
            active = jnp.broadcast_to(active, (size, lanes))
        flat = []
        for leaf, outer, inner in zip(leaves, leaves_outer, is_batched, strict=True):
            if outer or inner:
                leaf = leaf if outer else leaf[None]
                leaf = leaf if inner else leaf[:, None]
                item = leaf.shape[2:]
                leaf = jnp.broadcast_to(leaf, (size, lanes, *item)).reshape(size * lanes, *item)
            flat.append(leaf)
        flags = tuple(outer or inner for outer, inner in zip(leaves_outer, is_batched, strict=True))
        results = _over_lanes(fn, width, structure, flags)(active.reshape(-1), flat)
        results = jax.tree.map(lambda x: x.reshape(size, lanes, *x.shape[1:]), results)
        return results, jax.tree.map(lambda _: True, results)

    return run


def _in_rounds(fn, width, structure, is_batched, active, leaves):
    lanes = active.shape[0]
    width = min(width, lanes)
    axes = [0 if flag else None for flag in is_batched]

    def one(*leaves):
        return fn(*jax.tree.unflatten(structure, leaves))

    # The active lanes in order; unused places point one past the last lane, where a scatter drops
    # the result. They run the first lane of their round once more, so never an inactive one.
    place = jnp.cumsum(active, dtype=jnp.int32) - 1
    count = place[-1] + 1
    padded = -(-lanes // width) * width
    order = jnp.full(padded, lanes, jnp.int32)
    order = order.at[jnp.where(active, place, padded)].set(
        jnp.arange(lanes, dtype=jnp.int32), mode="drop"
    )

    def round_(carry):
        start, results = carry
        picked = lax.dynamic_slice(order, (start,), (width,))
        source = jnp.where(picked < lanes, picked, picked[0])
        gathered = [
            leaf[source] if flag else leaf for leaf, flag in zip(leaves, is_batched, strict=True)
        ]
        found = jax.vmap(one, in_axes=axes, axis_size=width)(*gathered)
        results = jax.tree.map(
            lambda result, value: result.at[picked].set(value, mode="drop"), results, found
        )
        return start + width, results

    items = [
        jax.ShapeDtypeStruct(leaf.shape[1:] if flag else leaf.shape, leaf.dtype)
        for leaf, flag in zip(leaves, is_batched, strict=True)
    ]
    shape = jax.eval_shape(one, *items)
    empty = jax.tree.map(lambda s: jnp.zeros((lanes, *s.shape), s.dtype), shape)
    start = jnp.zeros((), jnp.int32)
    if width == lanes:
        # The compiler would hoist the only round out of a loop and run it whatever the count.
        return lax.cond(count > 0, lambda: round_((start, empty))[1], lambda: empty)
    return lax.while_loop(lambda carry: carry[0] < count, round_, (start, empty))[1]


def _zeros(shape):
    return jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shape)

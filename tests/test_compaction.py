"""Compaction: the same results as a plain vmap, at the cost of the active lanes alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from spatialjax.core.compaction import compacted


def steps_to_one(start, table):
    """Collatz steps from `start`, and an entry of a table; endless from 0."""
    count, _ = jax.lax.while_loop(
        lambda c: c[1] != 1,
        lambda c: (c[0] + 1, jnp.where(c[1] % 2 == 0, c[1] // 2, 3 * c[1] + 1)),
        (jnp.int32(0), start),
    )
    return {"steps": count, "entry": table[count % table.shape[0]]}


def expected(active, start, table):
    steps = np.zeros(active.shape, np.int32)
    for place in np.argwhere(active):
        value = int(start[tuple(place)])
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            steps[tuple(place)] += 1
    entry = np.where(active, table[steps % len(table)], 0)
    return {"steps": steps, "entry": entry}


def draw(shape, share, seed=0):
    """Lanes to run, and a start for each; that of an inactive lane never comes to an end."""
    rng = np.random.default_rng(seed)
    active = rng.random(shape) < share
    return active, np.where(active, rng.integers(1, 60, shape), 0).astype(np.int32)


def check(result, active, start, table):
    for key, value in expected(active, start, table).items():
        np.testing.assert_array_equal(result[key], value)


TABLE = np.arange(100, 117, dtype=np.float32)


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
@pytest.mark.parametrize(
    "lanes, width", [(1, 1), (1, 4), (7, 1), (7, 7), (7, 9), (64, 5), (64, 32)]
)
def test_equals_plain_vmap_on_active_lanes(lanes, share, width):
    active, start = draw(lanes, share)
    run = jax.jit(jax.vmap(compacted(steps_to_one, width), in_axes=(0, 0, None)))
    check(run(active, start, TABLE), active, start, TABLE)


def test_single_lane():
    run = jax.jit(compacted(steps_to_one, 4))
    check(run(True, jnp.int32(27), TABLE), np.array(True), np.array(27), TABLE)
    check(run(False, jnp.int32(0), TABLE), np.array(False), np.array(0), TABLE)


def test_flag_shared_by_all_lanes():
    run = jax.vmap(compacted(steps_to_one, 4), in_axes=(None, 0, None))
    _, start = draw(10, 1.0)
    check(run(True, start, TABLE), np.ones(10, bool), start, TABLE)
    check(run(False, 0 * start, TABLE), np.zeros(10, bool), start, TABLE)


def test_inside_scan():
    run = jax.vmap(compacted(steps_to_one, 4), in_axes=(0, 0, None))
    active, start = draw((6, 20), 0.3)

    @jax.jit
    def scan(active, start, table):
        return jax.lax.scan(lambda _, x: (None, run(*x, table)), None, (active, start))[1]

    check(scan(active, start, TABLE), active, start, TABLE)


@pytest.mark.parametrize("active_axes", [(0, 0), (None, 0), (0, None)])
@pytest.mark.parametrize("start_axes", [(0, 0), (None, 0), (0, None), (None, None)])
@pytest.mark.parametrize("table_axes", [(0, None), (None, None)])
def test_nested_vmap(active_axes, start_axes, table_axes):
    outer, inner = 3, 7
    sizes = [
        tuple(n for n, axis in zip((outer, inner), axes, strict=True) if axis == 0)
        for axes in (active_axes, start_axes)
    ]
    active, _ = draw(sizes[0], 0.4)
    start = np.random.default_rng(1).integers(1, 60, sizes[1]).astype(np.int32)
    table = np.stack([TABLE, TABLE + 50, TABLE + 90]) if table_axes[0] == 0 else TABLE
    outer_axes, inner_axes = zip(active_axes, start_axes, table_axes, strict=True)
    run = jax.vmap(compacted(steps_to_one, 4), inner_axes, axis_size=inner)
    run = jax.jit(jax.vmap(run, outer_axes, axis_size=outer))
    result = run(active, start, table)

    def full(x, axes):
        for place, axis in enumerate(axes):
            x = x if axis == 0 else np.expand_dims(x, place)
        return np.broadcast_to(x, (outer, inner))

    active, start = full(active, active_axes), full(start, start_axes)
    for row in range(outer):
        row_table = table[row] if table_axes[0] == 0 else table
        check(jax.tree.map(lambda x, r=row: x[r], result), active[row], start[row], row_table)


def test_compacted_within_compacted():
    inner = compacted(steps_to_one, 2)

    def outer_fn(start, table):
        return inner(start % 3 == 0, jnp.where(start % 3 == 0, start, 0), table)

    active, start = draw(40, 0.5)
    run = jax.jit(jax.vmap(compacted(outer_fn, 8), in_axes=(0, 0, None)))
    both = active & (start % 3 == 0)
    result = run(active, start, TABLE)["steps"]
    np.testing.assert_array_equal(result, expected(both, start, TABLE)["steps"])


def test_lanes_do_not_depend_on_each_other():
    run = jax.jit(jax.vmap(compacted(steps_to_one, 4), in_axes=(0, 0, None)))
    active, start = draw(30, 0.5)
    order = np.random.default_rng(2).permutation(30)
    mixed = run(active[order], start[order], TABLE)
    for key, value in run(active, start, TABLE).items():
        np.testing.assert_array_equal(mixed[key], value[order])


def test_argument_without_batch_axis_is_not_copied():
    table = jnp.arange(12_345, dtype=jnp.float32)
    run = jax.vmap(jax.vmap(compacted(steps_to_one, 4), (0, 0, None)), (0, 0, None))
    active, start = draw((3, 11), 0.5)
    text = str(jax.make_jaxpr(run)(active, start, table))
    assert "f32[12345]" in text
    assert ",12345]" not in text


def test_refuses_a_round_without_lanes():
    with pytest.raises(ValueError, match="width is 0"):
        compacted(steps_to_one, 0)

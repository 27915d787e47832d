"""A* against a plain breadth-first search."""

from collections import deque

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from spatialjax.solvers.astar import Status, shortest_line
from spatialjax.solvers.heuristics import manhattan, zero
from spatialjax.witness.types import ACTION_STEPS

ROWS, COLS, BATCH = 7, 9, 200


def random_lattice(rng):
    """Return a lattice with closed points, its open directions, and two free points."""
    free = rng.random((ROWS, COLS)) < rng.uniform(0.4, 1.0)
    start, end = rng.choice(ROWS * COLS, 2, replace=False)
    free.flat[[start, end]] = True
    directions = np.zeros((ROWS, COLS), np.uint8)
    for row, col in np.argwhere(free):
        for action, (down, right) in enumerate(ACTION_STEPS):
            r, c = row + down, col + right
            if 0 <= r < ROWS and 0 <= c < COLS and free[r, c]:
                directions[row, col] |= 1 << action
    return directions, np.int32(start), np.int32(end)


def distance(directions, start, end):
    """Return the fewest moves, -1 if there is no way."""
    found, queue = {start: 0}, deque([start])
    while queue:
        point = queue.popleft()
        for action, (down, right) in enumerate(ACTION_STEPS):
            if directions.flat[point] >> action & 1:
                target = point + down * COLS + right
                if target not in found:
                    found[target] = found[point] + 1
                    queue.append(target)
    return found.get(end, -1)


@pytest.fixture(scope="module")
def lattices():
    """Return a batch of lattices and the distances on them."""
    rng = np.random.default_rng(0)
    cases = [random_lattice(rng) for _ in range(BATCH)]
    return [jnp.array(column) for column in zip(*cases, strict=True)], [
        distance(*case) for case in cases
    ]


@pytest.mark.parametrize("heuristic", [manhattan, zero])
def test_cost_is_the_distance(lattices, heuristic):
    arrays, distances = lattices
    result = jax.jit(jax.vmap(lambda *case: shortest_line(*case, heuristic)))(*arrays)
    np.testing.assert_array_equal(result.cost, distances)
    expected = np.where(np.array(distances) < 0, Status.UNREACHABLE, Status.FOUND)
    np.testing.assert_array_equal(result.status, expected)
    assert 0.1 < np.mean(expected) < 0.9


def test_actions_lead_along_open_directions_to_the_end(lattices):
    (directions, starts, ends), distances = lattices
    result = jax.jit(jax.vmap(shortest_line))(directions, starts, ends)
    for lane in range(BATCH):
        moves = np.asarray(result.actions[lane])
        assert np.all(moves[max(distances[lane], 0) :] == -1)
        point = int(starts[lane])
        for action in moves[: max(distances[lane], 0)]:
            assert int(directions[lane].reshape(-1)[point]) >> action & 1
            down, right = ACTION_STEPS[action]
            point += down * COLS + right
        if distances[lane] >= 0:
            assert point == ends[lane]


def test_the_estimate_saves_work(lattices):
    arrays, _ = lattices
    with_estimate, without = (
        jax.jit(jax.vmap(lambda *case, h=h: shortest_line(*case, h)))(*arrays)
        for h in (manhattan, zero)
    )
    assert np.all(np.asarray(with_estimate.expanded) <= np.asarray(without.expanded))
    assert np.mean(np.asarray(with_estimate.expanded)) < 0.7 * np.mean(np.asarray(without.expanded))


def test_start_may_be_the_end():
    result = shortest_line(jnp.zeros((3, 3), jnp.uint8), jnp.int32(4), jnp.int32(4))
    assert (int(result.cost), int(result.status), int(result.expanded)) == (0, Status.FOUND, 1)

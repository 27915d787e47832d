"""Random lines on the device, against all lines there are."""

from collections import Counter
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pytest
from building import build_record
from generated import walk

from spatialjax.witness.device_line import border_point, line_moves, random_lines

COUNT = 20_000
CAPACITY = (3, 4)
draw_lines = jax.jit(partial(random_lines, capacity=CAPACITY, num_sweeps=32))
moves_of = jax.jit(jax.vmap(line_moves))


def test_border_points_go_round_clockwise():
    row, col = border_point(jnp.arange(20), jnp.int32(2), jnp.int32(3))
    top, bottom = [(0, x) for x in range(6)], [(4, x) for x in range(6, 0, -1)]
    right, left = [(y, 6) for y in range(4)], [(y, 0) for y in range(4, 0, -1)]
    assert list(zip(row.tolist(), col.tolist(), strict=True)) == top + right + bottom + left


@pytest.mark.parametrize(
    ("height", "width", "start", "end"),
    [(2, 2, 0, 8), (2, 2, 3, 10), (1, 3, 1, 2), (3, 3, 11, 12), (3, 4, 0, 14)],
)
def test_every_line_is_equally_likely(height, width, start, end):
    """All lines from start to end come up, and no others; chi squared is within 5 sigma."""
    points = []
    for place in (start, end):
        row, col = border_point(jnp.int32(place), jnp.int32(height), jnp.int32(width))
        points.append((int(col), int(row)))
    numbers = [jnp.full(COUNT, value) for value in (height, width, start, end)]
    lines = draw_lines(jax.random.key(2), *numbers)
    flat = [jnp.full(COUNT, y * (2 * CAPACITY[1] + 1) + x) for x, y in points]
    moves, length = jax.device_get(moves_of(lines, *flat))
    found = [tuple(walk(points[0], line)) for line in moves]

    paths = {tuple(path) for path in oracle.all_paths(empty_board(height, width, *points))}
    counts = Counter(found)
    assert set(counts) == paths
    expected, freedom = COUNT / len(paths), len(paths) - 1
    chi_squared = sum((count - expected) ** 2 / expected for count in counts.values())
    assert abs(chi_squared - freedom) < 5 * (2 * freedom) ** 0.5
    np.testing.assert_array_equal(length, [len(path) - 1 for path in found])
    for path, visited in zip(found[::500], np.asarray(lines.visited)[::500], strict=True):
        assert {(x, y) for y, x in np.argwhere(visited).tolist()} == set(path)


def empty_board(height, width, start, end):
    tokens = [
        ["N" if x % 2 and y % 2 else "+" for x in range(2 * width + 1)]
        for y in range(2 * height + 1)
    ]
    for (x, y), token in ((start, "S"), (end, "E")):
        tokens[y][x] = token
    return oracle.read_board(build_record(tokens))

"""Views of observation planes against the planes of transformed records."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from boards import solvable_record

from spatialjax.witness import views
from spatialjax.witness.encode import encode_record
from spatialjax.witness.observations import Channel, base_observation
from spatialjax.witness.symmetry import NUM_SYMMETRIES, recolor, transform
from spatialjax.witness.types import ACTION_STEPS

CAPACITY = (4, 4, 8)
draw = jax.jit(lambda puzzle: base_observation(puzzle, "planes"))
turn = jax.jit(views.turn_planes)


def records(count=12):
    rng = random.Random(3)
    return [
        solvable_record(rng, rng.randint(1, 4), rng.randint(1, 4), density=0.9)[0]
        for _ in range(count)
    ]


@pytest.mark.parametrize("k", range(NUM_SYMMETRIES))
def test_a_view_shows_the_transformed_record(k):
    for record in records():
        planes = draw(encode_record(record, CAPACITY))
        expected = draw(encode_record(transform(record, k), CAPACITY))
        np.testing.assert_array_equal(turn(planes, jnp.int32(k)), expected)


@pytest.mark.parametrize("k", range(NUM_SYMMETRIES))
def test_actions_turn_with_the_board(k):
    """Mark a point and its neighbour in one direction; both land where the named action says."""
    planes = np.asarray(draw(encode_record(records(1)[0], CAPACITY)))
    board = planes[..., Channel.BOARD]
    rows, cols = int(board[:, 0].sum()), int(board[0].sum())
    names = np.asarray(views.turn_actions(jnp.int32(k)))
    assert sorted(names) == [0, 1, 2, 3]
    for action, (down, right) in enumerate(ACTION_STEPS):
        row, col = rows // 2, cols // 2
        neighbour = row + down, col + right
        marked = planes.copy()
        marked[row, col, Channel.LINE] = marked[*neighbour, Channel.HEAD] = 1
        turned = np.asarray(turn(marked, jnp.int32(k)))
        a, b = (np.argwhere(turned[..., c])[0] for c in (Channel.LINE, Channel.HEAD))
        assert tuple((b - a).tolist()) == ACTION_STEPS[names[action]]


def test_recolouring_renames_the_colours_alone():
    letters = "RBYGKPOW"  # in the order of `Color`
    order = np.random.default_rng(0).permutation(8)
    mapping = {letters[i]: letters[order[i]] for i in range(8)}
    for record in records():
        planes = draw(encode_record(record, CAPACITY))
        expected = draw(encode_record(recolor(record, mapping), CAPACITY))
        np.testing.assert_array_equal(views.recolor_planes(planes, jnp.asarray(order)), expected)

"""Observations against a plain-Python drawing of the board and the line."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from boards import draw, perturb_record, random_path, random_record, with_solutions
from oracle import MOVES, is_cell, read_board

from spatialjax.witness import dynamics, observations
from spatialjax.witness.observations import Channel, one_hot_planes
from spatialjax.witness.pack import build_pack

KINDS = ("", "square", "star", "triangle", "poly", "ylop")
COLORS = " RBYGKPOW"
FORMS = ("square", "star", 1, 2, 3, 4, "poly", "ylop")
CAPACITY = (6, 6)


def draw_planes(board, line, rows, cols):
    planes = np.zeros((rows, cols, 13), np.uint8)
    for x in range(board.columns):
        for y in range(board.rows):
            point, channels = (x, y), planes[y, x]
            channels[0] = point in line
            channels[1] = point == line[-1]
            channels[2] = board.is_free(point) and point not in line
            channels[3] = point == board.start
            channels[4] = point == board.end
            channels[5] = point in board.dots
            channels[6] = point in board.gaps
            channels[7] = 1
            if point in board.symbols:
                symbol = board.symbols[point]
                channels[8] = KINDS.index(symbol.kind)
                channels[9] = COLORS.index(symbol.color)
                channels[10] = symbol.count
                channels[11], channels[12] = shape_bytes(symbol)
    return planes


def draw_vector(board, line, rows, cols, num_shapes):
    points = np.zeros((rows, cols), np.uint8)
    for x in range(board.columns):
        for y in range(board.rows):
            point = (x, y)
            if is_cell(point):
                symbol = board.symbols.get(point)
                form = FORMS.index(symbol.count or symbol.kind) if symbol else 0
                points[y, x] = 2 + 8 * form + COLORS.index(symbol.color) - 1 if symbol else 1
            else:
                flags = (True, point == board.start, point == board.end, point in board.dots)
                flags += (point in board.gaps, False, point == line[-1], point in line)
                points[y, x] = sum(1 << bit for bit, flag in enumerate(flags) if flag)
    shapes = np.zeros((num_shapes, 2), np.uint8)
    cells = sorted((c for c in board.symbols if board.symbols[c].shape), key=lambda c: c[::-1])
    for slot, cell in enumerate(cells):
        shapes[slot] = shape_bytes(board.symbols[cell])
    return np.concatenate([points.reshape(-1), shapes.reshape(-1)])


def shape_bytes(symbol):
    bits = sum(1 << (4 * y + x) for x, y in symbol.shape)
    return bits & 255, bits >> 8


@pytest.fixture(scope="module")
def records():
    """Boards of all sizes, the first with as many polyominoes as a board may have."""
    rng = random.Random(0)
    sizes = [(6, 6)] + [(rng.randint(1, 6), rng.randint(1, 6)) for _ in range(39)]
    return [random_record(rng, *size, density=0.8) for size in sizes]


@jax.jit
def move(pack, states, actions):
    """Take a legal step, or with -1 none, in each lane."""

    def one(state, action):
        moved = dynamics.transition(pack, state, jnp.maximum(action, 0), traceback=True)
        return jax.tree.map(lambda new, old: jnp.where(action >= 0, new, old), moved, state)

    return jax.vmap(one)(states, actions)


@jax.jit
def starts(pack):
    rows = jnp.arange(pack.puzzles.start.shape[0])
    return jax.vmap(lambda row: dynamics.initial(pack, row))(rows)


@pytest.mark.parametrize("form", ["planes", "vector"])
def test_every_byte_along_random_lines(form, records):
    """Forward along random lines, then back over the last five steps."""
    rng = random.Random(1)
    boards = [read_board(record) for record in records]
    paths = [random_path(rng, r, finished=i % 2 == 0) for i, r in enumerate(records)]
    pack = build_pack(records, CAPACITY).params(form)
    rows, cols = dynamics.lattice_shape(pack)
    num_shapes = pack.puzzles.shape_cell.shape[-1]
    watch = jax.jit(jax.vmap(lambda s: observations.observe(pack, s, form)))
    space = observations.space(form, rows, cols, num_shapes)

    walks = [[path[: t + 1] for t in range(len(path))] for path in paths]
    walks = [walk + walk[-2:-7:-1] for walk in walks]
    states, last = starts(pack), []
    for t in range(max(map(len, walks))):
        lines = [walk[min(t, len(walk) - 1)] for walk in walks]
        if t:
            states = move(
                pack, states, jnp.array([_action(*pair) for pair in zip(last, lines, strict=True)])
            )
        seen = np.asarray(watch(states))
        assert seen.shape == (len(records), *space.shape) and seen.dtype == np.uint8
        for board, line, found in zip(boards, lines, seen, strict=True):
            if form == "planes":
                expected = draw_planes(board, line, rows, cols)
            else:
                expected = draw_vector(board, line, rows, cols, num_shapes)
            np.testing.assert_array_equal(found, expected)
        last = lines


def _action(before, after):
    """Return the step between two lines that differ by their last point, -1 if they don't."""
    if before == after:
        return -1
    (x0, y0), (x1, y1) = before[-1], after[-1]
    return MOVES.index((x1 - x0, y1 - y0))


def base_of(records, form):
    return np.asarray(build_pack(records, CAPACITY).params(form).base_observation)


@pytest.mark.parametrize("form", ["planes", "vector"])
def test_distinct_boards_look_distinct(form, records):
    rng = random.Random(2)
    original, different = base_of(records, form), 0
    for _ in range(4):
        changed = [perturb_record(rng, record) for record in records]
        seen = base_of(changed, form)
        for record, other, before, after in zip(records, changed, original, seen, strict=True):
            is_same = read_board(record) == read_board(other)
            assert np.array_equal(before, after) == is_same
            different += not is_same
    assert different > 100


SHAPES = {
    "1": [[1, 0, 0, 0]] + [[0] * 4] * 3,
    "17": [[1, 1, 0, 0]] + [[0] * 4] * 3,
    "3": [[1, 0, 0, 0]] * 2 + [[0] * 4] * 2,
    "15": [[1, 0, 0, 0]] * 4,
    "7": [[1, 0, 0, 0]] * 3 + [[0] * 4],
    "32768": [[0] * 4] * 3 + [[0, 0, 0, 1]],
}
ALL_DIFFERENT = (
    ("N", "N"), ("o-R", "N"), ("N", "o-R"), ("o-K", "N"), ("*-R", "N"), ("A-R", "N"), ("B-R", "N"),
    ("C-R", "N"), ("D-R", "N"), ("D-W", "N"), ("P-R-1", "N"), ("P-W-1", "N"), ("Y-R-1", "N"),
    ("P-R-17", "N"), ("P-R-3", "N"), ("P-R-15", "N"), ("P-R-7", "N"), ("P-R-1", "P-R-1"),
    ("P-R-17", "P-R-3"), ("P-R-3", "P-R-17"), ("Y-R-3", "P-R-17"),
)  # fmt: skip


@pytest.mark.parametrize("form", ["planes", "vector"])
def test_what_shows_and_what_does_not(form):
    """Each property of a symbol and its place show; a shape's place in its matrix and the
    solutions do not.
    """

    def board(left, right):
        return draw(f"S + + + +\n+ {left} + {right} +\n+ + + + E", SHAPES)

    line = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (4, 1), (4, 2)]
    records = [board(*cells) for cells in ALL_DIFFERENT]
    moved, solved = board("P-R-32768", "N"), with_solutions(board("N", "N"), [line])
    seen = [one.tobytes() for one in base_of([*records, moved, solved], form)]
    assert len(set(seen[:-2])) == len(ALL_DIFFERENT)
    assert seen[-2] == seen[ALL_DIFFERENT.index(("P-R-1", "N"))]
    assert seen[-1] == seen[ALL_DIFFERENT.index(("N", "N"))]


def test_one_hot_planes(records):
    planes = base_of(records, "planes").copy()
    planes[..., Channel.HEAD] = planes[..., Channel.LINE] = planes[..., Channel.START]
    found = np.asarray(jax.jit(one_hot_planes)(planes))
    assert found.shape == (*planes.shape[:-1], 41) and found.dtype == np.float32
    parts = [planes[..., : Channel.KIND] == 1]
    for channel, codes in ((Channel.KIND, 5), (Channel.COLOR, 8), (Channel.COUNT, 4)):
        parts += [planes[..., channel, None] == np.arange(1, codes + 1)]
    for channel in (Channel.SHAPE_TOP, Channel.SHAPE_BOTTOM):
        parts += [planes[..., channel, None] & (1 << np.arange(8)) != 0]
    np.testing.assert_array_equal(found, np.concatenate(parts, -1).astype(np.float32))
    np.testing.assert_array_equal(jax.jit(one_hot_planes)(planes[0]), found[0])
    assert (found.reshape(-1, 41).max(axis=0) == 1).sum() > 30


def test_none_is_empty(records):
    pack = build_pack(records, CAPACITY).params("none")
    state = jax.tree.map(lambda x: x[0], starts(pack))
    assert observations.observe(pack, state, "none").shape == (0,)
    assert observations.space("none", 5, 5, 2).shape == (0,)


def test_the_channels_are_those_of_the_table():
    names = "LINE HEAD USABLE START END DOT GAP BOARD KIND COLOR COUNT SHAPE_TOP SHAPE_BOTTOM"
    assert [channel.name for channel in Channel] == names.split()

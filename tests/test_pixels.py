"""Pixel observations against the pictures that Pillow draws of the same boards and lines."""

import random
import subprocess
import sys

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from boards import draw, random_path, random_record
from oracle import MOVES

import spatialjax
from spatialjax.witness import dynamics, observations
from spatialjax.witness.device_generator import make_params
from spatialjax.witness.pack import build_pack
from spatialjax.witness.render import render

pytest.importorskip("PIL", reason="needs the extra 'render'")

SIDE = 8  # even, so that frames and pictures with a margin share their pixels
CAPACITY = (6, 6)
SHAPES = {
    "1": [[1, 0, 0, 0]] + [[0] * 4] * 3,
    "7": [[1, 1, 1, 0], [0, 0, 1, 0]] + [[0] * 4] * 2,
    "65535": [[1] * 4] * 4,
    "15": [[1, 0, 0, 0]] * 4,
    "21": [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0] * 4],
}
TOKENS = [
    "o",
    "*",
    "A",
    "B",
    "C",
    "D",
    *(f"{kind}-{{}}-{shape}" for kind in "PY" for shape in SHAPES),
]


def play(pack, lines):
    """Return the states after lines of points (x, y), one a puzzle."""
    moves = np.full((len(lines), max(map(len, lines))), -1, np.int32)
    for lane, line in enumerate(lines):
        for t, ((x0, y0), (x1, y1)) in enumerate(zip(line, line[1:], strict=False)):
            moves[lane, t] = MOVES.index((x1 - x0, y1 - y0))

    def one(row, actions):
        def move(state, action):
            moved = dynamics.transition(pack, state, jnp.maximum(action, 0), traceback=True)
            return jax.tree.map(lambda a, b: jnp.where(action >= 0, a, b), moved, state), None

        return jax.lax.scan(move, dynamics.initial(pack, row), actions)[0]

    return jax.jit(jax.vmap(one))(jnp.arange(len(lines)), jnp.asarray(moves))


def frames_of(records, lines, side=SIDE, capacity=CAPACITY):
    """Return the frames of lines, one a record."""
    pixels = side * (2 * max(capacity) + 1)
    pack = build_pack(records, capacity).params("pixels", pixels)
    watch = jax.jit(jax.vmap(lambda state: observations.observe(pack, state, "pixels")))
    frames = np.asarray(watch(play(pack, lines)))
    assert frames.shape == (len(records), pixels, pixels, 3) and frames.dtype == np.uint8
    return frames


def picture_of(record, line, side):
    """Return the Pillow picture at so many pixels a lattice step, with half a step of margin."""
    size = side * (2 * max(record["grid_size"].values()) + 2)
    picture = np.asarray(render(record, line, size=size))
    return picture[side // 2 : -side // 2, side // 2 : -side // 2]


def assert_frame_shows(frame, record, line):
    """Check every pixel of a frame, and that the padding right of and below a board is bare."""
    picture = picture_of(record, line, SIDE)
    height, width = picture.shape[:2]
    difference = np.abs(frame[:height, :width].astype(int) - picture)
    # Where slanted edges lie on Pillow's own pixels, it rounds by the place in the picture.
    assert difference.max() <= 24 and (difference > 0).mean() < 0.01, record["id"]
    around = frame.copy()
    around[:height, :width] = frame[-1, -1]
    if (height, width) != frame.shape[:2]:
        assert (around == (150, 156, 164)).all()


def test_frames_are_the_pictures_of_random_boards_and_lines():
    rng = random.Random(0)
    sizes = [(6, 6), (1, 6), (6, 1), (1, 1)] + [
        (rng.randint(1, 6), rng.randint(1, 6)) for _ in range(36)
    ]
    records = [random_record(rng, *size, density=0.8) for size in sizes]
    lines = [random_path(rng, record, finished=i % 2 == 0) for i, record in enumerate(records)]
    lines = [
        line[: rng.randint(1, len(line))] if i % 3 == 0 else line for i, line in enumerate(lines)
    ]
    for frame, record, line in zip(frames_of(records, lines), records, lines, strict=True):
        assert_frame_shows(frame, record, line)


def test_frames_are_the_pictures_of_published_boards_and_solutions(published):
    records = published[::25]
    lines = [[(p["x"], p["y"]) for p in record["solutions"][0]["path"]] for record in records]
    for frame, record, line in zip(frames_of(records, lines), records, lines, strict=True):
        assert_frame_shows(frame, record, line)


def all_symbols():
    """Return boards that together hold every symbol in every colour."""
    tokens = [t.format(c) if "{}" in t else f"{t}-{c}" for t in TOKENS for c in "RBYGKPOW"]
    records = []
    for first in range(0, len(tokens), 4):
        a, b, c, d = (tokens[first : first + 4] + ["N"] * 4)[:4]
        text = f"S + . + +\n+ {a} + {b} G\n+ . + + +\n+ {c} G {d} +\n+ + + + E"
        records.append(draw(text, SHAPES))
    return records


def test_every_symbol_has_its_picture():
    records = all_symbols()
    lines = [[(0, 0), (1, 0), (2, 0), (2, 1)]] * len(records)
    for frame, record, line in zip(
        frames_of(records, lines, capacity=(2, 2)), records, lines, strict=True
    ):
        assert_frame_shows(frame, record, line)


def test_middles_have_the_colours_of_a_large_picture_at_five_pixels_a_step():
    records = [record for record in all_symbols() if "Y-" not in str(record["puzzle_array"])]
    line = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (2, 3)]
    frames = frames_of(records, [line] * len(records), side=5, capacity=(2, 2))
    for frame, record in zip(frames, records, strict=True):
        large = picture_of(record, line, 40)
        # The head has a middle, and shapes and triangles have gaps, that are finer than a pixel.
        too_fine = {line[-1]}
        for x, y in ((1, 1), (3, 1), (1, 3), (3, 3)):
            if record["puzzle_array"][y][x][0] in "BCDP":
                too_fine.add((x, y))
        for y in range(5):
            for x in range(5):
                middle = frame[5 * y + 2, 5 * x + 2].tolist()
                expected = large[40 * y + 20, 40 * x + 20].tolist()
                assert middle == expected or (x, y) in too_fine, (x, y)


def test_ends_beside_the_line_are_not_joined_to_it():
    """The line starts in the middle of an edge, passes its node, and stops beside itself."""
    text = "+ S + + +\n+ N + N +\n+ + + + +\n+ N + N +\n+ + + + E"
    line = [(1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0)]
    record = draw(text, SHAPES)
    for length in range(1, len(line) + 1):
        (frame,) = frames_of([record], [line[:length]], capacity=(2, 2))
        assert_frame_shows(frame, record, line[:length])


@pytest.mark.parametrize(("capacity", "pixels"), [((2, 3), 65), ((2, 2), 23)])
def test_a_lattice_that_does_not_fill_the_frame_is_in_its_middle(capacity, pixels):
    record, line = draw("S + .\n+ N +\n+ + E", SHAPES), [(0, 0), (1, 0)]
    rows, cols = (2 * cells + 1 for cells in capacity)
    side = pixels // max(rows, cols)
    top, left = (pixels - side * rows) // 2, (pixels - side * cols) // 2
    pack = build_pack([record], capacity).params("pixels", pixels)
    state = jax.tree.map(lambda field: field[0], play(pack, [line]))
    frame = np.array(observations.observe(pack, state, "pixels"))
    assert observations.space("pixels", rows, cols, 1, pixels).shape == frame.shape
    board = np.s_[top : top + 3 * side, left : left + 3 * side]
    (alone,) = frames_of([record], [line], side, (1, 1))
    np.testing.assert_array_equal(frame[board], alone)
    frame[board] = 150, 156, 164
    assert (frame == (150, 156, 164)).all()


def test_one_compilation_serves_all_puzzles_and_lanes_agree_with_single_calls():
    rng = random.Random(3)
    records = [random_record(rng, rng.randint(1, 4), rng.randint(1, 4)) for _ in range(8)]
    env, params = spatialjax.make("Witness-v0", source=records, observation="pixels", pixels=36)
    reset = jax.jit(chex.assert_max_traces(env.reset_to, n=1))
    singles = [np.asarray(reset(jnp.int32(row), params)[0]) for row in range(len(records))]
    lanes, _ = jax.vmap(env.reset_to, (0, None))(jnp.arange(len(records)), params)
    np.testing.assert_array_equal(np.asarray(lanes), singles)
    assert len({single.tobytes() for single in singles}) > 4


def test_boards_made_on_the_device_have_the_same_pictures():
    """Under jit, as a generator may be."""
    pack = build_pack([random_record(random.Random(4), 2, 3) for _ in range(3)])
    made = jax.jit(make_params, static_argnums=(1, 2))(pack.puzzles, "pixels", 63)
    stored = pack.params("pixels", 63)
    np.testing.assert_array_equal(made.base_observation, stored.base_observation)


@pytest.mark.parametrize("pixels", [0, 19, 65.0, True, 5 * 65])
def test_a_size_that_does_not_fit_is_refused(pixels):
    record = draw("S + .\n+ N +\n+ + E", SHAPES)
    with pytest.raises(ValueError, match="pixels is .*; .*must be a whole number"):
        spatialjax.make(
            "Witness-v0", source=[record], observation="pixels", pixels=pixels, capacity=(2, 2)
        )


def test_missing_pillow_is_named_when_the_environment_is_made():
    code = (
        "import sys; sys.modules['PIL'] = None\n"
        "import spatialjax\n"
        "record = spatialjax.load_records('embedded')[0]\n"
        "spatialjax.make('Witness-v0', source=[record])\n"
        "try: spatialjax.make('Witness-v0', source=[record], observation='pixels')\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'spatialjax[render]'" in done.stdout

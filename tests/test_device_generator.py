"""Boards made on the device: solvable, as asked for, and the same for the same key."""

from collections import Counter
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pytest
from generated import path_of, record_of

from spatialjax.witness.device_choice import with_words
from spatialjax.witness.device_generator import GeneratorConfig, generate_boards, generate_params
from spatialjax.witness.device_plan import draw_counts
from spatialjax.witness.encode import encode_record
from spatialjax.witness.env import Witness
from spatialjax.witness.rules import RULES, broken_rules
from spatialjax.witness.sampling import KINDS, SIZES
from spatialjax.witness.trace import trace_path
from spatialjax.witness.types import ACTION_STEPS, NUM_KINDS, Kind

CONFIG = GeneratorConfig()
COUNT = 512


@pytest.fixture(scope="module")
def boards():
    return generate_boards(jax.random.key(0), COUNT, CONFIG)


@pytest.fixture(scope="module")
def records(boards):
    """Return all boards as records, each with the path that it was made round."""
    puzzles, moves = jax.device_get((boards.puzzles, boards.moves))
    rows = [jax.tree.map(lambda field, i=i: field[i], puzzles) for i in range(COUNT)]
    return [(record_of(row), path_of(row, line)) for row, line in zip(rows, moves, strict=True)]


@jax.jit
def count_broken(boards):
    """Return how many lines break each rule, and on how many boards the rules are undecided."""

    def judge(puzzle, moves, length):
        steps = jnp.array(ACTION_STEPS)[moves.astype(jnp.int32)]
        steps = jnp.where(moves[:, None] >= 0, steps, 0)
        start = jnp.stack(jnp.divmod(puzzle.start, puzzle.dot.shape[1]))[None]
        points = jnp.concatenate([start, start + jnp.cumsum(steps, axis=0)])
        broken, undecided = broken_rules(puzzle, trace_path(puzzle, points, length + 1))
        return jnp.any(broken, axis=(1, 2)), undecided

    broken, undecided = jax.vmap(judge)(boards.puzzles, boards.moves, boards.length)
    return jnp.sum(broken, axis=0), jnp.sum(undecided)


def test_every_board_is_solved_by_its_line(boards):
    broken, undecided = count_broken(boards)
    assert broken.shape == (len(RULES),) and not broken.any() and undecided == 0


@pytest.mark.slow
def test_a_hundred_thousand_boards_are_solved_by_their_lines():
    for number in range(25):
        broken, undecided = count_broken(generate_boards(jax.random.key(number), 4096, CONFIG))
        assert not broken.any() and undecided == 0, f"key {number}"


def test_the_oracle_agrees(records):
    for record, path in records:
        verdict = oracle.check(record, path)
        assert verdict["solved"], verdict["broken"]


def test_arrays_are_those_of_the_records(boards, records):
    puzzles = jax.device_get(boards.puzzles)
    capacity = (*CONFIG.padded, CONFIG.max_shapes)
    for i, (record, _) in enumerate(records):
        expected = vars(encode_record(record, capacity))
        expected["level"] = np.int32(record["difficulty_level"])
        for name, value in vars(puzzles).items():
            np.testing.assert_array_equal(value[i], expected[name], err_msg=name)
            assert value.dtype == expected[name].dtype, name


def test_all_sizes_kinds_and_ends_come_up(boards, records):
    puzzles = jax.device_get(boards.puzzles)
    sizes = Counter(zip(puzzles.width.tolist(), puzzles.height.tolist(), strict=True))
    assert set(sizes) <= set(SIZES)
    for size, weight in SIZES.items():
        assert abs(sizes[size] - COUNT * weight / sum(SIZES.values())) < 15, size
    for code in range(1, 1 + NUM_KINDS):
        assert (puzzles.kind == code).any((1, 2)).mean() > 0.03, code
    assert set(np.unique(puzzles.count[puzzles.kind == Kind.TRIANGLE])) == {1, 2, 3, 4}
    assert 0.3 < puzzles.dot.any((1, 2)).mean() < 0.8 and 0.3 < puzzles.gap.any((1, 2)).mean() < 0.8
    assert set(np.unique(puzzles.level)) == {1, 2, 3, 4, 5}
    assert set(np.unique(puzzles.color)) == set(range(9))
    ends = [path[i] for _, path in records for i in (0, -1)]
    assert 0.3 < np.mean([sum(point) % 2 for point in ends]) < 0.6


def test_ylops_reach_beyond_their_region_and_cancel(records):
    outside = cancelled = 0
    for record, path in records:
        board = oracle.read_board(record)
        for region in oracle.regions(board, set(path)):
            found = [symbol for cell, symbol in board.symbols.items() if cell in region]
            if not any(symbol.kind == "ylop" for symbol in found):
                continue
            polys, ylops = (
                sum(len(symbol.shape) for symbol in found if symbol.kind == kind)
                for kind in ("poly", "ylop")
            )
            cancelled += polys == ylops
            outside += polys == len(region) + ylops
            assert polys - ylops in (0, len(region))
    assert cancelled > 2 and outside > 10


def test_the_key_alone_decides_and_one_compilation_serves_all(boards):
    count = generate_boards._cache_size()
    again = generate_boards(jax.random.key(0), COUNT, CONFIG)
    jax.tree.map(np.testing.assert_array_equal, boards, again)
    other = generate_boards(jax.random.key(1), COUNT, GeneratorConfig())
    assert np.mean(np.all(other.puzzles.kind == boards.puzzles.kind, axis=(1, 2))) < 0.1
    assert generate_boards._cache_size() == count


def test_params_are_played_by_the_rules(boards):
    """Played along its line, every board is solved at the end and not before."""
    params = generate_params(jax.random.key(0), COUNT, CONFIG, observation="none")
    jax.tree.map(np.testing.assert_array_equal, params.puzzles, boards.puzzles)
    env = Witness(observation="none", success="rules")

    @jax.jit
    def play(params, moves):
        def step(episode, action):
            mask = jax.vmap(env.action_mask, (0, None))(episode, params)
            _, episode, reward, terminated, info = jax.vmap(env.step_env, (None, 0, 0, None))(
                jax.random.key(0), episode, action, params
            )
            is_legal = jnp.take_along_axis(mask, jnp.maximum(action, 0)[:, None], axis=1)[:, 0]
            return episode, (is_legal | (action < 0), info["solved"], terminated)

        _, episode = jax.vmap(env.reset_to, (0, None))(jnp.arange(COUNT), params)
        return jax.lax.scan(step, episode, moves.astype(jnp.int32).T)[1]

    is_legal, solved, terminated = play(params, boards.moves)
    assert is_legal.all()
    is_over = np.arange(1, 1 + len(solved))[:, None] >= np.asarray(boards.length)[None, :]
    np.testing.assert_array_equal(terminated, is_over)
    np.testing.assert_array_equal(solved, is_over)


def test_kinds_and_room_for_shapes_are_kept_to():
    config = GeneratorConfig(kinds=("dot", "star", "poly"), max_shapes=3, max_ylops=0)
    areas = jnp.array([4, 9, 16, 36] * 16)
    counts = jax.jit(lambda key: with_words(key, 64, partial(draw_counts, config), areas))(
        jax.random.key(0)
    )
    counts = {name: np.asarray(value) for name, value in counts._asdict().items()}
    for kind in KINDS:
        assert (counts[kind] > 0).any() == (kind in config.kinds), kind
    assert counts["dot"].min() > 0 and counts["poly"].max() == 3
    total = sum(counts[kind] for kind in ("square", "star", "triangle", "poly"))
    assert (total <= np.asarray(areas)).all()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"sizes": ()}, "sizes is empty"),
        ({"sizes": (((4, 0), 1.0),)}, "size 4 x 0"),
        ({"sizes": (((4, 3), -1.0),)}, "weight -1.0"),
        ({"sizes": (((9, 3), 1.0),)}, "9 x 3 cells is too large"),
        ({"capacity": (4, 4)}, "size 2 x 5"),
        ({"kinds": ("dots",)}, "'dots'.*dot, gap"),
        ({"kinds": ("dot", "ylop")}, "without 'poly'"),
        ({"max_shapes": 33}, "max_shapes is 33"),
        ({"max_ylops": 8}, "max_ylops 8"),
        ({"num_sweeps": 0}, "num_sweeps is 0"),
    ],
)
def test_bad_configs_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        GeneratorConfig(**options)


def test_an_unknown_observation_is_refused():
    with pytest.raises(ValueError, match="'plane'.*'planes'"):
        generate_params(jax.random.key(0), 1, CONFIG, observation="plane")

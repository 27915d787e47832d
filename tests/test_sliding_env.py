"""SlidingGeom-v0 and SlidingTile-v0 against plain Python, move for move."""

import dataclasses
import random

import jax
import jax.numpy as jnp
import numpy as np
import oracle_sliding as oracle
import pytest

import spatialjax
from spatialjax.data.sliding import config_board
from spatialjax.sliding.dynamics import action_result
from spatialjax.sliding.generate import generate_sliding, generate_tiles
from spatialjax.sliding.observations import Channel
from spatialjax.sliding.rewards import REWARDS
from spatialjax.sliding.sources import load_host_pack
from spatialjax.sliding.types import COLORS, SHAPES, Result
from spatialjax.solvers.sliding_astar import solve_position

WAYS = ("left", "right", "down", "up")


@pytest.fixture(scope="module")
def configs():
    geoms = generate_sliding(2, seed=1, sizes=(2, 3, 4), geoms=(1, 3), moves=(1, 2))
    return geoms + generate_tiles(1, seed=1, moves=(3, 4))


@pytest.fixture(scope="module")
def made(configs):
    return spatialjax.make(
        "SlidingGeom-v0", source=configs, max_steps=15, capacity=(5, 9), reward="progress_solved"
    )


def test_episodes_equal_plain_python(configs, made):
    """Positions, masks, codes, rewards and flags of random actions, legal or not."""
    env, params = made
    boards = [oracle.read_config(config) for config in configs]
    lanes = jnp.arange(len(boards), dtype=jnp.int32)
    observation, episode = jax.jit(jax.vmap(env.reset_to, (0, None)))(lanes, params)
    step = jax.jit(jax.vmap(env.step_env, (None, 0, 0, None)))
    look = jax.jit(
        jax.vmap(lambda e, a: (env.action_mask(e, params), action_result(params, e.state, a)))
    )
    rng = random.Random(2)
    cells = [oracle.arrangement(board) for board in boards]
    goals = [oracle.arrangement(board, "goal") for board in boards]
    over, seen = [False] * len(boards), set()
    for t in range(env.max_steps):
        actions = np.array([rng.randrange(4 * len(here) + 2) for here in cells], np.int32)
        mask, code = jax.device_get(look(episode, jnp.asarray(actions)))
        before = list(cells)
        for i, board in enumerate(boards):
            legal = oracle.moves(board["n"], cells[i])
            named = {4 * geom + WAYS.index(way) for geom, way in legal}
            if not over[i]:
                assert set(np.flatnonzero(mask[i])) == named
                geom, way = actions[i] // 4, WAYS[actions[i] % 4]
                cells[i] = legal.get((geom, way), cells[i])
                expected = expected_code(board["n"], before[i], geom, way)
                assert code[i] == expected
                seen.add(expected)
        observation, episode, reward, terminated, info = jax.device_get(
            step(jax.random.key(0), episode, jnp.asarray(actions), params)
        )
        for i in range(len(boards)):
            own = observation["positions"][i]
            assert [(c % 5, c // 5) for c in own[: len(cells[i])]] == list(cells[i])
            assert (own[len(cells[i]) :] == -1).all()
            near = [oracle.total_manhattan(at, goals[i]) for at in (before[i], cells[i])]
            begun = oracle.total_manhattan(oracle.arrangement(boards[i]), goals[i])
            solved = cells[i] == goals[i]
            paid = 0.0 if over[i] else (near[0] - near[1]) / begun + solved
            assert reward[i] == pytest.approx(paid)
            late = t + 1 == env.max_steps
            assert info["solved"][i] == terminated[i] == solved
            if not over[i]:
                assert observation["steps"][i] == t + 1
                assert episode.truncated[i] == (late and not solved)
            over[i] = over[i] or solved
    assert sum(over) > 5
    assert seen == {Result.NO_SUCH_GEOM, Result.OUT_OF_BOUNDS, Result.OCCUPIED, Result.MOVED}


def test_progress_is_the_fall_of_the_distance(configs, made):
    """A solution pays 1 in all, and less on the way; `progress_solved` pays 1 more at its end."""
    env, params = made
    rewards = [
        dataclasses.replace(env, reward_function=REWARDS[name])
        for name in ("progress", "progress_solved")
    ]
    for i, config in enumerate(configs[:6]):
        paid = [[], []]
        for env, own in zip(rewards, paid, strict=True):
            _, episode = env.reset_to(i, params)
            for action in solve_position(config_board(config)).actions:
                _, episode, reward, *_ = env.step_env(jax.random.key(0), episode, action, params)
                own.append(float(reward))
        assert sum(paid[0]) == pytest.approx(1.0)
        assert paid[1] == pytest.approx([*paid[0][:-1], paid[0][-1] + 1.0])


def expected_code(n, cells, geom, way):
    if geom >= len(cells):
        return Result.NO_SUCH_GEOM
    dx, dy = oracle.WAYS[way]
    target = cells[geom][0] + dx, cells[geom][1] + dy
    if not (0 <= target[0] < n and 0 <= target[1] < n):
        return Result.OUT_OF_BOUNDS
    return Result.OCCUPIED if target in cells else Result.MOVED


def test_planes_show_every_geom_and_goal(configs):
    env, params = spatialjax.make("SlidingGeom-v0", source=configs, observation="planes")
    for i, config in enumerate(configs):
        planes, _ = env.reset_to(i, params)
        planes, board = np.asarray(planes), config_board(config)
        assert planes.shape == env.observation_space(params).shape
        expected = np.zeros_like(planes)
        expected[: board.size, : board.size, Channel.BOARD] = 1
        for slot in range(len(board)):
            shape = 7 if board.shapes[slot] == "tile" else SHAPES.index(board.shapes[slot]) + 1
            color = COLORS.index(board.colors[slot]) + 1
            for (x, y), names in (
                (board.positions[slot], (Channel.SLOT, Channel.SHAPE, Channel.COLOR)),
                (board.goals[slot], (Channel.GOAL_SLOT, Channel.GOAL_SHAPE, Channel.GOAL_COLOR)),
            ):
                for channel, code in zip(names, (slot + 1, shape, color), strict=True):
                    expected[y, x, channel] = code
        np.testing.assert_array_equal(planes, expected)


def test_the_last_step_solves_and_does_not_truncate(configs):
    config = next(c for c in configs if c["complexity_c1"] == 2 and c["grid_size"] == 4)
    env, params = spatialjax.make("SlidingGeom-v0", source=[config], max_steps=2)
    board = config_board(config)
    _, episode = env.reset_to(0, params)
    for command in spatialjax.solve_sliding(config):
        geom = next(i for i, name in enumerate(board.names) if name in command)
        action = jnp.int32(4 * geom + WAYS.index(command.split()[-1]))
        _, episode, reward, terminated, info = env.step_env(
            jax.random.key(0), episode, action, params
        )
    assert terminated and not episode.truncated and info["solved"] and reward == 1.0
    assert info["path_length"] == info["optimal_length"] == 2


@pytest.mark.parametrize("subset, split, side", [("geoms", "test", 4), ("tiles", "train", 4)])
def test_embedded_sets_load(subset, split, side):
    pack = load_host_pack("embedded", subset, split)
    assert pack.capacity[0] == side and len(set(pack.ids)) == len(pack)
    larger = load_host_pack("embedded", subset, split, capacity=(5, 20))
    assert larger.capacity == (5, 20) and larger.hash == pack.hash


def test_training_boards_are_not_those_of_the_test():
    def arrangements(split):
        pack = load_host_pack("embedded", "geoms", split)
        return {
            frozenset(zip(board.positions, board.goals, strict=True))
            for board in map(pack.board, range(len(pack)))
        }

    assert not arrangements("train") & arrangements("test")


@pytest.mark.parametrize(
    "options, words",
    [
        ({"reward": "progres"}, "did you mean 'progress'"),
        ({"observation": "plane"}, "did you mean 'planes'"),
        ({"max_steps": 0}, "max_steps is 0"),
        ({"traceback": True}, "option is 'traceback'"),
        ({"split": "trian"}, "no subset 'geoms' with split 'trian'"),
        ({"capacity": (3, 3), "split": "test"}, "SJX_b_4"),
    ],
)
def test_bad_options_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        spatialjax.make("SlidingGeom-v0", **options)


@pytest.mark.parametrize(
    "source, words",
    [
        ("nosuch", "nosuch: there is no such file"),
        ("", "the source is ''"),
        ("x" * 300, "the path cannot be followed"),
        ("~nosuchuser/boards", "the path cannot be followed"),
        (3, "source is 3; it must be a name, a path, a list of configs"),
        ({"grid_size": 4}, "it must be a name, a path, a list of configs"),
        ([], "it holds no records"),
    ],
)
def test_bad_sources_are_named(source, words):
    with pytest.raises(spatialjax.PuzzleError, match=words):
        spatialjax.make("SlidingGeom-v0", source=source)

"""The exact solvers against breadth-first search, the embedded boards, and each other."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from oracle_sliding import arrangement, distances_to, moves, read_config
from sliding_boards import published_files

from agents.paths import PUBLISHED_SLIDING
from spatialjax import PuzzleError, solve_sliding
from spatialjax.data.embedded.sliding import RECIPES, load_set
from spatialjax.data.sliding import board_config, config_board
from spatialjax.data.sliding_files import load_configs
from spatialjax.sliding.commands import play_command
from spatialjax.sliding.estimate import linear_conflict, manhattan
from spatialjax.sliding.generate import generate_set, generate_sliding
from spatialjax.sliding.pack import build_pack
from spatialjax.sliding.types import DIRECTION_STEPS
from spatialjax.solvers.ida_star import exact_distance
from spatialjax.solvers.sliding_astar import Status, solve_board, solve_position

WAYS = ("left", "right", "down", "up")
SIDE, SLOTS, BUDGET = 3, 8, 2000
CELLS = jnp.arange(SIDE * SIDE, dtype=jnp.int8).reshape(SIDE, SIDE)


@pytest.fixture(scope="module")
def boards():
    """2,000 arrangements of 3 x 3 boards as (start, goal, exact distance)."""
    rng, found = random.Random(0), []
    for count, goals in ((1, 5), (2, 5), (3, 5), (4, 5), (5, 3), (6, 1), (8, 1)):
        for _ in range(goals):
            cells = [(x, y) for x in range(SIDE) for y in range(SIDE)]
            goal = tuple(rng.sample(cells, count))
            distances = distances_to(SIDE, goal)
            starts = rng.sample(sorted(distances), min(80, len(distances)))
            found += [(start, goal, distances[start]) for start in starts]
    return found[:2000]


def cells_of(points, size=SIDE):
    return [x + size * y for x, y in points]


def padded(cells):
    return cells + [-1] * (SLOTS - len(cells))


def test_both_solvers_equal_breadth_first_search(boards):
    starts = jnp.array([padded(cells_of(start)) for start, _, _ in boards], jnp.int8)
    goals = jnp.array([padded(cells_of(goal)) for _, goal, _ in boards], jnp.int8)
    truth = np.array([distance for _, _, distance in boards])
    assert len(truth) > 1500 and truth.max() > 20

    @jax.jit
    @jax.vmap
    def run(start, goal):
        bounds = manhattan(start, goal, SIDE), linear_conflict(start, goal, CELLS)
        return exact_distance(start, goal, jnp.int32(SIDE), CELLS, BUDGET), bounds

    found, (near, conflict) = jax.device_get(run(starts, goals))
    assert (near + conflict <= truth).all() and (conflict > 0).sum() > 50
    np.testing.assert_array_equal(found.distance[found.exact], truth[found.exact])
    assert (found.distance <= truth).all() and found.exact.mean() > 0.9
    for i, (start, goal, distance) in enumerate(boards):
        solution = solve_board(SIDE, cells_of(start), cells_of(goal))
        assert solution.status == Status.SOLVED and len(solution.actions) == distance
        assert replay(SIDE, start, solution.actions) == goal
        if found.exact[i]:
            own = found.actions[i, :distance].tolist()
            assert replay(SIDE, start, own) == goal and (found.actions[i, distance:] == -1).all()


def replay(size, cells, actions):
    for action in actions:
        geom, direction = divmod(action, 4)
        cells = moves(size, cells)[geom, WAYS[direction]]
    return cells


def test_a_goal_out_of_reach_and_a_budget_too_small():
    swapped = [1, 0, *range(2, 8)]
    assert solve_board(3, swapped, list(range(8))).status == Status.UNREACHABLE
    assert solve_board(3, [8, 7, 6, 5], [0, 1, 2, 3], max_states=50).status == Status.GAVE_UP
    start, goal = (jnp.array(cells, jnp.int8) for cells in ([1, 0, 2], [2, 1, 0]))
    found = exact_distance(start, goal, jnp.int32(3), CELLS, budget=1)
    assert not found.exact and (found.actions == -1).all()


def test_interference_of_the_specification():
    """Two geoms that swap, and three in reverse: four and eight moves on 4 x 4 cells."""
    assert len(solve_board(4, [0, 1], [1, 0]).actions) == 4
    assert len(solve_board(4, [0, 1, 2], [2, 1, 0]).actions) == 8


@pytest.mark.parametrize("split, count", [("test", 300), ("hard", 200)])
def test_embedded_boards_have_the_length_they_say(split, count):
    pack = load_set("geoms", split)
    assert len(pack) == count
    for i in range(count):
        solution = solve_position(pack.board(i))
        assert len(solution.actions) == pack.puzzles.optimal_length[i], pack.ids[i]


def test_the_benchmark_set_is_made_again_the_same():
    configs = generate_set(RECIPES["geoms/test"])
    assert build_pack(configs).hash == load_set("geoms", "test").hash


def test_commands_of_a_solution_solve_the_board():
    for config in generate_sliding(1, seed=7, geoms=(3, 6), moves=(4, 8)):
        board = read_config(config)
        start, goal = arrangement(board), arrangement(board, "goal")
        assert len(solve_sliding(config)) == config["complexity_c1"]
        host = config_board(config)
        for command in solve_sliding(config):
            _, host = play_command(host, command)
        assert host.positions == goal != start


def test_solve_sliding_names_what_it_cannot_solve():
    config = generate_sliding(1, seed=3, sizes=(3,), geoms=(6,), moves=(6,))[0]
    with pytest.raises(ValueError, match="more than 2 arrangements"):
        solve_sliding(config, max_states=2)
    with pytest.raises(PuzzleError, match="grid_size"):
        solve_sliding(config | {"grid_size": 99})


def test_published_lengths():
    assert len(published_files()) == 83
    for config in load_configs(PUBLISHED_SLIDING):
        stored = config["complexity_c1"]
        assert len(solve_sliding(config)) == stored, config["config_instance_id"]


def test_generated_sets_are_what_they_say():
    options = {"sizes": (3, 4), "geoms": (2, 5), "moves": (2, 6)}
    configs = generate_sliding(2, seed=5, **options)
    assert configs == generate_sliding(2, seed=5, **options)
    assert configs != generate_sliding(2, seed=6, **options)
    assert len({config["config_instance_id"] for config in configs}) == len(configs) == 16
    for config in configs:
        board = config_board(config)
        assert config["complexity_c2"] == 0 and board.distance == config["complexity_c1"]
        commands = config["shortest_move_sequence"][1:]
        assert board_config(board, commands, "X")["landmarks"] == config["landmarks"]


def test_boards_with_interference_have_it():
    configs = generate_sliding(
        2, seed=1, sizes=(3,), geoms=None, moves=None, interference=(1, 2), num_shapes=3
    )
    assert sorted(config["complexity_c2"] for config in configs) == [1, 1, 2, 2]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"per_bin": 0}, "per_bin is 0"),
        ({"sizes": (9,)}, "size 9"),
        ({"sizes": (2,), "geoms": (4,)}, "4 geoms"),
        ({"geoms": None}, "needs its geoms"),
        ({"num_colors": 7}, "num_colors 7"),
        ({"sizes": (2,), "geoms": (1,), "moves": (9,)}, "2x2 cells, 1 geoms, c1 9"),
    ],
)
def test_bins_that_cannot_be_filled_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        generate_sliding(**({"per_bin": 1} | options))


def test_directions_are_those_of_the_commands():
    steps = {"left": (-1, 0), "right": (1, 0), "down": (0, -1), "up": (0, 1)}
    assert [steps[way] for way in WAYS] == list(DIRECTION_STEPS)

"""The line-puzzle environment against the plain-Python reading of Spatial-Gym, and by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from boards import draw, with_solutions
from episodes import batched, play, symmetric_records
from oracle import MOVES
from symmetries import transform_point

import spatialjax
from spatialjax.witness.pack import build_pack
from spatialjax.witness.types import Action

RIGHT, UP, LEFT, DOWN = Action


@pytest.fixture(scope="module")
def own_pack():
    return build_pack(symmetric_records())


@pytest.fixture(scope="module")
def published_pack(published):
    return build_pack(published)


def make(source, **options):
    return spatialjax.make("Witness-v0", source=source, observation="none", **options)


def run(env, params, actions, row=0):
    """Play actions on one puzzle; return the rewards, and the last terminated and info."""
    reset_to, step_env, _ = batched(env)
    _, episode = reset_to(jnp.full(1, row, jnp.int32), params)
    rewards = []
    for action in actions:
        _, episode, reward, terminated, info = step_env(
            jax.random.key(0), episode, jnp.full(1, action, jnp.int32), params
        )
        rewards.append(round(float(reward[0]), 6))
    return rewards, bool(terminated[0]), jax.tree.map(lambda x: x[0].item(), info)


# ---- drop-in semantics ----


@pytest.mark.parametrize("traceback", [False, True])
def test_episodes_equal_the_oracle(own_pack, traceback):
    """With success by the rules, which agrees with complete lists of solutions, empty ones too."""
    env, params = make(own_pack, traceback=traceback, reward="spatial_gym", max_steps=16)
    rows = list(range(len(own_pack))) * 3
    seen = play([env], params, symmetric_records(), rows, seed=traceback)
    assert min(seen[name] for name in ("solved", "failed", "late", "illegal")) > 10
    assert traceback or seen["stuck"] > 10


@pytest.mark.parametrize("traceback", [False, True])
def test_published_episodes_equal_the_oracle(published, published_pack, traceback):
    """With success by the solutions and by the rules, which agree at every end."""
    options = {"traceback": traceback, "reward": "spatial_gym", "max_steps": 30}
    env, params = make(published_pack, success="solutions", **options)
    by_rules, _ = make(published_pack, success="rules", **options)
    seen = play([env, by_rules], params, published, range(len(published)), seed=2 + traceback)
    assert min(seen[name] for name in ("solved", "failed", "late", "illegal")) > 10
    assert traceback or seen["stuck"] > 10


def test_rewards_turn_with_the_board(own_pack):
    """Actions turned with the board pay the same on all eight boards that are one."""
    env, params = make(own_pack, traceback=True, reward="spatial_gym", max_steps=16)
    reset_to, step_env, mask = batched(env)
    count = len(own_pack) // 8
    turned = np.array([[_turn(action, k) for action in range(4)] for k in range(8)])
    rng = np.random.default_rng(0)
    # Three episodes a board side by side: the lanes of the test before, so compiled already.
    _, episode = reset_to(jnp.array([*range(8 * count)] * 3, jnp.int32), params)
    for _ in range(env.max_steps):
        masks = np.asarray(mask(episode, params)).reshape(3, 8, count, 4)
        for k in range(1, 8):
            np.testing.assert_array_equal(masks[:, k][..., turned[k]], masks[:, 0])
        chosen = np.array(
            [[rng.choice(np.flatnonzero(row)) for row in rows] for rows in masks[:, 0]]
        )
        actions = np.moveaxis(turned[:, chosen], 0, 1).reshape(-1)
        _, episode, reward, terminated, info = step_env(
            jax.random.key(0), episode, jnp.array(actions, jnp.int32), params
        )
        for values in (reward, terminated, episode.truncated, info["solved"]):
            values = np.asarray(values).reshape(3, 8, count)
            np.testing.assert_array_equal(values, np.broadcast_to(values[:, :1], values.shape))
    assert terminated.any()


def _turn(action, k):
    """Return the action that symmetry `k` makes of one."""
    (x0, y0), (x1, y1) = (transform_point(p, k, 9, 9) for p in ((4, 4), _add((4, 4), action)))
    return MOVES.index((x1 - x0, y1 - y0))


def _add(point, action):
    return point[0] + MOVES[action][0], point[1] + MOVES[action][1]


# ---- by hand ----

SQUARE = draw("""
    S + +
    + N +
    + + E
""")
SOLVED = with_solutions(SQUARE, [[(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)]]) | {"id": "solved"}


@pytest.fixture(scope="module")
def by_rules():
    """Three puzzles in one pack, so that all tests by the rules share a compilation: one with a
    solution, one without, one whose start is enclosed.
    """
    enclosed = draw("S G +\nG N +\n+ + E") | {"id": "enclosed"}
    return make([SOLVED, SQUARE, enclosed], reward="spatial_gym", traceback=True)


@pytest.mark.parametrize(
    ("reward", "actions", "expected"),
    [
        ("outcome", [RIGHT, RIGHT, DOWN, DOWN], [0, 0, 0, 1]),
        ("outcome", [DOWN, DOWN, RIGHT, RIGHT], [0, 0, 0, -1]),
        ("outcome", [UP, LEFT, UP, 7], [0, 0, 0, 0]),
        ("spatial_gym", [RIGHT, RIGHT, DOWN, DOWN], [0.01, 0.01, 0.01, 1]),
        ("spatial_gym", [DOWN, DOWN, RIGHT, RIGHT], [-0.01, -0.01, -0.01, -1]),
        ("spatial_gym", [UP, RIGHT, UP, 7], [0, 0.01, 0, 0]),
        ("spatial_gym", [DOWN, UP, RIGHT, LEFT], [-0.01, 0.01, 0.01, 0.01]),
        ("prefix", [RIGHT, RIGHT, DOWN, DOWN], [0, 0, 0, 1]),
        ("prefix", [DOWN, UP, DOWN, UP], [-1, 0, -1, 0]),
    ],
)
def test_rewards_by_hand(reward, actions, expected):
    env, params = make([SOLVED], reward=reward, success="solutions", traceback=True)
    rewards, terminated, info = run(env, params, actions)
    assert rewards == expected
    assert terminated == (abs(expected[-1]) == 1) and info["solved"] == (expected[-1] == 1)
    assert (info["steps"], info["optimal_length"]) == (4, 4)
    if reward == "spatial_gym":
        assert info["invalid_actions"] == expected.count(0)


def test_a_line_not_stored_may_solve_by_the_rules(by_rules):
    rewards, terminated, info = run(*by_rules, [DOWN, DOWN, RIGHT, RIGHT])
    assert rewards == [-0.01, -0.01, -0.01, 1] and terminated and info["solved"]


def test_the_start_begins_no_solution_where_none_is_stored(by_rules):
    assert run(*by_rules, [DOWN, UP, RIGHT], row=1)[0] == [-0.01, -0.01, -0.01]


def test_a_function_of_ones_own_is_the_reward():
    def head(pack, state, next_state, outcome):
        return (next_state.position + outcome.moved.astype(jnp.int32)).astype(jnp.float32)

    env, params = make([SOLVED], reward=head, success="solutions")
    assert run(env, params, [RIGHT, UP, RIGHT])[0] == [2, 1, 3]


DEAD_END = with_solutions(
    draw("""
        S + + + +
        + N + N +
        + + + + E
    """),
    [[(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (3, 2), (4, 2)]],
)
LOOP = [RIGHT, RIGHT, DOWN, DOWN, LEFT, LEFT, UP]


def test_a_dead_end_terminates():
    env, params = make([DEAD_END], success="solutions")
    rewards, terminated, info = run(env, params, LOOP)
    assert rewards == [0] * 6 + [-1] and terminated and not info["solved"]
    assert (info["path_length"], info["invalid_actions"], info["optimal_length"]) == (7, 0, 6)


def test_stepping_back_leaves_a_dead_end():
    env, params = make([DEAD_END], success="solutions", traceback=True)
    rewards, terminated, info = run(env, params, [*LOOP, UP, DOWN, RIGHT])
    assert rewards == [0] * 10 and not terminated
    assert (info["path_length"], info["invalid_actions"], info["steps"]) == (5, 1, 10)


def test_an_enclosed_start_ends_with_the_first_step(by_rules):
    """Also with `traceback`: before the first step there is no way back either."""
    env, params = by_rules
    reset_to, _, mask = batched(env)
    _, episode = reset_to(jnp.full(1, 2, jnp.int32), params)
    assert mask(episode, params).all()
    rewards, terminated, info = run(env, params, [RIGHT, DOWN], row=2)
    assert rewards == [-1, 0] and terminated
    assert (info["steps"], info["invalid_actions"], info["path_length"]) == (1, 1, 0)


def test_the_end_at_the_step_limit_is_no_truncation():
    env, params = make([SOLVED], success="solutions", max_steps=4)
    reset_to, step_env, _ = batched(env)
    _, episode = reset_to(jnp.zeros(1, jnp.int32), params)
    for action in (RIGHT, RIGHT, DOWN, DOWN):
        chosen = jnp.full(1, action, jnp.int32)
        _, episode, reward, *_ = step_env(jax.random.key(0), episode, chosen, params)
    assert episode.terminated.all() and not episode.truncated.any() and reward[0] == 1


def test_the_longest_line_fits_its_state():
    """A snake over all nodes of the largest board there may be, walked back and forth again."""
    tokens = [["N" if x % 2 and y % 2 else "+" for x in range(17)] for y in range(17)]
    tokens[0][0], tokens[16][16] = "S", "E"
    snake, line = [], [(0, 0)]
    for row in range(9):
        snake += [LEFT if row % 2 else RIGHT] * 16 + [DOWN] * 2
    snake = snake[:160]
    for action in snake:
        line.append(_add(line[-1], action))
    record = with_solutions(draw("\n".join(" ".join(row) for row in tokens)), [line])
    env, params = make([record], success="solutions", traceback=True, max_steps=500)
    back = [action ^ 2 for action in snake[-2::-1]]
    _, terminated, info = run(env, params, [*snake[:-1], *back])
    assert not terminated and info["path_length"] == info["invalid_actions"] == 0
    _, terminated, info = run(env, params, [*snake[:-1], *back, *snake])
    assert terminated and info["solved"] and info["path_length"] == 160


# ---- making one ----


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trace_back": True}, "option is 'trace_back'; did you mean 'traceback'"),
        ({"spilt": "test"}, "option is 'spilt'; did you mean 'split'"),
        ({"reward_function": max}, "option is 'reward_function'"),
        ({"default_params": None}, "option is 'default_params'"),
        ({"max_steps": 0}, "max_steps is 0; it must be"),
        ({"max_steps": 2.5}, "max_steps is 2.5; it must be"),
        ({"max_steps": True}, "max_steps is True; it must be"),
        ({"max_steps": 2**31}, "max_steps is 2147483648; it must be .* 1 to 2147483647"),
        ({"observation": np.zeros(2)}, "observation is array"),
        ({"traceback": "no"}, "traceback is 'no'; it must be True or False"),
        ({"success": "rule"}, "success is 'rule'; did you mean 'rules'"),
        ({"success": None}, "success is None; it must be one of"),
        ({"observation": "plane"}, "observation is 'plane'; did you mean 'planes'"),
        ({"reward": "spatial-gym"}, "reward is 'spatial-gym'; did you mean 'spatial_gym'"),
        ({"reward": 3}, "reward is 3; it must be a function or a name"),
        ({"capacity": (0, 3)}, "capacity is .0, 3.; it must be"),
        ({"capacity": 3}, "capacity is 3; it must be"),
        ({"capacity": (1.0, 3)}, "capacity is .1.0, 3.; it must be"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        spatialjax.make("Witness-v0", source=[SQUARE], **options)


def test_success_by_solutions_needs_solutions():
    with pytest.raises(spatialjax.PuzzleError, match="'0000000000000000' stores no solutions"):
        make([SOLVED, SQUARE], success="solutions")


def test_records_at_hand_are_validated():
    with pytest.raises(spatialjax.PuzzleError, match="record 1 .*solutions.0..path"):
        make([SOLVED, with_solutions(SQUARE, [[(0, 0), (2, 2)]])])
    with pytest.raises(spatialjax.PuzzleError, match="record 0"):
        make([7])


def test_equal_options_make_equal_environments(own_pack):
    first, params = make(own_pack, reward="spatial_gym")
    second, _ = make([SQUARE], reward="spatial_gym")
    assert first == second and hash(first) == hash(second)
    assert first != make([SQUARE])[0]
    assert first.num_puzzles(params) == len(own_pack) and first.num_actions == 4


def test_the_prefix_reward_needs_solutions():
    record = {name: value for name, value in SOLVED.items() if name != "solutions"}
    with pytest.raises(
        spatialjax.PuzzleError, match="stores no solutions, which reward='prefix' needs"
    ):
        make([record | {"solution_count": 0}], success="rules", reward="prefix")

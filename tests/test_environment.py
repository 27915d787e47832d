"""The contract of `spatialjax.core.environment`, sentence by sentence, on every environment."""

import functools
import random

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from boards import solvable_record

import spatialjax
from spatialjax.core.registry import register
from spatialjax.sliding.generate import generate_sliding, generate_tiles

KEYS = {
    "solved", "undecided", "puzzle_index", "steps", "path_length", "optimal_length",
    "invalid_actions", "terminated", "truncated", "final_observation",
}  # fmt: skip


def witness_records(count=12, seed=0):
    rng = random.Random(seed)
    sizes = [(2, 2), (3, 2), (2, 3), (3, 3)]
    return [solvable_record(rng, *sizes[i % 4], list_solutions=True)[0] for i in range(count)]


def geom_configs():
    return generate_sliding(2, sizes=(2, 3), geoms=(2, 3), moves=(1, 2))


def tile_configs():
    return generate_tiles(2, moves=(2, 3, 4, 5))


SOURCES = {
    "SlidingGeom-v0": geom_configs,
    "SlidingTile-v0": tile_configs,
    "Witness-v0": witness_records,
}
# Each environment with options that compile quickly, and with all that it can do.
QUICK = {
    "SlidingGeom-v0": {"observation": "planes"},
    "SlidingTile-v0": {"observation": "none"},
    "Witness-v0": {"success": "solutions"},
}
WHOLE = {
    "SlidingGeom-v0": {"observation": "array", "reward": "progress"},
    "SlidingTile-v0": {"observation": "array"},
    "Witness-v0": {"success": "rules", "traceback": True, "observation": "vector"},
}
LANES = 32


@functools.cache
def make(env_id, whole):
    options = (WHOLE if whole else QUICK)[env_id]
    return spatialjax.make(env_id, source=SOURCES[env_id](), max_steps=12, **options)


@pytest.fixture(params=sorted(SOURCES))
def made(request):
    return make(request.param, False)


@pytest.fixture(
    params=[(env_id, whole) for env_id in sorted(SOURCES) for whole in (False, True)],
    ids=lambda pair: f"{pair[0]}-{'whole' if pair[1] else 'quick'}",
)
def made_both(request):
    return make(*request.param)


@functools.cache
def batched(env):
    """Return the calls of an environment over lanes; all tests share these compilations."""
    reset = jax.jit(jax.vmap(env.reset, (0, None)))
    step = jax.jit(jax.vmap(env.step, (0, 0, 0, None)))
    step_env = jax.jit(jax.vmap(env.step_env, (0, 0, 0, None)))
    mask = jax.jit(jax.vmap(env.action_mask, (0, None)))
    return reset, step, step_env, mask


@functools.cache
def batched_reset_to(env):
    return jax.jit(jax.vmap(env.reset_to, (0, None)))


def compiled_once(function):
    """Return the jitted function, which refuses to be traced a second time."""
    traces = []

    def traced(*args):
        traces.append(args)
        assert len(traces) == 1, f"{function.__name__} is traced again"
        return function(*args)

    return jax.jit(traced)


@functools.cache
def single_step(env):
    """Return `step` on one lane; all tests share its one compilation."""
    return compiled_once(env.step)


def keys(seed=0, count=LANES):
    return jax.random.split(jax.random.key(seed), count)


def all_lanes(action):
    return jnp.full(LANES, action, jnp.int32)


def legal(mask, rng):
    return np.array([rng.choice(np.flatnonzero(row)) for row in np.asarray(mask)], np.int32)


def test_every_registered_environment_is_tested():
    assert spatialjax.available() == sorted(SOURCES)


def test_an_id_is_taken_once():
    with pytest.raises(ValueError, match="'Witness-v0' is taken"):
        register("Witness-v0", lambda: None)


def test_an_unknown_id_names_the_closest():
    with pytest.raises(ValueError, match="did you mean 'Witness-v0'"):
        spatialjax.make("Witnes-v0")


def test_environment_is_static(made):
    env, params = made
    assert hash(env) == hash(env) and env == env
    assert env.default_params is params
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(params))


def test_shapes_and_dtypes(made):
    env, params = made
    reset, step, *_ = batched(env)
    observation, episode = reset(keys(), params)
    space = env.observation_space(params)
    assert observation.shape == (LANES, *space.shape) and observation.dtype == space.dtype
    out = step(keys(), episode, all_lanes(0), params)
    observation, following, reward, terminated, truncated, info = out
    assert observation.shape == (LANES, *space.shape) and observation.dtype == space.dtype
    assert reward.shape == (LANES,) and reward.dtype == jnp.float32
    assert terminated.dtype == truncated.dtype == jnp.bool_
    assert set(info) == KEYS
    chex.assert_trees_all_equal_shapes_and_dtypes(episode, following)
    for leaf in jax.tree.leaves(episode):
        assert jnp.issubdtype(leaf.dtype, jnp.integer) or leaf.dtype == jnp.bool_
    assert bool(space.contains(observation[0]))
    assert bool(env.action_space(params).contains(jnp.int32(env.num_actions - 1)))


def test_reset_draws_every_puzzle(made):
    env, params = made
    _, episode = batched(env)[0](keys(count=600), params)
    counts = np.bincount(np.asarray(episode.state.puzzle_index), minlength=env.num_puzzles(params))
    assert counts.min() > 0.4 * counts.mean()


def test_reset_to_takes_the_chosen_puzzle(made):
    env, params = made
    rows = jnp.arange(env.num_puzzles(params))
    observation, episode = batched_reset_to(env)(rows, params)
    np.testing.assert_array_equal(episode.state.puzzle_index, rows)
    again, _ = batched_reset_to(env)(rows[::-1], params)
    np.testing.assert_array_equal(observation, again[::-1])


@pytest.mark.parametrize("action", [-1, 99])
def test_an_illegal_action_costs_a_step_and_nothing_else(made, action):
    env, params = made
    reset, _, step_env, _ = batched(env)
    observation, episode = reset(keys(), params)
    seen, after, reward, terminated, _ = step_env(keys(), episode, all_lanes(action), params)
    np.testing.assert_array_equal(seen, observation)
    chex.assert_trees_all_equal(after.state, episode.state)
    np.testing.assert_array_equal(after.steps, 1)
    np.testing.assert_array_equal(after.invalid_actions, 1)
    assert not terminated.any() and not reward.any()


def test_the_step_limit_truncates_and_nothing_else(made):
    env, params = made
    reset, _, step_env, _ = batched(env)
    _, episode = reset(keys(), params)
    for step in range(env.max_steps):
        assert not episode.truncated.any()
        _, episode, reward, terminated, _ = step_env(keys(), episode, all_lanes(-1), params)
        assert not terminated.any(), step
    assert episode.truncated.all()
    np.testing.assert_array_equal(reward, -1.0)


def test_a_step_after_the_end_changes_nothing(made):
    env, params = made
    reset, _, step_env, mask = batched(env)
    rng = np.random.default_rng(0)
    _, episode = reset(keys(), params)
    for _ in range(env.max_steps):
        _, episode, *_ = step_env(keys(), episode, legal(mask(episode, params), rng), params)
    assert (episode.terminated | episode.truncated).all() and episode.terminated.any()
    for action in range(env.num_actions):
        _, after, reward, terminated, _ = step_env(keys(), episode, all_lanes(action), params)
        chex.assert_trees_all_equal(after, episode)
        np.testing.assert_array_equal(terminated, episode.terminated)
        assert not reward.any()
    assert mask(episode, params).any(axis=1).all()


def test_step_is_step_env_with_a_reset(made):
    """Reward, flags and info are of the old episode; observation and episode of the new one."""
    env, params = made
    reset, step, step_env, mask = batched(env)
    rng = np.random.default_rng(1)
    observation, episode = reset(keys(), params)
    ends = 0
    for t in range(30):
        actions = legal(mask(episode, params), rng)
        out = step_env(keys(t), episode, actions, params), step(keys(t), episode, actions, params)
        (last, ended, reward, terminated, info), (seen, following, *rest) = jax.device_get(out)
        np.testing.assert_array_equal(rest[0], reward)
        np.testing.assert_array_equal(rest[1], terminated)
        np.testing.assert_array_equal(rest[2], ended.truncated)
        np.testing.assert_array_equal(rest[3]["final_observation"], last)
        for name, value in info.items():
            np.testing.assert_array_equal(rest[3][name], value)
        over = ended.terminated | ended.truncated
        ends += over.sum()
        for new, old in zip(jax.tree.leaves(following), jax.tree.leaves(ended), strict=True):
            np.testing.assert_array_equal(new[~over], old[~over])
        np.testing.assert_array_equal(seen[~over], last[~over])
        np.testing.assert_array_equal(following.steps[over], 0)
        assert not (following.terminated | following.truncated).any()
        expected, _ = batched_reset_to(env)(following.state.puzzle_index, params)
        np.testing.assert_array_equal(seen[over], np.asarray(expected)[over])
        episode = following
    assert ends > LANES


def test_a_shared_key_draws_different_puzzles_and_the_key_matters(made):
    env, params = made
    reset, _, _, _ = batched(env)
    step = jax.jit(jax.vmap(env.step, (None, 0, 0, None)))
    _, episode = reset(keys(), params)
    for _ in range(env.max_steps - 1):
        episode = episode.replace(steps=all_lanes(env.max_steps - 1))
        drawn = [
            step(jax.random.key(seed), episode, all_lanes(-1), params)[1] for seed in (0, 0, 1)
        ]
        rows = [np.asarray(one.state.puzzle_index) for one in drawn]
        np.testing.assert_array_equal(rows[0], rows[1])
        assert (rows[0] != rows[2]).any() and len(set(rows[0].tolist())) > 4
        episode = drawn[2]
    raw = step(jax.random.PRNGKey(1), episode, all_lanes(-1), params)
    typed = step(jax.random.key(1), episode, all_lanes(-1), params)
    chex.assert_trees_all_equal(raw, typed)


def test_jit_and_vmap_agree_and_lanes_are_independent(made_both):
    env, params = made_both
    reset, step, _, mask = batched(env)
    rng = np.random.default_rng(2)
    _, episodes = reset(keys(), params)
    for t in range(8):
        actions = legal(mask(episodes, params), rng)
        together = step(keys(t), episodes, actions, params)
        for lane in (0, 7):
            one = jax.tree.map(lambda x, lane=lane: x[lane], episodes)
            alone = single_step(env)(keys(t)[lane], one, jnp.int32(actions[lane]), params)
            chex.assert_trees_all_equal(alone, jax.tree.map(lambda x, i=lane: x[i], together))
        episodes = together[1]


@pytest.mark.parametrize("env_id", sorted(SOURCES))
def test_plain_calls_agree_with_jit(env_id):
    env, params = make(env_id, True)
    key = jax.random.key(3)
    _, episode = jax.jit(env.reset)(key, params)
    compiled = single_step(env)(key, episode, jnp.int32(0), params)
    for is_disabled in (False, True):
        with jax.disable_jit(is_disabled):
            plain = env.step(key, episode, jnp.int32(0), params)
        chex.assert_trees_all_equal(plain, compiled)


def test_one_compilation_serves_all_puzzles(made_both):
    env, params = made_both
    reset_to = compiled_once(env.reset_to)
    for row in range(env.num_puzzles(params)):
        _, episode = reset_to(jnp.int32(row), params)
        single_step(env)(jax.random.key(row), episode, jnp.int32(row % env.num_actions), params)

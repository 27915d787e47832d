"""The contract of `spatialjax.core.environment`, sentence by sentence, on every registered environment."""

import random

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from boards import solvable_record

import spatialjax
from spatialjax.core.registry import register

KEYS = {
    "solved", "undecided", "puzzle_index", "steps", "path_length", "optimal_length",
    "invalid_actions", "terminated", "truncated", "final_observation",
}  # fmt: skip


def witness_records(count=12, seed=0):
    rng = random.Random(seed)
    sizes = [(2, 2), (3, 2), (2, 3), (3, 3)]
    return [solvable_record(rng, *sizes[i % 4], list_solutions=True)[0] for i in range(count)]


SOURCES = {"Witness-v0": witness_records}


@pytest.fixture(scope="module", params=sorted(SOURCES))
def made(request):
    return spatialjax.make(request.param, source=SOURCES[request.param](), max_steps=12)


def batched(env):
    reset = jax.jit(jax.vmap(env.reset, (0, None)))
    step = jax.jit(jax.vmap(env.step, (0, 0, 0, None)))
    step_env = jax.jit(jax.vmap(env.step_env, (0, 0, 0, None)))
    mask = jax.jit(jax.vmap(env.action_mask, (0, None)))
    return reset, step, step_env, mask


def keys(count, seed=0):
    return jax.random.split(jax.random.key(seed), count)


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
    observation, episode = reset(keys(4), params)
    space = env.observation_space(params)
    assert observation.shape == (4, *space.shape) and observation.dtype == space.dtype
    out = step(keys(4), episode, jnp.zeros(4, jnp.int32), params)
    observation, following, reward, terminated, truncated, info = out
    assert observation.shape == (4, *space.shape) and observation.dtype == space.dtype
    assert reward.shape == (4,) and reward.dtype == jnp.float32
    assert terminated.dtype == truncated.dtype == jnp.bool_
    assert set(info) == KEYS
    chex.assert_trees_all_equal_shapes_and_dtypes(episode, following)
    for leaf in jax.tree.leaves(episode):
        assert jnp.issubdtype(leaf.dtype, jnp.integer) or leaf.dtype == jnp.bool_
    assert bool(space.contains(observation[0]))
    assert bool(env.action_space(params).contains(jnp.int32(env.num_actions - 1)))


def test_reset_draws_every_puzzle(made):
    env, params = made
    _, episode = batched(env)[0](keys(600), params)
    counts = np.bincount(np.asarray(episode.state.puzzle_index), minlength=env.num_puzzles(params))
    assert counts.min() > 0.4 * counts.mean()


def test_reset_to_takes_the_chosen_puzzle(made):
    env, params = made
    rows = jnp.arange(env.num_puzzles(params))
    observation, episode = jax.vmap(env.reset_to, (0, None))(rows, params)
    np.testing.assert_array_equal(episode.state.puzzle_index, rows)
    again, _ = jax.vmap(env.reset_to, (0, None))(rows, params)
    np.testing.assert_array_equal(observation, again)


@pytest.mark.parametrize("action", [-1, 99])
def test_an_illegal_action_costs_a_step_and_nothing_else(made, action):
    env, params = made
    reset, _, step_env, _ = batched(env)
    observation, episode = reset(keys(8), params)
    seen, after, reward, terminated, _ = step_env(
        keys(8), episode, jnp.full(8, action, jnp.int32), params
    )
    np.testing.assert_array_equal(seen, observation)
    chex.assert_trees_all_equal(after.state, episode.state)
    np.testing.assert_array_equal(after.steps, 1)
    np.testing.assert_array_equal(after.invalid_actions, 1)
    assert not terminated.any() and not reward.any()


def test_the_step_limit_truncates_and_nothing_else(made):
    env, params = made
    reset, _, step_env, _ = batched(env)
    _, episode = reset(keys(8), params)
    for step in range(env.max_steps):
        assert not episode.truncated.any()
        _, episode, reward, terminated, _ = step_env(
            keys(8), episode, jnp.full(8, -1, jnp.int32), params
        )
        assert not terminated.any(), step
    assert episode.truncated.all()
    np.testing.assert_array_equal(reward, -1.0)


def test_a_step_after_the_end_changes_nothing(made):
    env, params = made
    reset, _, step_env, mask = batched(env)
    rng = np.random.default_rng(0)
    _, episode = reset(keys(32), params)
    for _ in range(env.max_steps):
        _, episode, *_ = step_env(keys(32), episode, legal(mask(episode, params), rng), params)
    assert (episode.terminated | episode.truncated).all() and episode.terminated.any()
    for action in range(env.num_actions):
        _, after, reward, terminated, _ = step_env(
            keys(32), episode, jnp.full(32, action, jnp.int32), params
        )
        chex.assert_trees_all_equal(after, episode)
        np.testing.assert_array_equal(terminated, episode.terminated)
        assert not reward.any()
    assert mask(episode, params).any(axis=1).all()


def test_step_is_step_env_with_a_reset(made):
    """Reward, flags and info are of the old episode; observation and episode of the new one."""
    env, params = made
    reset, step, step_env, mask = batched(env)
    rng = np.random.default_rng(1)
    observation, episode = reset(keys(64), params)
    ends = 0
    for t in range(30):
        actions = legal(mask(episode, params), rng)
        last, ended, reward, terminated, info = step_env(keys(64, t), episode, actions, params)
        seen, following, *rest = step(keys(64, t), episode, actions, params)
        np.testing.assert_array_equal(rest[0], reward)
        np.testing.assert_array_equal(rest[1], terminated)
        np.testing.assert_array_equal(rest[2], ended.truncated)
        np.testing.assert_array_equal(rest[3]["final_observation"], last)
        for name, value in info.items():
            np.testing.assert_array_equal(rest[3][name], value)
        over = np.asarray(ended.terminated | ended.truncated)
        ends += over.sum()
        for new, old in zip(jax.tree.leaves(following), jax.tree.leaves(ended), strict=True):
            np.testing.assert_array_equal(new[~over], old[~over])
        np.testing.assert_array_equal(seen[~over], last[~over])
        np.testing.assert_array_equal(following.steps[over], 0)
        assert not (following.terminated | following.truncated).any()
        expected, _ = jax.vmap(env.reset_to, (0, None))(following.state.puzzle_index, params)
        np.testing.assert_array_equal(seen[over], expected[over])
        episode = following
    assert ends > 64


def test_a_shared_key_draws_different_puzzles_and_the_key_matters(made):
    env, params = made
    reset, _, _, _ = batched(env)
    step = jax.jit(jax.vmap(env.step, (None, 0, 0, None)))
    _, episode = reset(keys(64), params)
    for _ in range(env.max_steps - 1):
        episode = episode.replace(steps=jnp.full(64, env.max_steps - 1, jnp.int32))
        drawn = [
            step(jax.random.key(seed), episode, jnp.full(64, -1, jnp.int32), params)[1]
            for seed in (0, 0, 1)
        ]
        rows = [np.asarray(one.state.puzzle_index) for one in drawn]
        np.testing.assert_array_equal(rows[0], rows[1])
        assert (rows[0] != rows[2]).any() and len(set(rows[0].tolist())) > 4
        episode = drawn[2]
    raw = step(jax.random.PRNGKey(1), episode, jnp.full(64, -1, jnp.int32), params)
    typed = step(jax.random.key(1), episode, jnp.full(64, -1, jnp.int32), params)
    chex.assert_trees_all_equal(raw, typed)


def test_plain_jit_and_vmap_agree_and_lanes_are_independent(made):
    env, params = made
    reset, step, _, mask = batched(env)
    rng = np.random.default_rng(2)
    _, episodes = reset(keys(16), params)
    for t in range(8):
        actions = legal(mask(episodes, params), rng)
        together = step(keys(16, t), episodes, actions, params)
        for lane in (0, 7):
            one = jax.tree.map(lambda x, lane=lane: x[lane], episodes)
            with jax.disable_jit(t == 0 and lane == 0):
                alone = env.step(keys(16, t)[lane], one, jnp.int32(actions[lane]), params)
            chex.assert_trees_all_equal(alone, jax.tree.map(lambda x, i=lane: x[i], together))
        episodes = together[1]


def test_one_compilation_serves_all_puzzles(made):
    env, params = made
    traced = chex.assert_max_traces(env.step, n=1)
    step, reset_to = jax.jit(traced), jax.jit(chex.assert_max_traces(env.reset_to, n=1))
    for row in range(env.num_puzzles(params)):
        _, episode = reset_to(jnp.int32(row), params)
        step(jax.random.key(row), episode, jnp.int32(row % env.num_actions), params)

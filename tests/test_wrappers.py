"""The pure wrappers: each alone, together, and under jit, vmap and scan."""

import dataclasses
import functools
import pickle
import random

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from boards import solvable_record

import spatialjax
from spatialjax.core.environment import Environment
from spatialjax.core.rollout import random_legal
from spatialjax.core.spaces import Box
from spatialjax.sliding.generate import generate_sliding
from spatialjax.wrappers import Batched, FlattenObservation, LogEpisodes, ScaleReward
from spatialjax.wrappers.wrapper import with_max_steps

LANES, STEPS = 16, 24


@functools.cache
def witness():
    rng = random.Random(3)
    records = [solvable_record(rng, 2, 2, list_solutions=True)[0] for _ in range(6)]
    options = {"success": "solutions", "reward": "prefix", "max_steps": 7}
    return spatialjax.make("Witness-v0", source=records, **options)


@functools.cache
def sliding():
    configs = generate_sliding(1, sizes=(2, 3), geoms=(2, 3), moves=(1, 2))
    return spatialjax.make("SlidingGeom-v0", source=configs, max_steps=7)


def scaled(env):
    return ScaleReward(env, scale=0.25)


WRAPPERS = {
    "log": LogEpisodes,
    "flatten": FlattenObservation,
    "scale in log in flatten": lambda env: FlattenObservation(LogEpisodes(scaled(env))),
    "flatten in log in scale": lambda env: scaled(LogEpisodes(FlattenObservation(env))),
}
CASES = pytest.mark.parametrize(
    ("make", "name"),
    [
        (witness, "log"),
        (witness, "scale in log in flatten"),
        (sliding, "flatten"),
        (sliding, "flatten in log in scale"),
    ],
)


def play(env, params, num_steps=STEPS, seed=0):
    """Take random legal steps; observations, masks and results of all lanes, [T, B, ...]."""
    lanes = Batched(env, LANES)

    @jax.jit
    def run(key, params):
        def step(carry, key):
            observation, episode = carry
            act_key, step_key = jax.random.split(key)
            mask = lanes.action_mask(episode, params)
            action = random_legal(act_key, observation, mask)
            observation, episode, *rest = lanes.step(step_key, episode, action, params)
            return (observation, episode), (observation, mask, action, *rest)

        reset_key, key = jax.random.split(key)
        start = lanes.reset(reset_key, params)
        return start[0], jax.lax.scan(step, start, jax.random.split(key, num_steps))[1]

    return jax.device_get(run(jax.random.key(seed), params))


@functools.cache
def played(make):
    return play(*make())


def flat(space, observation, batch_axes):
    """Flatten observations the plain way."""
    if isinstance(space, Box):
        return observation.reshape(*observation.shape[:batch_axes], -1)
    parts = [flat(part, observation[name], batch_axes) for name, part in space.spaces.items()]
    return np.concatenate([part.astype(np.float32) for part in parts], axis=-1)


@CASES
def test_a_wrapped_environment_differs_in_what_its_wrappers_say_and_in_nothing_else(make, name):
    env, params = make()
    first, (seen, mask, action, reward, terminated, truncated, info) = played(make)
    wrapped_first, wrapped = play(WRAPPERS[name](env), params)
    info = dict(info)
    if "log" in name:
        sums, lengths = np.zeros(LANES, np.float32), np.zeros(LANES, np.int32)
        returns, steps = np.zeros_like(reward), np.zeros(reward.shape, np.int32)
        factor = np.float32(0.25 if name.startswith("scale") else 1)
        for t in range(STEPS):
            sums, lengths = sums + factor * reward[t], lengths + 1
            returns[t], steps[t] = sums, lengths
            over = terminated[t] | truncated[t]
            sums, lengths = np.where(over, np.float32(0), sums), np.where(over, 0, lengths)
        info |= {"episode_return": returns, "episode_length": steps}
        assert (terminated | truncated).sum() > LANES
    if "scale" in name:
        reward = np.float32(0.25) * reward
    if "flatten" in name:
        space = env.observation_space(params)
        first, seen = flat(space, first, 1), flat(space, seen, 2)
        info["final_observation"] = flat(space, info["final_observation"], 2)
    chex.assert_trees_all_equal(
        (wrapped_first, wrapped),
        (first, (seen, mask, action, reward, terminated, truncated, info)),
        strict=True,
    )


@CASES
def test_step_env_and_reset_to_are_wrapped_alike(make, name):
    env, params = make()
    wrapped = WRAPPERS[name](env)
    key, action = jax.random.key(0), jnp.int32(1)
    plain_seen, plain = env.reset_to(jnp.int32(2), params)
    seen, episode = wrapped.reset_to(jnp.int32(2), params)
    chex.assert_trees_all_equal(episode.state, plain.state)
    chex.assert_trees_all_equal(
        wrapped.action_mask(episode, params), env.action_mask(plain, params)
    )
    space = env.observation_space(params)
    expected, _, paid, ended, told = jax.jit(env.step_env)(key, plain, action, params)
    after, episode, reward, terminated, info = jax.jit(wrapped.step_env)(
        key, episode, action, params
    )
    if "flatten" in name:
        plain_seen = flat(space, jax.device_get(plain_seen), 0)
        expected = flat(space, jax.device_get(expected), 0)
    chex.assert_trees_all_equal((seen, after), (plain_seen, expected))
    assert reward == (0.25 if "scale" in name else 1) * paid and terminated == ended
    logged = {"episode_return", "episode_length"} if "log" in name else set()
    assert set(info) - set(told) == logged
    chex.assert_trees_all_equal({key: info[key] for key in told}, told)


@CASES
def test_a_wrapper_is_a_static_environment(make, name):
    env, params = make()
    wrapped, same = WRAPPERS[name](env), WRAPPERS[name](env)
    assert isinstance(wrapped, Environment) and wrapped == same and hash(wrapped) == hash(same)
    assert wrapped != env and wrapped != WRAPPERS[name](with_max_steps(env, 9))
    assert wrapped.unwrapped is env and wrapped.default_params is params
    assert (wrapped.name, wrapped.num_actions, wrapped.max_steps) == (env.name, env.num_actions, 7)
    assert wrapped.action_space(params) == env.action_space(params)
    assert pickle.loads(pickle.dumps(wrapped)) == wrapped
    with pytest.raises(dataclasses.FrozenInstanceError):
        wrapped.env = env
    observation, _ = jax.jit(wrapped.reset)(jax.random.key(0), params)
    assert wrapped.observation_space(params).contains(observation)


def test_flat_observations_have_one_axis_and_their_space_says_which():
    env, params = witness()
    planes, space = env.observation_space(params), FlattenObservation(env).observation_space(params)
    assert space == Box(planes.low, planes.high, (int(np.prod(planes.shape)),), jnp.uint8)
    env, params = sliding()
    space = FlattenObservation(env).observation_space(params)
    assert space == Box(-1, 8, (5 * env.num_geoms + 2,), jnp.float32)
    observation, _ = FlattenObservation(env).reset(jax.random.key(0), params)
    assert (observation.shape, observation.dtype) == (space.shape, space.dtype)


def test_the_return_of_an_ended_episode_stays():
    env, params = witness()
    env = LogEpisodes(with_max_steps(env, 2))
    _, episode = env.reset(jax.random.key(0), params)
    opening = env.info(episode, params, env.verdict(params, episode.state))
    assert (opening["episode_return"], opening["episode_length"]) == (0, 0)
    step, totals = jax.jit(env.step_env), []
    for _ in range(4):
        _, episode, _, _, info = step(jax.random.key(0), episode, jnp.int32(-1), params)
        assert set(info) == set(opening)
        totals.append((float(info["episode_return"]), int(info["episode_length"])))
    assert totals[1:] == [(totals[1][0], 2)] * 3 and totals[0][1] == 1


def test_another_step_limit_reaches_the_environment_inside():
    env, params = witness()
    limited = with_max_steps(LogEpisodes(FlattenObservation(env)), 3)
    assert limited == LogEpisodes(FlattenObservation(dataclasses.replace(env, max_steps=3)))
    *_, truncated, info = play(limited, params)[1]
    assert info["steps"].max() == 3 and (info["steps"][truncated] == 3).all()


def test_batched_is_one_lane_many_times():
    env, params = witness()
    lanes = Batched(env, 3)
    assert hash(lanes) == hash(Batched(env, 3)) and lanes == Batched(env, 3) != Batched(env, 4)
    assert (lanes.name, lanes.num_actions, lanes.max_steps) == ("Witness-v0", 4, 7)
    assert lanes.default_params is params and lanes.action_space() == env.action_space()
    assert lanes.observation_space(params) == env.observation_space(params)
    key, rows = jax.random.key(5), jnp.array([4, 0, 2])
    actions = jnp.array([0, 1, 3])
    _, drawn = jax.jit(lanes.reset)(key, params)
    seen, chosen = jax.jit(lanes.reset_to)(rows, params)
    stepped = jax.jit(lanes.step)(key, drawn, actions, params)
    stepped_env = jax.jit(lanes.step_env)(key, chosen, actions, params)
    step, step_env = jax.jit(env.step), jax.jit(env.step_env)
    for lane in range(3):
        one = functools.partial(jax.tree.map, lambda x, lane=lane: x[lane])
        alone = env.reset(jax.random.split(key, 3)[lane], params)[1]
        chex.assert_trees_all_equal(one(drawn), alone)
        chex.assert_trees_all_equal(one((seen, chosen)), env.reset_to(rows[lane], params))
        chex.assert_trees_all_equal(one(stepped), step(key, alone, actions[lane], params))
        alone = step_env(key, one(chosen), actions[lane], params)
        chex.assert_trees_all_equal(one(stepped_env), alone)
        mask = env.action_mask(one(chosen), params)
        np.testing.assert_array_equal(lanes.action_mask(chosen, params)[lane], mask)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda env: LogEpisodes(witness()), "LogEpisodes is put around a tuple; it must be"),
        (
            lambda env: LogEpisodes(scaled(LogEpisodes(env))),
            "logs its episodes already",
        ),
        (lambda env: ScaleReward(env, float("nan")), "scale is nan; it must be a finite number"),
        (lambda env: ScaleReward(env, True), "scale is True; it must be a finite number"),
        (lambda env: Batched(env, 0), "num_lanes is 0; it must be a whole number from 1"),
        (lambda env: Batched(Batched(env, 2), 2), "around a Batched; it must be an env"),
    ],
)
def test_a_wrapper_that_cannot_be_says_why(build, message):
    with pytest.raises(ValueError, match=message):
        build(witness()[0])

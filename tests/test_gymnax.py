"""gymnax's faces of the environments: by name, beside ours, and trained on by scripts."""

import copy
import functools
import importlib
import pickle
import random
import sys

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from boards import solvable_record

gymnax = pytest.importorskip("gymnax", reason="needs the gymnax extra")

from gymnax.environments import environment, spaces  # noqa: E402

import spatialjax  # noqa: E402
from spatialjax.core import spaces as our_spaces  # noqa: E402
from spatialjax.sliding.generate import generate_sliding, generate_tiles  # noqa: E402
from spatialjax.wrappers import Batched, LogEpisodes  # noqa: E402
from spatialjax.wrappers.gymnax import (  # noqa: E402
    GymnaxEnvironment,
    LegacyGymnaxEnvironment,
    to_space,
)

LANES = 16


@functools.cache
def records():
    rng = random.Random(3)
    return [solvable_record(rng, 2, 2, list_solutions=True)[0] for _ in range(8)]


SOURCES = {
    "SlidingGeom-v0": lambda: generate_sliding(1, sizes=(2, 3), geoms=(2, 3), moves=(1, 2)),
    "SlidingTile-v0": lambda: generate_tiles(2, moves=(2, 3)),
    "Witness-v0": records,
}
ENV_IDS = sorted(SOURCES)


@functools.cache
def options(env_id):
    quick = {"success": "solutions"} if env_id == "Witness-v0" else {}
    return {"source": SOURCES[env_id](), "max_steps": 6} | quick


@functools.cache
def make(name):
    """Make an environment by its name in gymnax."""
    return gymnax.make(name, **options(name.removesuffix("-legacy")))


@functools.cache
def play(step):
    """Return a function that plays 20 steps of random actions in many lanes: [T, B, ...]."""

    @jax.jit
    def run(key, episodes, params):
        def one(episodes, key):
            keys = jax.random.split(key, LANES)
            action = jax.random.randint(key, (LANES,), 0, 4)
            out = jax.vmap(step, (0, 0, 0, None))(keys, episodes, action, params)
            return out[1], out

        return jax.lax.scan(one, episodes, jax.random.split(key, 20))[1]

    return run


def lanes(env, params):
    keys = jax.random.split(jax.random.key(1), LANES)
    return jax.jit(jax.vmap(env.reset, (0, None)))(keys, params)


def test_every_environment_is_registered_with_both_faces():
    assert spatialjax.available() == ENV_IDS
    for env_id in ENV_IDS:
        for name, face in (
            (env_id, GymnaxEnvironment),
            (f"{env_id}-legacy", LegacyGymnaxEnvironment),
        ):
            env, params = make(name)
            assert name in gymnax.registered_envs and type(env) is face
            assert isinstance(env, environment.Environment) and env.name == env_id
            assert params.max_steps_in_episode == 6
    by_option, _ = gymnax.make("Witness-v0", api="legacy", **options("Witness-v0"))
    assert by_option == make("Witness-v0-legacy")[0]


@pytest.mark.parametrize("env_id", ["SlidingGeom-v0", "Witness-v0"])
def test_six_values_are_those_of_our_environment(env_id):
    env, params = make(env_id)
    assert env.num_actions == env.env.num_actions
    ours = lanes(env.env, params.pack)
    chex.assert_trees_all_equal(lanes(env, params), ours)
    expected = play(env.env.step)(jax.random.key(2), ours[1], params.pack)
    found = play(env.step)(jax.random.key(2), ours[1], params)
    chex.assert_trees_all_equal(found, expected, strict=True)
    terminated, truncated, info = found[3:]
    over = terminated | truncated
    assert over.sum() > LANES and truncated.any()
    pairs = zip(jax.tree.leaves(info["final_observation"]), jax.tree.leaves(found[0]), strict=True)
    assert any((last[over] != first[over]).any() for last, first in pairs)


def test_legacy_joins_the_flags_and_changes_nothing_else():
    env, params = make("Witness-v0")
    legacy, _ = make("Witness-v0-legacy")
    _, episodes = lanes(env, params)
    *values, terminated, truncated, info = play(env.step)(jax.random.key(3), episodes, params)
    found = play(legacy.step)(jax.random.key(3), episodes, params)
    assert truncated.any() and terminated.any()
    chex.assert_trees_all_equal(found, (*values, terminated | truncated, info), strict=True)
    step, key = jax.jit(legacy.step_env), jax.random.key(0)
    episode = jax.tree.map(lambda leaf: leaf[0], episodes)
    for count in range(1, 7):
        *_, episode, reward, done, info = step(key, episode, jnp.int32(9), params)
        assert bool(done) == (count == 6) and info["steps"] == count
    assert reward == -1


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_spaces(env_id):
    env, params = make(env_id)
    legacy, _ = make(f"{env_id}-legacy")
    action_space = env.action_space(params)
    assert isinstance(action_space, spaces.Discrete) and action_space.n == env.num_actions
    assert action_space.dtype == jnp.int32 == env.action_space().dtype
    space, flat = env.observation_space(params), legacy.observation_space(params)
    observation, _ = env.reset(jax.random.key(0), params)
    sample = space.sample(jax.random.key(0))
    if isinstance(space, spaces.Dict):
        sample = dict(sample)
    chex.assert_trees_all_equal_shapes_and_dtypes(sample, observation)
    assert isinstance(flat, spaces.Box)
    observation, _ = legacy.reset(jax.random.key(0), params)
    assert (observation.shape, observation.dtype) == (flat.shape, flat.dtype)
    assert flat.contains(observation.astype(jnp.float32))


def test_a_space_keeps_its_bounds_shape_and_dtype():
    box = to_space(our_spaces.Box(-1, 3, (2, 4), jnp.int8))
    assert isinstance(box, spaces.Box)
    assert (box.low, box.high, box.shape, box.dtype) == (-1, 3, (2, 4), jnp.int8)
    both = to_space(our_spaces.Dict({"b": our_spaces.Discrete(3), "a": our_spaces.Box(0, 1, ())}))
    assert isinstance(both, spaces.Dict) and list(both.spaces) == ["b", "a"]
    assert both.spaces["b"].n == 3 and both.spaces["a"].shape == ()


def test_flat_observations_are_an_option():
    env, params = gymnax.make("Witness-v0", flat=True, **options("Witness-v0"))
    planes = make("Witness-v0")[0].reset(jax.random.key(0), params)[0]
    observation = env.reset(jax.random.key(0), params)[0]
    np.testing.assert_array_equal(observation, planes.reshape(-1))
    assert env.observation_space(params).shape == observation.shape
    env, params = gymnax.make("SlidingGeom-v0-legacy", flat=False, **options("SlidingGeom-v0"))
    assert isinstance(env.observation_space(params), spaces.Dict)


@pytest.mark.parametrize("name", ["Witness-v0", "Witness-v0-legacy"])
def test_a_face_survives_deepcopy_and_pickle(name):
    env, params = make(name)
    _, episode = env.reset(jax.random.key(0), params)
    expected = env.step(jax.random.key(1), episode, jnp.int32(1), params)
    for twin in (copy.deepcopy(env), copy.copy(env), pickle.loads(pickle.dumps(env))):
        assert twin == env and hash(twin) == hash(env) and type(twin) is type(env)
        chex.assert_trees_all_equal(twin.default_params, params)
        out = twin.step(jax.random.key(1), episode, jnp.int32(1))
        chex.assert_trees_all_equal(out, expected, strict=True)
    chex.assert_trees_all_equal(copy.deepcopy(params), params)
    assert pickle.loads(pickle.dumps(params)).max_steps_in_episode == 6


def test_equal_environments_do_not_mix_up_their_packs():
    env, params = make("Witness-v0")
    other, _ = gymnax.make("Witness-v0", **options("Witness-v0") | {"source": records()[4:]})
    assert other == env and other.env.num_puzzles(other.pack) == 4
    seen = []
    for key in jax.random.split(jax.random.key(7), 3):
        pair = env.reset(key), other.reset(key)
        chex.assert_trees_all_equal(pair[0], env.reset(key, params))
        chex.assert_trees_all_equal(pair[1], other.reset(key, other.default_params))
        seen.append(jnp.array_equal(pair[0][0], pair[1][0]))
    assert not all(seen)


def test_the_step_limit_of_the_params_counts():
    env, params = make("Witness-v0")
    _, episodes = lanes(env, params)
    limited = params.replace(max_steps_in_episode=2)
    *_, truncated, info = play(env.step)(jax.random.key(0), episodes, limited)
    assert truncated.any() and info["steps"].max() == 2
    np.testing.assert_array_equal(info["steps"][truncated], 2)


def test_the_hooks_of_gymnax_speak_of_the_episode():
    env, params = make("Witness-v0")
    _, episode = env.reset(jax.random.key(0), params)
    step = jax.jit(env.step_env)
    for count in range(1, 7):
        observation, episode, _, terminated, _ = step(
            jax.random.key(0), episode, jnp.int32(-1), params
        )
        assert not terminated and not env.is_terminated(episode, params)
        assert bool(env.is_truncated(episode, params)) == (count == 6)
        assert env.discount(episode, params) == 1
        seen = env.observe(jax.random.key(0), episode, None, params)
        np.testing.assert_array_equal(seen, observation)
    np.testing.assert_array_equal(
        env.action_mask(episode), env.env.action_mask(episode, params.pack)
    )


def test_what_cannot_be_made_says_why(monkeypatch):
    with pytest.raises(ValueError, match="api is 'legasy'; did you mean 'legacy'"):
        gymnax.make("Witness-v0", api="legasy", source=records())
    with pytest.raises(ValueError, match="option is 'max_step'; did you mean 'max_steps'"):
        gymnax.make("Witness-v0", max_step=3)
    with pytest.raises(ValueError, match="put around a tuple; it must be an environment"):
        GymnaxEnvironment(spatialjax.make("Witness-v0", source=records()), None)
    monkeypatch.delitem(sys.modules, "spatialjax.wrappers.gymnax")
    monkeypatch.setitem(sys.modules, "gymnax", None)
    with pytest.raises(ImportError, match=r"pip install 'spatialjax\[gymnax\]'"):
        importlib.import_module("spatialjax.wrappers.gymnax")


def test_wrappers_of_gymnax_log_what_ours_log(standard_promotion):
    from gymnax.wrappers import FlattenObservationWrapper, LogWrapper

    env, params = make("Witness-v0")
    logged = GymnaxEnvironment(LogEpisodes(env.env), params.pack)
    wrapped = LogWrapper(FlattenObservationWrapper(logged))
    _, episodes = lanes(wrapped, params)
    *_, terminated, truncated, info = play(wrapped.step)(jax.random.key(4), episodes, params)
    over = terminated | truncated
    assert over.sum() > LANES
    for theirs, ours in (("returns", "episode_return"), ("lengths", "episode_length")):
        found = info[f"returned_episode_{theirs}"][over]
        np.testing.assert_array_equal(found, info[ours][over])


TASK = {"success": "solutions", "max_steps": 20}


@functools.cache
def random_return():
    """Return the mean return of random actions, legal or not, on the boards that are learnt."""
    env, params = spatialjax.make("Witness-v0", source=records(), **TASK)
    lanes = Batched(LogEpisodes(env), 1024)

    @jax.jit
    def play(key):
        def step(episodes, key):
            action = jax.random.randint(key, (lanes.num_lanes,), 0, env.num_actions)
            _, episodes, _, _, info = lanes.step_env(key, episodes, action, params)
            return episodes, info["episode_return"]

        _, episodes = lanes.reset(key, params)
        return jax.lax.scan(step, episodes, jax.random.split(key, env.max_steps))[1][-1]

    return float(play(jax.random.key(0)).mean())


def test_a_script_in_the_shape_of_purejaxrl_learns_by_name(standard_promotion):
    from five_value_ppo import make_train

    config = {
        "ENV_NAME": "Witness-v0-legacy",
        "NUM_ENVS": 32,
        "NUM_STEPS": 32,
        "TOTAL_TIMESTEPS": 60_000,
        "LR": 2e-3,
        "EPOCHS": 4,
        "MINIBATCHES": 4,
    }
    train = jax.jit(make_train(config, source=records(), **TASK))
    info = jax.device_get(train(jax.random.key(0)))
    last = {name: value[-10:] for name, value in info.items()}
    learnt = last["return"][last["done"]].mean()
    print(f"purejaxrl's loop: {learnt:.2f} a puzzle, random actions: {random_return():.2f}")
    assert learnt > random_return() + 0.4


@pytest.mark.integration
def test_rejax_learns_by_name(standard_promotion):
    rejax = pytest.importorskip("rejax", reason="needs the integrations extra")
    algorithm = rejax.get_algo("ppo").create(
        env="Witness-v0-legacy",
        env_params={"source": records(), **TASK},
        total_timesteps=60_000,
        eval_freq=60_000,
        num_envs=32,
        num_steps=32,
        num_minibatches=4,
        num_epochs=4,
        learning_rate=1e-3,
    )
    _, (lengths, returns) = jax.jit(algorithm.train)(jax.random.key(0))
    assert lengths.shape == returns.shape == (2, 128) and lengths.max() <= 20
    learnt = float(returns[-1].mean())
    print(f"rejax PPO: {learnt:.2f} a puzzle, random actions: {random_return():.2f}")
    assert learnt > random_return() + 0.4

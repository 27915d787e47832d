"""The dtypes that callers may use: of actions and keys, and with 64-bit values switched on."""

import functools
import itertools
import random

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from boards import solvable_record

import spatialjax
from spatialjax.core import rollout


@functools.cache
def records():
    rng = random.Random(4)
    return [solvable_record(rng, 2, 2, list_solutions=True)[0] for _ in range(6)]


@pytest.fixture(scope="module")
def made():
    return make_quick()


def make_quick():
    """What compiles fastest; the dtypes of actions meet nothing else."""
    options = {"success": "solutions", "observation": "none"}
    env, params = spatialjax.make("Witness-v0", source=records(), **options)
    return env, params, jax.jit(env.step_env)


def signature(tree):
    return jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), tree)


@pytest.mark.parametrize("dtype", ["int8", "uint32"])
def test_an_action_may_have_any_integer_dtype(made, dtype):
    env, params, step = made
    key = jax.random.key(1)
    _, episode = env.reset(key, params)
    for action in range(env.num_actions):
        expected = step(key, episode, action, params)
        chex.assert_trees_all_equal(
            step(key, episode, np.dtype(dtype).type(action), params), expected
        )
    highest = step(key, episode, np.dtype(dtype).type(np.iinfo(dtype).max), params)
    assert highest[-1]["invalid_actions"] == 1


def test_an_action_beyond_32_bits_is_not_legal():
    with jax.enable_x64(True):
        env, params, step = make_quick()
        _, episode = env.reset(jax.random.key(1), params)
        for action in (1 << 32, -(1 << 32), (1 << 32) + 1):
            info = step(jax.random.key(1), episode, jnp.int64(action), params)[-1]
            assert info["invalid_actions"] == 1 and info["path_length"] == 0


@pytest.mark.parametrize("action", [0.0, 1.7, True, jnp.zeros(1, jnp.int32)])
def test_what_is_no_integer_is_refused(made, action):
    env, params, step = made
    _, episode = env.reset(jax.random.key(0), params)
    with pytest.raises(ValueError, match="the action has dtype .* it must be one integer"):
        step(jax.random.key(0), episode, action, params)


def line_options(**options):
    return "Witness-v0", lambda: {"source": records(), **options}


def sliding_options(**options):
    return "SlidingGeom-v0", lambda: {"split": "test", **options}


@pytest.mark.parametrize(
    "env_id, options",
    [
        line_options(success="rules", observation="planes", reward="outcome"),
        line_options(success="solutions", observation="vector", reward="spatial_gym"),
        line_options(success="solutions", observation="none", reward="prefix", traceback=True),
        sliding_options(observation="array", reward="progress"),
        sliding_options(observation="planes", reward="outcome"),
    ],
)
def test_nothing_changes_its_dtype_with_64_bits(env_id, options):
    """Shapes alone, traced under the strict rules for dtypes: nothing is compiled."""

    def shapes():
        env, params = spatialjax.make(env_id, **options())
        key = jax.random.key(0)
        lanes = jax.eval_shape(lambda key: rollout.start(env, params, key, 3), key)
        after, _ = jax.eval_shape(
            lambda lanes, key: rollout.play(env, params, rollout.random_legal, lanes, key, 2),
            lanes,
            key,
        )
        _, episode = jax.eval_shape(env.reset, key, params)
        return signature((lanes, after, jax.eval_shape(env.step, key, episode, 0, params)))

    narrow = shapes()
    with jax.enable_x64(True):
        assert shapes() == narrow


def test_the_same_verdicts_with_64_bits():
    lines = [
        (record, [(point["x"], point["y"]) for point in solution["path"]][:end])
        for record, end in itertools.product(records(), (None, -1))
        for solution in record["solutions"][:2]
    ]
    narrow = [spatialjax.check_path(record, line) for record, line in lines]
    with jax.enable_x64(True):
        assert [spatialjax.check_path(record, line) for record, line in lines] == narrow

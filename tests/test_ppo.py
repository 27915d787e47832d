"""PPO on environments with known values, on gymnax' CartPole, and over several devices."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flax", reason="needs the agents extra")

from agents.networks import ILLEGAL_LOGIT, NetworkConfig, PlanesNetwork, as_float, make_network
from agents.ppo import PPO, PPOConfig
from spatialjax.core.spaces import Box
from tests.probes import MaskedProbe, Params, Probe

CONFIG = PPOConfig(
    updates=60,
    num_envs=32,
    num_steps=16,
    num_minibatches=2,
    learning_rate=3e-3,
    discount=0.5,
    trace_decay=0.9,
)
PARAMS = Params()


def make(env, config=CONFIG, **changes):
    """Return PPO with a small network."""
    network = make_network(env.observation_space(PARAMS), env.num_actions, NetworkConfig(hidden=(32,)))
    return PPO(env, network, dataclasses.replace(config, **changes))


def learn(env, **changes):
    """Train on a probe; return a function from (sign, time) to (probabilities, value)."""
    ppo = make(env, **changes)
    update = jax.jit(ppo.update, donate_argnums=0)
    state = jax.jit(ppo.init)(jax.random.key(0), PARAMS)
    for _ in range(ppo.config.updates):
        state, metrics = update(state, PARAMS)
    assert all(np.isfinite(value) for value in metrics.values())

    def look(sign, time):
        logits, value = ppo.network.apply(state.params, jnp.array([sign, time]), jnp.ones(2, bool))
        return jax.nn.softmax(logits), float(value)

    return look


def test_value_of_a_constant_reward():
    look = learn(Probe(lambda sign, time, action: 1.0))
    assert look(1.0, 0.0)[1] == pytest.approx(1.0, abs=0.05)


def test_value_follows_the_observation():
    look = learn(Probe(lambda sign, time, action: sign))
    assert look(1.0, 0.0)[1] == pytest.approx(1.0, abs=0.1)
    assert look(-1.0, 0.0)[1] == pytest.approx(-1.0, abs=0.1)


def test_value_is_discounted_over_time():
    look = learn(Probe(lambda sign, time, action: jnp.where(time == 1, 1.0, 0.0), length=2))
    assert look(1.0, 0.0)[1] == pytest.approx(0.5, abs=0.1)
    assert look(1.0, 1.0)[1] == pytest.approx(1.0, abs=0.1)


def test_terminated_and_truncated_episodes_have_different_values():
    # One step worth 1, then the end: 1 if it is the end, 1 / (1 - 0.5) if the episode is merely cut off. The
    # value after the step is never trained on its own, so the observation must not tell the two times apart.
    @dataclasses.dataclass(frozen=True)
    class Blind(Probe):
        def observe(self, state):
            return jnp.stack([state[0], jnp.zeros(())])

    assert learn(Blind(lambda *_: 1.0))(1.0, 0.0)[1] == pytest.approx(1.0, abs=0.1)
    assert learn(Blind(lambda *_: 1.0, cut=True))(1.0, 0.0)[1] == pytest.approx(2.0, abs=0.2)


def test_policy_learns_which_action_pays():
    look = learn(Probe(lambda sign, time, action: jnp.where(action == 1, 1.0, -1.0)))
    assert look(1.0, 0.0)[0][1] > 0.95


def test_policy_learns_which_action_pays_where():
    look = learn(Probe(lambda sign, time, action: jnp.where(action == 1, sign, -sign)))
    assert look(1.0, 0.0)[0][1] > 0.95
    assert look(-1.0, 0.0)[0][0] > 0.95


def test_illegal_actions_are_never_drawn():
    env = MaskedProbe(lambda sign, time, action: jnp.where(action == 1, 1.0, 0.25))
    ppo = make(env)
    state = jax.jit(ppo.init)(jax.random.key(0), PARAMS)
    _, trajectory, _ = jax.jit(ppo.collect)(state, jax.random.key(1), PARAMS)
    assert not np.any(trajectory.action)
    np.testing.assert_allclose(trajectory.log_prob, 0.0)
    assert learn(env)(1.0, 0.0)[1] == pytest.approx(0.25, abs=0.05)


def test_planes_network_masks_and_takes_any_batch():
    network = PlanesNetwork(4, NetworkConfig(hidden=(8,), channels=(4, 4)), as_float)
    planes = jnp.ones((3, 5, 7, 7, 2))
    mask = jnp.ones((3, 5, 4), bool).at[..., 2].set(False)
    variables = network.init(jax.random.key(0), planes, mask)
    logits, value = network.apply(variables, planes, mask)
    assert logits.shape == (3, 5, 4)
    assert value.shape == (3, 5)
    np.testing.assert_array_equal(logits[..., 2], ILLEGAL_LOGIT)
    one, _ = network.apply(variables, planes[0, 0], mask[0, 0])
    np.testing.assert_allclose(one, logits[0, 0], rtol=1e-5, atol=1e-6)


def test_make_network_refuses_other_shapes():
    with pytest.raises(ValueError, match="no network for an observation of shape"):
        make_network(Box(0.0, 1.0, (2, 2), jnp.float32), 2, NetworkConfig())


def test_config_refuses_minibatches_that_do_not_divide():
    with pytest.raises(ValueError, match="num_minibatches is 3"):
        PPOConfig(num_steps=16, num_minibatches=3)


def test_epoch_gives_every_sample_to_one_minibatch():
    ppo = make(Probe(lambda *_: 1.0))
    seen = []

    def spy(state, samples):
        return state, {"time": samples.target}

    object.__setattr__(ppo, "update_minibatch", spy)
    state = ppo.init(jax.random.key(0), PARAMS)
    _, trajectory, _ = ppo.collect(state, jax.random.key(1), PARAMS)
    steps = jnp.arange(16 * 32, dtype=jnp.float32).reshape(16, 32)
    samples = ppo.advantages(state, trajectory, PARAMS)._replace(target=steps)
    mean = ppo.update_epoch(state, samples, jax.random.key(2))[1]["time"]
    seen.append(float(mean))
    assert seen == [pytest.approx(float(steps.mean()))]


def test_seeds_repeat_and_differ():
    ppo = make(Probe(lambda sign, time, action: jnp.where(action == 1, sign, -sign)))
    keys = jax.random.key(0), jax.random.key(0), jax.random.key(1)
    update = jax.jit(jax.vmap(ppo.update, (0, None)))
    state = jax.vmap(ppo.init, (0, None))(jnp.stack(keys), PARAMS)
    for _ in range(3):
        state, _ = update(state, PARAMS)
    for leaf in jax.tree.leaves(state.params):
        np.testing.assert_array_equal(leaf[0], leaf[1])
    kernels = [leaf for leaf in jax.tree.leaves(state.params) if leaf.ndim == 3]
    assert all(np.any(leaf[0] != leaf[2]) for leaf in kernels)


def test_cartpole():
    gymnax = pytest.importorskip("gymnax", reason="needs the gymnax extra")
    env, params = gymnax.make("CartPole-v1")
    config = PPOConfig(updates=146, num_envs=32, num_steps=64, num_minibatches=8, learning_rate=1e-3)
    assert config.updates * config.steps_per_update <= 300_000
    network_config = NetworkConfig(hidden=(64, 64), activation="tanh")
    ppo = PPO(env, make_network(env.observation_space(params), env.num_actions, network_config), config)
    state = jax.jit(ppo.init)(jax.random.key(0), params)
    update = jax.jit(ppo.update, donate_argnums=0)
    returns = []
    for _ in range(config.updates):
        state, metrics = update(state, params)
        returns.append((float(metrics["return"]), float(metrics["episodes"])))
    totals, episodes = np.array(returns[-10:]).T
    assert np.sum(totals * episodes) / np.sum(episodes) >= 400.0


DEVICES_SCRIPT = """
import sys
import jax, numpy as np
from agents import devices
from agents.ppo import PPO
from tests.test_ppo import CONFIG, PARAMS, make
from tests.probes import MaskedProbe, Probe
import dataclasses, jax.numpy as jnp

assert jax.device_count() == 8
probe = Probe(lambda sign, time, action: jnp.where(action == 1, sign, -sign), length=5, cut=True)
results = []
for count in (1, 8):
    mesh = devices.make_mesh(jax.devices()[:count], CONFIG.num_envs)
    ppo = dataclasses.replace(make(probe), axis=devices.LANES)
    state = devices.start(ppo.init, mesh, jax.random.key(0), PARAMS)
    assert len(state.observation.sharding.device_set) == count
    update = devices.compile_step(ppo.update, mesh)
    for _ in range(5):
        state, metrics = update(state, devices.replicate(mesh, PARAMS))
    results.append(jax.device_get((dataclasses.replace(state, key=jax.random.key_data(state.key)), metrics)))
for one, all in zip(*map(jax.tree.leaves, results), strict=True):
    np.testing.assert_allclose(one, all, rtol=1e-4, atol=1e-5)
"""


def test_eight_devices_equal_one():
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", DEVICES_SCRIPT], cwd=root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr

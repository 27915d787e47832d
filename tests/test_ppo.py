"""PPO on environments with known values, and on gymnax' CartPole."""

from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flax", reason="needs the agents extra")

from probes import ProbeEnv, probe

from agents.heads import ILLEGAL_LOGIT
from agents.line_network import LineNetwork
from agents.networks import NetworkConfig, make_network
from agents.ppo import PPO, PPOConfig, Samples
from spatialjax.core.spaces import Box
from spatialjax.witness.observations import Channel

CONFIG = PPOConfig(
    updates=60,
    num_envs=32,
    num_steps=16,
    num_minibatches=2,
    learning_rate=3e-3,
    discount=0.5,
    trace_decay=0.9,
)
ENV = ProbeEnv()

pytestmark = pytest.mark.usefixtures("standard_promotion")


def make(config=CONFIG):
    """Return PPO with a small network on the probes."""
    network = make_network(
        ENV.observation_space(None), ENV.num_actions, NetworkConfig(hidden=(32,))
    )
    return PPO(ENV, network, config)


@pytest.fixture(scope="module")
def learn():
    """Return a function that trains on a probe and returns (sign, time) -> (policy, value)."""
    ppo = make()
    init = jax.jit(ppo.init)
    update = jax.jit(ppo.update, donate_argnums=0)

    def learn(params):
        state = init(jax.random.key(0), params)
        for _ in range(ppo.config.updates):
            state, metrics = update(state, params)
        assert all(np.isfinite(value) for value in metrics.values())

        def look(sign, time=0):
            logits, value = ppo.network.apply(
                state.params, jnp.array([sign, time], jnp.float32), jnp.ones(2, bool)
            )
            return jax.nn.softmax(logits), float(value)

        return look

    return learn


def test_value_of_a_constant_reward(learn):
    assert learn(probe(lambda sign, time, action: 1.0))(1)[1] == pytest.approx(1.0, abs=0.05)


def test_value_follows_the_observation(learn):
    look = learn(probe(lambda sign, time, action: sign))
    assert look(1)[1] == pytest.approx(1.0, abs=0.1)
    assert look(-1)[1] == pytest.approx(-1.0, abs=0.1)


def test_value_is_discounted_over_time(learn):
    look = learn(probe(lambda sign, time, action: time, length=2))
    assert look(1, 0)[1] == pytest.approx(0.5, abs=0.1)
    assert look(1, 1)[1] == pytest.approx(1.0, abs=0.1)


def test_truncation_bootstraps_and_termination_does_not(learn):
    # One step worth 1, then the end: worth 1 if it is the end, 1 / (1 - 0.5) if the episode is
    # merely cut off. Nobody acts in the last observation, so it must look like the first for its
    # value to be learnt.
    assert learn(probe(lambda *_: 1.0, blind=True))(1)[1] == pytest.approx(1.0, abs=0.1)
    assert learn(probe(lambda *_: 1.0, blind=True, cut=True))(1)[1] == pytest.approx(2.0, abs=0.2)


def test_policy_learns_which_action_pays(learn):
    look = learn(probe(lambda sign, time, action: 1.0 if action == 1 else -1.0))
    assert look(1)[0][1] > 0.95


def test_policy_learns_which_action_pays_where(learn):
    look = learn(probe(lambda sign, time, action: sign if action == 1 else -sign))
    assert look(1)[0][1] > 0.95
    assert look(-1)[0][0] > 0.95


def test_illegal_actions_are_never_drawn(learn):
    # The illegal action would pay more, so the value tells whether it was ever taken.
    look = learn(probe(lambda sign, time, action: 0.25 + action, legal=(True, False)))
    assert look(1)[1] == pytest.approx(0.25, abs=0.02)


def test_line_network_masks_and_takes_any_batch():
    network = LineNetwork(num_actions=4, width=4, depth=1, hidden=8)
    planes = jnp.zeros((3, 5, 7, 7, 13), jnp.uint8).at[..., Channel.BOARD].set(1)
    planes = planes.at[..., Channel.USABLE].set(1).at[..., 0, 0, Channel.HEAD].set(1)
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
    class Spy(PPO):
        def update_minibatch(self, state, samples):
            return state, {"target": samples.target}

        def update_epoch(self, state, samples, key):
            with mock.patch.object(jnp, "mean", lambda parts: parts):
                return super().update_epoch(state, samples, key)

    ppo = Spy(**vars(make()))
    params = probe(lambda *_: 1.0)
    state = ppo.init(jax.random.key(0), params)
    steps = jnp.arange(16 * 32, dtype=jnp.float32).reshape(16, 32)
    _, parts = ppo.update_epoch(state, Samples(None, None, steps), jax.random.key(2))
    assert parts["target"].shape == (2, 8, 32)
    np.testing.assert_array_equal(np.sort(parts["target"], axis=None), np.arange(16 * 32))
    # Each minibatch holds as many steps of every lane, in an order of the lane's own.
    assert all(np.all(parts["target"][:, :, lane] % 32 == lane) for lane in range(32))
    assert np.unique(parts["target"][0] // 32, axis=1).shape[1] > 16


def test_seeds_repeat_and_differ():
    ppo = make()
    params = probe(lambda sign, time, action: sign if action == 1 else -sign)
    keys = jax.random.key(0), jax.random.key(0), jax.random.key(1)
    update = jax.jit(jax.vmap(ppo.update, (0, None)))
    state = jax.jit(jax.vmap(ppo.init, (0, None)))(jnp.stack(keys), params)
    for _ in range(3):
        state, _ = update(state, params)
    for leaf in jax.tree.leaves(state.params):
        np.testing.assert_array_equal(leaf[0], leaf[1])
    kernels = [leaf for leaf in jax.tree.leaves(state.params) if leaf.ndim == 3]
    assert all(np.any(leaf[0] != leaf[2]) for leaf in kernels)


def test_cartpole():
    gymnax = pytest.importorskip("gymnax", reason="needs the gymnax extra")
    env, params = gymnax.make("CartPole-v1")
    config = PPOConfig(
        updates=146, num_envs=32, num_steps=64, num_minibatches=8, learning_rate=1e-3
    )
    assert config.updates * config.steps_per_update <= 300_000
    network_config = NetworkConfig(hidden=(64, 64), activation="tanh")
    ppo = PPO(
        env, make_network(env.observation_space(params), env.num_actions, network_config), config
    )
    state = jax.jit(ppo.init)(jax.random.key(0), params)
    update = jax.jit(ppo.update, donate_argnums=0)
    returns = []
    for _ in range(config.updates):
        state, metrics = update(state, params)
        returns.append((float(metrics["return"]), float(metrics["episodes"])))
    totals, episodes = np.array(returns[-10:]).T
    assert np.sum(totals * episodes) / np.sum(episodes) >= 400.0

"""PPO in one jitted function over five-value environments, the way purejaxrl's scripts are shaped.

It is run on our environments as such a script is: the environment comes from `gymnax.make` by
name, wrappers hold it as `_env` and pass on what they do not know, `step` returns five values.
"""

from typing import Any, NamedTuple

import flax.linen as nn
import gymnax
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState


class Wrapped:
    """An environment around another, by attribute."""

    def __init__(self, env):
        self._env = env

    def __getattr__(self, name):
        return getattr(self._env, name)


class FlatFloats(Wrapped):
    """Observations as flat floats."""

    def reset(self, key, params):
        obs, state = self._env.reset(key, params)
        return obs.reshape(-1).astype(jnp.float32), state

    def step(self, key, state, action, params):
        obs, state, *rest = self._env.step(key, state, action, params)
        return obs.reshape(-1).astype(jnp.float32), state, *rest


class Logged(NamedTuple):
    state: Any
    total: Any
    length: Any


class Log(Wrapped):
    """Return and length of the episode in info."""

    def reset(self, key, params):
        obs, state = self._env.reset(key, params)
        return obs, Logged(state, jnp.float32(0), jnp.int32(0))

    def step(self, key, logged, action, params):
        obs, state, reward, done, info = self._env.step(key, logged.state, action, params)
        total, length = logged.total + reward, logged.length + 1
        info = {**info, "return": total, "length": length, "done": done}
        logged = Logged(state, jnp.where(done, 0.0, total), jnp.where(done, 0, length))
        return obs, logged, reward, done, info


class ActorCritic(nn.Module):
    num_actions: int

    @nn.compact
    def __call__(self, obs):
        hidden = nn.tanh(nn.Dense(64)(nn.tanh(nn.Dense(64)(obs))))
        logits = nn.Dense(self.num_actions, kernel_init=nn.initializers.orthogonal(0.01))(hidden)
        return jax.nn.log_softmax(logits), nn.Dense(1)(hidden)[..., 0]


class Transition(NamedTuple):
    obs: Any
    action: Any
    log_prob: Any
    value: Any
    reward: Any
    done: Any


def make_train(config, **env_kwargs):
    """Return `train(rng)`, which returns the infos of every step, [updates, T, B]."""
    env, env_params = gymnax.make(config["ENV_NAME"], **env_kwargs)
    env = Log(FlatFloats(env))
    num_envs, num_steps = config["NUM_ENVS"], config["NUM_STEPS"]
    num_updates = config["TOTAL_TIMESTEPS"] // (num_envs * num_steps)
    network = ActorCritic(env.action_space(env_params).n)
    tx = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(config["LR"]))

    def loss(params, batch, advantage, target):
        log_probs, value = network.apply(params, batch.obs)
        log_prob = jnp.take_along_axis(log_probs, batch.action[:, None], 1)[:, 0]
        ratio = jnp.exp(log_prob - batch.log_prob)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        policy_gain = jnp.minimum(ratio * advantage, ratio.clip(0.8, 1.2) * advantage).mean()
        entropy = -(jnp.exp(log_probs) * log_probs).sum(1).mean()
        return 0.5 * jnp.square(value - target).mean() - policy_gain - 0.01 * entropy

    def env_step(carry, _):
        train_state, env_state, obs, rng = carry
        rng, act_rng, step_rng = jax.random.split(rng, 3)
        log_probs, value = network.apply(train_state.params, obs)
        action = jax.random.categorical(act_rng, log_probs)
        log_prob = jnp.take_along_axis(log_probs, action[:, None], 1)[:, 0]
        next_obs, env_state, reward, done, info = jax.vmap(env.step, (0, 0, 0, None))(
            jax.random.split(step_rng, num_envs), env_state, action, env_params
        )
        transition = Transition(obs, action, log_prob, value, reward, done)
        info = {name: info[name] for name in ("return", "length", "done")}
        return (train_state, env_state, next_obs, rng), (transition, info)

    def advantage_step(carry, transition):
        advantage, next_value = carry
        going_on = 1.0 - transition.done
        delta = transition.reward + 0.99 * going_on * next_value - transition.value
        advantage = delta + 0.99 * 0.95 * going_on * advantage
        return (advantage, transition.value), advantage

    def minibatch_step(train_state, minibatch):
        return train_state.apply_gradients(grads=jax.grad(loss)(train_state.params, *minibatch)), ()

    def update_step(carry, _):
        carry, (batch, info) = jax.lax.scan(env_step, carry, None, num_steps)
        train_state, env_state, obs, rng = carry
        last_value = network.apply(train_state.params, obs)[1]
        start = jnp.zeros_like(last_value), last_value
        _, advantage = jax.lax.scan(advantage_step, start, batch, reverse=True)
        rng, epochs_rng = jax.random.split(rng)
        data = batch, advantage, advantage + batch.value
        data = jax.tree.map(lambda x: x.reshape(num_envs * num_steps, *x.shape[2:]), data)

        def epoch_step(train_state, rng):
            order = jax.random.permutation(rng, num_envs * num_steps)
            order = order.reshape(config["MINIBATCHES"], -1)
            minibatches = jax.tree.map(lambda x: x[order], data)
            return jax.lax.scan(minibatch_step, train_state, minibatches)

        epoch_rngs = jax.random.split(epochs_rng, config["EPOCHS"])
        train_state, _ = jax.lax.scan(epoch_step, train_state, epoch_rngs)
        return (train_state, env_state, obs, rng), info

    def train(rng):
        rng, init_rng, reset_rng = jax.random.split(rng, 3)
        size = int(np.prod(env.observation_space(env_params).shape))
        params = network.init(init_rng, jnp.zeros(size))
        train_state = TrainState.create(apply_fn=network.apply, params=params, tx=tx)
        reset_rngs = jax.random.split(reset_rng, num_envs)
        obs, env_state = jax.vmap(env.reset, (0, None))(reset_rngs, env_params)
        carry = train_state, env_state, obs, rng
        return jax.lax.scan(update_step, carry, None, num_updates)[1]

    return train

"""Proximal policy optimisation over the call shapes of gymnax 1.x, in one compiled update.

`PPO` holds static things only; everything that changes is in `TrainState`. One `update` is
`collect` -> `advantages` -> `update_epoch` times `num_epochs` -> `update_minibatch` times
`num_minibatches`.

Devices: give `axis`, the name of the mesh axis the lanes are split over, and run `update` inside
`shard_map`. Random numbers belong to the lane (its global number is folded into the key) and
minibatches are cut along time, in an order drawn for each lane, so every minibatch holds the same
number of steps of every lane: no step leaves its device, and the number of devices changes nothing
but the order of float sums.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float32, Int32, Key

from agents import losses
from agents.base import Network
from spatialjax.core.pytree import pytree


@dataclasses.dataclass(frozen=True)
class PPOConfig:
    """Hyper-parameters of PPO."""

    updates: int = 400  # updates in all; the learning rate falls to zero over them
    num_envs: int = 256  # lanes, over all devices
    num_steps: int = 32  # steps of each lane in one update
    value_updates: int = 0  # of the updates, the first ones leave the policy as it is
    num_epochs: int = 4
    num_minibatches: int = 8  # divides num_steps
    learning_rate: float = 1e-3  # of Adam, at the first update
    discount: float = 0.99
    trace_decay: float = 0.95  # lambda of GAE
    clip: float = 0.2  # of the probability ratio
    value_clip: float = 10.0  # of the change of a value in one update
    value_weight: float = 0.5
    entropy_weight: float = 0.01
    max_grad_norm: float = 0.5

    def __post_init__(self):
        if self.num_steps % self.num_minibatches:
            raise ValueError(
                f"num_minibatches is {self.num_minibatches}, "
                f"which does not divide num_steps {self.num_steps}"
            )

    @property
    def steps_per_update(self) -> int:
        """Environment steps of one update, all lanes."""
        return self.num_envs * self.num_steps


@pytree
class TrainState:
    """All that training changes: a checkpoint holds this and nothing else.

    Attributes:
      params: variables of the network.
      optimizer: state of the optimizer.
      key: split once an update.
      update: updates done, by all phases of training.
      lane: global number of each lane.
      episode, observation: where each lane stands.
      episode_return, episode_length: so far, of each lane's running episode.
    """

    params: Any
    optimizer: Any
    key: Key[Array, ""]
    update: Int32[Array, ""]
    lane: Int32[Array, " B"]
    episode: Any
    observation: Any
    episode_return: Float32[Array, " B"]
    episode_length: Int32[Array, " B"]


class Trajectory(NamedTuple):
    """What the lanes went through, `[T, B]`; `bootstrap` is the value of the last observation of an
    episode that was cut off, 0 elsewhere."""

    observation: Any
    mask: Bool[Array, "T B A"]
    action: Int32[Array, "T B"]
    log_prob: Float32[Array, "T B"]
    value: Float32[Array, "T B"]
    reward: Float32[Array, "T B"]
    terminated: Bool[Array, "T B"]
    truncated: Bool[Array, "T B"]
    bootstrap: Float32[Array, "T B"]


class Samples(NamedTuple):
    """What an epoch learns from, `[T, B]`."""

    trajectory: Trajectory
    advantage: Float32[Array, "T B"]
    target: Float32[Array, "T B"]


@dataclasses.dataclass(frozen=True)
class PPO:
    """PPO of one network in one environment; `env` has gymnax 1.x's `reset` and `step`.

    An environment with `action_mask(episode, params)` is masked; in any other every action is
    legal. `start` is the number of updates that earlier phases of training took.
    """

    env: Any
    network: Network
    config: PPOConfig
    axis: str | None = None
    start: int = 0

    @property
    def optimizer(self) -> optax.GradientTransformation:
        """Adam without its learning rate, which each phase of training multiplies in by itself."""
        return optax.chain(
            optax.clip_by_global_norm(self.config.max_grad_norm), optax.scale_by_adam(eps=1e-5)
        )

    def init(self, key: Key[Array, ""], env_params: Any) -> TrainState:
        """Start every lane and the network; the key is consumed."""
        key, reset_key, network_key = jax.random.split(key, 3)
        lane = jnp.arange(self.config.num_envs, dtype=jnp.int32)
        observation, episode = self._reset(reset_key, lane, env_params)
        params = self.network.init(network_key, observation, self.action_mask(episode, env_params))
        return TrainState(
            params=params,
            optimizer=self.optimizer.init(params),
            key=key,
            update=jnp.zeros((), jnp.int32),
            lane=lane,
            episode=episode,
            observation=observation,
            episode_return=jnp.zeros(lane.shape, jnp.float32),
            episode_length=jnp.zeros(lane.shape, jnp.int32),
        )

    def restart(self, state: TrainState, env_params: Any) -> tuple[TrainState, dict[str, Array]]:
        """Start every lane anew, as on another pack of puzzles; there are no metrics."""
        key, reset_key = jax.random.split(state.key)
        observation, episode = self._reset(reset_key, state.lane, env_params)
        state = dataclasses.replace(
            state,
            key=key,
            episode=episode,
            observation=observation,
            episode_return=jnp.zeros_like(state.episode_return),
            episode_length=jnp.zeros_like(state.episode_length),
        )
        return state, {}

    def _reset(self, key: Key[Array, ""], lane: Int32[Array, " B"], env_params: Any) -> Any:
        """Start an episode in every lane: observations, episodes."""
        return jax.vmap(self.env.reset, (0, None))(lane_keys(key, lane), env_params)

    def action_mask(self, episode: Any, env_params: Any) -> Bool[Array, "B A"]:
        """Return the legal actions of every lane."""
        if hasattr(self.env, "action_mask"):
            return jax.vmap(self.env.action_mask, (0, None))(episode, env_params)
        lanes = jax.tree.leaves(episode)[0].shape[0]
        return jnp.ones((lanes, self.env.num_actions), bool)

    def collect(
        self, state: TrainState, key: Key[Array, ""], env_params: Any
    ) -> tuple[TrainState, Trajectory, dict[str, Array]]:
        """Play `num_steps` in every lane, and sum up the episodes that ended on the way."""
        keys = lane_keys(key, state.lane)

        def value_of(observation):
            mask = jnp.ones((*state.lane.shape, self.env.num_actions), bool)
            return self.network.apply(state.params, observation, mask)[1]

        def play(carry, time):
            observation, episode, episode_return, episode_length = carry
            act_keys, step_keys = jax.vmap(
                lambda key: tuple(jax.random.split(jax.random.fold_in(key, time)))
            )(keys)
            mask = self.action_mask(episode, env_params)
            logits, value = self.network.apply(state.params, observation, mask)
            action = jax.vmap(jax.random.categorical)(act_keys, logits).astype(jnp.int32)
            log_prob = log_prob_of(logits, action)
            next_observation, episode, reward, terminated, truncated, info = jax.vmap(
                self.env.step, (0, 0, 0, None)
            )(step_keys, episode, action, env_params)
            cut = truncated & ~terminated
            # Few steps cut an episode off: the second pass through the network waits until one
            # does.
            bootstrap = jax.lax.cond(
                jnp.any(cut),
                lambda last: jnp.where(cut, value_of(last), 0.0),
                lambda last: jnp.zeros_like(value),
                info["final_observation"],
            )
            reward = reward.astype(jnp.float32)
            done = terminated | truncated
            episode_return += reward
            episode_length += 1
            ended = {
                "episodes": jnp.sum(done, dtype=jnp.float32),
                "return": jnp.sum(jnp.where(done, episode_return, 0.0)),
                "length": jnp.sum(jnp.where(done, episode_length, 0), dtype=jnp.float32),
            }
            if "solved" in info:
                ended["solved"] = jnp.sum(done & info["solved"], dtype=jnp.float32)
            carry = (
                next_observation,
                episode,
                jnp.where(done, 0.0, episode_return),
                jnp.where(done, 0, episode_length),
            )
            step = Trajectory(
                observation, mask, action, log_prob, value, reward, terminated, truncated, bootstrap
            )
            return carry, (step, ended)

        carry = (state.observation, state.episode, state.episode_return, state.episode_length)
        carry, (trajectory, ended) = jax.lax.scan(play, carry, jnp.arange(self.config.num_steps))
        observation, episode, episode_return, episode_length = carry
        state = dataclasses.replace(
            state,
            observation=observation,
            episode=episode,
            episode_return=episode_return,
            episode_length=episode_length,
        )
        return state, trajectory, jax.tree.map(jnp.sum, ended)

    def advantages(self, state: TrainState, trajectory: Trajectory, env_params: Any) -> Samples:
        """Estimate advantages and value targets; `state` stands after the last step."""
        mask = self.action_mask(state.episode, env_params)
        _, last_value = self.network.apply(state.params, state.observation, mask)
        following = jnp.concatenate([trajectory.value[1:], last_value[None]])
        advantage = losses.generalized_advantages(
            trajectory.reward,
            trajectory.value,
            jnp.where(trajectory.truncated, trajectory.bootstrap, following),
            trajectory.terminated,
            trajectory.truncated,
            self.config.discount,
            self.config.trace_decay,
        )
        return Samples(trajectory, advantage, advantage + trajectory.value)

    def loss(
        self, params: Any, samples: Samples, policy_weight: Float32[Array, ""]
    ) -> tuple[Float32[Array, ""], dict[str, Array]]:
        """Return the PPO loss of one minibatch and its parts; advantages are normalised already.

        `policy_weight` is 0 while only the value learns: before it knows anything, its advantages
        would spoil a policy that an earlier phase of training made good.
        """
        trajectory = samples.trajectory
        logits, value = self.network.apply(params, trajectory.observation, trajectory.mask)
        log_prob = log_prob_of(logits, trajectory.action)
        policy = losses.policy_loss(
            log_prob, trajectory.log_prob, samples.advantage, self.config.clip
        )
        error = losses.value_loss(value, trajectory.value, samples.target, self.config.value_clip)
        entropy = losses.entropy(jax.nn.log_softmax(logits))
        change = log_prob - trajectory.log_prob
        parts = {
            "policy_loss": jnp.mean(policy),
            "value_loss": jnp.mean(error),
            "entropy": jnp.mean(entropy),
            "kl": jnp.mean(jnp.exp(change) - 1.0 - change),
            "clipped": jnp.mean(
                jnp.abs(jnp.exp(change) - 1.0) > self.config.clip, dtype=jnp.float32
            ),
        }
        of_policy = parts["policy_loss"] - self.config.entropy_weight * parts["entropy"]
        return policy_weight * of_policy + self.config.value_weight * parts["value_loss"], parts

    def update_minibatch(
        self, state: TrainState, samples: Samples
    ) -> tuple[TrainState, dict[str, Array]]:
        """Take one step of the optimizer."""
        mean = self.across(jnp.mean(samples.advantage))
        spread = jnp.sqrt(self.across(jnp.mean((samples.advantage - mean) ** 2)))
        samples = samples._replace(advantage=(samples.advantage - mean) / (spread + 1e-8))
        policy_weight = (state.update - self.start >= self.config.value_updates).astype(jnp.float32)
        gradients, parts = jax.grad(self.loss, has_aux=True)(state.params, samples, policy_weight)
        gradients, parts = self.across((gradients, parts))
        return self.apply_gradients(state, gradients, self.learning_rate(state.update)), parts

    def update_epoch(
        self, state: TrainState, samples: Samples, key: Key[Array, ""]
    ) -> tuple[TrainState, dict[str, Array]]:
        """Learn from every sample once; a minibatch holds equally many steps of every lane."""
        time = jnp.arange(self.config.num_steps)
        order = jax.vmap(jax.random.permutation, (0, None), out_axes=1)(
            lane_keys(key, state.lane), time
        )
        column = jnp.arange(state.lane.shape[0])

        def cut(leaf):
            shuffled = leaf[order, column]
            return shuffled.reshape(self.config.num_minibatches, -1, *leaf.shape[1:])

        state, parts = jax.lax.scan(self.update_minibatch, state, jax.tree.map(cut, samples))
        return state, jax.tree.map(jnp.mean, parts)

    def update(self, state: TrainState, env_params: Any) -> tuple[TrainState, dict[str, Array]]:
        """Collect once and learn from it; the metrics are means over the episodes that ended."""
        key, collect_key, epoch_key = jax.random.split(state.key, 3)
        state, trajectory, ended = self.collect(state, collect_key, env_params)
        samples = self.advantages(state, trajectory, env_params)
        epoch_keys = jax.random.split(epoch_key, self.config.num_epochs)
        state, parts = jax.lax.scan(
            lambda state, key: self.update_epoch(state, samples, key), state, epoch_keys
        )
        # The mean over devices of the sums: the quotients below are those of all lanes.
        ended = self.across(ended)
        episodes = ended.pop("episodes")
        metrics = jax.tree.map(jnp.mean, parts)
        metrics |= {name: total / jnp.maximum(episodes, 1.0) for name, total in ended.items()}
        metrics["episodes"] = episodes * self.across_size()
        return dataclasses.replace(state, key=key, update=state.update + 1), metrics

    def apply_gradients(
        self, state: TrainState, gradients: Any, learning_rate: Array
    ) -> TrainState:
        """Move the parameters against the gradients, which are those of all devices already."""
        direction, optimizer = self.optimizer.update(gradients, state.optimizer, state.params)
        params = jax.tree.map(
            lambda param, step: param - learning_rate * step, state.params, direction
        )
        return dataclasses.replace(state, params=params, optimizer=optimizer)

    def learning_rate(self, update: Int32[Array, ""]) -> Float32[Array, ""]:
        """Return the learning rate of one update: linear, to zero after the last."""
        return self.config.learning_rate * (1.0 - (update - self.start) / self.config.updates)

    def across(self, tree: Any) -> Any:
        """Average over the devices, if the lanes are split over several."""
        return tree if self.axis is None else jax.lax.pmean(tree, self.axis)

    def across_size(self) -> int:
        """Return the number of devices that the lanes are split over."""
        return 1 if self.axis is None else jax.lax.axis_size(self.axis)


def lane_keys(key: Key[Array, ""], lane: Int32[Array, " B"]) -> Key[Array, " B"]:
    """Derive each lane's key from its global number, wherever the lane lives."""
    return jax.vmap(jax.random.fold_in, (None, 0))(key, lane)


def log_prob_of(
    logits: Float32[Array, "... A"], action: Int32[Array, "..."]
) -> Float32[Array, "..."]:
    """Return the log-probability of the action taken."""
    return jnp.take_along_axis(jax.nn.log_softmax(logits), action[..., None], axis=-1)[..., 0]

"""Warm start: learn from the stored solutions before any episode is played.

A demonstration is a state on some stored solution where more than one move is legal. The policy
learns to put its probability on the moves that stay on a stored solution (there may be several).
Every demonstration is seen in a random view, turned, mirrored and recoloured. Solutions are of the
training puzzles alone.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int16, Int32, Key, UInt8

from agents.ppo import PPO, TrainState, lane_keys
from spatialjax.core.pytree import pytree
from spatialjax.witness import views
from spatialjax.witness.dynamics import flat_steps
from spatialjax.witness.observations import Channel
from spatialjax.witness.pack import HostPack
from spatialjax.witness.symmetry import NUM_SYMMETRIES
from spatialjax.witness.types import NUM_COLORS, Pack

NEVER = 255
"""Time of a point that a line does not take; lines have fewer moves."""

FIRST_RATE = 0.05
"""Learning rate of the first update, as a share of `learning_rate`."""

RISE = 0.05
"""About the share of the updates in which the learning rate rises."""


@dataclasses.dataclass(frozen=True)
class ImitationConfig:
    """Hyper-parameters of the warm start."""

    updates: int = 300  # 0 leaves it out
    steps_per_update: int = 8  # steps of the optimizer in one update
    batch: int = 256  # demonstrations in one step, over all devices
    learning_rate: float = 2e-3  # of Adam, at its peak: see `Imitation.learning_rate`
    weight_decay: float = 1e-4


@pytree
class Demonstrations:
    """All states on stored solutions with a choice; `M` solutions, `D` states, `T` moves.

    Attributes:
      owner: puzzle of each solution.
      time: move at which each point of the lattice is taken, `NEVER` if it is not.
      good: moves at each time that stay on some stored solution.
      legal: legal moves at each time.
      solution, step: where each state is.
      share: chance of all states up to this one: each puzzle has the same, and so has each of its
        solutions.
    """

    owner: Int32[Array, " M"]
    time: UInt8[Array, "M H W"]
    good: Bool[Array, "M T 4"]
    legal: Bool[Array, "M T 4"]
    solution: Int32[Array, " D"]
    step: Int16[Array, " D"]
    share: Float32[Array, " D"]


def find_demonstrations(pack: HostPack, params: Pack) -> Demonstrations:
    """List the demonstrations of a pack; `params` are its arrays on the device."""
    rows, cols = pack.puzzles.dot.shape[-2:]
    owner = np.array([i for i, paths in enumerate(pack.solutions) for _ in paths])
    paths = [path for paths in pack.solutions for path in paths]
    lengths = np.array([len(path) for path in paths])
    num_moves = lengths.max()
    is_move = np.arange(num_moves) < lengths[:, None]
    moves = np.zeros((len(paths), num_moves), np.int64)
    moves[is_move] = np.concatenate(paths)

    offsets = np.asarray(flat_steps(cols))
    start = pack.puzzles.start[owner]
    position = np.cumsum(np.column_stack([start, offsets[moves] * is_move]), axis=1)
    line = np.arange(len(paths))
    time = np.full((len(paths), rows * cols), NEVER, np.uint8)
    for step in range(num_moves, -1, -1):  # backwards: past its end a line stands still
        time[line, position[:, step]] = step

    child, node = np.asarray(params.trie.child), np.asarray(params.trie.root)[owner]
    open_directions = pack.puzzles.open_directions.reshape(-1, rows * cols)
    good, legal = (np.zeros((len(paths), num_moves, 4), bool) for _ in range(2))
    for step in range(num_moves):
        good[:, step] = child[node] >= 0
        here = position[:, step]
        bits = open_directions[owner, here]
        target = np.clip(here[:, None] + offsets, 0, rows * cols - 1)
        is_free = time[line[:, None], target] > step
        legal[:, step] = ((bits[:, None] >> np.arange(4)) & 1 == 1) & is_free
        node = np.where(is_move[:, step], child[node, moves[:, step]], node)
    good &= is_move[:, :, None]
    has_choice = is_move & (legal.sum(axis=2) > 1)
    solution, step = np.nonzero(has_choice)
    num_solutions, num_choices = np.bincount(owner)[owner], has_choice.sum(axis=1)
    weight = 1.0 / (num_solutions * num_choices.clip(1))[solution]
    arrays = {
        "owner": owner.astype(np.int32),
        "time": time.reshape(-1, rows, cols),
        "good": good,
        "legal": legal,
        "solution": solution.astype(np.int32),
        "step": step.astype(np.int16),
        "share": (np.cumsum(weight) / weight.sum()).astype(np.float32),
    }
    return Demonstrations(**jax.tree.map(jnp.asarray, arrays))


@dataclasses.dataclass(frozen=True)
class Imitation:
    """The phase of training before PPO; network, optimizer and lanes are those of `ppo`."""

    ppo: PPO
    config: ImitationConfig

    def update(
        self, state: TrainState, data: tuple[Pack, Demonstrations]
    ) -> tuple[TrainState, dict[str, Array]]:
        """Take `steps_per_update` steps of the optimizer, each on a fresh batch."""
        key, batch_key = jax.random.split(state.key)

        def step(state, key):
            sampled = self.sample(key, state.lane, data)
            gradients, metrics = jax.grad(self.loss, has_aux=True)(state.params, *sampled)
            gradients, metrics = self.ppo.across((gradients, metrics))
            rate = self.learning_rate(state.update)
            state = self.ppo.apply_gradients(state, gradients, rate)
            kept = 1.0 - rate * self.config.weight_decay
            params = jax.tree.map(lambda p: p * kept, state.params)
            return dataclasses.replace(state, params=params), metrics

        keys = jax.random.split(batch_key, self.config.steps_per_update)
        state, metrics = jax.lax.scan(step, state, keys)
        state = dataclasses.replace(state, key=key, update=state.update + 1)
        return state, jax.tree.map(jnp.mean, metrics)

    def sample(self, key: Key[Array, ""], lane: Int32[Array, " B"], data: Any) -> tuple:
        """Draw a batch of what `draw` returns; each device draws that of its own lanes."""
        each = self.config.batch // self.ppo.config.num_envs
        keys = jax.vmap(lambda key: jax.random.split(key, each))(lane_keys(key, lane)).reshape(-1)
        return jax.vmap(draw, (0, None, None))(keys, *data)

    def loss(
        self, params: Any, planes: Array, legal: Array, good: Array
    ) -> tuple[Float32[Array, ""], dict[str, Array]]:
        """Return the loss of a batch, and metrics."""
        logits, _ = self.ppo.network.apply(params, planes, legal)
        log_prob = jax.nn.logsumexp(jax.nn.log_softmax(logits), axis=-1, where=good)
        policy_loss = -jnp.mean(log_prob)
        chosen = jnp.argmax(logits, axis=-1)
        right_moves = jnp.mean(jnp.take_along_axis(good, chosen[:, None], axis=-1))
        return policy_loss, {"policy_loss": policy_loss, "right_moves": right_moves}

    def learning_rate(self, update: Int32[Array, ""]) -> Float32[Array, ""]:
        """Return the learning rate of one update: linear, up and then down to 0."""
        done = update / self.config.updates
        up = FIRST_RATE + done / RISE
        return self.config.learning_rate * jnp.minimum(up, 1.0 - done)


def draw(
    key: Key[Array, ""], params: Pack, demonstrations: Demonstrations
) -> tuple[UInt8[Array, "H W 13"], Bool[Array, " 4"], Bool[Array, " 4"]]:
    """Draw one demonstration in a random view: planes, legal moves, good moves."""
    state_key, turn_key, color_key = jax.random.split(key, 3)
    d = demonstrations
    index = jnp.searchsorted(d.share, jax.random.uniform(state_key), side="right")
    index = jnp.minimum(index, d.share.shape[0] - 1)
    solution, step = d.solution[index], d.step[index]
    time, now = d.time[solution], step.astype(jnp.uint8)
    planes = params.base_observation[d.owner[solution]]
    line = (time <= now).astype(jnp.uint8)
    planes = planes.at[..., Channel.LINE].set(line)
    planes = planes.at[..., Channel.HEAD].set((time == now).astype(jnp.uint8))
    planes = planes.at[..., Channel.USABLE].multiply(1 - line)

    k = jax.random.randint(turn_key, (), 0, NUM_SYMMETRIES)
    planes = views.turn_planes(planes, k)
    planes = views.recolor_planes(planes, jax.random.permutation(color_key, NUM_COLORS))
    names = views.turn_actions(k)
    legal, good = (
        jnp.zeros(4, bool).at[names].set(moves[solution, step]) for moves in (d.legal, d.good)
    )
    return planes, legal, good

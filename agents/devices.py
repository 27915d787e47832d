"""Lanes split over devices: a mesh with one axis, and functions of `TrainState` compiled over it.

Parameters, optimizer and keys are on every device; lanes are split. Nothing here asks where a
device is: over several hosts the mesh spans `jax.devices()` as well, and because `start` makes the
state inside a compiled function, each host fills just its own part.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from agents.ppo import TrainState

LANE_AXIS = "lanes"
"""Name of the mesh axis."""

_SPECS: dict[str, Any] = {
    "params": P(),
    "optimizer": P(),
    "key": P(),
    "update": P(),
    "lane": P(LANE_AXIS),
    "episode": P(LANE_AXIS),
    "observation": P(LANE_AXIS),
    "episode_return": P(LANE_AXIS),
    "episode_length": P(LANE_AXIS),
}
SPECS = TrainState(**_SPECS)
"""Which parts of the train state are split."""


def make_mesh(devices: Sequence[jax.Device], num_envs: int) -> Mesh:
    """Arrange the devices in a line; `num_envs` lanes must split evenly over them."""
    if num_envs % len(devices):
        raise ValueError(
            f"num_envs is {num_envs}, which does not split evenly over {len(devices)} devices"
        )
    shape, names = (len(devices),), (LANE_AXIS,)
    return jax.make_mesh(shape, names, axis_types=(AxisType.Auto,), devices=devices)


def shardings(mesh: Mesh, state: Any) -> Any:
    """Return the sharding of every leaf of a train state (or of its abstract twin)."""
    spread = jax.tree.map(
        lambda spec, part: jax.tree.map(lambda _: NamedSharding(mesh, spec), part),
        vars(SPECS),
        vars(state),
        is_leaf=lambda leaf: isinstance(leaf, P),
    )
    return TrainState(**spread)


def replicate(mesh: Mesh, tree: Any) -> Any:
    """Put a copy of every array on each device."""
    return jax.device_put(tree, NamedSharding(mesh, P()))


def abstract_start(init: Callable[..., TrainState], mesh: Mesh, *args: Any) -> TrainState:
    """Return what `start` would make as shapes, dtypes and shardings, to read a checkpoint into."""
    abstract = jax.eval_shape(init, *args)
    return jax.tree.map(
        lambda leaf, sharding: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding),
        abstract,
        shardings(mesh, abstract),
    )


def start(init: Callable[..., TrainState], mesh: Mesh, *args: Any) -> TrainState:
    """Make the first train state, `init(*args)`, in its place on the mesh."""
    abstract = jax.eval_shape(init, *args)
    return jax.jit(init, out_shardings=shardings(mesh, abstract))(*args)


def compile_step(step: Callable[..., tuple[TrainState, Any]], mesh: Mesh) -> Callable:
    """Compile `step(state, env_params) -> state, metrics` over the mesh; the state is used up.

    `step` sees its own lanes and averages over `LANE_AXIS` itself. `check_vma` is off because an
    environment's loops start from constants, which the check would call the same on every device;
    then `jax.grad` gives each device its own gradient, and the average in `step` is the whole
    gradient.
    """
    shard = partial(
        jax.shard_map, mesh=mesh, in_specs=(SPECS, P()), out_specs=(SPECS, P()), check_vma=False
    )
    return jax.jit(shard(step), donate_argnums=0)

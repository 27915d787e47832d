"""Programs called as their scripts call them, within the test's own process; runs they leave."""

import dataclasses
import sys

import jax
import orbax.checkpoint as ocp
import pytest

from agents import cli
from agents.config import TrainConfig
from agents.families import FAMILIES
from agents.runs import read_config, read_metrics
from agents.train import make_ppo


def exit_of(monkeypatch, program, *flags):
    """Call a program, given as module, config and function; return what it exits with."""
    monkeypatch.setattr(sys, "argv", [program[0], *map(str, flags)])
    with pytest.raises(SystemExit) as stop:
        cli.main(*program)
    return stop.value.code


def final_state(path):
    """Return the last checkpoint of a run as NumPy arrays."""
    config = read_config(path, TrainConfig)
    env, puzzles = FAMILIES[config.env].load_puzzles(config)
    params = puzzles.params(0)
    abstract = jax.eval_shape(make_ppo(config, env, params).init, jax.random.key(0), params)
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    wanted = jax.tree.map(
        lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding), abstract
    )
    options = ocp.CheckpointManagerOptions(create=False)
    with ocp.CheckpointManager(path.absolute() / "checkpoints", options=options) as checkpoints:
        step = checkpoints.latest_step()
        state = checkpoints.restore(step, args=ocp.args.StandardRestore(wanted))
    return jax.device_get(dataclasses.replace(state, key=jax.random.key_data(state.key)))


def metrics_of(path):
    """Return the metrics of a run without what a clock says."""
    return [{k: v for k, v in row.items() if k != "steps_per_s"} for row in read_metrics(path)]

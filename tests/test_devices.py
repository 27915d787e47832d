"""The main job over eight devices: the same episodes as on one, and the same parameters."""

import os
import random
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

pytest.importorskip("flax", reason="needs the agents extra")

from boards import solvable_record

import spatialjax
from agents import devices
from agents.config import TrainConfig
from agents.imitation import ImitationConfig, find_demonstrations
from agents.networks import NetworkConfig
from agents.ppo import PPOConfig
from agents.puzzles import StoredPuzzles
from agents.train import make_phases
from spatialjax.witness.pack import build_pack

CONFIG = TrainConfig(
    imitation=ImitationConfig(updates=2, steps_per_update=2, batch=32),
    ppo=PPOConfig(
        updates=5, value_updates=1, num_envs=16, num_steps=8, num_epochs=2, num_minibatches=2
    ),
    network=NetworkConfig(hidden=(8,), width=4, depth=1),
)
FLAGS = (
    "--xla_force_host_platform_device_count=8",
    # Most of the time goes into compiling, and hardly any into running.
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
)
MAX_STEPS = 6  # fewer than most lines take, so that some episodes are cut off


def train(count):
    """Yield train state and metrics of a small job on `count` devices, first and at each update."""
    rng = random.Random(0)
    pack = build_pack([solvable_record(rng, 2, 2, list_solutions=True)[0] for _ in range(6)])
    env, params = spatialjax.make(
        "Witness-v0",
        source=pack,
        success="solutions",
        reward="prefix",
        max_steps=MAX_STEPS,
    )
    mesh = devices.make_mesh(jax.devices()[:count], CONFIG.ppo.num_envs)
    puzzles = StoredPuzzles(pack.hash, params, lambda: find_demonstrations(pack, params))
    ppo, phases = make_phases(CONFIG, env, puzzles)
    state = devices.start(ppo.init, mesh, jax.random.key(0), params)
    assert len(state.observation.sharding.device_set) == count
    yield plain(state), {}
    for phase in phases:
        step = devices.compile_step(phase.advance, mesh)
        data = devices.replicate(mesh, phase.data(0))
        for _ in range(phase.updates):
            state, metrics = step(state, data)
            yield plain(state), jax.device_get(metrics)


def plain(state):
    """Return the fields of a train state as copies, as the next update takes over its memory."""
    fields = vars(state) | {"key": jax.random.key_data(state.key)}
    return jax.tree.map(np.array, fields)


def compare():
    """Compare eight devices with one; to be called where there are eight."""
    assert jax.device_count() == 8
    episodes = []
    for (one, one_metrics), (eight, metrics) in zip(train(1), train(8), strict=True):
        learnt = [[state.pop("params"), state.pop("optimizer")] for state in (one, eight)]
        jax.tree.map(np.testing.assert_array_equal, one, eight)
        jax.tree.map(assert_close, *learnt)
        jax.tree.map(assert_close, one_metrics, metrics)
        episodes.append(metrics.get("episodes", 0))
    played = CONFIG.ppo.updates
    assert len(episodes) == 1 + CONFIG.imitation.updates + played
    assert min(episodes[-played:]) > 0


def assert_close(one, eight):
    """Assert equality but for the order of float sums."""
    np.testing.assert_allclose(one, eight, rtol=1e-5, atol=1e-6)


def test_eight_devices_equal_one():
    tests = Path(__file__).parent
    environment = os.environ | {
        "XLA_FLAGS": " ".join(FLAGS),
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": f"{tests}{os.pathsep}{tests.parent}",
    }
    command = [sys.executable, "-c", "import test_devices; test_devices.compare()"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

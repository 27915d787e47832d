"""The main job on three tiny boards: what it leaves, and that stopping it changes nothing."""

import dataclasses
import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import pytest

pytest.importorskip("flax", reason="needs the agents extra")

from drawn import solved_record
from programs import exit_of, final_state, metrics_of

from agents.config import TrainConfig
from agents.imitation import ImitationConfig
from agents.lines import LineFamily
from agents.networks import NetworkConfig
from agents.ppo import PPOConfig
from agents.runs import Run, from_json, read_config, restore_variables
from agents.train import train

PICTURES = ["S + +\n+ N +\n+ + E", ". + S\n+ N +\n+ + E", "S + .\n+ N +\nE + +"]
UPDATES = 30
WARM = 10
PROGRAM = ("agents.train", "TrainConfig", "train", "defaults")

pytestmark = pytest.mark.usefixtures("standard_promotion")


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """Return a job of seconds."""
    folder = tmp_path_factory.mktemp("train")
    records = [solved_record(picture, f"board-{i}") for i, picture in enumerate(PICTURES)]
    lines = [json.dumps(record) for record in records]
    source = folder / "boards.jsonl"
    source.write_text("\n".join(lines) + "\n")
    return TrainConfig(
        name="whole",
        runs=str(folder / "runs"),
        checkpoint_every=4,
        source=str(source),
        heldout=str(source),
        eval="none",
        capacity=(1, 1),
        imitation=ImitationConfig(updates=WARM, steps_per_update=2, batch=8),
        ppo=PPOConfig(updates=UPDATES - WARM, num_envs=8, num_steps=8, num_minibatches=2),
        network=NetworkConfig(hidden=(8,), width=4, depth=1),
    )


@pytest.fixture(scope="module")
def whole(config):
    """Return the folder of a run that nothing disturbed."""
    return train(config)


@pytest.fixture
def no_report(monkeypatch):
    """Leave out the tables and pictures."""
    monkeypatch.setattr(LineFamily, "write_report", lambda *_: None)


def assert_same(path, whole):
    """Assert that two runs ended alike, bit for bit."""
    for one, two in zip(*map(jax.tree.leaves, map(final_state, (path, whole))), strict=True):
        np.testing.assert_array_equal(one, two)
    assert metrics_of(path) == metrics_of(whole)
    assert [row["update"] for row in metrics_of(path)] == list(range(1, UPDATES + 1))


def test_run_folder(whole, config, capsys):
    assert read_config(whole, TrainConfig) == config
    assert len(metrics_of(whole)) == UPDATES
    assert (whole / "learning_curve.png").stat().st_size > 1000
    assert (whole / "success_heldout.png").stat().st_size > 1000
    assert list((whole / "tensorboard").iterdir())
    agents = [
        result["agent"] for result in json.loads((whole / "results_heldout.json").read_text())
    ]
    assert agents == ["random", "astar", "ppo", "ppo, 8 views"]
    assert "ppo" in (whole / "results.txt").read_text()
    assert {file.name.split("_")[0] for file in (whole / "boards").iterdir()} <= {
        "solved",
        "failed",
    }
    assert len(list((whole / "boards").iterdir())) == len(PICTURES)


def test_killed_run_resumes_bit_for_bit(whole, config, no_report):
    config = dataclasses.replace(config, name="killed")
    path = Path(config.runs) / config.name
    script = "import sys, json; from agents.runs import from_json; from agents.train import *; "
    script += "train(from_json(TrainConfig, json.loads(sys.argv[1])))"
    root = Path(__file__).parents[1]
    command = [sys.executable, "-c", script, json.dumps(dataclasses.asdict(config))]
    job = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(root)})
    deadline = time.monotonic() + 300
    while not (path / "checkpoints" / "8").exists() and time.monotonic() < deadline:
        assert job.poll() is None, "the job ended before it could be killed"
        time.sleep(0.002)
    job.kill()
    job.wait()
    assert not (path / "checkpoints" / str(UPDATES)).exists()
    # A row beyond the checkpoint, and half a row: what a kill between two writes leaves.
    with open(path / "metrics.jsonl", "a") as file:
        file.write(json.dumps({"update": UPDATES - 1}) + '\n{"upd')
    assert train(TrainConfig(resume=str(path))) == path
    assert_same(path, whole)


def test_interrupted_run_saves_and_resumes_bit_for_bit(
    whole, config, no_report, monkeypatch, capsys
):
    path = Path(config.runs) / "interrupted"
    log = Run.log

    def log_and_interrupt(run, row):
        log(run, row)
        if row["update"] == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "log", log_and_interrupt)
        train(dataclasses.replace(config, name="interrupted"))
    assert f"stopped after update 5; continue with: python scripts/train.py --resume {path}" in (
        capsys.readouterr().out
    )
    train(TrainConfig(resume=str(path)))
    assert_same(path, whole)


def test_reading_a_checkpoint_neither_writes_nor_warns(whole, caplog):
    def files():
        return {path: path.stat().st_mtime_ns for path in (whole / "checkpoints").rglob("*")}

    before = files()
    variables = restore_variables(whole)
    jax.tree.map(np.testing.assert_array_equal, variables, final_state(whole).params)
    assert files() == before
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_seeds_differ(whole, config, no_report):
    path = train(dataclasses.replace(config, name="other", seed=1))
    assert metrics_of(path) != metrics_of(whole)


def test_config_survives_json(config):
    assert from_json(TrainConfig, json.loads(json.dumps(dataclasses.asdict(config)))) == config


def test_program_refuses_with_one_sentence(whole, config, monkeypatch, tmp_path):
    flags = ["--source", config.source, "--heldout", config.source, "--eval", "none"]
    flags += ["--runs", config.runs, "--name", config.name, "--capacity", "1", "1"]
    messages = [
        (exit_of(monkeypatch, PROGRAM, *flags), "exists; choose another --name"),
        (exit_of(monkeypatch, PROGRAM, "--resume", tmp_path), "is no run folder"),
        (
            exit_of(monkeypatch, PROGRAM, "--resume", whole, "--seed", "1"),
            "leave out the other flags",
        ),
        (exit_of(monkeypatch, PROGRAM, *flags, "--eval", tmp_path / "none.jsonl"), "none.jsonl"),
    ]
    for message, expected in messages:
        assert expected in str(message)
        assert "\n" not in str(message)
    assert exit_of(monkeypatch, PROGRAM, "--sed", "1") == 2
    assert exit_of(monkeypatch, PROGRAM, "--ppo.num-minibatches", "5") == 2


def test_a_seed_that_jax_would_cut_is_refused():
    with pytest.raises(ValueError, match="seed is 4294967296; it must be from 0 to 4294967295"):
        TrainConfig(seed=1 << 32)

"""The main job on six small sliding puzzles: what it leaves, stopping, playing what it learnt."""

import dataclasses
import json
import os
import signal
from pathlib import Path

import jax
import numpy as np
import pytest

pytest.importorskip("flax", reason="needs the agents extra")

from programs import exit_of, final_state, metrics_of

from agents import cli, sliding_evaluation
from agents.config import EvaluateConfig, TrainConfig
from agents.evaluate import run as evaluate
from agents.families import FAMILIES
from agents.networks import NetworkConfig
from agents.ppo import PPOConfig
from agents.runs import Run, read_config
from agents.sliding import SlidingFamily, overlap
from agents.train import defaults, train
from spatialjax.data.sliding_files import write_configs
from spatialjax.sliding.generate import generate_sliding
from spatialjax.sliding.pack import build_pack
from spatialjax.solvers.sliding_distances import UNKNOWN, exact_distances

PROGRAM = ("agents.train", "TrainConfig", "train", "defaults")
EVALUATE = ("agents.evaluate", "EvaluateConfig", "run")
UPDATES = 12

pytestmark = pytest.mark.usefixtures("standard_promotion")


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """Return a job of seconds on six boards of 3 x 3 cells."""
    folder = tmp_path_factory.mktemp("sliding")
    write_configs(
        folder / "boards", generate_sliding(3, seed=1, sizes=(3,), geoms=(2, 3), moves=(2,))
    )
    return dataclasses.replace(
        FAMILIES["SlidingGeom-v0"].defaults,
        name="whole",
        runs=str(folder / "runs"),
        source=str(folder / "boards"),
        heldout=str(folder / "boards"),
        eval="none",
        capacity=(3, 3),
        ppo=PPOConfig(updates=UPDATES, num_envs=16, num_steps=16, num_minibatches=2),
        network=NetworkConfig(hidden=(8,), width=8, depth=1),
    )


@pytest.fixture(scope="module")
def whole(config):
    """Return the folder of a run that nothing disturbed."""
    return train(config)


def test_boards_learnt_from_are_told_in_the_table():
    first, second = (
        build_pack(generate_sliding(2, seed=seed, sizes=(3,), geoms=(3,), moves=(3, 4)))
        for seed in (1, 2)
    )
    assert overlap(first, first) == 4 and overlap(first, second) == 0


def test_run_folder(whole, config):
    assert read_config(whole, TrainConfig) == config
    assert [row["update"] for row in metrics_of(whole)] == list(range(1, UPDATES + 1))
    for picture in ("learning_curve.png", "heatmap_heldout.png"):
        assert (whole / picture).stat().st_size > 1000
    results = json.loads((whole / "results_heldout.json").read_text())
    assert [result["agent"] for result in results] == ["random", "greedy", "ppo"]
    random, _, ppo = results
    assert ppo["n"] == 6 and ppo["solved"] > random["solved"]
    assert ppo["by_level"] == {"2": [ppo["solved"], 6]}
    failed = list((whole / "boards").iterdir())
    assert len(failed) == 3 * min(6 - ppo["solved"], 4)
    text = (whole / "results.txt").read_text()
    assert "% solved by moves of a shortest solution and number of geoms" in text


def test_interrupted_run_resumes_bit_for_bit(whole, config, monkeypatch, capsys):
    monkeypatch.setattr(SlidingFamily, "write_report", lambda *_: None)
    log = Run.log

    def log_and_interrupt(run, row):
        log(run, row)
        if row["update"] == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "log", log_and_interrupt)
        path = train(dataclasses.replace(config, name="interrupted"))
    assert f"continue with: python scripts/train.py --resume {path}" in capsys.readouterr().out
    train(TrainConfig(resume=str(path)))
    for one, two in zip(*map(jax.tree.leaves, map(final_state, (path, whole))), strict=True):
        np.testing.assert_array_equal(one, two)
    assert metrics_of(path) == metrics_of(whole)


def test_what_was_learnt_plays_larger_boards(whole, config, tmp_path, monkeypatch):
    boards = generate_sliding(1, seed=3, sizes=(4,), geoms=(2, 5), moves=(2, 3))
    write_configs(tmp_path / "boards", boards)
    flags = ["--env", "SlidingGeom-v0", "--agent", "ppo", "--checkpoint", whole]
    flags += ["--source", tmp_path / "boards", "--json", tmp_path / "out.json"]
    flags += ["--heatmap", tmp_path / "cells.png"]
    monkeypatch.setattr("sys.argv", ["evaluate.py", *map(str, flags)])
    cli.main(*EVALUATE)
    result = json.loads((tmp_path / "out.json").read_text())
    assert result["n"] == 4 and set(result["by_kind"]) == {"2 geoms", "5 geoms"}
    assert result["metrics"]["solved"]["mean"] == 100 * result["solved"] / 4
    assert len(result["by_level_and_geoms"]) == 4 and len(result["curves"]["regret"]) == 21
    assert (tmp_path / "cells.png").read_bytes().startswith(b"\x89PNG")


def test_agents_that_learn_nothing(config):
    def played(agent, **options):
        return evaluate(
            EvaluateConfig(agent, env="SlidingGeom-v0", source=config.source, **options)
        )

    optimal = played("optimal", attempts=2)
    assert optimal.solved.all() and optimal.solved.shape == (2, 6)
    assert all(episode.solved_optimally for episode in optimal.measured)
    assert not played("optimal", max_steps=1).solved.any()
    assert played("random_any").metrics["out_of_bounds"].mean > 0
    assert played("greedy").solved.any()
    assert "step deviation        0.00 ± 0.00" in optimal.tables()


def test_defaults_follow_the_environment():
    assert defaults(["--seed", "1"]) == TrainConfig()
    assert defaults(["--env=SlidingTile-v0"]).capacity == (4, 15)
    assert defaults(["--env", "chess"]) == TrainConfig()  # which the program refuses by itself


def test_programs_refuse_with_one_sentence(whole, monkeypatch):
    sliding = ["--env", "SlidingGeom-v0"]
    for program, flags, expected in (
        (PROGRAM, [*sliding, "--success", "rules"], "success"),
        (PROGRAM, [*sliding, "--reward", "prefix"], "reward"),
        (PROGRAM, [*sliding, "--imitation.updates", "3"], "it must be 0"),
        (PROGRAM, [*sliding, "--source", "nowhere"], "nowhere"),
        (PROGRAM, [*sliding, "--resume", whole, "--seed", "1"], "leave out the other flags"),
        (EVALUATE, [*sliding, "--agent", "astar"], "optimal"),
        (EVALUATE, [*sliding, "--agent", "random", "--success", "solutions"], "no choice of"),
        (EVALUATE, [*sliding, "--agent", "random", "--heatmap", "x.txt"], "must end in .png"),
        (EVALUATE, ["--agent", "greedy"], "'random', 'astar', 'ppo'"),
        (EVALUATE, ["--agent", "random", "--heatmap", "x.png"], "heatmap"),
        (EVALUATE, ["--agent", "ppo", "--checkpoint", whole], "give --env SlidingGeom-v0"),
    ):
        message = str(exit_of(monkeypatch, program, *flags))
        assert expected in message and "\n" not in message, message
    assert Path("x.png").exists() is False


def test_episodes_without_exact_distances_are_counted_apart(config, monkeypatch):
    """As on large boards, where the search of a far arrangement gives up."""

    def forgetful(params, rows, positions):
        distances = exact_distances(params, rows, positions)
        distances[np.flatnonzero(rows == 2)[-1]] = UNKNOWN
        return distances

    monkeypatch.setattr(sliding_evaluation, "exact_distances", forgetful)
    played = evaluate(EvaluateConfig("greedy", env="SlidingGeom-v0", source=config.source))
    assert [episode is None for episode in played.episodes] == [False] * 2 + [True] + [False] * 3
    assert played.metrics["solved"].count == 5 and played.to_json("")["measured"] == 5
    assert played.labels["level"] == ["2"] * 6 and played.solved.shape == (1, 6)
    assert "without 1 whose exact distances no search found" in played.tables()

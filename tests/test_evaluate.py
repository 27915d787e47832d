"""Attempts, counts and intervals; the published baselines on the published puzzles."""

import json
import sys

import numpy as np
import pytest

pytest.importorskip("flax", reason="needs the agents extra")

from drawn import solved_record
from programs import exit_of

import spatialjax
from agents import cli
from agents.evaluation import count_by, pass_at, play_attempts, wilson
from agents.lines import evaluate, kinds, sizes
from agents.random import RandomPolicy
from agents.runs import output_file, write_whole
from agents.shortest_path import ShortestPathPolicy
from spatialjax.witness.pack import build_pack

# Any shortest line solves the first; the straight one misses the dot of the second.
EASY = "S + +\n+ N +\n+ + E"
DOTTED = "S + E + +\n+ N + A-R +\n. + + + +"
PROGRAM = ("agents.evaluate", "EvaluateConfig", "run")


@pytest.fixture(scope="module")
def records():
    """Return two small puzzles."""
    return [solved_record(EASY, "easy"), solved_record(DOTTED, "dotted")]


def test_play_attempts_plays_each_puzzle_once_an_attempt(records):
    pack = build_pack(records)
    env, params = spatialjax.make("Witness-v0", source=pack)
    solved = play_attempts(env, params, ShortestPathPolicy(), (), seed=0, attempts=3)
    np.testing.assert_array_equal(solved, [[True, False]] * 3)


def test_attempts_differ_and_seeds_repeat(records):
    pack = build_pack(records[1:])
    env, params = spatialjax.make("Witness-v0", source=pack, observation="none")
    first, again, other = (
        play_attempts(env, params, RandomPolicy(), (), seed, attempts=30) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)
    assert 0 < first.sum() < 30


def test_json_has_the_agreed_fields(records):
    pack = build_pack(records)
    env, _ = spatialjax.make("Witness-v0", source=pack)
    result = evaluate("astar", env, pack, ShortestPathPolicy(), (), "two.jsonl", 2, seed=7)
    written = json.loads(json.dumps(result.to_json("the command")))
    versions = written.pop("versions")
    assert {"jax", "spatialjax", "python"} <= set(versions)
    levels = {str(record["difficulty_level"]) for record in records}
    assert set(written.pop("by_level")) == levels
    assert written == {
        "agent": "astar",
        "source": "two.jsonl",
        "pack_hash": pack.hash,
        "attempts": 2,
        "seed": 7,
        "n": 2,
        "solved": 1,
        "by_kind": {"dot": [0, 1], "triangle": [0, 1]},
        "by_size": {"1x1": [1, 1], "2x1": [0, 1]},
        "pass_at": {"1": 0.5, "2": 0.5},
        "command": "the command",
    }
    assert "2x1" in result.tables()


def test_labels(records):
    params = build_pack(records).params("none")
    assert sizes(params.puzzles) == ["1x1", "2x1"]
    assert kinds(params.puzzles) == [(), ("dot", "triangle")]


def test_counts():
    assert count_by(["2", "1", "2"], np.array([True, False, False])) == {"1": [0, 1], "2": [1, 2]}
    assert list(count_by(["10x4", "4x4", "4x3"], np.ones(3, bool))) == ["4x3", "4x4", "10x4"]
    assert count_by([("a", "b"), ()], np.array([True, True])) == {"a": [1, 1], "b": [1, 1]}


def test_pass_at_is_unbiased():
    # Puzzle 1: one of 4 attempts solved; within two tries 1 - C(3, 2) / C(4, 2) = 0.5. Puzzle 2:
    # none.
    solved = np.array([[True, False], [False, False], [False, False], [False, False]])
    assert pass_at(solved) == pytest.approx({"1": 0.125, "2": 0.25, "4": 0.5})
    assert list(pass_at(np.ones((3, 1), bool))) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("solved", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (32, 500, 0.0457, 0.0889),
    ],
)
def test_wilson(solved, n, low, high):
    assert wilson(solved, n) == pytest.approx((low, high), abs=1e-4)


def test_published_baselines(published):
    """A* solves 32 of the 500 published puzzles, random legal moves 3.0 % (mean of 40 attempts)."""
    pack = build_pack(published)
    options = {"source": pack, "success": "solutions"}
    env, _ = spatialjax.make("Witness-v0", observation="planes", **options)
    result = evaluate("astar", env, pack, ShortestPathPolicy(), (), "published", 1, seed=0)
    solved = {
        level: count[0]
        for level, count in count_by(result.labels["level"], result.solved[0]).items()
    }
    assert solved == {"1": 13, "2": 11, "3": 5, "4": 3, "5": 0}

    env, params = spatialjax.make("Witness-v0", observation="none", **options)
    share = play_attempts(env, params, RandomPolicy(), (), seed=0, attempts=40)
    assert share.mean() == pytest.approx(0.030, abs=0.003)
    levels = np.array(result.labels["level"])
    by_level = [share[:, levels == level].mean() for level in "12345"]
    assert by_level == pytest.approx([0.083, 0.038, 0.025, 0.005, 0.001], abs=0.008)


def test_program_writes_json(monkeypatch, tmp_path, records):
    file, out = tmp_path / "two.jsonl", tmp_path / "out.json"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    argv = ["evaluate.py", "--agent", "astar", "--source", str(file), "--json", str(out)]
    monkeypatch.setattr(sys, "argv", argv)
    cli.main(*PROGRAM)
    assert json.loads(out.read_text())["solved"] == 1


def test_program_refuses_with_one_sentence(monkeypatch, tmp_path, capsys):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    message = exit_of(monkeypatch, PROGRAM, "--agent", "random", "--source", bad)
    assert "bad.jsonl" in message
    assert "\n" not in message
    assert "checkpoint" in exit_of(monkeypatch, PROGRAM, "--agent", "ppo")
    assert "no config.json" in exit_of(
        monkeypatch, PROGRAM, "--agent", "ppo", "--checkpoint", tmp_path
    )
    assert exit_of(monkeypatch, PROGRAM, "--agent", "chess") == 2
    assert exit_of(monkeypatch, PROGRAM, "--agent", "random", "--tries", "3") == 2
    assert "chess" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["no such folder/out.json", ".", ""])
def test_results_that_cannot_be_written_are_refused_before_the_work(monkeypatch, tmp_path, name):
    def work(*_, **__):
        raise AssertionError("the work began")

    monkeypatch.setattr(spatialjax, "load_records", work)
    message = exit_of(monkeypatch, PROGRAM, "--agent", "random", "--json", f"{tmp_path}/{name}")
    assert message.startswith(f"error: {tmp_path}/{name} ") and "\n" not in message


def test_results_replace_no_other_file(tmp_path):
    (tmp_path / "out.tmp").write_text("mine")
    write_whole(output_file(str(tmp_path / "out.json")), "new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "out.json": "new",
        "out.tmp": "mine",
    }


def test_a_file_is_no_run_folder(monkeypatch, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    flags = "--agent", "ppo", "--checkpoint", file
    assert exit_of(monkeypatch, PROGRAM, *flags) == (
        f"error: {file} is no run folder: it holds no config.json"
    )
    for text in ("null", "[]", '{"config": null}', '{"config": {"colour": 1}}', "\0"):
        (tmp_path / "config.json").write_text(text)
        message = exit_of(monkeypatch, PROGRAM, *flags[:-1], tmp_path)
        assert f"{tmp_path}/config.json is no config of this program (" in message


@pytest.mark.parametrize("seed", [-1, 1 << 32])
def test_a_seed_of_more_than_32_bits_is_refused(monkeypatch, capsys, seed):
    assert exit_of(monkeypatch, PROGRAM, "--agent", "random", "--seed", seed) == 2
    assert "it must be from 0 to 4294967295" in " ".join(capsys.readouterr().err.split())


def test_ctrl_c_and_files_that_cannot_be_read_end_in_one_sentence(monkeypatch):
    for error, expected in (
        (KeyboardInterrupt(), "\nstopped"),
        (PermissionError(13, "no", "f"), "f"),
    ):

        def stop(*_, error=error, **__):
            raise error

        monkeypatch.setattr(spatialjax, "load_records", stop)
        assert expected in exit_of(monkeypatch, PROGRAM, "--agent", "random")


def test_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tyro", None)
    assert "tyro is missing: pip install" in exit_of(monkeypatch, PROGRAM, "--agent", "random")

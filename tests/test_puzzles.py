"""Training on boards made as it goes: what is imitated, when packs change, stopping at any time."""

import dataclasses
import os
import signal

import jax
import numpy as np
import pytest

pytest.importorskip("flax", reason="needs the agents extra")

from building import with_solutions
from generated import path_of, record_of
from programs import final_state, metrics_of

from agents import train
from agents.config import TrainConfig
from agents.imitation import ImitationConfig, find_demonstrations
from agents.lines import LineFamily
from agents.networks import NetworkConfig
from agents.ppo import PPOConfig
from agents.puzzles import GeneratedPuzzles, generator_config, line_demonstrations
from agents.runs import Run
from spatialjax.witness.device_generator import generate_boards
from spatialjax.witness.pack import build_pack

CAPACITY = (3, 3)
COUNT = 64
UPDATES = 10
EVERY = 3


pytestmark = pytest.mark.usefixtures("standard_promotion")


def make_puzzles():
    config = generator_config("all", CAPACITY)
    return GeneratedPuzzles(jax.random.key(0), COUNT, config, EVERY)


def test_demonstrations_are_those_of_packs_that_store_the_line():
    boards = generate_boards(jax.random.key(5), COUNT, generator_config("all", CAPACITY))
    puzzles, moves = jax.device_get((boards.puzzles, boards.moves))
    records = []
    for i in range(COUNT):
        puzzle = jax.tree.map(lambda field, i=i: field[i], puzzles)
        records.append(with_solutions(record_of(puzzle), [path_of(puzzle, moves[i])]))
    pack = build_pack(records, CAPACITY)
    expected = jax.device_get(find_demonstrations(pack, pack.params("planes")))
    found = jax.device_get(line_demonstrations(boards))

    np.testing.assert_array_equal(found.time, expected.time)
    share = np.diff(found.share, prepend=0.0)
    chosen = np.flatnonzero(share)
    assert found.share[-1] == 1.0
    np.testing.assert_allclose(share[chosen], np.diff(expected.share, prepend=0.0), atol=1e-6)
    for name in ("solution", "step"):
        np.testing.assert_array_equal(getattr(found, name)[chosen], getattr(expected, name))
    place = expected.solution, expected.step
    for name in ("good", "legal"):
        np.testing.assert_array_equal(getattr(found, name)[place], getattr(expected, name)[place])


def test_a_pack_follows_from_the_key_and_the_update():
    puzzles = make_puzzles()
    assert [update for update in range(8) if puzzles.begins(update)] == [3, 6]
    first = puzzles.params(0)
    assert puzzles.params(2) is first and puzzles.demonstrated(1)[0] is first
    later = jax.device_get(puzzles.demonstrated(7))
    assert not np.array_equal(later[0].puzzles.kind, first.puzzles.kind)
    jax.tree.map(np.testing.assert_array_equal, make_puzzles().demonstrated(6), later)


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Return a job of seconds, without tables."""
    monkeypatch.setattr(LineFamily, "write_report", lambda *_: None)
    monkeypatch.setattr(LineFamily, "load_tables", lambda *_: [])
    return TrainConfig(
        name="whole",
        runs=str(tmp_path),
        source="generated",
        fresh_every=EVERY,
        generated=COUNT,
        capacity=CAPACITY,
        checkpoint_every=100,
        imitation=ImitationConfig(updates=4, steps_per_update=1, batch=8),
        ppo=PPOConfig(updates=UPDATES - 4, num_envs=8, num_steps=4, num_minibatches=2),
        network=NetworkConfig(hidden=(8,), width=4, depth=1),
    )


@pytest.fixture
def whole(config, monkeypatch):
    """Return the folder of a run that nothing disturbed, and the compilations up to each update."""
    count, counts = 0, {}
    log = Run.log

    def listen(event, *_, **__):
        nonlocal count
        count += event == "/jax/core/compile/jaxpr_to_mlir_module_duration"

    def log_and_count(run, row):
        log(run, row)
        counts[row["update"]] = count

    jax.monitoring.register_event_duration_secs_listener(listen)
    with monkeypatch.context() as patch:
        patch.setattr(Run, "log", log_and_count)
        path = train.train(config)
    jax.monitoring.unregister_event_duration_listener(listen)
    return path, counts


def test_stopped_and_resumed_bit_for_bit_and_compiled_once(config, whole, monkeypatch):
    """Stopped in both phases, within a pack and where the next one begins."""
    whole, counts = whole
    assert (
        list(counts) == [row["update"] for row in metrics_of(whole)] == list(range(1, UPDATES + 1))
    )
    # Packs begin after updates 3, 6 and 9, PPO after 4.
    assert 0 < counts[1] < counts[5] == counts[6] == counts[UPDATES]

    log = Run.log

    def log_and_interrupt(run, row):
        log(run, row)
        if row["update"] in (3, 7):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Run, "log", log_and_interrupt)
    path = train.train(dataclasses.replace(config, name="stopped"))
    for update in (7, UPDATES):
        assert len(metrics_of(path)) < update
        train.train(TrainConfig(resume=str(path)))
    assert metrics_of(path) == metrics_of(whole)
    jax.tree.map(np.testing.assert_array_equal, final_state(path), final_state(whole))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"reward": "prefix"}, "store no solutions"),
        ({"success": "solutions"}, "store no solutions"),
        ({"subset": "pols"}, "'pols'.*polys_ylops"),
        ({"fresh_every": 0}, "serves 0 updates"),
        ({"generated": 0}, "has 0 puzzles"),
    ],
)
def test_what_generated_puzzles_cannot_do_is_refused(config, options, match):
    with pytest.raises(ValueError, match=match):
        LineFamily().load_puzzles(dataclasses.replace(config, **options))

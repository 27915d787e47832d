"""The main job: learn puzzles by PPO, then compare with other agents on puzzles never seen.

Training is a list of phases over one `TrainState`; the schedule counts updates, so that a run
killed at any moment and resumed ends bit for bit where it would have ended (same machine, same
versions).
"""

import argparse
import dataclasses
import datetime
import shlex
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
from tqdm import tqdm

from agents import devices
from agents.config import TrainConfig
from agents.evaluation import versions
from agents.families import FAMILIES
from agents.imitation import Imitation
from agents.networks import make_network
from agents.ppo import PPO, TrainState
from agents.puzzles import Puzzles
from agents.report import draw_learning_curve
from agents.runs import Run, read_config


@dataclasses.dataclass(frozen=True)
class Phase:
    """A stretch of training.

    Attributes:
      name: written beside its metrics.
      updates: its length.
      advance: `(train_state, data) -> train_state, metrics`: one update, which adds 1 to
        `train_state.update`; compiled over the lanes' mesh by `devices.compile_step`.
      data: from an update's number to the arrays it learns from; the same object while they stay.
      steps_per_update: environment steps or samples of one update, for the progress bar.
    """

    name: str
    updates: int
    advance: Callable[[TrainState, Any], tuple[TrainState, dict[str, jax.Array]]]
    data: Callable[[int], Any]
    steps_per_update: int


def train(config: TrainConfig) -> Path:
    """Run or resume the whole job; return the run folder."""
    path = Path(config.resume) if config.resume else None
    if path is not None:
        if config != dataclasses.replace(FAMILIES[config.env].defaults, resume=config.resume):
            raise ValueError(
                "--resume takes the config from the run folder; leave out the other flags"
            )
        config = read_config(path, TrainConfig)
    family = FAMILIES[config.env]
    tables = family.load_tables(config)
    env, puzzles = family.load_puzzles(config)
    local = jax.local_devices() if config.devices == "all" else jax.local_devices()[:1]
    mesh = devices.make_mesh(local, config.ppo.num_envs)
    ppo, phases = make_phases(config, env, puzzles)
    if path is None:
        name = config.name or f"{datetime.datetime.now():%Y%m%d-%H%M%S}"
        path = Path(config.runs) / name
        run = Run.create(path, config, versions() | {"pack": puzzles.name})
    else:
        run = Run(path)
    init = (ppo.init, mesh, jax.random.key(config.seed), puzzles.params(0))
    state = run.restore(devices.abstract_start(*init)) if run.update else devices.start(*init)
    try:
        state, finished = run_phases(ppo, phases, puzzles, run, state, mesh, config)
    finally:
        run.close()
    if not finished:
        print(
            f"stopped after update {run.update}; "
            f"continue with: python scripts/train.py --resume {shlex.quote(str(path))}"
        )
        return path
    variables = jax.device_put(jax.device_get(state.params), jax.local_devices()[0])
    draw_learning_curve(path)
    family.write_report(path, config, variables, tables)
    print(f"\nconfig, metrics, checkpoint and pictures: {path}")
    return path


def defaults(arguments: Sequence[str]) -> TrainConfig:
    """Return the config where no flag says otherwise: that of the environment after `--env`."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--env")
    env = parser.parse_known_args(arguments)[0].env
    return FAMILIES[env].defaults if env in FAMILIES else TrainConfig()


def make_phases(config: TrainConfig, env: Any, puzzles: Puzzles) -> tuple[PPO, list[Phase]]:
    """Return PPO, which makes the first train state, and the phases in order."""
    warm, played = config.imitation, config.ppo
    if warm.updates and warm.batch % played.num_envs:
        raise ValueError(
            f"imitation.batch is {warm.batch}; "
            f"it must be a multiple of ppo.num_envs {played.num_envs}"
        )
    ppo = make_ppo(config, env, puzzles.params(0))
    phases = [Phase("ppo", played.updates, ppo.update, puzzles.params, played.steps_per_update)]
    if warm.updates:
        advance = Imitation(ppo, warm).update
        samples = warm.batch * warm.steps_per_update
        phases.insert(0, Phase("imitation", warm.updates, advance, puzzles.demonstrated, samples))
    return ppo, phases


def make_ppo(config: TrainConfig, env: Any, params: Any) -> PPO:
    """Return the learner of a run."""
    network = make_network(env.observation_space(params), env.num_actions, config.network)
    return PPO(env, network, config.ppo, axis=devices.LANE_AXIS, start=config.imitation.updates)


def run_phases(
    ppo: PPO,
    phases: Sequence[Phase],
    puzzles: Puzzles,
    run: Run,
    state: TrainState,
    mesh: Any,
    config: TrainConfig,
) -> tuple[TrainState, bool]:
    """Advance to the end of the last phase; return the state, and False if stopped before."""
    total = sum(phase.updates for phase in phases)
    update, end = int(state.update), 0
    restart = devices.compile_step(ppo.restart, mesh)
    with (
        StopSignal() as stop,
        tqdm(total=total, initial=update, unit="update", dynamic_ncols=True) as bar,
    ):
        for phase in phases:
            end += phase.updates
            step = devices.compile_step(phase.advance, mesh)
            made = data = None
            while update < end:
                began = time.perf_counter()
                if puzzles.begins(update):
                    state, _ = restart(state, devices.replicate(mesh, puzzles.params(update)))
                if phase.data(update) is not made:
                    made = phase.data(update)
                    data = devices.replicate(mesh, made)
                state, metrics = step(state, data)
                metrics = {name: float(value) for name, value in jax.device_get(metrics).items()}
                speed = phase.steps_per_update / (time.perf_counter() - began)
                update += 1
                run.log({"update": update, "phase": phase.name, **metrics, "steps_per_s": speed})
                bar.update()
                shown = (
                    {"solved": f"{100 * metrics['solved']:.1f} %"} if "solved" in metrics else {}
                )
                bar.set_postfix(
                    {"phase": phase.name, "steps/s": f"{speed:,.0f}", **shown}, refresh=False
                )
                if update == end or update % config.checkpoint_every == 0 or stop.requested:
                    run.save(state)
                if stop.requested:
                    return state, update == total
    return state, True


class StopSignal:
    """Ctrl-C asks to stop after the running update; a second one stops at once."""

    def __init__(self):
        self.requested = False

    def __enter__(self):
        self._old = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *_):
        signal.signal(signal.SIGINT, self._old)

    def _ask(self, *_):
        self.requested = True
        signal.signal(signal.SIGINT, self._old)

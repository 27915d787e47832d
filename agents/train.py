"""The main job: learn line puzzles by PPO, then compare with random and A* on puzzles never seen.

Training is a list of phases over one `TrainState`; the schedule counts updates, so that a run
killed at any moment and resumed ends bit for bit where it would have ended (same machine, same
versions).
"""

import dataclasses
import datetime
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import jax
from tqdm import tqdm

import spatialjax
from agents import devices, report
from agents.base import Network
from agents.evaluation import versions
from agents.imitation import Imitation, ImitationConfig, find_demonstrations
from agents.networks import NetworkConfig, make_network
from agents.paths import PUBLISHED
from agents.ppo import PPO, PPOConfig, TrainState
from agents.runs import Run, read_config, restore_state
from spatialjax.witness.pack import HostPack, build_pack
from spatialjax.witness.sources import load_host_pack


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """Learn line puzzles by PPO and compare with random and A* on puzzles never seen.

    The defaults take at most 10 minutes on two processor cores.
    """

    name: str = ""  # of the run folder; empty takes the date and time
    runs: str = "runs"  # folder of the run folders
    resume: str = ""  # run folder to continue; takes its config and no other flag
    seed: int = 0
    devices: Literal["one", "all"] = "all"  # split the lanes over all local devices?
    checkpoint_every: int = 20  # updates
    source: str = "embedded"  # puzzles to learn from
    subset: str = "all"
    split: str = "train"
    heldout: str = "embedded"  # puzzles for the final table, split "test"
    eval: str = "auto"  # second table: a file, "none", or ../shared/data/sparc/test.jsonl if there
    capacity: tuple[int, int] = (6, 6)  # largest board, height and width in cells
    success: Literal["rules", "solutions"] = "solutions"  # in training; tables go by the rules
    reward: Literal["outcome", "spatial_gym", "prefix"] = "prefix"
    imitation: ImitationConfig = ImitationConfig(updates=180)
    ppo: PPOConfig = PPOConfig(
        updates=12,
        value_updates=4,
        num_steps=16,
        num_epochs=2,
        num_minibatches=4,
        learning_rate=1e-4,
        entropy_weight=0.003,
    )
    network: NetworkConfig = NetworkConfig()


@dataclasses.dataclass(frozen=True)
class Phase:
    """A stretch of training.

    Attributes:
      name: written beside its metrics.
      updates: its length.
      advance: `(train_state, data) -> train_state, metrics`: one update, which adds 1 to
        `train_state.update`; compiled over the lanes' mesh by `devices.compile_step`.
      data: arrays it learns from, on every device.
      steps_per_update: environment steps or samples of one update, for the progress bar.
    """

    name: str
    updates: int
    advance: Callable[[TrainState, Any], tuple[TrainState, dict[str, jax.Array]]]
    data: Any
    steps_per_update: int


def train(config: TrainConfig) -> Path:
    """Run or resume the whole job; return the run folder."""
    path = Path(config.resume) if config.resume else None
    if path is not None:
        if config != TrainConfig(resume=config.resume):
            raise ValueError(
                "--resume takes the config from the run folder; leave out the other flags"
            )
        config = read_config(path, TrainConfig)
    tables = load_tables(config)
    pack = load_host_pack(config.source, config.subset, config.split, capacity=config.capacity)
    env, params = spatialjax.make(
        "Witness-v0", source=pack, success=config.success, reward=config.reward
    )
    local = jax.local_devices() if config.devices == "all" else jax.local_devices()[:1]
    mesh = devices.make_mesh(local, config.ppo.num_envs)
    ppo, phases = make_phases(config, env, pack, params)
    if path is None:
        name = config.name or f"{datetime.datetime.now():%Y%m%d-%H%M%S}"
        path = Path(config.runs) / name
        run = Run.create(path, config, versions() | {"pack": pack.hash})
    else:
        run = Run(path)
    init = (ppo.init, mesh, jax.random.key(config.seed), params)
    state = run.restore(devices.abstract_start(*init)) if run.update else devices.start(*init)
    try:
        state, finished = run_phases(phases, run, state, mesh, config)
    finally:
        run.close()
    if not finished:
        print(
            f"stopped after update {run.update}; "
            f"continue with: python scripts/train.py --resume {path}"
        )
        return path
    variables = jax.device_put(jax.device_get(state.params), jax.local_devices()[0])
    report.write(path, ppo.network, variables, tables, config.seed)
    return path


def make_phases(
    config: TrainConfig, env: Any, pack: HostPack, params: Any
) -> tuple[PPO, list[Phase]]:
    """Return PPO, which makes the first train state, and the phases in order."""
    warm, played = config.imitation, config.ppo
    if warm.updates and warm.batch % played.num_envs:
        raise ValueError(
            f"imitation.batch is {warm.batch}; "
            f"it must be a multiple of ppo.num_envs {played.num_envs}"
        )
    ppo = make_ppo(config, env, params)
    phases = [Phase("ppo", played.updates, ppo.update, params, played.steps_per_update)]
    if warm.updates:
        data = (params, find_demonstrations(pack, params))
        advance = Imitation(ppo, warm).update
        samples = warm.batch * warm.steps_per_update
        phases.insert(0, Phase("imitation", warm.updates, advance, data, samples))
    return ppo, phases


def make_ppo(config: TrainConfig, env: Any, params: Any) -> PPO:
    """Return the learner of a run."""
    network = make_network(env.observation_space(params), env.num_actions, config.network)
    return PPO(env, network, config.ppo, axis=devices.LANE_AXIS, start=config.imitation.updates)


def run_phases(
    phases: Sequence[Phase],
    run: Run,
    state: TrainState,
    mesh: Any,
    config: TrainConfig,
) -> tuple[TrainState, bool]:
    """Advance to the end of the last phase; return the state, and False if stopped before."""
    total = sum(phase.updates for phase in phases)
    update, end = int(state.update), 0
    with (
        StopSignal() as stop,
        tqdm(total=total, initial=update, unit="update", dynamic_ncols=True) as bar,
    ):
        for phase in phases:
            end += phase.updates
            step = devices.compile_step(phase.advance, mesh)
            data = devices.replicate(mesh, phase.data) if update < end else None
            while update < end:
                began = time.perf_counter()
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


def load_tables(config: TrainConfig) -> list[report.Table]:
    """Load the puzzles of the final tables, so that a bad file stops the job at its start."""
    sources = {"heldout": config.heldout}
    if config.eval == "auto" and PUBLISHED.exists():
        sources["eval"] = os.path.relpath(PUBLISHED)
    elif config.eval not in ("auto", "none"):
        sources["eval"] = config.eval
    tables = []
    for name, source in sources.items():
        records = spatialjax.load_records(source, subset=config.subset, split="test")
        tables.append(report.Table(name, source, records, build_pack(records, config.capacity)))
    return tables


def load_agent(path: Path, pack: HostPack, config: TrainConfig) -> tuple[Network, Any]:
    """Return the network of a run and its variables; `pack` has the capacity of its config."""
    env, params = spatialjax.make("Witness-v0", source=pack)
    ppo = make_ppo(config, env, params)
    abstract = jax.eval_shape(ppo.init, jax.random.key(0), params)
    return ppo.network, restore_state(path, abstract).params

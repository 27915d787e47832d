"""The main job: learn line puzzles by PPO, then compare with random and A* on puzzles never seen.

Training is a list of phases over one `TrainState`; the schedule counts updates, so that a run
killed at any moment and resumed ends bit for bit where it would have ended (same machine, same
versions).
"""

import dataclasses
import datetime
import os
import shlex
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
from agents.evaluation import check_seed, versions
from agents.imitation import Imitation, ImitationConfig
from agents.networks import NetworkConfig, make_network
from agents.paths import PUBLISHED
from agents.ppo import PPO, PPOConfig, TrainState
from agents.puzzles import GeneratedPuzzles, Puzzles, StoredPuzzles, generator_config
from agents.runs import Run, read_config, restore_state
from spatialjax.witness.env import Witness
from spatialjax.witness.pack import HostPack, build_pack
from spatialjax.witness.rewards import REWARDS
from spatialjax.witness.sources import load_host_pack

PUZZLE_STREAM = 1 << 16
"""Folded into the seed's key for generated puzzles; far from what `PPO.init` splits off."""


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
    source: str = "embedded"  # puzzles to learn from; "generated" makes them as it goes
    subset: str = "all"
    split: str = "train"
    fresh_every: int = 10  # updates after which generated puzzles are replaced
    generated: int = 4096  # how many of them there are at a time
    heldout: str = "embedded"  # puzzles for the final table, split "test"
    eval: str = "auto"  # second table: a file, "none", or ../shared/data/sparc/test.jsonl if there
    capacity: tuple[int, int] = (6, 6)  # largest board, height and width in cells
    # In training; tables go by the rules. "auto" is solutions and prefix, but rules and outcome for
    # generated puzzles, as nobody lists their solutions.
    success: Literal["auto", "rules", "solutions"] = "auto"
    reward: Literal["auto", "outcome", "spatial_gym", "prefix"] = "auto"
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

    def __post_init__(self):
        check_seed(self.seed)


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
        if config != TrainConfig(resume=config.resume):
            raise ValueError(
                "--resume takes the config from the run folder; leave out the other flags"
            )
        config = read_config(path, TrainConfig)
    tables = load_tables(config)
    env, puzzles = load_puzzles(config)
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
    report.write(path, ppo.network, variables, tables, config.seed)
    return path


def load_puzzles(config: TrainConfig) -> tuple[Any, Puzzles]:
    """Return the environment to train in, and its puzzles."""
    is_generated = config.source == "generated"
    defaults = ("rules", "outcome") if is_generated else ("solutions", "prefix")
    success, reward = (
        default if chosen == "auto" else chosen
        for chosen, default in zip((config.success, config.reward), defaults, strict=True)
    )
    if not is_generated:
        pack = load_host_pack(config.source, config.subset, config.split, capacity=config.capacity)
        env, params = spatialjax.make("Witness-v0", source=pack, success=success, reward=reward)
        return env, StoredPuzzles(pack, params)
    if (success, reward) != defaults:
        raise ValueError(
            f"success is {success!r} and reward {reward!r}, but generated puzzles store no "
            "solutions: they need success 'rules' and reward 'outcome'"
        )
    env = Witness(success="rules", reward_function=REWARDS[reward])
    made = generator_config(config.subset, config.capacity)
    key = jax.random.fold_in(jax.random.key(config.seed), PUZZLE_STREAM)
    return env, GeneratedPuzzles(key, config.generated, made, config.fresh_every)


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

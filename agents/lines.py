"""Line puzzles to train on, to compare agents on, and to evaluate one agent on."""

import os
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jaxtyping import Bool

import spatialjax
from agents import line_report
from agents.base import Policy
from agents.config import EvaluateConfig, TrainConfig
from agents.evaluation import Evaluation, Label, play_attempts
from agents.imitation import find_demonstrations
from agents.line_report import Table
from agents.networks import NetworkPolicy, SymmetricPolicy, make_network
from agents.paths import PUBLISHED
from agents.puzzles import GeneratedPuzzles, Puzzles, StoredPuzzles, generator_config
from agents.random import RandomPolicy
from agents.runs import check_trained, read_config, restore_variables
from agents.shortest_path import ShortestPathPolicy
from spatialjax.core.options import require_one_of
from spatialjax.witness.encode import KIND_CODES
from spatialjax.witness.env import Witness
from spatialjax.witness.pack import HostPack, build_pack
from spatialjax.witness.rewards import REWARDS
from spatialjax.witness.sources import load_host_pack
from spatialjax.witness.types import Puzzle

PUZZLE_STREAM = 1 << 16
"""Folded into the seed's key for generated puzzles; far from what `PPO.init` splits off."""

AGENTS = ("random", "astar", "ppo")


class LineFamily:
    """The family of Witness-v0; see `families.Family`."""

    @property
    def defaults(self) -> TrainConfig:
        return TrainConfig()

    def load_puzzles(self, config: TrainConfig) -> tuple[Any, Puzzles]:
        """Return the environment to train in, and its puzzles."""
        is_generated = config.source == "generated"
        defaults = ("rules", "outcome") if is_generated else ("solutions", "prefix")
        success, reward = (
            default if chosen == "auto" else chosen
            for chosen, default in zip((config.success, config.reward), defaults, strict=True)
        )
        if not is_generated:
            pack = load_host_pack(
                config.source, config.subset, config.split, capacity=config.capacity
            )
            env, params = spatialjax.make("Witness-v0", source=pack, success=success, reward=reward)
            return env, StoredPuzzles(pack.hash, params, lambda: find_demonstrations(pack, params))
        if (success, reward) != defaults:
            raise ValueError(
                f"success is {success!r} and reward {reward!r}, but generated puzzles store no "
                "solutions: they need success 'rules' and reward 'outcome'"
            )
        env = Witness(success="rules", reward_function=REWARDS[reward])
        made = generator_config(config.subset, config.capacity)
        key = jax.random.fold_in(jax.random.key(config.seed), PUZZLE_STREAM)
        return env, GeneratedPuzzles(key, config.generated, made, config.fresh_every)

    def load_tables(self, config: TrainConfig) -> list[Table]:
        """Load the puzzles of the final tables."""
        sources = {"heldout": config.heldout}
        if config.eval == "auto" and PUBLISHED.exists():
            sources["eval"] = os.path.relpath(PUBLISHED)
        elif config.eval not in ("auto", "none"):
            sources["eval"] = config.eval
        tables = []
        for name, source in sources.items():
            records = spatialjax.load_records(source, subset=config.subset, split="test")
            tables.append(Table(name, source, records, build_pack(records, config.capacity)))
        return tables

    def write_report(
        self, path: Path, config: TrainConfig, variables: Any, tables: list[Table]
    ) -> None:
        """Compare PPO with random and A*; print the tables, write them and pictures."""
        # The puzzles of all tables at once: each agent is compiled once.
        records = [record for table in tables for record in table.records]
        env, params = spatialjax.make("Witness-v0", source=build_pack(records, config.capacity))
        network = make_network(env.observation_space(params), env.num_actions, config.network)
        agents: dict[str, tuple[Policy, Any]] = {
            "random": (RandomPolicy(), ()),
            "astar": (ShortestPathPolicy(), ()),
            "ppo": (NetworkPolicy(network), variables),
            "ppo, 8 views": (SymmetricPolicy(network), variables),
        }
        solved = {
            agent: play_attempts(env, params, policy, learnt, config.seed)
            for agent, (policy, learnt) in agents.items()
        }
        evaluations, begin = {}, 0
        for table in tables:
            part = slice(begin, begin + len(table.records))
            begin = part.stop
            evaluations[table.name] = [
                label(agent, table.pack, table.source, config.seed, results[:, part])
                for agent, results in solved.items()
            ]
        line_report.write(path, tables, evaluations, NetworkPolicy(network), variables)

    def evaluate(self, config: EvaluateConfig) -> Evaluation:
        """Play every puzzle of a source."""
        require_one_of("agent", config.agent, AGENTS)
        if config.heatmap:
            raise ValueError("--heatmap is of sliding puzzles, by length and number of geoms")
        records = spatialjax.load_records(config.source, subset=config.subset, split=config.split)
        pack, observation, policy, params = load_policy(config, records)
        limit = {} if config.max_steps is None else {"max_steps": config.max_steps}
        env, _ = spatialjax.make(
            "Witness-v0", source=pack, observation=observation, success=config.success, **limit
        )
        return evaluate(
            config.agent, env, pack, policy, params, config.source, config.attempts, config.seed
        )


def load_policy(config: EvaluateConfig, records: list[dict]) -> tuple[HostPack, str, Policy, Any]:
    """Return the puzzles as a pack, the observation the agent needs, the agent, its parameters."""
    if config.agent == "ppo":
        path = Path(config.checkpoint)
        trained = read_config(path, TrainConfig)
        check_trained(path, trained, config.env)
        pack = build_pack(records, trained.capacity)
        env, params = spatialjax.make("Witness-v0", source=pack)
        network = make_network(env.observation_space(params), env.num_actions, trained.network)
        policy = NetworkPolicy(network, greedy=config.attempts == 1)
        chosen = SymmetricPolicy(network) if config.views == 8 else policy
        return pack, "planes", chosen, restore_variables(path)
    if config.agent == "astar":
        return build_pack(records), "planes", ShortestPathPolicy(), ()
    return build_pack(records), "none", RandomPolicy(), ()


def evaluate(
    agent: str,
    env: Any,
    pack: HostPack,
    policy: Policy,
    policy_params: Any,
    source: str,
    attempts: int,
    seed: int,
) -> Evaluation:
    """Play a `HostPack` and label the results; `env` observes as the policy needs."""
    params = pack.params(env.observation)
    solved = play_attempts(env, params, policy, policy_params, seed, attempts)
    return label(agent, pack, source, seed, solved)


def label(
    agent: str, pack: HostPack, source: str, seed: int, solved: Bool[np.ndarray, "K N"]
) -> Evaluation:
    """Say of each puzzle of a pack which level, size and rule kinds it has."""
    puzzles = pack.puzzles
    labels: dict[str, list[Label]] = {
        "level": [str(level) for level in np.asarray(puzzles.level)],
        "size": [*sizes(puzzles)],
        "kind": [*kinds(puzzles)],
    }
    return Evaluation(agent, source, pack.hash, seed, solved, labels)


def sizes(puzzles: Puzzle) -> list[str]:
    """Return the size of every board, as `width x height` in cells."""
    widths, heights = np.asarray(puzzles.width), np.asarray(puzzles.height)
    return [f"{width}x{height}" for width, height in zip(widths, heights, strict=True)]


def kinds(puzzles: Puzzle) -> list[tuple[str, ...]]:
    """Return the rule kinds on every board; a board counts under each of them."""
    gap, dot, kind = (np.asarray(x) for x in (puzzles.gap, puzzles.dot, puzzles.kind))
    present = {"gap": gap.any((1, 2)), "dot": dot.any((1, 2))}
    present |= {name: (kind == code).any((1, 2)) for name, code in KIND_CODES.items()}
    rows = zip(*present.values(), strict=True)
    return [tuple(name for name, has in zip(present, row, strict=True) if has) for row in rows]

"""What a finished run leaves for people: tables, curves and boards."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from matplotlib.figure import Figure

import spatialjax
from agents.base import Network, Policy
from agents.evaluation import Evaluation, compare, count_by, label, play_all, play_attempts, wilson
from agents.networks import NetworkPolicy, SymmetricPolicy
from agents.random import RandomPolicy
from agents.runs import read_metrics
from agents.shortest_path import ShortestPathPolicy
from spatialjax.data.board import STEPS
from spatialjax.witness.lattice import unpack_path
from spatialjax.witness.pack import HostPack, build_pack
from spatialjax.witness.render import render

BOARDS = 4
"""Boards drawn of those solved, and of those failed."""


@dataclasses.dataclass(frozen=True)
class Table:
    """Puzzles that the agents are compared on."""

    name: str
    source: str
    records: list[dict[str, Any]]
    pack: HostPack


def write(path: Path, network: Network, variables: Any, tables: Sequence[Table], seed: int) -> None:
    """Compare PPO with random and A*; print the tables, write them and pictures to the folder."""
    agents: dict[str, tuple[Policy, Any]] = {
        "random": (RandomPolicy(), ()),
        "astar": (ShortestPathPolicy(), ()),
        "ppo": (NetworkPolicy(network), variables),
        "ppo, 8 views": (SymmetricPolicy(network), variables),
    }
    draw_learning_curve(path)
    # The puzzles of all tables at once: each agent is compiled once.
    records = [record for table in tables for record in table.records]
    env, params = spatialjax.make(
        "Witness-v0", source=build_pack(records, tables[0].pack.capacity[:2])
    )
    solved = {
        agent: play_attempts(env, params, policy, learnt, seed)
        for agent, (policy, learnt) in agents.items()
    }
    texts, begin = [], 0
    for table in tables:
        part = slice(begin, begin + len(table.records))
        begin = part.stop
        evaluations = [
            label(agent, table.pack, table.source, seed, results[:, part])
            for agent, results in solved.items()
        ]
        texts.append(compare(evaluations))
        print("\n" + texts[-1])
        draw_success_by_level(path / f"success_{table.name}.png", evaluations)
        results = [evaluation.to_json("scripts/train.py") for evaluation in evaluations]
        (path / f"results_{table.name}.json").write_text(json.dumps(results, indent=2) + "\n")
    (path / "results.txt").write_text("\n\n".join(texts) + "\n")
    draw_boards(path / "boards", tables[0], NetworkPolicy(network), variables)
    print(f"\nconfig, metrics, checkpoint and pictures: {path}")


def draw_learning_curve(path: Path) -> None:
    """Draw what the phases of training were after, over the updates."""
    rows = read_metrics(path)
    names = ("right_moves", "solved", "entropy")
    names = [name for name in names if any(name in row for row in rows)]
    figure = Figure(figsize=(7, 2.4 * max(len(names), 1)), layout="constrained")
    axes = figure.subplots(max(len(names), 1), sharex=True, squeeze=False)[:, 0]
    for axis, name in zip(axes, names, strict=False):
        points = [(row["update"], row[name]) for row in rows if name in row]
        axis.plot(*zip(*points, strict=True), linewidth=1)
        axis.set_ylabel(name)
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("update")
    figure.savefig(path / "learning_curve.png", dpi=120)


def draw_success_by_level(path: Path, evaluations: Sequence[Evaluation]) -> None:
    """Draw the share solved by level, one group of bars a level, with 95 % intervals."""
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axis = figure.subplots()
    names = sorted(set(evaluations[0].levels))
    width = 0.8 / len(evaluations)
    for i, evaluation in enumerate(evaluations):
        counts = count_by(evaluation.levels, evaluation.solved[0])
        shares = np.array([counts[name][0] / counts[name][1] for name in names])
        low, high = np.array([wilson(*counts[name]) for name in names]).T
        errors = np.maximum([shares - low, high - shares], 0.0)
        places = np.arange(len(names)) + (i - (len(evaluations) - 1) / 2) * width
        axis.bar(places, shares, width, yerr=errors, capsize=2, label=evaluation.agent)
    axis.set_xticks(range(len(names)), [f"level {name}" for name in names])
    axis.set_ylabel("solved, one attempt")
    axis.set_title(evaluations[0].source)
    axis.legend()
    figure.savefig(path, dpi=120)


def draw_boards(path: Path, table: Table, policy: NetworkPolicy, variables: Any) -> None:
    """Draw the lines of the first few boards solved and failed, broken rules marked."""
    path.mkdir(exist_ok=True)
    env, params = spatialjax.make("Witness-v0", source=table.pack)
    solved, episodes = jax.device_get(play_all(env, policy, params, variables, jax.random.key(0)))
    for name, chosen in (("solved", np.flatnonzero(solved)), ("failed", np.flatnonzero(~solved))):
        for i in chosen[:BOARDS]:
            record = table.records[i]
            line = line_points(record, episodes.state.path[i], int(episodes.state.length[i]))
            broken = spatialjax.check_path(record, line).broken
            render(record, path=line, broken=broken).save(path / f"{name}_{record['id']}.png")


def line_points(record: dict[str, Any], path: np.ndarray, length: int) -> list[tuple[int, int]]:
    """Return the lattice points (x, y) of a line stored as packed moves."""
    rows = record["puzzle_array"]
    x, y = next((row.index("S"), y) for y, row in enumerate(rows) if "S" in row)
    points = [(x, y)]
    for action in unpack_path(path, length):
        x, y = x + STEPS[action][0], y + STEPS[action][1]
        points.append((x, y))
    return points

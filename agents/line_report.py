"""What a finished run on line puzzles leaves for people: tables and boards."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from matplotlib.figure import Figure

import spatialjax
from agents.evaluation import Evaluation, count_by, play_all, share_text, wilson
from agents.networks import NetworkPolicy
from agents.report import write_results
from agents.runs import write_whole
from spatialjax.data.board import STEPS
from spatialjax.witness.lattice import unpack_path
from spatialjax.witness.pack import HostPack
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


def write(
    path: Path,
    tables: Sequence[Table],
    evaluations: Mapping[str, Sequence[Evaluation]],
    policy: NetworkPolicy,
    variables: Any,
) -> None:
    """Print the tables, and write them and pictures to the folder.

    `evaluations` are those of every agent by the name of the table; the boards drawn are of the
    first table, as the policy plays them.
    """
    texts = []
    for table in tables:
        played = evaluations[table.name]
        texts.append(compare(played))
        print("\n" + texts[-1])
        draw_success_by_level(path / f"success_{table.name}.png", played)
        write_results(path, table.name, played)
    write_whole(path / "results.txt", "\n\n".join(texts) + "\n")
    draw_boards(path / "boards", tables[0], policy, variables)


def compare(evaluations: Sequence[Evaluation]) -> str:
    """Return the table agent x level of results on one source: first attempt, 95 % intervals."""
    first = evaluations[0]
    levels = first.labels["level"]
    names = list(count_by(levels, first.solved[0]))
    titles = [f"level {name} (n={levels.count(name)})" for name in names]
    rows = [["agent", f"all (n={len(levels)})", *titles]]
    for evaluation in evaluations:
        solved = evaluation.solved[0]
        counts = count_by(levels, solved)
        shares = [(int(solved.sum()), len(solved)), *(counts[name] for name in names)]
        rows.append([evaluation.agent, *(share_text(*share) for share in shares)])
    width = max(len(agent) for agent, *_ in rows)
    lines = [f"  {agent:{width}}" + "".join(f"{x:>23}" for x in cells) for agent, *cells in rows]
    return "\n".join([f"{first.source}: solved, one attempt, 95 % interval", *lines])


def draw_success_by_level(path: Path, evaluations: Sequence[Evaluation]) -> None:
    """Draw the share solved by level, one group of bars a level, with 95 % intervals."""
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axis = figure.subplots()
    levels = evaluations[0].labels["level"]
    names = list(count_by(levels, evaluations[0].solved[0]))
    width = 0.8 / len(evaluations)
    for i, evaluation in enumerate(evaluations):
        counts = count_by(levels, evaluation.solved[0])
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

"""What a finished run on sliding puzzles leaves for people: tables, heatmaps and boards."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from agents.evaluation import count_by, share_text
from agents.report import write_results
from agents.runs import write_whole
from agents.sliding_evaluation import SlidingEvaluation, estimate_text
from spatialjax.sliding.pack import HostPack
from spatialjax.sliding.render import render

COLUMNS = ("solved_optimally", "step_deviation", "minimal_distance", "effective", "ineffective")
"""Metrics in the table of agents, beside the share solved."""

BOARDS = 4
"""Failed boards that are drawn."""


@dataclasses.dataclass(frozen=True)
class Table:
    """Puzzles that the agents are compared on."""

    name: str
    source: str
    pack: HostPack


def write(
    path: Path, tables: Sequence[Table], evaluations: Mapping[str, Sequence[SlidingEvaluation]]
) -> None:
    """Print the tables, and write them and pictures to the folder.

    `evaluations` are those of every agent by the name of the table, the one that learnt last.
    """
    texts = []
    for table in tables:
        played = evaluations[table.name]
        texts.append(f"{compare(played)}\n\n{by_cell(played[-1])}")
        print("\n" + texts[-1])
        draw_heatmaps(path / f"heatmap_{table.name}.png", played[-1])
        write_results(path, table.name, played)
    write_whole(path / "results.txt", "\n\n".join(texts) + "\n")
    draw_failed(path / "boards", tables[0], evaluations[tables[0].name][-1])


def compare(evaluations: Sequence[SlidingEvaluation]) -> str:
    """Return the table of agents on one source, one attempt, with 95 % intervals."""
    first = evaluations[0]
    rows = [["agent", f"solved (n={len(first.episodes)})", *(x.replace("_", " ") for x in COLUMNS)]]
    for evaluation in evaluations:
        solved = evaluation.solved[0]
        metrics = [estimate_text(evaluation.metrics[name]).strip() for name in COLUMNS]
        rows.append([evaluation.agent, share_text(int(solved.sum()), len(solved)), *metrics])
    lines = [f"  {agent:8}" + "".join(f"{cell:>21}" for cell in cells) for agent, *cells in rows]
    return "\n".join([f"{first.source}: one attempt, mean and 95 % interval an episode", *lines])


def by_cell(evaluation: SlidingEvaluation) -> str:
    """Return the per cent solved by length of the shortest solution and number of geoms."""
    cells = evaluation.solved_by_cell()
    lengths, geoms = (sorted(set(axis)) for axis in zip(*cells, strict=True))
    counts = count_by(evaluation.labels["level"], evaluation.solved[0])
    of_geoms = count_by(evaluation.labels["kind"], evaluation.solved[0])

    def percent(solved: int, n: int) -> str:
        return f"{100 * solved / n:6.0f}"

    lines = [
        f"{evaluation.agent}: % solved by moves of a shortest solution and number of geoms",
        "  moves " + "".join(f"{g:>6}" for g in geoms) + "   all",
    ]
    for length in lengths:
        row = [f"{cells[length, g]:6.0f}" if (length, g) in cells else "     -" for g in geoms]
        lines.append(f"  {length:5} " + "".join(row) + percent(*counts[str(length)]))
    total = "".join(percent(*of_geoms[f"{g} geoms"]) for g in geoms)
    solved = evaluation.solved[0]
    return "\n".join([*lines, f"    all {total}{percent(int(solved.sum()), len(solved))}"])


def draw_heatmaps(path: Path, evaluation: SlidingEvaluation) -> None:
    """Draw the share solved and the minimal distance by length and number of geoms, as PNG."""
    panels = (
        ("solved, %", evaluation.solved_by_cell(), "viridis", 100.0),
        ("minimal distance", evaluation.distance_by_cell(), "viridis_r", None),
    )
    lengths, geoms = (sorted(set(axis)) for axis in zip(*panels[0][1], strict=True))
    width, height = 2.6 + 0.42 * len(geoms), 1.6 + 0.34 * len(lengths)
    figure = Figure(figsize=(2 * width, height), layout="constrained")
    figure.suptitle(f"{evaluation.agent} on {evaluation.source}, one attempt")
    for axis, (title, cells, colors, top) in zip(figure.subplots(1, 2), panels, strict=True):
        values = np.full((len(lengths), len(geoms)), np.nan)
        for (length, g), value in cells.items():
            values[lengths.index(length), geoms.index(g)] = value
        limit = top or max(float(np.nanmax(values)), 1.0)
        image = axis.imshow(
            values, cmap=colors, vmin=0.0, vmax=limit, origin="lower", aspect="auto"
        )
        for (row, column), value in np.ndenumerate(values):
            if not np.isnan(value):
                is_bright = (value > limit / 2) != colors.endswith("_r")
                text = f"{value:.0f}" if top else f"{value:.1f}"
                color = "black" if is_bright else "white"
                axis.text(column, row, text, ha="center", va="center", color=color, fontsize=8)
        axis.set_xticks(range(len(geoms)), [str(g) for g in geoms])
        axis.set_yticks(range(len(lengths)), [str(length) for length in lengths])
        axis.set_xlabel("geoms")
        axis.set_ylabel("moves of a shortest solution")
        axis.set_title(title)
        figure.colorbar(image, ax=axis)
    figure.savefig(path, dpi=120)


def draw_failed(path: Path, table: Table, evaluation: SlidingEvaluation) -> None:
    """Draw start, end and goal of the first few boards that were not solved."""
    path.mkdir(exist_ok=True)
    for i in np.flatnonzero(~evaluation.solved[0])[:BOARDS]:
        board, name = table.pack.board(int(i)), table.pack.ids[int(i)]
        end = replace(board, positions=evaluation.ends[int(i)])
        for state, shown in (("start", board), ("wrong", end), ("goal", board)):
            render(shown, state=state, size=600).save(path / f"failed_{name}_{state}.png")

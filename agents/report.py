"""What a finished run leaves for people, whatever the puzzles: learning curve and results."""

import json
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from agents.evaluation import Evaluation
from agents.runs import read_metrics, write_whole


def write_results(path: Path, name: str, evaluations: Sequence[Evaluation]) -> None:
    """Write the results of several agents on the puzzles of one table, as JSON."""
    results = [evaluation.to_json("scripts/train.py") for evaluation in evaluations]
    write_whole(path / f"results_{name}.json", json.dumps(results, indent=2) + "\n")


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

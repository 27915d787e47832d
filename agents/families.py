"""The families of puzzles: what training and evaluation have to know of each, and nothing else."""

from pathlib import Path
from typing import Any, Protocol

from agents.config import EvaluateConfig, TrainConfig
from agents.evaluation import Evaluation
from agents.lines import LineFamily
from agents.puzzles import Puzzles
from agents.sliding import SlidingFamily


class Family(Protocol):
    """One kind of puzzle.

    Attributes:
      defaults: the config of training where no flag says otherwise.
    """

    @property
    def defaults(self) -> TrainConfig: ...

    def load_puzzles(self, config: TrainConfig) -> tuple[Any, Puzzles]:
        """Return the environment to train in, and its puzzles; ValueError for a config that it
        can't follow."""
        ...

    def load_tables(self, config: TrainConfig) -> list[Any]:
        """Load the puzzles of the final tables, so that a bad file stops the job at its start."""
        ...

    def write_report(
        self, path: Path, config: TrainConfig, variables: Any, tables: list[Any]
    ) -> None:
        """Compare the variables that PPO learnt with other agents on the tables; print and write
        the results."""
        ...

    def evaluate(self, config: EvaluateConfig) -> Evaluation:
        """Play what the config names; ValueError for one that it can't follow."""
        ...


FAMILIES: dict[str, Family] = {
    "Witness-v0": LineFamily(),
    "SlidingGeom-v0": SlidingFamily("SlidingGeom-v0", "geoms"),
    "SlidingTile-v0": SlidingFamily("SlidingTile-v0", "tiles"),
}
"""Environment id -> its family."""

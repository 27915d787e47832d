"""How an episode of a sliding puzzle went, by the exact distance to the goal after every action.

Let d_t be that distance after t of T actions, and L = d_0 the length of a shortest solution.

| metric | definition |
|---|---|
| solved | d_T = 0 |
| solved optimally | solved with T = L |
| step deviation | d_L, the distance left after L actions; d_T if there were fewer |
| regret r_t | d_t - (L - t) up to the first solved step, then constant |
| minimal distance | the least of d_0 to d_T |
| progress | 100 (1 - d_t / L), rounded to 2 decimals; below 0 behind the start |
| action counts | how many actions were of each kind in `ACTIONS` |

A legal move changes the distance by one, up or down, and nothing else changes it. So up to the
first solved step d_t = L - effective + ineffective, and r_t is twice the ineffective moves plus the
actions that moved nothing. Without moves the step deviation is L: read it beside "solved".

Distances are handed in, from the exact solver: the Manhattan distance would take some effective
moves for ineffective ones.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spatialjax.sliding.types import Result

ACTIONS = (
    "effective", "ineffective", "occupied", "out_of_bounds", "no_such_geom", "illegal_command",
    "done",
)  # fmt: skip
"""Kinds of actions: moves by whether the distance falls or rises, all others by their result."""

_KINDS = {
    Result.OCCUPIED: "occupied",
    Result.OUT_OF_BOUNDS: "out_of_bounds",
    Result.NO_SUCH_GEOM: "no_such_geom",
    Result.ILLEGAL_COMMAND: "illegal_command",
    Result.DONE_WRONG: "done",
    Result.DONE_RIGHT: "done",
}

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class EpisodeRecord:
    """One episode.

    Attributes:
      distances: exact distance to the goal at the start and after every action, `T + 1` of them.
      results: what each of the `T` actions came to.

    Raises:
      ValueError: if the two can't belong together, or the board is solved at the start.
    """

    distances: tuple[int, ...]
    results: tuple[Result, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "distances", tuple(map(int, self.distances)))
        object.__setattr__(self, "results", tuple(map(Result, self.results)))
        distances, results = self.distances, self.results
        if len(distances) != len(results) + 1:
            raise ValueError(f"{len(results)} results need a distance more, got {len(distances)}")
        if distances[0] < 1 or min(distances) < 0:
            raise ValueError(f"distances are {distances}; they start at 1 or more, none is below 0")
        for t, result in enumerate(results, start=1):
            change = abs(distances[t] - distances[t - 1])
            if change != (1 if result == Result.MOVED else 0):
                steps = f"from {distances[t - 1]} to {distances[t]}"
                raise ValueError(f"action {t} was {result.name}, but the distance went {steps}")

    def __len__(self) -> int:
        return len(self.results)

    @property
    def length(self) -> int:
        """Moves of a shortest solution."""
        return self.distances[0]

    @property
    def solved(self) -> bool:
        """Whether it ended at the goal."""
        return self.distances[-1] == 0

    @property
    def solved_optimally(self) -> bool:
        """Whether it ended at the goal with as few actions as can be."""
        return self.solved and len(self) == self.length

    @property
    def step_deviation(self) -> int:
        """Distance left after as many actions as a shortest solution has."""
        return self.distances[min(self.length, len(self))]

    @property
    def minimal_distance(self) -> int:
        """How close it came to the goal."""
        return min(self.distances)

    @property
    def regret(self) -> tuple[int, ...]:
        """Regret at the start and after every action."""
        end = self.distances.index(0) if 0 in self.distances else len(self)
        steps = [min(t, end) for t in range(len(self) + 1)]
        return tuple(self.distances[t] - (self.length - t) for t in steps)

    @property
    def progress(self) -> tuple[float, ...]:
        """Per cent of the way to the goal that is done, at the start and after every action."""
        return tuple(round(100 * (1 - d / self.length), 2) for d in self.distances)

    def actions(self) -> list[str]:
        """Return the kind of every action, one of `ACTIONS`."""
        pairs = zip(self.distances, self.distances[1:], strict=False)
        return [
            _KINDS.get(result) or ("effective" if after < before else "ineffective")
            for (before, after), result in zip(pairs, self.results, strict=True)
        ]


@dataclass(frozen=True)
class Estimate:
    """A mean.

    Attributes:
      mean: of the values.
      half_width: of its 95 % interval by Student's t; None for a single value.
      count: number of values.
    """

    mean: float
    half_width: float | None
    count: int


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of some values with its interval; ValueError if there is none."""
    count = len(values)
    if not count:
        raise ValueError("there is no mean of no values")
    mean = math.fsum(values) / count
    if count == 1:
        return Estimate(mean, None, count)
    from scipy import stats

    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    quantile = float(stats.t.ppf((1 + _CONFIDENCE) / 2, count - 1))
    return Estimate(mean, quantile * math.sqrt(variance / count), count)


def summarize(episodes: Sequence[EpisodeRecord]) -> dict[str, Estimate]:
    """Return every metric over some episodes; `solved` and `solved_optimally` in per cent.

    The counts of actions have the keys of `ACTIONS`, and are actions an episode.
    """
    counts = [Counter(episode.actions()) for episode in episodes]
    values = {
        "solved": [100.0 * episode.solved for episode in episodes],
        "solved_optimally": [100.0 * episode.solved_optimally for episode in episodes],
        "step_deviation": [episode.step_deviation for episode in episodes],
        "minimal_distance": [episode.minimal_distance for episode in episodes],
    }
    values |= {kind: [count[kind] for count in counts] for kind in ACTIONS}
    return {name: estimate(column) for name, column in values.items()}


def summarize_curves(
    episodes: Sequence[EpisodeRecord], max_steps: int
) -> dict[str, list[Estimate]]:
    """Return mean `distance`, `regret` and `progress` after each of 0 to `max_steps` actions.

    An episode that ended earlier keeps its last values: of a solved one 0, its regret, and 100.
    """
    curves = {
        "distance": [_padded(episode.distances, max_steps) for episode in episodes],
        "regret": [_padded(episode.regret, max_steps) for episode in episodes],
        "progress": [_padded(episode.progress, max_steps) for episode in episodes],
    }
    return {
        name: [estimate(column) for column in zip(*rows, strict=True)]
        for name, rows in curves.items()
    }


def heatmap(
    values: Iterable[float], lengths: Iterable[int], num_geoms: Iterable[int]
) -> dict[tuple[int, int], float]:
    """Return the mean of one value an episode by `(c1, g)`: optimal length and number of geoms."""
    cells: dict[tuple[int, int], list[float]] = defaultdict(list)
    for value, length, geoms in zip(values, lengths, num_geoms, strict=True):
        cells[length, geoms].append(value)
    return {cell: math.fsum(column) / len(column) for cell, column in sorted(cells.items())}


def _padded(curve: Sequence[float], max_steps: int) -> list[float]:
    if len(curve) > max_steps + 1:
        raise ValueError(f"an episode has {len(curve) - 1} actions, more than {max_steps}")
    return [*curve, *[curve[-1]] * (max_steps + 1 - len(curve))]

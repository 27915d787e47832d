"""A line puzzle as a person plays it: draw the line, step back, see which rules it breaks."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from spatialjax.data.board import STEPS, Point, parse_board
from spatialjax.witness.check import PathReport, check_path
from spatialjax.witness.render import render_text

DIRECTIONS = dict(zip(("right", "up", "left", "down"), STEPS, strict=True))

HINT_SECONDS = 10.0
"""After which the search for a hint gives up."""


class LineGame:
    """One record being played; see `session.Game`."""

    keys = "arrows draw"

    def __init__(self, record: Mapping[str, Any]):
        self.puzzle_id = str(record["id"])
        self.message = ""
        self._record = record
        self._board = parse_board(record)
        self._line = [self._board.start]
        self._judged: tuple[tuple[Point, ...], PathReport] | None = None

    @property
    def is_over(self) -> bool:
        return self._line[-1] == self._board.end

    @property
    def is_solved(self) -> bool:
        return self.is_over and self._report.solved

    def picture(self) -> str:
        broken = self._report.broken if self.is_over else None
        return render_text(self._record, self._line, broken, color=True)

    def press(self, key: str) -> bool:
        """Draw as far as the next node; the way back takes the line back."""
        if key not in DIRECTIONS or self.is_over:
            return False
        step = DIRECTIONS[key]
        if self._target(step) == self._line[-2:-1]:
            return self.undo()
        if not self._advance(step):
            self.message = f"the line can't go {key} from here"
            return False
        if not self._is_node() and not self.is_over:
            self._advance(step)
        return True

    def undo(self) -> bool:
        """Take back the line to the node before."""
        if len(self._line) == 1:
            return False
        self._line.pop()
        while not self._is_node() and len(self._line) > 1:
            self._line.pop()
        return True

    def restart(self) -> None:
        self._line = [self._board.start]

    def hint(self) -> str:
        """Return the next step of the shortest solution that goes on from here."""
        if not self._solutions:
            return "no solution was found"
        drawn = len(self._line)
        ahead = [path for path in self._solutions if path[:drawn] == self._line]
        ahead = [path for path in ahead if len(path) > drawn]
        if ahead:
            (x, y), (to_x, to_y) = min(ahead, key=len)[drawn - 1 : drawn + 1]
            names = {step: name for name, step in DIRECTIONS.items()}
            return f"go {names[to_x - x, to_y - y]}"
        common = max(self._common(path) for path in self._solutions)
        return f"no solution goes on from here: step back to the point {self._line[common - 1]}"

    def feedback(self) -> str:
        """Return what the finished line breaks."""
        if self._report.solved:
            return "Solved."
        wrong = [
            f"  {rule.replace('_', ' ')}: broken at {', '.join(map(str, points)) or 'no point'}"
            for rule, points in self._report.broken.items()
            if not self._report.rules[rule]
        ]
        return "\n".join(["The line breaks these rules:", *wrong])

    def played(self) -> dict[str, Any]:
        """Return the line in the form of the published solutions."""
        return {"path": [{"x": x, "y": y} for x, y in self._line]}

    @property
    def _report(self) -> PathReport:
        """The verdict on the line, asked for once it is finished."""
        line = tuple(self._line)
        if self._judged is None or self._judged[0] != line:
            self._judged = line, check_path(self._record, line)
        return self._judged[1]

    @cached_property
    def _solutions(self) -> list[list[Point]]:
        # Imported here: numba takes a second, and is an extra.
        from spatialjax.solvers.exhaustive import search

        return search(self._record, deadline=HINT_SECONDS).paths

    def _target(self, step: Point) -> list[Point]:
        x, y = self._line[-1]
        return [(x + step[0], y + step[1])]

    def _advance(self, step: Point) -> bool:
        (target,) = self._target(step)
        if not self._board.is_open(target) or target in self._line:
            return False
        self._line.append(target)
        return True

    def _is_node(self) -> bool:
        x, y = self._line[-1]
        return x % 2 == y % 2 == 0

    def _common(self, path: list[Point]) -> int:
        """Return how many points of the line a path shares from the start."""
        same = 0
        for one, other in zip(self._line, path, strict=False):
            if one != other:
                break
            same += 1
        return same

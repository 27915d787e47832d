"""One arrangement of geoms on the host, in plain Python: what it is and how it slides."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from spatialjax.sliding.names import Point, geom_name
from spatialjax.sliding.types import DIRECTION_STEPS, Direction, Result


@dataclass(frozen=True)
class Board:
    """Geoms on a board, and where each belongs; entry i of every tuple is the geom of slot i.

    Attributes:
      size: cells along its side.
      shapes: each of `SHAPES`, or all of them "tile"; tile t has slot t - 1.
      colors: each of `COLORS`.
      positions, goals: cells [x, y], x to the right and y upwards, both from 0.
    """

    size: int
    shapes: tuple[str, ...]
    colors: tuple[str, ...]
    positions: tuple[Point, ...]
    goals: tuple[Point, ...]

    def __len__(self) -> int:
        return len(self.positions)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What commands and texts call each geom."""
        pairs = zip(self.shapes, self.colors, strict=True)
        return tuple(geom_name(shape, color, slot) for slot, (shape, color) in enumerate(pairs))

    @property
    def solved(self) -> bool:
        """Whether every geom is on its goal cell."""
        return self.positions == self.goals

    @property
    def distance(self) -> int:
        """Summed Manhattan distance of all geoms to their goals."""
        return sum(map(manhattan, self.positions, self.goals))

    def at_goal(self) -> "Board":
        """Return the board with every geom on its goal cell."""
        return replace(self, positions=self.goals)


def slide(board: Board, slot: int, direction: Direction) -> tuple[Result, Board]:
    """Slide one geom by one cell; the board comes back as it was unless the geom moved."""
    (x, y), (dx, dy) = board.positions[slot], DIRECTION_STEPS[direction]
    target = x + dx, y + dy
    if not (0 <= target[0] < board.size and 0 <= target[1] < board.size):
        return Result.OUT_OF_BOUNDS, board
    if target in board.positions:
        return Result.OCCUPIED, board
    positions = (*board.positions[:slot], target, *board.positions[slot + 1 :])
    return Result.MOVED, replace(board, positions=positions)


def manhattan(one: Point, other: Point) -> int:
    """Return the Manhattan distance of two cells."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def is_reachable(size: int, start: Sequence[Point], goal: Sequence[Point]) -> bool:
    """Say whether moves can take every geom from its start to its goal cell; size 2 or more.

    With two or more empty cells every arrangement is within reach. With one, each move swaps the
    empty cell with a geom, so that the permutation of all pieces, the empty cell among them, has
    the parity of the way that the empty cell went.
    """
    if len(start) < size * size - 1:
        return True
    cells = {(x, y) for x in range(size) for y in range(size)}
    (empty,), (empty_goal,) = cells - set(start), cells - set(goal)
    goal_of = dict(zip((*start, empty), (*goal, empty_goal), strict=True))
    swaps = 0
    while goal_of:  # a cycle of k pieces takes k - 1 swaps
        cell = goal_of.pop(next(iter(goal_of)))
        while cell in goal_of:
            cell = goal_of.pop(cell)
            swaps += 1
    return swaps % 2 == manhattan(empty, empty_goal) % 2

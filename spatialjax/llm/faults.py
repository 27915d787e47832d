"""What is wrong with a line as a line, before any rule of a symbol is asked; plain Python.

A line has no fault exactly when it keeps the first three rules of `check_path`: `reached_target`,
`path_not_crossing` and `no_gap_violations`. Here the kinds are told apart that reports count.
"""

import enum
from collections.abc import Sequence

from spatialjax.data.board import Board, Point


class Fault(enum.StrEnum):
    """One way in which a line is no line from the start to the end."""

    WRONG_START = "wrong_start"
    """The first point is not the start; so it is for no points at all."""
    WRONG_END = "wrong_end"
    """The last point is not the end; so it is for no points at all."""
    DISCONNECTED = "disconnected"
    """Two points that follow each other are not one lattice step apart."""
    CROSSING = "crossing"
    """A point comes twice."""
    RULE_CELL = "rule_cell"
    """A point is a cell, where symbols stand and no line."""
    GAP = "gap"
    """A point is a gap."""
    OFF_BOARD = "off_board"
    """A point is not on the board."""


def line_faults(board: Board, path: Sequence[Point]) -> tuple[Fault, ...]:
    """Return the faults of a line, in the order of `Fault`; none for a line that is legal.

    Args:
      path: lattice points (x, y), any whole numbers.
    """
    found: set[Fault] = set()
    if not path or path[0] != board.start:
        found.add(Fault.WRONG_START)
    if not path or path[-1] != board.end:
        found.add(Fault.WRONG_END)
    if any(not are_neighbours(one, other) for one, other in zip(path, path[1:], strict=False)):
        found.add(Fault.DISCONNECTED)
    if len(set(path)) < len(path):
        found.add(Fault.CROSSING)
    for x, y in set(path):
        if not (0 <= x < board.columns and 0 <= y < board.rows):
            found.add(Fault.OFF_BOARD)
        elif x % 2 and y % 2:
            found.add(Fault.RULE_CELL)
        elif (x, y) in board.gaps:
            found.add(Fault.GAP)
    return tuple(fault for fault in Fault if fault in found)


def are_neighbours(one: Point, other: Point) -> bool:
    """Say whether two points are one lattice step apart."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1

"""What a picture of a line puzzle shows, point by point; image and text are drawn from it."""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spatialjax.data.board import STEPS, Board, Symbol, parse_board

Point = tuple[int, int]
Broken = Mapping[str, Iterable[Point]] | Iterable[Point]


@dataclass(frozen=True)
class Spot:
    """One lattice point and all that is drawn there.

    Attributes:
        x, y: the point.
        grid: directions in which a grid line leaves the point; gaps are not looked at.
        line: directions in which the line leaves the point.
        on_line: whether the line passes here; a line of one point leaves in no direction.
        is_start, is_end: whether the board starts or ends here.
        is_tail, is_head: whether the line does.
        way_out: direction, maybe slanted, that leads off the board at its end; None elsewhere, and
            at an end inside the board.
        dot, gap: whether the point holds one.
        symbol: the symbol of a cell, or None.
        broken: whether a rule is broken here.
    """

    x: int
    y: int
    grid: tuple[Point, ...]
    line: tuple[Point, ...]
    on_line: bool
    is_start: bool
    is_end: bool
    is_tail: bool
    is_head: bool
    way_out: Point | None
    dot: bool
    gap: bool
    symbol: Symbol | None
    broken: bool

    @property
    def is_cell(self) -> bool:
        """Whether the point is the middle of a cell."""
        return is_cell((self.x, self.y))

    @property
    def is_node(self) -> bool:
        """Whether two grid lines meet here."""
        return self.x % 2 == 0 and self.y % 2 == 0


@dataclass(frozen=True)
class Scene:
    """A board, a line on it, and the points where the line breaks a rule.

    Attributes:
        board: the board.
        path: the points of the line, one lattice step apart; () for none.
        spots: every lattice point, row by row.
    """

    board: Board
    path: tuple[Point, ...]
    spots: tuple[Spot, ...]


def build_scene(
    record: Mapping[str, Any],
    path: Iterable[Point] | None = None,
    broken: Broken | None = None,
) -> Scene:
    """Read and check everything that a picture needs.

    The line may start anywhere, cross itself and stand on gaps and cells, since a picture must be
    able to show a wrong answer. PuzzleError for a malformed record; ValueError for a point that is
    off the board and for a line with a jump.
    """
    board = parse_board(record)
    line = _points(board, () if path is None else path, "path")
    for index, (before, after) in enumerate(zip(line, line[1:], strict=False)):
        near = [point for point in _neighbours(before) if _on_board(board, point)]
        if after not in near:
            raise ValueError(
                f"path[{index + 1}] = {after} is not one lattice step from "
                f"path[{index}] = {before}; the valid next points are {', '.join(map(str, near))}."
            )
    return board_scene(board, line, frozenset(_broken_points(board, broken)))


def board_scene(
    board: Board, line: tuple[Point, ...] = (), marks: frozenset[Point] = frozenset()
) -> Scene:
    """Return what a picture shows of a board, a line on it and marked points, all of them right."""
    leaves: dict[Point, set[Point]] = {point: set() for point in line}
    for before, after in zip(line, line[1:], strict=False):
        leaves[before].add((after[0] - before[0], after[1] - before[1]))
        leaves[after].add((before[0] - after[0], before[1] - after[1]))
    symbols = {(symbol.x, symbol.y): symbol for symbol in board.symbols}
    spots = tuple(
        Spot(
            x=x,
            y=y,
            grid=_grid_directions(board, (x, y)),
            line=tuple(step for step in STEPS if step in leaves.get((x, y), ())),
            on_line=(x, y) in leaves,
            is_start=(x, y) == board.start,
            is_end=(x, y) == board.end,
            is_tail=bool(line) and (x, y) == line[0],
            is_head=bool(line) and (x, y) == line[-1],
            way_out=_way_out(board, (x, y)),
            dot=(x, y) in board.dots,
            gap=(x, y) in board.gaps,
            symbol=symbols.get((x, y)),
            broken=(x, y) in marks,
        )
        for y in range(board.rows)
        for x in range(board.columns)
    )
    return Scene(board, line, spots)


def is_cell(point: Point) -> bool:
    """Say whether a lattice point is the middle of a cell."""
    return bool(point[0] % 2 and point[1] % 2)


def _grid_directions(board: Board, point: Point) -> tuple[Point, ...]:
    if is_cell(point):
        return ()
    near = zip(STEPS, _neighbours(point), strict=True)
    return tuple(step for step, other in near if _on_board(board, other) and not is_cell(other))


def _way_out(board: Board, point: Point) -> Point | None:
    if point != board.end:
        return None
    x, y = point
    step = (x == board.columns - 1) - (x == 0), (y == board.rows - 1) - (y == 0)
    return step if step != (0, 0) else None


def _broken_points(board: Board, broken: Broken | None) -> list[Point]:
    if broken is None:
        return []
    if isinstance(broken, Mapping):
        return [
            p
            for rule, points in broken.items()
            for p in _points(board, points, f"broken[{rule!r}]")
        ]
    return list(_points(board, broken, "broken"))


def _points(board: Board, points: Any, name: str) -> tuple[Point, ...]:
    """Check points of the board and return them as tuples of Python integers."""
    try:
        items = list(points)
    except TypeError:
        raise ValueError(
            f"{name} = {points!r} is not a list of points; it must be like [(0, 0), (1, 0)]."
        ) from None
    checked = []
    for index, item in enumerate(items):
        try:
            x, y = (operator.index(value) for value in item)
        except (TypeError, ValueError):
            raise ValueError(
                f"{name}[{index}] = {item!r} is not a point; it must be a pair of integers (x, y)."
            ) from None
        if not _on_board(board, (x, y)):
            raise ValueError(
                f"{name}[{index}] = {(x, y)} is off the board; "
                f"x must be 0 to {board.columns - 1} and y 0 to {board.rows - 1}."
            )
        checked.append((x, y))
    return tuple(checked)


def _neighbours(point: Point) -> list[Point]:
    return [(point[0] + dx, point[1] + dy) for dx, dy in STEPS]


def _on_board(board: Board, point: Point) -> bool:
    return 0 <= point[0] < board.columns and 0 <= point[1] < board.rows

"""Check lines on records (host): which rules each keeps, and where it breaks the others."""

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from spatialjax.data.board import Board, parse_board
from spatialjax.witness.encode import board_capacity, encode_board
from spatialjax.witness.rules import RULES, broken_rules
from spatialjax.witness.rules.polyominoes import MAX_STEPS
from spatialjax.witness.trace import trace_path
from spatialjax.witness.types import Puzzle

Point = tuple[int, int]
Path = Iterable[Sequence[int]]

_KEYS = tuple(key for key, _ in RULES)
_CAPACITIES = (6, 8)  # cells a side; the published boards fit the first
_MIN_SHAPES = 8
_MIN_LENGTH = 128  # the longest line without crossings on 6 x 6 cells has 99 points
_BATCHES = (1, 32, 1024)
_FAR = 99  # stands for any coordinate that is neither on a board nor next to one


@dataclass(frozen=True)
class PathReport:
    """The verdict on one line.

    Attributes:
      solved: whether every rule holds.
      rules: report key -> whether the rule holds.
      broken: report key -> the points (x, y) that break it, sorted: the cells of broken symbols,
        the missed dots, the points where the line fails. Empty where the rule holds.
    """

    solved: bool
    rules: dict[str, bool]
    broken: dict[str, list[Point]]


def check_path(record: Mapping[str, Any], path: Path) -> PathReport:
    """Check one line, finished or not, against every rule of a record's board.

    Args:
      record: a puzzle in the published format; see `spatialjax.load_records`.
      path: lattice points (x, y) in order; any integers, on the board or not.

    Raises:
      PuzzleError: if the board is malformed.
      ValueError: if a point is not a pair of integers.
      RuntimeError: if the search for a fit of the polyominoes ran out of steps.
    """
    return check_paths([record], [path])[0]


def check_paths(records: Sequence[Mapping[str, Any]], paths: Sequence[Path]) -> list[PathReport]:
    """Check many lines at once: `paths[i]` on `records[i]`; errors as in `check_path`.

    A record object that occurs many times is read once. Lines are checked in batches padded to a
    few fixed sizes, so that repeated calls hardly ever compile.
    """
    if len(records) != len(paths):
        raise ValueError(f"{len(records)} records but {len(paths)} paths: give one path per record")
    unique = {id(record): record for record in records}
    boards = {key: parse_board(record) for key, record in unique.items()}
    points = [_points(path, number) for number, path in enumerate(paths)]
    buckets: dict[tuple[tuple[int, int, int], int], list[int]] = {}
    for number, record in enumerate(records):
        length = _round_up(len(points[number]), _MIN_LENGTH)
        bucket = padded_capacity(boards[id(record)]), length
        buckets.setdefault(bucket, []).append(number)

    reports: list[PathReport | None] = [None] * len(paths)
    for (capacity, length), numbers in buckets.items():
        keys = list(dict.fromkeys(id(records[number]) for number in numbers))
        row_of = {key: row for row, key in enumerate(keys)}
        puzzles = _stack([encode_board(boards[key], *capacity) for key in keys])
        for begin in range(0, len(numbers), _BATCHES[-1]):
            chunk = numbers[begin : begin + _BATCHES[-1]]
            rows = [row_of[id(records[number])] for number in chunk]
            lines = [points[number] for number in chunk]
            broken, undecided = _check_batch(puzzles, rows, lines, length)
            for number, line, flags, unknown in zip(chunk, lines, broken, undecided, strict=True):
                record = records[number]
                if unknown:
                    raise RuntimeError(
                        f"path {number} on record {record.get('id')!r}: no verdict on "
                        f"poly_ylop_area after {MAX_STEPS} search steps, as the board has too "
                        "many ways to place its polyominoes"
                    )
                reports[number] = _report(boards[id(record)], line, flags)
    return [report for report in reports if report is not None]


def padded_capacity(board: Board) -> tuple[int, int, int]:
    """Return `(height, width, num_shapes)` to encode a board with, one of a few, so that judging
    board after board hardly ever compiles.
    """
    height, width, num_shapes = board_capacity(board)
    side = next(size for size in _CAPACITIES if size >= max(height, width))
    return side, side, _round_up(num_shapes, _MIN_SHAPES)


def _points(path: Path, number: int) -> list[Point]:
    points = []
    for position, point in enumerate(path):
        try:
            x, y = point
            if isinstance(x, bool | np.bool_) or isinstance(y, bool | np.bool_):
                raise TypeError
            points.append((operator.index(x), operator.index(y)))
        except (TypeError, ValueError):
            raise ValueError(
                f"path {number}: point {position} is {point!r}, but a point is a pair of "
                "integers (x, y)"
            ) from None
    return points


def _round_up(number: int, least: int) -> int:
    """Return the lowest power of two that is no less than either."""
    return 1 << (max(number, least) - 1).bit_length()


def _stack(puzzles: list[Puzzle]) -> Puzzle:
    return jax.tree.map(lambda *fields: np.stack(fields), *puzzles)


def _check_batch(puzzles, rows, lines, length):
    """Return the broken points `[B, R, H, W]` of each line and whether it is undecided."""
    batch = next(size for size in _BATCHES if size >= len(lines))
    # Lanes of padding hold the first puzzle and an empty line.
    chosen = np.zeros(batch, np.int32)
    chosen[: len(rows)] = rows
    points = np.zeros((batch, length, 2), np.int32)
    lengths = np.zeros(batch, np.int32)
    for lane, line in enumerate(lines):
        lengths[lane] = len(line)
        for position, (x, y) in enumerate(line):
            points[lane, position] = _near(y), _near(x)
    picked = jax.tree.map(lambda field: field[chosen], puzzles)
    broken, undecided = jax.device_get(_broken(picked, points, lengths))
    return broken[: len(lines)], undecided[: len(lines)]


@jax.jit
@jax.vmap
def _broken(puzzle, points, length):
    return broken_rules(puzzle, trace_path(puzzle, points, length))


def _near(coordinate: int) -> int:
    """Bound a coordinate: -_FAR and _FAR are as far off the board as any."""
    return max(-_FAR, min(_FAR, coordinate))


def _report(board: Board, line: list[Point], flags: np.ndarray) -> PathReport:
    """Collect the broken points of one line; those off the board are not in `flags`."""
    broken = {key: set() for key in _KEYS}
    for rule, row, col in np.argwhere(flags).tolist():
        broken[_KEYS[rule]].add((col, row))
    outside = [p for p in line if not (0 <= p[0] < board.columns and 0 <= p[1] < board.rows)]
    if outside:
        broken["no_gap_violations"].update(outside)
        broken["path_not_crossing"].update(p for p in outside if line.count(p) > 1)
        broken["reached_target"].update(set(outside) & _loose_ends(line))
    rules = {key: not points for key, points in broken.items()}
    return PathReport(
        solved=all(rules.values()),
        rules=rules,
        broken={key: sorted(points) for key, points in broken.items()},
    )


def _loose_ends(line: list[Point]) -> set[Point]:
    """Return both ends of the line and of every step that is not one lattice step long.

    For points off the board alone: there neither end of the line is the start or the end.
    """
    loose = {line[0], line[-1]}
    for a, b in zip(line, line[1:], strict=False):
        if abs(a[0] - b[0]) + abs(a[1] - b[1]) != 1:
            loose |= {a, b}
    return loose

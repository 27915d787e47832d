"""Two sets of puzzles side by side: are the generated ones like the published ones?"""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spatialjax.data.board import STEPS, SYMBOL_KINDS, Board, parse_board
from spatialjax.data.records import solution_paths
from spatialjax.witness.difficulty import board_difficulty

Record = Mapping[str, Any]
Point = tuple[int, int]
BARS = 9  # values 0 to 7 on their own, the rest together
MANY = 10**9
SOLUTION_BINS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 8), (9, 16), (17, MANY))
AREA_BINS = ((1, 4), (5, 6), (7, 8), (9, 10), (11, 12), (13, 16), (17, 20), (21, 64))
PERCENTILES = (0, 5, 25, 50, 75, 95, 100)


def compare(records: Sequence[Record], others: Sequence[Record], names: tuple[str, str]) -> str:
    """Return a text table of both sets' distributions, in per cent unless it says otherwise."""
    left, right = statistics(records), statistics(others)
    width = max(map(len, names))
    lines = []
    for title in left:
        lines.append(title)
        for name, values in zip(names, (left[title], right[title]), strict=True):
            lines.append(f"  {name:{width}} " + " ".join(f"{value:6.1f}" for value in values))
    return "\n".join(lines)


def statistics(records: Sequence[Record]) -> dict[str, list[float]]:
    """Return the distributions that `compare` prints, by title."""
    boards = [parse_board(record) for record in records]
    listed = [solution_paths(record) for record in records]
    symbols = [symbol for board in boards for symbol in board.symbols]
    lengths = sorted(len(path) for paths in listed for path in paths)

    def shares(values: Iterable[int], bars: int = BARS) -> list[float]:
        return _binned(list(values), [(n, n) for n in range(bars - 1)] + [(bars - 1, MANY)])

    table = {
        "level 1 to 5": shares((board_difficulty(board)[1] - 1 for board in boards), 5),
        "solutions 1, 2, 3, 4, 5-8, 9-16, more": _binned(list(map(len, listed)), SOLUTION_BINS),
        "cells to 4, 6, 8, 10, 12, 16, 20, more": _binned(
            [board.width * board.height for board in boards], AREA_BINS
        ),
        "symbols 0 to 11, more": shares((len(board.symbols) for board in boards), 13),
        "kinds of symbol 0 to 5": shares((len({s.kind for s in b.symbols}) for b in boards), 6),
        "colours 0 to 7, more": shares(len({s.color for s in b.symbols}) for b in boards),
        "dots 0 to 7, more": shares(len(board.dots) for board in boards),
        "gaps 0 to 7, more": shares(len(board.gaps) for board in boards),
    }
    for kind in SYMBOL_KINDS:
        held = (sum(symbol.kind == kind for symbol in board.symbols) for board in boards)
        table[f"{kind}s 0 to 7, more"] = shares(held)
    sizes = [len(symbol.shape) - 1 for symbol in symbols if symbol.shape]
    table |= {
        "sides of a triangle 1 to 4": shares((s.count - 1 for s in symbols if s.count), 4),
        "cells of a poly or ylop 1 to 5, more": shares(sizes, 6),
        "start, end on an edge": [
            100 * sum(sum(point) % 2 for point in points) / len(boards)
            for points in ([b.start for b in boards], [b.end for b in boards])
        ],
        f"points of a solution (numbers at {PERCENTILES} %)": [
            lengths[min(len(lengths) - 1, len(lengths) * p // 100)] for p in PERCENTILES
        ],
        "solved by a random walk, by a shortest line": [
            100 * sum(map(chance, boards, listed)) / len(boards)
            for chance in (random_walk_chance, shortest_line_chance)
        ],
    }
    return table


def random_walk_chance(board: Board, lines: Iterable[Sequence[Point]]) -> float:
    """Return the chance that random legal moves, each as likely, draw one of these lines."""
    return sum(
        math.prod(
            1 / sum(near not in line[:i] for near in _around(board, point))
            for i, point in enumerate(line[:-1])
        )
        for line in lines
    )


def shortest_line_chance(board: Board, lines: Iterable[Sequence[Point]]) -> float:
    """Return the chance that one of the shortest lines to the end, symbols ignored, is of these."""
    distance, number = {board.start: 0}, {board.start: 1}
    queue = deque([board.start])
    while queue:
        point = queue.popleft()
        for near in _around(board, point) if point != board.end else ():
            if near not in distance:
                distance[near], number[near] = distance[point] + 1, 0
                queue.append(near)
            if distance[near] == distance[point] + 1:
                number[near] += number[point]
    shortest = sum(len(line) == distance.get(board.end, 0) + 1 for line in lines)
    return shortest / number.get(board.end, 1)


def _around(board: Board, point: Point) -> list[Point]:
    x, y = point
    return [near for near in ((x + dx, y + dy) for dx, dy in STEPS) if board.is_open(near)]


def _binned(values: Sequence[int], bins: Sequence[tuple[int, int]]) -> list[float]:
    """Per cent of the values in each bin; all 0 without values."""
    number = max(1, len(values))
    return [100 * sum(low <= value <= high for value in values) / number for low, high in bins]

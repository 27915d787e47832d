"""Two sets of puzzles side by side: are the generated ones like the published ones?"""

import random
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from spatialjax.data.board import STEPS, SYMBOL_KINDS, Board, parse_board

Record = Mapping[str, Any]
Point = tuple[int, int]
BARS = 9  # values 0 to 7 on their own, the rest together
SOLUTION_BINS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 8), (9, 16), (17, 10**9))
AREA_BINS = ((1, 4), (5, 6), (7, 8), (9, 10), (11, 12), (13, 16), (17, 20), (21, 64))
PERCENTILES = (0, 5, 25, 50, 75, 95, 100)
WALKS = 20


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
    areas = [board.width * board.height for board in boards]
    numbers = [len(board.symbols) for board in boards]
    counts = [record["solution_count"] for record in records]
    lengths = sorted(s["pathLength"] for record in records for s in record["solutions"])
    table = {
        "level 1 to 5": _shares([record["difficulty_level"] - 1 for record in records], 5),
        "solutions 1, 2, 3, 4, 5-8, 9-16, more": _binned(counts, SOLUTION_BINS),
        "cells to 4, 6, 8, 10, 12, 16, 20, more": _binned(areas, AREA_BINS),
        "symbols 0 to 11, more": _shares(numbers, 13),
        "kinds of symbol 0 to 5": _shares([len({s.kind for s in b.symbols}) for b in boards], 6),
        "colours 0 to 7, more": _shares([len({s.color for s in b.symbols}) for b in boards], BARS),
        "dots 0 to 7, more": _shares([len(board.dots) for board in boards], BARS),
        "gaps 0 to 7, more": _shares([len(board.gaps) for board in boards], BARS),
    }
    for kind in SYMBOL_KINDS:
        held = [sum(symbol.kind == kind for symbol in board.symbols) for board in boards]
        table[f"{kind}s 0 to 7, more"] = _shares(held, BARS)
    table["start, end on an edge"] = [
        100 * sum(sum(point) % 2 for point in points) / len(boards)
        for points in ([b.start for b in boards], [b.end for b in boards])
    ]
    table[f"points of a solution (numbers at {PERCENTILES} %)"] = [
        lengths[min(len(lengths) - 1, len(lengths) * p // 100)] for p in PERCENTILES
    ]
    table["solved by a random walk, by a shortest line"] = [
        _solved(records, boards, random_walk, WALKS),
        _solved(records, boards, shortest_line, WALKS // 4),
    ]
    return table


def random_walk(board: Board, rng: random.Random) -> list[Point]:
    """Return a line of random legal moves, up to the end or a dead end."""
    path = [board.start]
    while path[-1] != board.end:
        steps = [point for point in _around(board, path[-1]) if point not in path]
        if not steps:
            break
        path.append(rng.choice(steps))
    return path


def shortest_line(board: Board, rng: random.Random) -> list[Point]:
    """Return a shortest line to the end, symbols ignored, ties broken at random; [] if none."""
    before: dict[Point, Point] = {board.start: board.start}
    queue = deque([board.start])
    while queue and board.end not in before:
        point = queue.popleft()
        steps = _around(board, point)
        rng.shuffle(steps)
        for step in steps:
            if step not in before:
                before[step] = point
                queue.append(step)
    if board.end not in before:
        return []
    path = [board.end]
    while path[-1] != board.start:
        path.append(before[path[-1]])
    return path[::-1]


def _around(board: Board, point: Point) -> list[Point]:
    x, y = point
    return [near for near in ((x + dx, y + dy) for dx, dy in STEPS) if board.is_open(near)]


def _solved(
    records: Sequence[Record],
    boards: Sequence[Board],
    walk: Callable[[Board, random.Random], list[Point]],
    tries: int,
) -> float:
    rng = random.Random(0)
    hits = 0
    for record, board in zip(records, boards, strict=True):
        solutions = [[(p["x"], p["y"]) for p in s["path"]] for s in record["solutions"]]
        hits += sum(walk(board, rng) in solutions for _ in range(tries))
    return 100 * hits / (tries * len(records))


def _shares(values: Iterable[int], bars: int) -> list[float]:
    """Per cent of the values 0, 1, ..., the last bar taking all that is higher."""
    counts = Counter(min(value, bars - 1) for value in values)
    return [100 * counts[bar] / sum(counts.values()) for bar in range(bars)]


def _binned(values: Sequence[int], bins: Sequence[tuple[int, int]]) -> list[float]:
    return [100 * sum(low <= value <= high for value in values) / len(values) for low, high in bins]

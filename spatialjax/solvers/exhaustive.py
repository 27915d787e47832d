"""Every solution of a line puzzle: exact, complete, on the host.

    solve(record)                          all solutions as sorted lists of (x, y)
    search(record, deadline=2.0)           the same with `complete` and `moves`, stoppable
    count_solutions(record)                their number, nothing listed
    solve_many(records)                    many puzzles, on all cores

The search extends the line from node to node and drops a line as soon as no extension can be a
solution. Each prune is sound, as it refuses only what every extension would break:

- **End and dots.** The nodes that the rest of the line may visit are among those reachable from its
  head over unvisited nodes and edges without gap. If the end, or a dot not yet on the line, isn't
  there, no extension reaches it.
- **Blind alleys.** A node inside the line is left by another edge than it is entered by, so nodes
  with one usable edge are out of reach too, unless the line may end there.
- **Triangles.** Sides on the line stay on it, so more than n of them is final; an edge that isn't
  drawn and has an end out of reach is never drawn, so fewer than n drawn or drawable is final too.
- **Joined cells.** Two neighbouring cells whose common side can't be drawn any more are in one
  region for good. Two square colours, or a third symbol of a star's colour, among cells joined
  like that stay together in every extension. Conversely cells that drawn sides part already can
  never meet again: a star needs its partner in the widest region still possible.
- **Finished regions.** Joined cells with no drawable side left among or around them are a region
  of every extension. It is judged at once by all region rules, polyominoes by exact cover, and
  once it passes it isn't looked at again below that line.
- **Areas.** On a board without ylops a region with polys has exactly their area. So the polys
  already joined must not exceed the widest region still possible, and those in the widest region
  must not fall short of the cells already joined.

Boards have at most 64 nodes (7x7 cells), so every set of nodes, edges or cells is one 64-bit word,
and the code is compiled by numba (extra `solve`). `solve_many` uses threads, as the compiled search
releases the GIL: on 500 puzzles and two cores they took 0.8 of the time of two running processes
and a quarter of that of processes that must first start, import and load the compiled code.
"""

import math
import os
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from spatialjax.data.board import COLORS, SYMBOL_KINDS, Board, parse_board
from spatialjax.errors import PuzzleError

try:
    from spatialjax.solvers import _search
except ImportError as error:
    raise ImportError(
        "the exhaustive solver needs numba: install it with `pip install 'spatialjax[solve]'`"
    ) from error

COLOR_ORDER = "".join(COLORS)
# Moves between two looks at the clock (some 10 ms), and solutions handed over at a time.
CHUNK_MOVES = 20_000
CHUNK_ROWS = 512
UNBOUNDED = 2**62

Path = list[tuple[int, int]]


@dataclass(frozen=True)
class SolveResult:
    """What a search found: sorted paths, whether they are all, and the node moves it made."""

    paths: list[Path]
    complete: bool
    moves: int


def solve(record: Mapping[str, Any], limit: int | None = None) -> list[Path]:
    """Return every solution as a list of (x, y), sorted; `limit` stops after that many."""
    return search(record, limit=limit).paths


def count_solutions(record: Mapping[str, Any]) -> int:
    """Return the number of solutions without listing them."""
    return _Search(parse_board(record), rows=0).advance(UNBOUNDED, UNBOUNDED).found


def search(
    record: Mapping[str, Any],
    limit: int | None = None,
    deadline: float | None = None,
    max_moves: int | None = None,
) -> SolveResult:
    """Search one puzzle, within bounds if any are given.

    `limit` bounds the solutions, `deadline` the seconds from now, `max_moves` the node moves (the
    one bound that stops at the same place on every machine). `complete` is False when a bound
    stopped the search before it was exhausted.
    """
    return search_board(parse_board(record), limit, deadline, max_moves)


def search_board(
    board: Board,
    limit: int | None = None,
    deadline: float | None = None,
    max_moves: int | None = None,
) -> SolveResult:
    """Search a parsed board: see `search`."""
    if limit is not None and limit < 1:
        raise ValueError(f"limit is {limit!r}: give a number of solutions from 1, or None")
    stop = math.inf if deadline is None else time.monotonic() + deadline
    limit = UNBOUNDED if limit is None else limit
    max_moves = UNBOUNDED if max_moves is None else max_moves
    chunk = UNBOUNDED if deadline is None else CHUNK_MOVES
    run = _Search(board, CHUNK_ROWS)
    while not run.exhausted and run.found < limit and run.moves < max_moves:
        run.advance(limit, min(max_moves, run.moves + chunk))
        if time.monotonic() >= stop:
            break
    return SolveResult(sorted(run.paths), run.exhausted, run.moves)


def solve_many(
    records: Iterable[Mapping[str, Any]], limit: int | None = None, workers: int | None = None
) -> list[list[Path]]:
    """Return `solve` of each record, in order, on `workers` threads (default: one a core)."""
    return [result.paths for result in search_many(records, limit, workers=workers)]


def search_many(
    records: Iterable[Mapping[str, Any]],
    limit: int | None = None,
    deadline: float | None = None,
    workers: int | None = None,
) -> list[SolveResult]:
    """Return `search` of each record, in order; `deadline` holds for each puzzle alone."""
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        return list(pool.map(lambda record: search(record, limit, deadline), records))


class _Search:
    """One search under way: the board as words, the stack, and the paths found so far."""

    def __init__(self, board: Board, rows: int):
        self.board = board
        stride = board.width + 1
        if stride * (board.height + 1) > _search.MAX_NODES:
            raise PuzzleError(
                f"the board has {board.width}x{board.height} cells and"
                f" {stride * (board.height + 1)} nodes: the exhaustive solver takes boards of up to"
                f" {_search.MAX_NODES} nodes (7x7 cells)"
            )
        words, roots = _words(board)
        self._words = tuple(np.uint64(word) for word in words)
        self._tables = _tables(board)
        self._shapes = _shapes(board)
        num_ylops = sum(symbol.kind == "ylop" for symbol in board.symbols)
        self._need = np.zeros((len(board.symbols) + 1, 4 + num_ylops), np.uint64)
        self._memo = np.zeros((1 << _search.MEMO_BITS, 2), np.uint64)
        self._control = np.zeros(3, np.int64)
        self._stack = np.zeros((_search.MAX_NODES + 1, 6), np.uint64)
        self._stack[0, _search.USED_H], self._stack[0, _search.USED_V] = _end_edges(board)
        self._stack[0, _search.UNTRIED] = roots
        self._out = np.zeros((rows, _search.MAX_NODES + 1), np.uint64)
        self.paths: list[Path] = []

    @property
    def exhausted(self) -> bool:
        return bool(self._control[_search.DEPTH] < 0)

    @property
    def moves(self) -> int:
        return int(self._control[_search.MOVES])

    @property
    def found(self) -> int:
        return int(self._control[_search.FOUND])

    def advance(self, limit: int, max_moves: int) -> "_Search":
        """Go on until exhausted, at a bound (both counted from the first move) or a full table."""
        rows = _search.advance(
            self._control, self._stack, self._out, limit, max_moves,
            self._words, self._tables, self._shapes, self._need, self._memo,
        )  # fmt: skip
        self.paths.extend(_lattice_path(self.board, row) for row in self._out[:rows].tolist())
        return self


def _lattice_path(board: Board, row: list[int]) -> Path:
    """Turn node bits, closed by 0, into every lattice point from start to end."""
    stride = board.width + 1
    nodes = [divmod(bit.bit_length() - 1, stride) for bit in row[: row.index(0)]]
    path = [(2 * nodes[0][1], 2 * nodes[0][0])]
    for (y, x), (next_y, next_x) in pairwise(nodes):
        path += ((x + next_x, y + next_y), (2 * next_x, 2 * next_y))
    if path[0] != board.start:  # the start stands on an edge
        path.insert(0, board.start)
    if path[-1] != board.end:
        path.append(board.end)
    return path


def _bit(board: Board, x: int, y: int) -> int:
    """The bit of a lattice point: `_search` says which word it belongs to."""
    return 1 << ((y // 2) * (board.width + 1) + x // 2)


def _split(board: Board, points: Iterable[tuple[int, int]]) -> tuple[int, int, int]:
    """Points as words: nodes, horizontal edges, vertical edges."""
    nodes = across = down = 0
    for x, y in points:
        if x % 2:
            across |= _bit(board, x, y)
        elif y % 2:
            down |= _bit(board, x, y)
        else:
            nodes |= _bit(board, x, y)
    return nodes, across, down


def _end_edges(board: Board) -> tuple[int, int]:
    """Edges that hold the start or the end: on every line, and never passed through."""
    _, across, down = _split(board, (board.start, board.end))
    return across, down


def _edge_nodes(board: Board, point: tuple[int, int]) -> int:
    """The node at `point`, or both ends of the edge there."""
    x, y = point
    return _bit(board, x - x % 2, y - y % 2) | _bit(board, x + x % 2, y + y % 2)


def _words(board: Board) -> tuple[list[int], int]:
    """The words of `_search.advance` in its order, and the nodes where a line may begin."""
    width, height = board.width, board.height
    stride = width + 1
    row = (1 << width) - 1
    cells = sum(row << (y * stride) for y in range(height))
    nodes = (1 << (stride * (height + 1))) - 1
    walk_h = sum(row << (y * stride) for y in range(height + 1))
    walk_v = (1 << (stride * height)) - 1
    end_h, end_v = _end_edges(board)
    gap_nodes, gap_h, gap_v = _split(board, board.gaps)
    dot_nodes, dot_h, dot_v = _split(board, board.dots - {board.start, board.end})
    by_kind: dict[str, int] = dict.fromkeys(SYMBOL_KINDS, 0)
    for symbol in board.symbols:
        by_kind[symbol.kind] |= _bit(board, symbol.x, symbol.y)
    judged = sum(mask for kind, mask in by_kind.items() if kind != "triangle")
    words = [
        stride, cells, by_kind["poly"], by_kind["ylop"], by_kind["star"], judged,
        nodes & ~gap_nodes, walk_h & ~(gap_h | end_h), walk_v & ~(gap_v | end_v),
        _edge_nodes(board, board.end), _split(board, [board.end])[0],
        dot_nodes, dot_h, dot_v,
    ]  # fmt: skip
    return words, _edge_nodes(board, board.start)


def _tables(board: Board) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Cells of squares, stars and all symbols by colour, and of triangles by count."""
    squares, stars, colored = (np.zeros(_search.NUM_COLORS, np.uint64) for _ in range(3))
    triangles = np.zeros(4, np.uint64)
    for symbol in board.symbols:
        bit = np.uint64(_bit(board, symbol.x, symbol.y))
        color = COLOR_ORDER.index(symbol.color)
        colored[color] |= bit
        if symbol.kind == "square":
            squares[color] |= bit
        elif symbol.kind == "star":
            stars[color] |= bit
        elif symbol.kind == "triangle":
            triangles[symbol.count - 1] |= bit
    return squares, stars, colored, triangles


def _shapes(board: Board) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Home cell, shape from its lowest cell on, places of that cell, and size, by symbol."""
    stride = board.width + 1
    rows = []
    for symbol in board.symbols:
        if symbol.kind not in ("poly", "ylop"):
            continue
        first_x, first_y = min(symbol.shape, key=lambda cell: (cell[1], cell[0]))
        offsets = [(x - first_x, y - first_y) for x, y in symbol.shape]
        shape = sum(1 << (y * stride + x) for x, y in offsets)
        places = sum(
            1 << (y * stride + x)
            for y in range(board.height)
            for x in range(board.width)
            if all(0 <= x + dx < board.width and y + dy < board.height for dx, dy in offsets)
        )
        rows.append((_bit(board, symbol.x, symbol.y), shape, places, len(symbol.shape)))
    table = np.ascontiguousarray(np.array(rows, np.uint64).reshape(-1, 4).T)
    return table[0], table[1], table[2], table[3].astype(np.int64)

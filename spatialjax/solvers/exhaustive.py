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
- **Filling.** On a board without ylops the polys of a region fill it exactly. So among those
  already joined and those in the widest region still possible there must be some with an area from
  the one to the other; each of them fits into the widest region, and together they reach every
  cell already joined.

Boards have at most 64 nodes (7x7 cells), so every set of nodes, edges or cells is one 64-bit word,
and the code is compiled by numba (extra `solve`). `solve_many` uses threads, as the compiled search
releases the GIL: on 500 puzzles and two cores they took 0.8 of the time of two running processes
and a quarter of that of processes that must first start, import and load the compiled code.
"""

import math
import os
import threading
import time
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from spatialjax.data.board import COLORS, SYMBOL_KINDS, Board, parse_board, record_name
from spatialjax.data.fields import fail

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
    """What a search found.

    Attributes:
        paths: the solutions found, sorted.
        complete: whether they are all.
        moves: node moves made; the same on every machine.
        seconds: time the search took.
    """

    paths: list[Path]
    complete: bool
    moves: int
    seconds: float


def solve(record: Mapping[str, Any], limit: int | None = None) -> list[Path]:
    """Return every solution as a list of (x, y), sorted; `limit` stops after that many."""
    return search(record, limit=limit).paths


def count_solutions(record: Mapping[str, Any]) -> int:
    """Return the number of solutions without listing them."""
    run = Search(_solvable(record), rows=0)
    run.advance()
    return run.found


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
    run = Search(_solvable(record))
    run.advance(limit, deadline, max_moves)
    return run.result()


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
) -> Generator[SolveResult, None, None]:
    """Yield `search` of each record, in order; `deadline` holds for each puzzle alone.

    Closing the generator, or an interrupt, stops the searches that still run.
    """
    stopped = threading.Event()

    def run(record: Mapping[str, Any]) -> SolveResult:
        search = Search(_solvable(record))
        search.advance(limit, deadline, stopped=stopped)
        return search.result()

    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        pending = [pool.submit(run, record) for record in records]
        try:
            for future in pending:
                yield future.result()
        finally:
            stopped.set()
            pool.shutdown(cancel_futures=True)


def listed_solutions(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Write paths as the field `solutions` of a record."""
    return [
        {"index": i, "path": [{"x": x, "y": y} for x, y in path], "pathLength": len(path)}
        for i, path in enumerate(paths)
    ]


def _solvable(record: Mapping[str, Any]) -> Board:
    """Parse a record whose board the search has room for."""
    board = parse_board(record)
    nodes = (board.width + 1) * (board.height + 1)
    if nodes > _search.MAX_NODES:
        wanted = f"at most {_search.MAX_NODES} nodes (7x7 cells), the most the solver takes"
        where = record_name("record", record)
        fail(where, "grid_size", f"{board.width}x{board.height} cells, {nodes} nodes", wanted)
    return board


class Search:
    """One search under way: the board as words, the stack, and the lines found so far.

    `board` has at most 64 nodes. `rows` is how many lines the compiled search hands over at a
    time; with 0 it only counts them.
    """

    def __init__(self, board: Board, rows: int = CHUNK_ROWS):
        self.board = board
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
        self._paths: list[Path] = []
        self._seconds = 0.0

    @property
    def exhausted(self) -> bool:
        """Whether every line has been tried."""
        return bool(self._control[_search.DEPTH] < 0)

    @property
    def moves(self) -> int:
        """Node moves made."""
        return int(self._control[_search.MOVES])

    @property
    def found(self) -> int:
        """Number of solutions found."""
        return int(self._control[_search.FOUND])

    def advance(
        self,
        limit: int | None = None,
        deadline: float | None = None,
        max_moves: int | None = None,
        stopped: threading.Event | None = None,
    ) -> None:
        """Go on until exhausted or at a bound; see `search`. `stopped` may be set elsewhere.

        Looks up every few milliseconds, so that it can also be interrupted.
        """
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit!r}: give a number of solutions from 1, or None")
        begin = time.monotonic()
        stop = math.inf if deadline is None else begin + deadline
        limit = UNBOUNDED if limit is None else limit
        max_moves = UNBOUNDED if max_moves is None else max_moves
        while not self.exhausted and self.found < limit and self.moves < max_moves:
            rows = _search.advance(
                self._control, self._stack, self._out,
                limit, min(max_moves, self.moves + CHUNK_MOVES),
                self._words, self._tables, self._shapes, self._need, self._memo,
            )  # fmt: skip
            self._paths += [_lattice_path(self.board, row) for row in self._out[:rows].tolist()]
            if time.monotonic() >= stop or (stopped is not None and stopped.is_set()):
                break
        self._seconds += time.monotonic() - begin

    def result(self) -> SolveResult:
        """Return what was found so far."""
        return SolveResult(sorted(self._paths), self.exhausted, self.moves, self._seconds)


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

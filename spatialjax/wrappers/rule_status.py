"""The `rule_status` of Spatial-Gym's infos: what the rules say of a line, region by region.

The verdicts are those of `witness.rules`, one compiled call a line. The rest is what Spatial-Gym
reports beside them: counts of what lies in each region, with regions numbered from the left,
column by column.
"""

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from spatialjax.data.board import STEPS, Board, Point, Symbol
from spatialjax.witness.check import padded_capacity
from spatialjax.witness.encode import COLOR_CODES, encode_board
from spatialjax.witness.lattice import num_words, unpack_bits
from spatialjax.witness.regions import cell_regions
from spatialjax.witness.rules import RULES
from spatialjax.witness.trace import trace_line
from spatialjax.witness.types import Puzzle

_KEYS = tuple(key for key, _ in RULES)
_OF_REGIONS = ("square_color_separation", "star_pairing_exact", "poly_ylop_area")

Detail = dict[str, Any]


class RuleStatus:
    """Reports on legal lines over one board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._capacity = padded_capacity(board)
        puzzle = encode_board(board, *self._capacity)
        self._numbers = _flatten(puzzle).tobytes()
        self._lattice = puzzle.dot.shape
        self._symbols = sorted(board.symbols, key=lambda symbol: (symbol.x, symbol.y))
        self._kinds = {symbol.kind for symbol in board.symbols}

    def report(self, path: Sequence[Point]) -> dict[str, Any]:
        """Return the report on a legal line: points (x, y) from the start, finished or not.

        It has `{"passed", "detail"}` for each rule and for `all_rules_satisfied`, `_terminated` and
        `_truncated`, which never say more than False, and a summary of each region under
        `_regions`. All of it is new and plain Python. Polyominoes whose search gave up do not pass.
        """
        broken, regions = self._judge(path)
        members: dict[int, list[Symbol]] = {number: [] for number in regions.values()}
        for symbol in self._symbols:
            members[regions[symbol.x, symbol.y]].append(symbol)
        details = {
            "reached_target": {"agent_loc": [*path[-1]], "target_loc": [*self._board.end]},
            "path_not_crossing": {"duplicates": {}},
            "no_gap_violations": {"violations": []},
            "all_dots_collected": self._dots(broken["all_dots_collected"]),
            "square_color_separation": self._squares(members, broken["square_color_separation"]),
            "star_pairing_exact": self._stars(members, broken["star_pairing_exact"]),
            "triangles_edge_count": self._triangles(path, broken["triangles_edge_count"]),
            "poly_ylop_area": self._polyominoes(regions, members, broken["poly_ylop_area"]),
        }
        report: dict[str, Any] = {
            key: {"passed": not broken[key], "detail": details[key]} for key in _KEYS
        }
        report["all_rules_satisfied"] = {
            "passed": not any(broken.values()),
            "detail": {"rules_checked": list(_KEYS)},
        }
        for flag in ("_terminated", "_truncated"):
            report[flag] = {"passed": True, "detail": False}
        areas = Counter(regions.values())
        report["_regions"] = {
            number: {
                "id": number,
                "area": areas[number],
                "symbol_counts": dict(Counter(symbol.kind for symbol in found)),
                "colors": dict(Counter(map(_color, found))),
            }
            for number, found in members.items()
        }
        return report

    def _judge(self, path: Sequence[Point]) -> tuple[dict[str, set[Point]], dict[Point, int]]:
        """Return the points that break each rule, and the number of each cell's region."""
        words = self._words(path)
        dividing = words if path[-1] == self._board.end else self._words(_dividing(path))
        x, y = path[-1]
        head = np.array([y * self._lattice[1] + x], np.uint32)
        line = np.concatenate([words, dividing, head])
        found, labels = _verdict(self._capacity, self._numbers, line.tobytes())
        broken: dict[str, set[Point]] = {key: set() for key in _KEYS}
        for rule, row, col in found:
            broken[_KEYS[rule]].add((col, row))
        numbers: dict[int, int] = {}
        regions = {
            (2 * i + 1, 2 * j + 1): numbers.setdefault(labels[j][i], len(numbers))
            for i in range(self._board.width)
            for j in range(self._board.height)
        }
        return broken, regions

    def _words(self, points: Sequence[Point]) -> np.ndarray:
        """Return points as the bit set of `trace_line`."""
        rows, cols = self._lattice
        bits = np.zeros(32 * num_words(rows * cols), np.uint8)
        bits[[y * cols + x for x, y in points]] = 1
        return np.packbits(bits, bitorder="little").view(np.uint32)

    def _dots(self, missed: set[Point]) -> Detail:
        total = len(self._board.dots)
        return {"total": total, "collected": total - len(missed)}

    def _squares(self, members: dict[int, list[Symbol]], broken: set[Point]) -> Detail:
        if "square" not in self._kinds:
            return {"regions": []}
        details = []
        for number, found in members.items():
            squares = [symbol for symbol in found if symbol.kind == "square"]
            if squares:
                colors = list(set(map(_color, squares)))
                details.append({"region": number, "square_count": len(squares), "colors": colors})
        violating = [number for number, found in members.items() if _any_in(found, broken)]
        return {"violating_regions": violating, "region_square_details": details}

    def _stars(self, members: dict[int, list[Symbol]], broken: set[Point]) -> Detail:
        if "star" not in self._kinds:
            return {"regions": []}
        violations, per_region = [], []
        for number, found in members.items():
            totals = Counter(map(_color, found))
            stars = [symbol for symbol in found if symbol.kind == "star"]
            details = []
            for color, count in Counter(map(_color, stars)).items():
                own = [star for star in stars if _color(star) == color]
                ok = not _any_in(own, broken)
                total = totals[color]
                if not ok:
                    violations.append(
                        {
                            "region": number,
                            "color": color,
                            "found_total": total,
                            "star_cells": count,
                        }
                    )
                details.append(
                    {"color": color, "total_symbols_of_color": total, "star_cells": count, "ok": ok}
                )
            if stars:
                all_ok = all(detail["ok"] for detail in details)
                per_region.append({"region": number, "details": details, "all_ok": all_ok})
        return {"violations": violations, "per_region": per_region}

    def _triangles(self, path: Sequence[Point], broken: set[Point]) -> Detail:
        visited = set(path)
        return {
            "mismatches": [
                {
                    "x": symbol.x,
                    "y": symbol.y,
                    "required": symbol.count,
                    "touches": sum((symbol.x + dx, symbol.y + dy) in visited for dx, dy in STEPS),
                }
                for symbol in self._symbols
                if (symbol.x, symbol.y) in broken
            ]
        }

    def _polyominoes(
        self, regions: dict[Point, int], members: dict[int, list[Symbol]], broken: set[Point]
    ) -> Detail:
        if self._kinds.isdisjoint({"poly", "ylop"}):
            return {"regions": []}
        details = []
        # In the order of each region's first shape, which is not that of the regions' numbers.
        shapes = [symbol for symbol in self._symbols if symbol.shape]
        for number in dict.fromkeys(regions[symbol.x, symbol.y] for symbol in shapes):
            found = [symbol for symbol in members[number] if symbol.shape]
            poly, ylop = (
                sum(len(symbol.shape) for symbol in found if symbol.kind == kind)
                for kind in ("poly", "ylop")
            )
            area, net, ok = list(regions.values()).count(number), poly - ylop, False
            exact: Detail = {"ok": False, "skipped": True}
            counts = {"region_area": area, "poly_area": poly, "ylop_area": ylop, "net": net}
            if area_ok := net in (0, area):
                ok = not _any_in(found, broken)
                exact = {"ok": ok, "region_id": number, **counts}
            details.append(
                {
                    "region": number,
                    "area_check": {**counts, "ok": area_ok},
                    "exact_fit": exact,
                    "ok": ok,
                }
            )
        violations = [detail["region"] for detail in details if not detail["ok"]]
        return {"violations": violations, "region_details": details}


@functools.lru_cache(maxsize=1 << 14)  # a learner comes to the same lines again and again
def _verdict(
    capacity: tuple[int, int, int], numbers: bytes, line: bytes
) -> tuple[list[list[int]], list[list[int]]]:
    """Return (rule, row, column) of what `_flags` marks, and the region label of each cell."""
    flags, labels = _flags(
        capacity, np.frombuffer(numbers, np.int32), np.frombuffer(line, np.uint32)
    )
    return np.argwhere(np.asarray(flags)).tolist(), np.asarray(labels).tolist()


@functools.partial(jax.jit, static_argnums=0)
def _flags(capacity, numbers, line):
    """Return the broken points `[R, H, W]` of a legal line and the region label of each cell.

    Args:
      capacity: that of the puzzle.
      numbers: the puzzle, flattened. A call with two arguments costs less than one with twenty.
      line: the points of the line and those that divide regions, as bit sets, and its head.
    """
    puzzle = _unflatten(capacity, numbers)
    visited, dividing = jnp.split(line[:-1], 2)
    position = line[-1].astype(jnp.int32)
    trace = trace_line(puzzle, visited, position)
    # An unfinished line is no wall inside a region, so polys may lie across it.
    parts = replace(
        trace,
        visited=trace.visited & (position == puzzle.end),
        region=cell_regions(puzzle, unpack_bits(dividing, puzzle.dot.shape) != 0),
    )
    broken = [rule(puzzle, parts if key in _OF_REGIONS else trace) for key, rule in RULES]
    return jnp.stack(broken), parts.region


def _flatten(puzzle: Puzzle) -> np.ndarray:
    """Return all numbers of a puzzle as one `int32` vector."""
    return np.concatenate([np.ravel(leaf).astype(np.int32) for leaf in jax.tree.leaves(puzzle)])


def _unflatten(capacity: tuple[int, int, int], numbers: jax.Array) -> Puzzle:
    """Return the puzzle of that capacity that `_flatten` made a vector of."""
    like, structure = jax.tree.flatten(encode_board(Board(1, 1, (0, 0), (2, 2)), *capacity))
    ends = np.cumsum([np.size(leaf) for leaf in like])
    leaves = [
        numbers[end - np.size(leaf) : end].reshape(np.shape(leaf)).astype(leaf.dtype)
        for leaf, end in zip(like, ends.tolist(), strict=True)
    ]
    return jax.tree.unflatten(structure, leaves)


def _dividing(path: Sequence[Point]) -> list[Point]:
    """Return the points of an unfinished line that divide regions.

    In Spatial-Gym a region spreads through every free point, not only from cell to cell. So an end
    of the line on an edge divides nothing if the node past it is free, and both edges beside it:

        cell  edge  cell
        edge  node  edge    the region flows round the end through these three
    """
    visited = set(path)

    def is_passed(x: int, y: int) -> bool:
        steps = ((1, 0), (-1, 0)) if x % 2 else ((0, 1), (0, -1))
        return any(
            visited.isdisjoint(
                {(x + dx, y + dy), (x + dx - dy, y + dy - dx), (x + dx + dy, y + dy + dx)}
            )
            for dx, dy in steps
        )

    ends = {path[0], path[-1]}
    return [p for p in path if not (p in ends and sum(p) % 2 and is_passed(*p))]


def _color(symbol: Symbol) -> int:
    return COLOR_CODES[symbol.color]


def _any_in(symbols: Sequence[Symbol], points: set[Point]) -> bool:
    return any((symbol.x, symbol.y) in points for symbol in symbols)

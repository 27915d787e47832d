"""A slow, obvious reading of the line-puzzle rules in plain Python.

Tests compare the package with this file, so it imports nothing from the package and prefers the
shortest argument over the shortest run. Points are (x, y), x right and y down, (0, 0) top left.

Every rule is judged on the path as it stands, so it has an answer for any list of integer points:
empty, unfinished, disconnected, off the board or starting elsewhere. ``visited`` is the set of the
path's points that lie on the board; dots, triangles and regions look at nothing else.

==========================  ====================================================================
rule                        points that break it (the rule holds when there are none)
==========================  ====================================================================
reached_target              the first point if it is not S; the last point if it is not E; both
                            points of a step that is not one lattice step; S for an empty path
path_not_crossing           points that the path holds more than once, on the board or off it
no_gap_violations           path points on a gap, on a cell or off the board
all_dots_collected          dots that were not visited
square_color_separation     every square of a region that holds squares of two or more colours
star_pairing_exact          stars whose region does not hold exactly two symbols of their colour
triangles_edge_count        triangles with another number of visited sides than they ask for
poly_ylop_area              every poly and ylop of a region where they do not fit
==========================  ====================================================================
"""

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

Point = tuple[int, int]
Path = list[Point]
Shape = tuple[Point, ...]  # (column, row) offsets in row-major order, touching row 0 and column 0
Record = dict[str, Any]

RULES = (
    "reached_target",
    "path_not_crossing",
    "no_gap_violations",
    "all_dots_collected",
    "square_color_separation",
    "star_pairing_exact",
    "triangles_edge_count",
    "poly_ylop_area",
)
MOVES = ((1, 0), (0, -1), (-1, 0), (0, 1))  # actions 0 right, 1 up, 2 left, 3 down
KIND_OF_TOKEN = {"o": "square", "*": "star", "P": "poly", "Y": "ylop"} | dict.fromkeys(
    "ABCD", "triangle"
)


@dataclass(frozen=True)
class Symbol:
    """What one cell holds; ``count`` is 0 except for triangles, ``shape`` () except for polys."""

    kind: str
    color: str
    count: int = 0
    shape: Shape = ()


@dataclass(frozen=True)
class Board:
    """A record read into sets; ``columns`` and ``rows`` count lattice points."""

    width: int
    height: int
    start: Point
    end: Point
    dots: frozenset[Point]
    gaps: frozenset[Point]
    symbols: dict[Point, Symbol]

    @property
    def columns(self) -> int:
        return 2 * self.width + 1

    @property
    def rows(self) -> int:
        return 2 * self.height + 1

    def cells(self) -> list[Point]:
        return [(x, y) for y in range(1, self.rows, 2) for x in range(1, self.columns, 2)]

    def holds(self, point: Point) -> bool:
        return 0 <= point[0] < self.columns and 0 <= point[1] < self.rows

    def is_free(self, point: Point) -> bool:
        """Whether the line may stand on the point: on the board, no cell and no gap."""
        return self.holds(point) and not is_cell(point) and point not in self.gaps


def is_cell(point: Point) -> bool:
    """Whether the point is the middle of a cell: odd in both coordinates."""
    return point[0] % 2 == 1 and point[1] % 2 == 1


def neighbours(point: Point, distance: int = 1) -> list[Point]:
    """The four points right, up, left and down of a point, on the board or not."""
    return [(point[0] + distance * dx, point[1] + distance * dy) for dx, dy in MOVES]


# ---------------------------------------------------------------------------- reading a record


def text_dots(text: str) -> set[Point]:
    """Dots named in the YAML text of ``text_visualization``, read line by line."""
    items: list[dict[str, str]] = [{}]
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("-"):
            items.append({})
            line = line[1:].strip()
        key, _, value = line.partition(":")
        items[-1][key.strip()] = value.strip()
    return {(int(item["x"]), int(item["y"])) for item in items[1:] if item.get("dot") == "1"}


def read_shape(matrix: list[list[int]]) -> Shape:
    """The filled squares of a 4x4 matrix ``[row][column]``, moved to touch row 0 and column 0."""
    filled = [(x, y) for y, row in enumerate(matrix) for x, one in enumerate(row) if one]
    if not filled:
        return ()
    left = min(x for x, _ in filled)
    top = min(y for _, y in filled)
    return tuple((x - left, y - top) for x, y in filled)


def read_symbol(token: str, shapes: dict[str, Shape]) -> Symbol:
    """The symbol of a cell token such as ``o-R``, ``B-P`` or ``Y-W-18``."""
    letter, color, *shape_id = token.split("-")
    kind = KIND_OF_TOKEN[letter]
    if kind == "triangle":
        return Symbol(kind, color, count="ABCD".index(letter) + 1)
    if kind in ("poly", "ylop"):
        return Symbol(kind, color, shape=shapes[shape_id[0]])
    return Symbol(kind, color)


def read_board(record: Record) -> Board:
    """Read tokens and shapes; the text is used only for dots hidden under S or E."""
    tokens = {
        (x, y): token for y, row in enumerate(record["puzzle_array"]) for x, token in enumerate(row)
    }
    shapes = {name: read_shape(rows) for name, rows in json.loads(record["polyshapes"]).items()}
    (start,) = [point for point, token in tokens.items() if token == "S"]
    (end,) = [point for point, token in tokens.items() if token == "E"]
    dots = {point for point, token in tokens.items() if token == "."}
    hidden = text_dots(record.get("text_visualization") or "") & {start, end}
    return Board(
        width=record["grid_size"]["width"],
        height=record["grid_size"]["height"],
        start=start,
        end=end,
        dots=frozenset(dots | hidden),
        gaps=frozenset(point for point, token in tokens.items() if token == "G"),
        symbols={
            point: read_symbol(token, shapes) for point, token in tokens.items() if "-" in token
        },
    )


# ------------------------------------------------------------------------------------ the rules


def regions(board: Board, visited: set[Point]) -> list[set[Point]]:
    """Cells grouped by the walls that the line makes; only the line separates, never a gap."""
    found: list[set[Point]] = []
    left = set(board.cells())
    while left:
        region: set[Point] = set()
        waiting = [min(left)]
        while waiting:
            cell = waiting.pop()
            if cell in region:
                continue
            region.add(cell)
            for side, other in zip(neighbours(cell), neighbours(cell, 2), strict=True):
                if board.holds(other) and side not in visited:
                    waiting.append(other)
        left -= region
        found.append(region)
    return found


def unreached_points(board: Board, path: Path) -> set[Point]:
    """Points that break ``reached_target``."""
    if not path:
        return {board.start}
    broken = {path[0]} - {board.start} | {path[-1]} - {board.end}
    for here, there in itertools.pairwise(path):
        if there not in neighbours(here):
            broken |= {here, there}
    return broken


def mixed_squares(board: Board, region: set[Point]) -> set[Point]:
    """Squares of a region whose squares have more than one colour."""
    squares = {cell for cell in region if kind_at(board, cell) == "square"}
    return squares if len({board.symbols[cell].color for cell in squares}) > 1 else set()


def unpaired_stars(board: Board, region: set[Point]) -> set[Point]:
    """Stars of a region that does not hold exactly two symbols of their colour, whatever kind."""
    colors = Counter(board.symbols[cell].color for cell in region if cell in board.symbols)
    stars = {cell for cell in region if kind_at(board, cell) == "star"}
    return {star for star in stars if colors[board.symbols[star].color] != 2}


def unfit_polyominoes(board: Board, region: set[Point], visited: set[Point]) -> set[Point]:
    """Polys and ylops of a region that they do not fill (or cancel) exactly."""
    polys = [cell for cell in region if kind_at(board, cell) == "poly"]
    ylops = [cell for cell in region if kind_at(board, cell) == "ylop"]
    if not polys and not ylops:
        return set()
    walls = {
        frozenset({as_index(cell), as_index(other)})
        for cell in region
        for side, other in zip(neighbours(cell), neighbours(cell, 2), strict=True)
        if side in visited and other in region
    }
    fits = shapes_fit(
        tuple(sorted(board.symbols[cell].shape for cell in polys)),
        tuple(sorted(board.symbols[cell].shape for cell in ylops)),
        frozenset(as_index(cell) for cell in region),
        frozenset(walls),
        (board.width, board.height),
    )
    return set() if fits else {*polys, *ylops}


def kind_at(board: Board, cell: Point) -> str | None:
    symbol = board.symbols.get(cell)
    return symbol.kind if symbol else None


def as_index(cell: Point) -> Point:
    """Lattice point of a cell -> (column, row) of the cell."""
    return cell[0] // 2, cell[1] // 2


# ---------------------------------------------------------------------------------- polyominoes


@lru_cache(maxsize=1 << 16)
def shapes_fit(
    polys: tuple[Shape, ...],
    ylops: tuple[Shape, ...],
    region: frozenset[Point],
    walls: frozenset[frozenset[Point]],
    size: Point,
) -> bool:
    """Whether a region's polys and ylops can be placed so that the layers come out even.

    For every cell of the board: polys covering it = (1 if in the region) + ylops covering it,
    or without the region term when polys and ylops have equally many cells. No poly may cover both
    cells of a pair in ``walls``: neighbours inside the region with the line between them.

    Every placement of the ylops is tried; each says exactly how many polys must cover each cell.
    """
    net = sum(map(len, polys)) - sum(map(len, ylops))
    if net < 0 or not polys:
        return False
    if net > 0 and net != len(region):
        return False
    polys = tuple(shape for shape in polys if shape)  # a shape without cells demands nothing
    ylops = tuple(shape for shape in ylops if shape)
    tried: set[frozenset[tuple[Point, int]]] = set()
    for choice in itertools.product(*(list(placements(shape, size)) for shape in ylops)):
        need = Counter(region if net > 0 else ())
        for placed in choice:
            need.update(placed)
        layers = frozenset(need.items())
        if layers in tried:  # ylops alike that changed places
            continue
        tried.add(layers)
        if covers(need, polys, walls):
            return True
    return False


def placements(shape: Shape, size: Point) -> Iterator[Shape]:
    """Every translation of a shape with all its cells on a board of ``size`` cells."""
    width, height = size
    for top in range(height - max(y for _, y in shape)):
        for left in range(width - max(x for x, _ in shape)):
            yield moved(shape, left, top)


def moved(shape: Shape, dx: int, dy: int) -> Shape:
    return tuple((x + dx, y + dy) for x, y in shape)


def covers(
    need: Counter[Point], polys: Sequence[Shape], walls: frozenset[frozenset[Point]]
) -> bool:
    """Whether the polys, each used once, cover every cell exactly as often as ``need`` says.

    Some poly must cover the first needed cell in row-major order, and none of its cells may come
    before it; so that cell is the poly's own first cell, and only the choice of poly is open.
    """
    if not polys:
        return not need
    if not need:
        return False
    first_x, first_y = min(need, key=lambda cell: (cell[1], cell[0]))
    for shape in set(polys):
        placed = moved(shape, first_x - shape[0][0], first_y - shape[0][1])
        if any(need[cell] < 1 for cell in placed):
            continue
        if any(wall <= set(placed) for wall in walls):
            continue
        rest = list(polys)
        rest.remove(shape)
        if covers(need - Counter(placed), rest, walls):
            return True
    return False


# ------------------------------------------------------------------------------------- verdicts


def check_board(board: Board, path: Iterable[Sequence[int]]) -> dict[str, Any]:
    """As :func:`check`, for a board that was read before."""
    path = [(int(x), int(y)) for x, y in path]
    visited = {point for point in path if board.holds(point)}
    parts = regions(board, visited)
    broken = {
        "reached_target": unreached_points(board, path),
        "path_not_crossing": {point for point, times in Counter(path).items() if times > 1},
        "no_gap_violations": {point for point in path if not board.is_free(point)},
        "all_dots_collected": board.dots - visited,
        "square_color_separation": set().union(*(mixed_squares(board, part) for part in parts)),
        "star_pairing_exact": set().union(*(unpaired_stars(board, part) for part in parts)),
        "triangles_edge_count": {
            cell
            for cell, symbol in board.symbols.items()
            if symbol.kind == "triangle"
            and symbol.count != len(visited.intersection(neighbours(cell)))
        },
        "poly_ylop_area": set().union(*(unfit_polyominoes(board, part, visited) for part in parts)),
    }
    verdict: dict[str, Any] = {rule: not broken[rule] for rule in RULES}
    verdict["broken"] = {rule: sorted(broken[rule]) for rule in RULES}
    verdict["solved"] = not any(broken.values())
    return verdict


def check(record: Record, path: Iterable[Sequence[int]]) -> dict[str, Any]:
    """Judge a path: each rule of ``RULES`` -> bool, ``broken`` rule -> sorted points, ``solved``.

    ``path`` is any sequence of (x, y) with integer x and y.
    """
    return check_board(read_board(record), path)


def all_paths(board: Board) -> Iterator[Path]:
    """Every path from S to E that meets no gap, crosses nowhere and stops at E."""
    path = [board.start]

    def extend() -> Iterator[Path]:
        if path[-1] == board.end:
            yield list(path)
            return
        for point in neighbours(path[-1]):
            if board.is_free(point) and point not in path:
                path.append(point)
                yield from extend()
                path.pop()

    return extend()


def solve(record: Record, max_paths: int | None = None) -> list[Path]:
    """All solutions, sorted, by judging every path from S to E.

    Raises ``ValueError`` when there are more than ``max_paths`` paths to judge, so that a short
    list is never mistaken for the whole.
    """
    board = read_board(record)
    solutions = []
    for number, path in enumerate(all_paths(board)):
        if max_paths is not None and number >= max_paths:
            raise ValueError(f"more than {max_paths} paths lead from S to E")
        if check_board(board, path)["solved"]:
            solutions.append(path)
    return sorted(solutions)


def stored_solutions(record: Record) -> list[Path]:
    """The solutions that the record lists, as lists of (x, y)."""
    return [[(step["x"], step["y"]) for step in one["path"]] for one in record["solutions"]]


def difficulty(record: Record) -> tuple[float, int]:
    """The score 0..5 and level 1..5 of a record."""
    board = read_board(record)
    area = board.width * board.height
    number = len(board.symbols)
    density = number / area
    kinds = len({symbol.kind for symbol in board.symbols.values()})
    raw = (
        0.048 * kinds
        + 0.048 * max(kinds - 1, 0) * density
        + 0.025 * area
        + 0.24 * density
        + 0.012 * number
    )
    score = 5 * (1 + math.erf((raw - 0.5824) / 0.2108 / math.sqrt(2))) / 2
    return score, min(math.floor(score) + 1, 5)

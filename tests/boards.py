"""Seeded makers of line-puzzle records for tests.

All draw from a ``random.Random`` and return plain records in the published format. Use
:func:`solvable_record` where passes matter: almost no path solves a board of random symbols.
What else a test needs of records and paths can be imported from here too.
"""

import json
import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from building import (
    COLORS,
    Matrix,
    Tokens,
    build_record,
    describe,
    draw,
    hidden_dots_of,
    points_of,
    shape_id,
    with_solutions,
)
from oracle import (
    Board,
    Path,
    Point,
    Record,
    check,
    is_cell,
    neighbours,
    placements,
    read_board,
    read_shape,
    regions,
    solve,
)
from symmetries import recolor, transform, transform_path, transform_point
from walks import finished_path, free_neighbours, mutate_path, random_path

__all__ = [
    "COLORS",
    "KINDS",
    "build_record",
    "describe",
    "draw",
    "free_neighbours",
    "mutate_path",
    "perturb_record",
    "random_path",
    "random_record",
    "recolor",
    "shape_id",
    "solvable_record",
    "transform",
    "transform_path",
    "transform_point",
    "with_solutions",
]

KINDS = ("dot", "gap", "square", "star", "triangle", "poly", "ylop")
# The most that a published board holds.
MAX_POLYOMINOES = 8
MAX_YLOPS = 3


def mask(rng: random.Random, cells: Iterable[Point]) -> Matrix:
    """Cells as a 4x4 matrix, at any place of it where they fit."""
    xs, ys = zip(*cells, strict=True)
    left = min(xs) - rng.randint(0, 3 - (max(xs) - min(xs)))
    top = min(ys) - rng.randint(0, 3 - (max(ys) - min(ys)))
    matrix = [[0] * 4 for _ in range(4)]
    for x, y in zip(xs, ys, strict=True):
        matrix[y - top][x - left] = 1
    return matrix


def random_cells(
    rng: random.Random, allowed: Collection[Point], size: int, connected: bool = True
) -> list[Point]:
    """Up to ``size`` of the allowed cells, within 4x4, each beside another if ``connected``."""
    chosen = [rng.choice(sorted(allowed))]
    while len(chosen) < size:
        near = {point for cell in chosen for point in neighbours(cell)} if connected else allowed
        fitting = [
            cell
            for cell in sorted(set(near) & set(allowed) - set(chosen))
            if all(abs(cell[0] - x) < 4 and abs(cell[1] - y) < 4 for x, y in chosen)
        ]
        if not fitting:
            break
        chosen.append(rng.choice(fitting))
    return chosen


def random_matrix(rng: random.Random, width: int, height: int) -> Matrix:
    """A shape of 1 to 5 cells that fits the board; one in six may be in several pieces."""
    cells = [(x, y) for x in range(width) for y in range(height)]
    return mask(rng, random_cells(rng, cells, rng.randint(1, 5), rng.random() < 5 / 6))


def random_record(
    rng: random.Random,
    width: int,
    height: int,
    kinds: Sequence[str] = KINDS,
    density: float = 0.4,
    interior: float = 0.2,
    list_solutions: bool = False,
) -> Record:
    """A record of ``width`` x ``height`` cells with symbols strewn about; E can be reached.

    ``density`` is the share of cells with a symbol, a quarter of it that of dots and gaps;
    ``interior`` the chance that S, and that E, may lie inside the board. The solutions are left
    out unless ``list_solutions``, which judges every path: small boards only.
    """
    tokens = _empty_board(rng, width, height, interior)
    shapes: dict[str, Matrix] = {}
    palette = _palette(rng)
    symbol_kinds = [kind for kind in kinds if kind not in ("dot", "gap")]
    polyominoes = Counter()
    for x, y, token in points_of(tokens):
        if token == "N" and symbol_kinds and rng.random() < density:
            kind = rng.choice(symbol_kinds)
            polyominoes[kind] += 1
            if polyominoes["poly"] + polyominoes["ylop"] > MAX_POLYOMINOES and "y" in kind:
                continue
            if polyominoes["ylop"] > MAX_YLOPS and kind == "ylop":
                continue
            matrix = random_matrix(rng, width, height)
            tokens[y][x] = _token(kind, rng.choice(palette), rng.randint(1, 4), matrix, shapes)
    hidden: set[Point] = set()
    _strew_gaps(rng, tokens, density / 4 if "gap" in kinds else 0.0)
    for x, y, token in points_of(tokens):
        if "dot" in kinds and rng.random() < density / 4:
            if token == "+":
                tokens[y][x] = "."
            elif token in ("S", "E"):
                hidden.add((x, y))
    record = build_record(tokens, shapes, hidden, record_id=_record_id(rng))
    return with_solutions(record, solve(record)) if list_solutions else record


def solvable_record(
    rng: random.Random,
    width: int,
    height: int,
    kinds: Sequence[str] = KINDS,
    density: float = 0.6,
    interior: float = 0.2,
    list_solutions: bool = False,
) -> tuple[Record, Path]:
    """A random path first, then symbols that it satisfies; returns (record, path).

    Arguments as :func:`random_record`. Polys tile their regions, with ylops that take layers away
    inside or outside the region or cancel the polys altogether. Lists only the drawn path as a
    solution unless ``list_solutions``.
    """
    while True:
        tokens = _empty_board(rng, width, height, interior)
        board = read_board(build_record(tokens))
        path = finished_path(rng, board, free_neighbours(board))
        visited = set(path)
        shapes: dict[str, Matrix] = {}
        hidden: set[Point] = set()
        palette = _palette(rng)
        budget = MAX_POLYOMINOES
        for region in sorted(map(sorted, regions(board, visited))):
            placed = _fill_region(rng, board, region, visited, kinds, density, budget, palette)
            for (x, y), (kind, color, count, matrix) in placed.items():
                tokens[y][x] = _token(kind, color, count, matrix, shapes)
                budget -= kind in ("poly", "ylop")
        for x, y, token in points_of(tokens):
            if (x, y) in visited and "dot" in kinds and rng.random() < density / 4:
                if token == "+":
                    tokens[y][x] = "."
                else:
                    hidden.add((x, y))
            is_edge = (x + y) % 2 == 1
            if is_edge and (x, y) not in visited and "gap" in kinds and rng.random() < density / 4:
                tokens[y][x] = "G"
        record = build_record(tokens, shapes, hidden, [path], _record_id(rng))
        # The pieces may lie across a line that ends inside a region, which no poly may do.
        if check(record, path)["solved"]:
            break
    return (with_solutions(record, solve(record)) if list_solutions else record), path


def perturb_record(rng: random.Random, record: Record) -> Record:
    """The record with one symbol, dot or gap changed, moved or removed, and no solutions."""
    tokens = [list(row) for row in record["puzzle_array"]]
    shapes = json.loads(record["polyshapes"])
    symbols = [(x, y) for x, y, token in points_of(tokens) if "-" in token]
    marks = [(x, y) for x, y, token in points_of(tokens) if token in (".", "G")]
    if not symbols + marks:
        return with_solutions(record, [])
    x, y = rng.choice(symbols + marks)
    if (x, y) in marks:
        target = rng.choice([(i, j) for i, j, token in points_of(tokens) if token == "+"])
        if tokens[y][x] == "." or sum(target) % 2:
            tokens[target[1]][target[0]] = tokens[y][x]
        tokens[y][x] = "+"
    else:
        letter, _, *rest = tokens[y][x].split("-")
        change = rng.choice(("color", "count", "move", "remove"))
        if change == "color":
            tokens[y][x] = "-".join([letter, rng.choice(list(COLORS)), *rest])
        elif change == "count" and letter in "ABCD":
            tokens[y][x] = rng.choice("ABCD") + tokens[y][x][1:]
        elif change == "remove":
            tokens[y][x] = "N"
        else:
            i, j = rng.choice([(i, j) for i, j, _ in points_of(tokens) if is_cell((i, j))])
            tokens[y][x], tokens[j][i] = tokens[j][i], tokens[y][x]
    return build_record(tokens, shapes, hidden_dots_of(record), record_id=_record_id(rng))


def _record_id(rng: random.Random) -> str:
    return f"{rng.getrandbits(64):016x}"


def _palette(rng: random.Random) -> list[str]:
    return rng.sample(list(COLORS), rng.randint(2, 4))


def _empty_board(rng: random.Random, width: int, height: int, interior: float) -> Tokens:
    columns, rows = 2 * width + 1, 2 * height + 1
    tokens = [["N" if x % 2 and y % 2 else "+" for x in range(columns)] for y in range(rows)]
    for token in ("S", "E"):
        is_inside = rng.random() < interior
        places = [
            (x, y)
            for x, y, there in points_of(tokens)
            if there == "+" and (is_inside or x in (0, columns - 1) or y in (0, rows - 1))
        ]
        x, y = rng.choice(places)
        tokens[y][x] = token
    return tokens


def _strew_gaps(rng: random.Random, tokens: Tokens, chance: float) -> None:
    """Put gaps on edges, leaving out those that would part S from E."""
    for x, y, token in points_of(tokens):
        if token == "+" and (x + y) % 2 and rng.random() < chance:
            tokens[y][x] = "G"
            if not _is_joined(tokens):
                tokens[y][x] = "+"


def _is_joined(tokens: Tokens) -> bool:
    """Whether some way leads from S to E."""
    free = {(x, y): token for x, y, token in points_of(tokens) if token in ("+", ".", "S", "E")}
    waiting = [point for point, token in free.items() if token == "S"]
    while waiting:
        here = waiting.pop()
        if free.pop(here, None) == "E":
            return True
        waiting += [point for point in neighbours(here) if point in free]
    return False


def _token(
    kind: str, color: str, count: int, matrix: Matrix | None, shapes: dict[str, Matrix]
) -> str:
    """The token of a symbol; a polyomino's matrix is entered in ``shapes``."""
    if kind == "triangle":
        return f"{'ABCD'[count - 1]}-{color}"
    letter = {"square": "o", "star": "*", "poly": "P", "ylop": "Y"}[kind]
    if kind in ("square", "star") or matrix is None:
        return f"{letter}-{color}"
    shapes[shape_id(matrix)] = matrix
    return f"{letter}-{color}-{shape_id(matrix)}"


# ------------------------------------------------------------------ symbols that a path satisfies


def _fill_region(
    rng: random.Random,
    board: Board,
    region: list[Point],
    visited: set[Point],
    kinds: Sequence[str],
    density: float,
    budget: int,
    palette: list[str],
) -> dict[Point, tuple[str, str, int, Matrix | None]]:
    """Symbols for one region, cell -> (kind, color, count, matrix); all its rules hold."""
    free = rng.sample(region, len(region))
    plain: list[tuple[Point, str, int, Matrix | None]] = []
    if "poly" in kinds and rng.random() < density:
        limit = min(budget, len(free))
        for kind, matrix in _polyominoes(rng, board, region, "ylop" in kinds, limit):
            plain.append((free.pop(), kind, 0, matrix))
    for cell in list(free):
        sides = len(visited.intersection(neighbours(cell)))
        options = [kind for kind in ("square", "triangle") if kind in kinds]
        if sides == 0 and "triangle" in options:
            options.remove("triangle")
        if options and rng.random() < density / 2:
            free.remove(cell)
            plain.append((cell, rng.choice(options), sides, None))
    rng.shuffle(plain)

    placed: dict[Point, tuple[str, str, int, Matrix | None]] = {}
    spare = rng.sample(palette, len(palette))
    while "star" in kinds and free and len(spare) > 1 and rng.random() < density:
        color = spare.pop()
        squares = sum(kind == "square" for _, kind, _, _ in plain)
        partners = [one for one in plain if one[1] != "square" or squares == 1]
        if partners and rng.random() < 2 / 3:
            cell, kind, count, matrix = rng.choice(partners)
            plain.remove((cell, kind, count, matrix))
            placed[cell] = (kind, color, count, matrix)
        elif len(free) > 1:
            placed[free.pop()] = ("star", color, 0, None)
        else:
            break
        placed[free.pop()] = ("star", color, 0, None)
    # ``spare`` now holds only colours without stars; the last is kept for the squares.
    for cell, kind, count, matrix in plain:
        placed[cell] = (kind, spare[0] if kind == "square" else rng.choice(spare), count, matrix)
    return placed


def _polyominoes(
    rng: random.Random, board: Board, region: list[Point], with_ylops: bool, limit: int
) -> list[tuple[str, Matrix]]:
    """At most ``limit`` polys and ylops that fit the region; empty when none were found."""
    size = (board.width, board.height)
    for _ in range(10):
        ylops: list[list[Point]] = []
        if with_ylops and rng.random() < 0.5:
            for _ in range(rng.randint(1, min(MAX_YLOPS, limit) or 1)):
                shape = read_shape(random_matrix(rng, *size))
                ylops.append(list(rng.choice(list(placements(shape, size)))))
        cancels = bool(ylops) and rng.random() < 0.3
        need = Counter(() if cancels else [(x // 2, y // 2) for x, y in region])
        for ylop in ylops:
            need.update(ylop)
        polys = _cut(rng, need, limit - len(ylops))
        if polys:
            found = [("poly", mask(rng, cells)) for cells in polys]
            return found + [("ylop", mask(rng, cells)) for cells in ylops]
    return []


def _cut(rng: random.Random, need: Counter[Point], max_pieces: int) -> list[list[Point]]:
    """Pieces that cover each cell as often as ``need`` says; empty when that takes too many."""
    pieces: list[list[Point]] = []
    while need:
        left = max_pieces - len(pieces)
        if left <= 0:
            return []
        size = max(rng.randint(1, 5), -(-need.total() // left))
        pieces.append(random_cells(rng, set(need), size, rng.random() < 0.9))
        need = need - Counter(pieces[-1])
    return pieces

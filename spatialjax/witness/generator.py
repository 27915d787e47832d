"""Line puzzles from a seed, every solution listed.

    generate(100, seed=0)                             the mix of the published benchmark
    generate(100, seed=0, rules="polys_ylops")        one of `MIXES`
    generate(100, seed=0, difficulty=5)               a level, or a (low, high) range of scores

A puzzle is made backwards: draw a board size, ends, and how many symbols of which kind; draw a
random line; put symbols that this line satisfies; then let the exhaustive solver list every
solution. Boards with too many solutions are dropped and drawn again, as are boards equal to an
earlier one up to rotation, reflection and recolouring. Puzzle number i depends on (seed, i)
alone, so a longer run begins with the shorter one.

The weights below follow the aggregate statistics of the published test puzzles.
"""

import hashlib
import itertools
import json
import math
import multiprocessing
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from spatialjax.data.board import Board, board_fields
from spatialjax.solvers.exhaustive import SolveResult, search_board
from spatialjax.witness.difficulty import board_difficulty, score_and_level
from spatialjax.witness.placing import (
    draw_palette,
    new_draft,
    place_dots,
    place_gaps,
    place_polys,
    place_squares,
    place_stars,
    place_triangles,
    place_ylops,
)
from spatialjax.witness.random_path import Dice, Point, random_path
from spatialjax.witness.symmetry import board_key

# Raised whenever the same seed gives other puzzles than before.
VERSION = 1

KINDS = ("dot", "gap", "square", "star", "triangle", "poly", "ylop")
MIXES: dict[str, tuple[str, ...]] = {
    "all": KINDS,
    "dots": ("dot",),
    "gaps": ("gap",),
    "stones": ("square",),
    "stars": ("star",),
    "triangles": ("triangle",),
    "polys": ("poly",),
    "polys_ylops": ("poly", "ylop"),
    "stones_stars": ("square", "star"),
    "gaps_dots_triangles": ("dot", "gap", "triangle"),
    "dots_stars_polys": ("dot", "star", "poly"),
}
SIZES: dict[Point, float] = {
    (2, 2): 47, (2, 3): 31, (2, 4): 30, (2, 5): 32, (2, 6): 28,
    (3, 2): 36, (3, 3): 38, (3, 4): 16, (3, 5): 27, (3, 6): 15,
    (4, 2): 26, (4, 3): 27, (4, 4): 16, (4, 5): 12, (4, 6): 6,
    (5, 2): 26, (5, 3): 20, (5, 4): 13, (5, 5): 4, (5, 6): 3,
    (6, 2): 20, (6, 3): 14, (6, 4): 8, (6, 5): 2, (6, 6): 3,
}  # fmt: skip
# Chance of each kind on a board of four symbols; boards of fewer have fewer kinds.
KIND_CHANCES = {"square": 0.74, "star": 0.46, "triangle": 0.44, "poly": 0.58}
YLOP_CHANCE = 0.17
EXTRA_WEIGHTS = {"square": 1.0, "star": 0.85, "triangle": 0.45, "poly": 1.0, "ylop": 0.1}
DOT_COUNTS = {0: 0.42, 1: 0.22, 2: 0.16, 3: 0.115, 4: 0.045, 5: 0.025, 6: 0.008, 7: 0.007}
GAP_COUNTS = {0: 0.40, 1: 0.25, 2: 0.155, 3: 0.12, 4: 0.05, 5: 0.01, 6: 0.015}
PALETTE_SIZES = {1: 0.30, 2: 0.32, 3: 0.20, 4: 0.12, 5: 0.06}
END_PLACES = {"edge": 0.45, "corner": 0.28, "side": 0.27}
# Chance to walk on where the line could end; of so many lines drawn the longest is taken.
DETOUR = 0.9
LINES = 3
# Chance to keep a board by its number of solutions: (at most, chance).
KEEP = ((1, 0.55), (2, 0.9), (3, 0.8), (4, 1.0), (8, 0.7), (16, 0.6), (math.inf, 0.4))
# A size is kept for so many tries and a choice of symbols for so many, lest easy ones win.
TRIES_PER_SIZE, TRIES_PER_CHOICE = 60, 12
MOST_SHAPES = 8  # polys and ylops on a board, as published; rule checkers pay for each
MAX_MOVES = 300_000  # of the solver, a tenth of a second: harder boards are dropped
MAX_TRIES = 20_000
CHUNK = 16  # puzzles a worker makes at a time

Record = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """What every puzzle of a run has in common."""

    sizes: Mapping[Point, float]
    kinds: tuple[str, ...]
    is_all: bool
    scores: tuple[float, float]
    max_solutions: int


def generate(
    n: int,
    seed: int = 0,
    sizes: Mapping[Point, float] | Iterable[Point] = SIZES,
    rules: str = "all",
    difficulty: int | tuple[float, float] | None = None,
    max_solutions: int = 50,
) -> list[Record]:
    """Return `n` new puzzles as records in the published format.

    `sizes` are (width, height) in cells, as a list or with weights; `rules` is one of `MIXES`;
    `difficulty` is a level 1 to 5 or a range of scores with low <= score < high. Puzzles have
    between 1 and `max_solutions` solutions, all listed.
    """
    settings = make_settings(sizes, rules, difficulty, max_solutions)
    return list(itertools.islice(distinct(candidates(seed, settings)), n))


def make_settings(
    sizes: Mapping[Point, float] | Iterable[Point] = SIZES,
    rules: str = "all",
    difficulty: int | tuple[float, float] | None = None,
    max_solutions: int = 50,
) -> Settings:
    """Check the options of `generate`; ValueError names the one that can't be met."""
    weights = dict(sizes) if isinstance(sizes, Mapping) else dict.fromkeys(sizes, 1.0)
    for width, height in weights:
        if not (1 <= width <= 7 and 1 <= height <= 7):
            raise ValueError(f"size {width}x{height} is out of range: sides are 1 to 7 cells")
    if not weights:
        raise ValueError("sizes is empty: give at least one (width, height)")
    if rules not in MIXES:
        raise ValueError(f"rules {rules!r} is no mix: give one of {', '.join(MIXES)}")
    if difficulty is None:
        scores = (0.0, math.inf)
    elif isinstance(difficulty, int):
        if not 1 <= difficulty <= 5:
            raise ValueError(f"difficulty {difficulty} is no level: give 1 to 5")
        scores = (difficulty - 1.0, math.inf if difficulty == 5 else float(difficulty))
    else:
        scores = (float(difficulty[0]), float(difficulty[1]))
    if max_solutions < 1:
        raise ValueError(f"max_solutions is {max_solutions}: give at least 1")
    return Settings(weights, MIXES[rules], rules == "all", scores, max_solutions)


def candidates(
    seed: int, settings: Settings, first: int = 0, workers: int = 1
) -> Generator[tuple[str, Record], None, None]:
    """Yield (key, record) of puzzle `first`, `first + 1`, ... of a seed for ever.

    More `workers` are processes, as drawing boards holds the GIL; the puzzles stay the same.
    """
    if workers <= 1:
        for index in itertools.count(first):
            yield candidate(seed, index, settings)
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        # A bounded window of chunks, as `pool.map` would submit an endless range at once.
        chunks = (range(start, start + CHUNK) for start in itertools.count(first, CHUNK))
        pending = deque(
            pool.submit(_chunk, seed, chunk, settings)
            for chunk in itertools.islice(chunks, workers * 2)
        )
        try:
            while True:
                yield from pending.popleft().result()
                pending.append(pool.submit(_chunk, seed, next(chunks), settings))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _chunk(seed: int, indices: Iterable[int], settings: Settings) -> list[tuple[str, Record]]:
    return [candidate(seed, index, settings) for index in indices]


def distinct(pairs: Iterable[tuple[str, Record]], seen: set[str] | None = None) -> Iterator[Record]:
    """Yield records whose key isn't in `seen`, which grows."""
    seen = set() if seen is None else seen
    for key, record in pairs:
        if key not in seen:
            seen.add(key)
            yield record


def candidate(seed: int, index: int, settings: Settings) -> tuple[str, Record]:
    """Return puzzle `index` of a seed, with its canonical key."""
    dice = Dice(seed, index)
    size, counts = (0, 0), {}
    for attempt in range(MAX_TRIES):
        if attempt % TRIES_PER_SIZE == 0:
            size = dice.weighted(settings.sizes)
        if attempt % TRIES_PER_CHOICE == 0:
            # Large boards with one mild kind only come down to few solutions when crowded.
            pressure = 1.0 + max(0, attempt - TRIES_PER_SIZE) / TRIES_PER_SIZE
            size, counts = _draw_wanted(dice, size, settings, pressure)
        board = draw_board(dice, size, counts)
        if board is None:
            continue
        if sum(bool(symbol.shape) for symbol in board.symbols) > MOST_SHAPES:
            continue
        result = search_board(board, settings.max_solutions + 1, max_moves=MAX_MOVES)
        found = len(result.paths)
        if not result.complete or found > settings.max_solutions:
            continue
        assert found, "the line that the board was drawn round must be among the solutions"
        if dice.chance(next(chance for most, chance in KEEP if found <= most)):
            return board_key(board), make_record(board, result)
    raise _nothing_found(settings)


def _draw_wanted(
    dice: Dice, size: Point, settings: Settings, pressure: float
) -> tuple[Point, dict[str, int]]:
    """Draw counts, and other sizes with them, until the board will have a score asked for."""
    for _ in range(MAX_TRIES):
        area = size[0] * size[1]
        counts = draw_counts(dice, area, settings, pressure)
        symbols = {kind: n for kind, n in counts.items() if kind not in ("dot", "gap")}
        score, _ = score_and_level(len(symbols), sum(symbols.values()), area)
        if settings.scores[0] <= score < settings.scores[1]:
            return size, counts
        size = dice.weighted(settings.sizes)
    raise _nothing_found(settings)


def _nothing_found(settings: Settings) -> ValueError:
    return ValueError(
        f"no puzzle found in {MAX_TRIES} tries for kinds {settings.kinds}, scores"
        f" {settings.scores} and sizes {sorted(settings.sizes)}: ask for less"
    )


def draw_counts(dice: Dice, area: int, settings: Settings, pressure: float = 1.0) -> dict[str, int]:
    """Draw how many of each kind a board of `area` cells shall hold, times `pressure`."""
    if settings.is_all:
        spread = dice.pick((0.4, 0.8, 1.0, 1.2, 1.6))
        number = 0 if dice.chance(0.02) else 1 + dice.poisson(spread * (0.9 + 0.235 * area))
        scale = min(0.62 + 0.08 * number, 1.15)
        chosen = [kind for kind, p in KIND_CHANCES.items() if dice.chance(p * scale)]
        chosen = dice.shuffled(chosen or KIND_CHANCES)[: min(number, len(chosen) or 1)]
        if "poly" in chosen and area >= 8 and number > len(chosen) and dice.chance(YLOP_CHANCE):
            chosen.append("ylop")
        counts = {"dot": dice.weighted(DOT_COUNTS), "gap": dice.weighted(GAP_COUNTS)}
    else:
        chosen = [kind for kind in settings.kinds if kind not in ("dot", "gap")]
        number = len(chosen) + dice.poisson(min(0.2 + 0.27 * area, 6.0))
        mean = area / 4 if len(settings.kinds) == 1 else 1.5
        counts = {kind: 1 + dice.poisson(mean) for kind in ("dot", "gap") if kind in settings.kinds}
    counts = {kind: round(count * pressure) for kind, count in counts.items()}
    counts |= dict.fromkeys(chosen, 1)
    weights = {kind: EXTRA_WEIGHTS[kind] for kind in chosen}
    number = min(max(number, round(min(number * pressure, 0.6 * area))), area)
    for _ in range(number - len(chosen) if chosen else 0):
        counts[dice.weighted(weights)] += 1
    return counts


def draw_board(dice: Dice, size: Point, counts: Mapping[str, int]) -> Board | None:
    """Draw a line and put the symbols round it; None if one found no room."""
    width, height = size
    start = draw_end(dice, width, height)
    end = draw_end(dice, width, height)
    if start == end:
        return None
    lines = [random_path(dice, width, height, start, end, DETOUR) for _ in range(LINES)]
    path = max(lines, key=len)
    draft = new_draft(width, height, path, draw_palette(dice, dice.weighted(PALETTE_SIZES)))
    num_polys, num_ylops = counts.get("poly", 0), counts.get("ylop", 0)
    placed = (
        (not num_ylops or place_ylops(draft, dice, num_polys, num_ylops))
        and (num_ylops or place_polys(draft, dice, num_polys))
        and place_squares(draft, dice, counts.get("square", 0))
        and place_triangles(draft, dice, counts.get("triangle", 0))
        and place_stars(draft, dice, counts.get("star", 0))
        and place_dots(draft, dice, counts.get("dot", 0))
        and place_gaps(draft, dice, counts.get("gap", 0))
    )
    return draft.board() if placed else None


def draw_end(dice: Dice, width: int, height: int) -> Point:
    """Draw a start or an end on the border: a corner, another node or an edge midpoint."""
    place = dice.weighted(END_PLACES)
    right, bottom = 2 * width, 2 * height
    parity = 1 if place == "edge" else 0
    inner = [(x, y) for x in range(2 - parity, right, 2) for y in (0, bottom)]
    inner += [(x, y) for y in range(2 - parity, bottom, 2) for x in (0, right)]
    corners = [(x, y) for x in (0, right) for y in (0, bottom)]
    return dice.pick(corners if place == "corner" or not inner else inner)


def make_record(board: Board, result: SolveResult) -> Record:
    """Return the record of a board with all its solutions, in the published format."""
    score, level = board_difficulty(board)
    fields = board_fields(board)
    text = json.dumps([fields["puzzle_array"], fields["polyshapes"]], separators=(",", ":"))
    return {
        "id": hashlib.sha256(text.encode()).hexdigest()[:16],
        "difficulty_level": level,
        "difficulty_score": score,
        **fields,
        "solution_count": len(result.paths),
        "solutions": [
            {"index": i, "path": [{"x": x, "y": y} for x, y in path], "pathLength": len(path)}
            for i, path in enumerate(result.paths)
        ],
    }

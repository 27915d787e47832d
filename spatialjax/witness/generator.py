"""Line puzzles from a seed, every solution listed.

    generate(100, seed=0)                             the mix of the published benchmark
    generate(100, seed=0, rules="polys_ylops")        one of `MIXES`
    generate(100, seed=0, difficulty=5)               a level, or a (low, high) range of scores

A puzzle is made backwards: draw a board size, ends, and how many symbols of which kind; draw a
random line; put symbols that this line satisfies; then let the exhaustive solver list every
solution. Boards with too many solutions are dropped and drawn again with more symbols, and boards
equal to an earlier one up to rotation, reflection and recolouring are left out. Puzzle number i
depends on (seed, i) alone, so a longer run begins with the shorter one.
"""

import hashlib
import itertools
import json
import math
import multiprocessing
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from spatialjax.data.board import Board, board_fields
from spatialjax.solvers.exhaustive import Path, Search, listed_solutions
from spatialjax.witness.difficulty import board_difficulty, score_and_level
from spatialjax.witness.random_path import Dice, Point
from spatialjax.witness.sampling import MIXES, SIZES, draw_board, draw_counts
from spatialjax.witness.symmetry import board_key

# Raised whenever the same seed gives other puzzles than before.
VERSION = 2

# Which of the boards found are kept, so that all together are as hard as the published ones. The
# chance by the number of solutions: (at most, chance). It falls on small boards with many
# solutions, from area * area / MANY of them on, and on those with a short one, which passes less
# than a share of the nodes: lines drawn at random solve such boards.
KEEP = ((1, 0.7), (2, 1.0), (3, 0.75), (4, 1.0), (8, 0.7), (16, 0.6), (math.inf, 0.5))
MANY = 10
SHORT_SHARE, SHORT_CHANCE = 0.3, 0.75
# Moves of the solver, of which it makes some 3 a microsecond: harder boards are dropped. Boards of
# one kind are the harder ones.
MAX_MOVES, MAX_MOVES_OF_MIX = 100_000, 300_000
# How long to stay with a size and with a choice of symbols, and when to give up.
CHOICES_PER_SIZE, BOARDS_PER_CHOICE, MAX_CHOICES, MAX_DRAWS = 5, 12, 300, 20_000
# Large boards begin with area / LARGE times the symbols, those beyond the published sizes with
# area / HUGE times; a choice whose boards were too open makes the next one more crowded by the
# share area / CROWDING_AREA.
LARGE, HUGE, LARGEST_PUBLISHED, CROWDING_AREA = 32, 16, 36, 100
# Puzzles a worker makes at a time, and chunks it has before it: so many that one which takes long,
# as boards come out in order, leaves no worker idle.
CHUNK, CHUNKS_AHEAD = 4, 16

Record = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """What every puzzle of a run has in common."""

    sizes: Mapping[Point, float]
    rules: str
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
        if not 0 <= scores[0] < scores[1] <= 5:
            raise ValueError(f"difficulty {scores} is no range: give 0 <= low < high <= 5")
    if max_solutions < 1:
        raise ValueError(f"max_solutions is {max_solutions}: give at least 1")
    return Settings(weights, rules, scores, max_solutions)


def candidates(
    seed: int, settings: Settings, first: int = 0, workers: int = 1
) -> Generator[tuple[str, Record], None, None]:
    """Yield (key, record) of puzzle `first`, `first + 1`, ... of a seed for ever.

    More `workers` are processes, as drawing boards holds the GIL; the puzzles stay the same.
    """
    if workers <= 1:
        for index in itertools.count(first):
            yield candidate(seed, index, settings)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _leave_interrupts) as pool:
        # A bounded window of chunks, as `pool.map` would submit an endless range at once.
        chunks = (range(start, start + CHUNK) for start in itertools.count(first, CHUNK))
        pending = deque(
            pool.submit(_chunk, seed, chunk, settings)
            for chunk in itertools.islice(chunks, workers * CHUNKS_AHEAD)
        )
        try:
            while True:
                yield from pending.popleft().result()
                pending.append(pool.submit(_chunk, seed, next(chunks), settings))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _leave_interrupts() -> None:
    """Let Ctrl-C, which reaches all processes of a terminal, stop the main one alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


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
    """Return puzzle `index` of a seed, with its canonical key.

    A size is kept for some choices of symbols and a choice for some boards, lest the easy ones win.
    Where boards come out with too many solutions, the next choice for that size is more crowded.
    """
    dice = Dice(seed, index)
    crowding = {size: first_crowding(size[0] * size[1]) for size in settings.sizes}
    max_moves = MAX_MOVES if settings.rules == "all" else MAX_MOVES_OF_MIX
    size = (0, 0)
    for choice in range(MAX_CHOICES):
        if choice % CHOICES_PER_SIZE == 0:
            size = dice.weighted(settings.sizes)
        size, counts = _draw_wanted(dice, size, settings, crowding)
        area = size[0] * size[1]
        too_open = 0
        for _ in range(BOARDS_PER_CHOICE):
            board = draw_board(dice, size, counts)
            if board is None or not _is_wanted(board_difficulty(board)[0], settings):
                continue
            count = Search(board, rows=0)
            count.advance(settings.max_solutions + 1, max_moves=max_moves)
            if not count.exhausted or count.found > settings.max_solutions:
                too_open += 1
                continue
            assert count.found, "the line the board was drawn round must be among the solutions"
            search = Search(board)
            search.advance()
            solutions = search.result().paths
            if dice.chance(keep_chance(solutions, size)):
                return board_key(board), make_record(board, solutions)
        growth = 1.0 + area / CROWDING_AREA
        crowding[size] *= growth if 2 * too_open > BOARDS_PER_CHOICE else 1.0 / growth
    raise _nothing_found(settings)


def first_crowding(area: int) -> float:
    """Return by how much the first choice for a board of `area` cells is more crowded."""
    return max(1.0, area / (LARGE if area <= LARGEST_PUBLISHED else HUGE))


def keep_chance(solutions: list[Path], size: Point) -> float:
    """Return the chance to keep a board of `size` cells with these solutions."""
    width, height = size
    found = len(solutions)
    chance = next(chance for most, chance in KEEP if found <= most)
    chance *= min(1.0, (width * height) ** 2 / (MANY * found))
    nodes = min(map(len, solutions)) / 2
    is_short = nodes < SHORT_SHARE * (width + 1) * (height + 1)
    return chance * SHORT_CHANCE if is_short else chance


def _draw_wanted(
    dice: Dice, size: Point, settings: Settings, crowding: Mapping[Point, float]
) -> tuple[Point, dict[str, int]]:
    """Draw counts, and other sizes with them, until the board will have a score asked for."""
    for _ in range(MAX_DRAWS):
        area = size[0] * size[1]
        counts = draw_counts(dice, settings.rules, area, crowding[size])
        symbols = {kind: n for kind, n in counts.items() if kind not in ("dot", "gap")}
        score, _ = score_and_level(len(symbols), sum(symbols.values()), area)
        if _is_wanted(score, settings):
            return size, counts
        size = dice.weighted(settings.sizes)
    raise _nothing_found(settings)


def _is_wanted(score: float, settings: Settings) -> bool:
    return settings.scores[0] <= score < settings.scores[1]


def _nothing_found(settings: Settings) -> ValueError:
    return ValueError(
        f"no puzzle found in {MAX_CHOICES} choices of symbols for rules {settings.rules!r}, scores"
        f" {settings.scores} and sizes {sorted(settings.sizes)}: ask for less"
    )


def make_record(board: Board, solutions: list[Path]) -> Record:
    """Return the record of a board with all its solutions, in the published format."""
    score, level = board_difficulty(board)
    fields = board_fields(board)
    text = json.dumps([fields["puzzle_array"], fields["polyshapes"]], separators=(",", ":"))
    return {
        "id": hashlib.sha256(text.encode()).hexdigest()[:16],
        "difficulty_level": level,
        "difficulty_score": score,
        **fields,
        "solution_count": len(solutions),
        "solutions": listed_solutions(solutions),
    }

"""Sets of sliding puzzles from a seed, as configs.

    generate_sliding(3)                                3 boards for each of 10 x 10 bins, as iVISPAR
    generate_sliding(25, sizes=(5, 6), geoms=None, moves=None, interference=(1, 2, 3, 4))
    generate_tiles(3, sizes=(3,), moves=(3, 4, 5))     sliding tiles
    generate_set(UniformSet(200, geoms=(11,)))         start and goal anywhere, not solved

A set is described by a `GeomSet`, `TileSet` or `UniformSet`: bins, and how many boards of each.
`bins.py` tells how they are filled, `generate_file.py` fills them in a run that can be stopped.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from spatialjax.data.sliding import board_config
from spatialjax.sliding.bins import Bin, Bins, DrawFilling, Filling, TrialFilling, walk
from spatialjax.sliding.board import Board, is_reachable
from spatialjax.sliding.commands import action_command
from spatialjax.sliding.names import TILE_SHAPE, Point
from spatialjax.sliding.types import COLORS, MAX_SIZE, SHAPES

VERSION = 1
"""Grows when the same options give other boards."""

ATTEMPTS = 20_000

MAX_MOVES = 2 * (MAX_SIZE - 1) * len(SHAPES) * len(COLORS)
"""Manhattan distance that no board exceeds."""

_MAX_SEED = 2**32 - 1
_LONGEST_ID = 100  # characters of the part that all ids share


@dataclass(frozen=True)
class GeomSet:
    """Boards of geoms: a bin for every size, number of geoms, c1 and c2.

    Attributes:
      per_bin: boards of every bin, no two alike.
      seed: the same seed gives the same boards.
      sizes: cells along the side.
      geoms, moves: how many; None leaves them to chance, and is possible with interference alone.
      interference: detours of two moves that the geoms force on each other (c2).
      num_shapes, num_colors: how many of the first of `SHAPES` and `COLORS` identities are of.
      set_id: the first part of every id.
      attempts: a bin is given up after so many tries in a row without a board for it.

    Raises:
      ValueError: if an option is out of range.
    """

    per_bin: int
    seed: int = 0
    sizes: Sequence[int] = (4,)
    geoms: Sequence[int] | None = tuple(range(2, 12))
    moves: Sequence[int] | None = tuple(range(2, 12))
    interference: Sequence[int] = (0,)
    num_shapes: int = 4
    num_colors: int = 4
    set_id: str = "SJX"
    attempts: int = ATTEMPTS

    def __post_init__(self) -> None:
        _check_common(self.per_bin, self.seed, self.moves, self.set_id, self.attempts)
        _check_geoms(self.sizes, self.geoms, self.num_shapes, self.num_colors)
        _check_each("interference", self.interference, 0, MAX_MOVES)
        if 0 in self.interference and (self.geoms is None or self.moves is None):
            raise ValueError("without interference every bin needs its geoms and moves")

    def fillings(self) -> list[Filling]:
        """Return its bins, empty, with the ways to fill them."""
        plain = [c2 for c2 in self.interference if c2 == 0]
        crossed = [c2 for c2 in self.interference if c2 > 0]
        found: list[Filling] = []
        if plain:
            bins = self._bins(plain)
            found.append(DrawFilling(bins, self.seed, self.num_shapes, self.num_colors))
        if crossed:
            draw = partial(_crossed_board, _identities(self.num_shapes, self.num_colors))
            rng = np.random.default_rng(self.seed)
            found.append(TrialFilling(self._bins(crossed), rng, draw))
        return found

    def _bins(self, interference: Sequence[int]) -> Bins:
        parts = self.sizes, self.geoms or (None,), self.moves or (None,), interference
        bins = [Bin(*values) for values in itertools.product(*parts)]
        return Bins(bins, self.per_bin, self.attempts)


@dataclass(frozen=True)
class TileSet:
    """Boards of sliding tiles: a bin for every size and number of moves.

    Tile 1 belongs in the top left corner and the others behind it in reading order. Attributes and
    errors are those of `GeomSet`.
    """

    per_bin: int
    seed: int = 0
    sizes: Sequence[int] = (3,)
    moves: Sequence[int] = (3, 4, 5)
    set_id: str = "SJX_STP"
    attempts: int = ATTEMPTS

    def __post_init__(self) -> None:
        _check_common(self.per_bin, self.seed, self.moves, self.set_id, self.attempts)
        _check_each("size", self.sizes, 2, MAX_SIZE)

    def fillings(self) -> list[Filling]:
        """Return its bins, empty, with the ways to fill them."""
        rng = np.random.default_rng(self.seed)
        found: list[Filling] = []
        for size in sorted(self.sizes):
            bins = [Bin(size, moves=length) for length in sorted(self.moves)]
            bins = Bins(bins, self.per_bin, self.attempts)
            found.append(TrialFilling(bins, rng, partial(_tiles_moved, _tile_board(size))))
        return found


@dataclass(frozen=True)
class UniformSet:
    """Boards with geoms on any cells, at the start as at the goal: a bin for a size and number.

    They are not solved, as some take the solver long. Attributes and errors are those of `GeomSet`.
    """

    per_bin: int
    seed: int = 0
    sizes: Sequence[int] = (4,)
    geoms: Sequence[int] = (11,)
    num_shapes: int = 4
    num_colors: int = 4
    set_id: str = "SJX_UNIFORM"
    attempts: int = ATTEMPTS

    def __post_init__(self) -> None:
        _check_common(self.per_bin, self.seed, None, self.set_id, self.attempts)
        _check_geoms(self.sizes, self.geoms, self.num_shapes, self.num_colors)

    def fillings(self) -> list[Filling]:
        """Return its bins, empty, with the ways to fill them."""
        bins = [Bin(*values) for values in itertools.product(self.sizes, self.geoms)]
        draw = partial(_uniform_board, _identities(self.num_shapes, self.num_colors))
        rng = np.random.default_rng(self.seed)
        return [TrialFilling(Bins(bins, self.per_bin, self.attempts), rng, draw, solve=False)]


BoardSet = GeomSet | TileSet | UniformSet


def generate_sliding(per_bin: int, **options: Any) -> list[dict[str, Any]]:
    """Return `per_bin` boards of every bin with a shortest solution each, bins in order.

    Args:
      **options: the other attributes of `GeomSet`.

    Raises:
      ValueError: if an option is out of range, or bins could not be filled; it names them.
    """
    return generate_set(GeomSet(per_bin, **options))


def generate_tiles(per_bin: int, **options: Any) -> list[dict[str, Any]]:
    """Do as `generate_sliding` for sliding tiles; the options are the attributes of `TileSet`."""
    return generate_set(TileSet(per_bin, **options))


def generate_set(wanted: BoardSet) -> list[dict[str, Any]]:
    """Return the configs of a set; ValueError if bins could not be filled, which it names."""
    fillings = wanted.fillings()
    for filling in fillings:
        for _ in filling.run():
            pass
    refuse_unfilled(missing_boards(fillings))
    return numbered_configs(fillings, wanted.set_id)


def numbered_configs(fillings: Sequence[Filling], set_id: str) -> list[dict[str, Any]]:
    """Return the config of every board found, numbered within its size, geoms, c1 and c2."""
    counts: Counter[tuple] = Counter()
    configs = []
    for board, actions in (solved for filling in fillings for solved in filling.bins.boards()):
        commands = [action_command(board, action) for action in actions]
        # Ids of tiles, and of boards that are not solved, do not tell the interference.
        is_told = actions and TILE_SHAPE not in board.shapes
        name = board.size, len(board), len(actions), board.distance if is_told else None
        counts[name] += 1
        configs.append(board_config(board, commands, set_id, counts[name]))
    return configs


def missing_boards(fillings: Sequence[Filling]) -> dict[Bin, int]:
    """Return how many boards each bin lacks that isn't full."""
    return {one: n for filling in fillings for one, n in filling.bins.missing().items()}


def refuse_unfilled(missing: Mapping[Bin, int]) -> None:
    """Raise ValueError if bins lack boards."""
    if missing:
        rows = "; ".join(f"{one}: {count} more" for one, count in missing.items())
        raise ValueError(
            f"not enough boards were found for {rows}; ask for other bins, or more attempts"
        )


def _identities(num_shapes: int, num_colors: int) -> list[tuple[str, str]]:
    return list(itertools.product(SHAPES[:num_shapes], COLORS[:num_colors]))


def _crossed_board(
    identities: Sequence[tuple[str, str]], rng: np.random.Generator, target: Bin
) -> Board:
    """Walk from a random goal."""
    # Crowded boards force detours: most cells are taken where the number is left to chance.
    most = min(target.size**2 - 1, len(identities))
    count = target.geoms or int(rng.integers(most // 2, most + 1))
    length = target.moves or int(rng.integers(10, 60))
    return walk(rng, _random_goal(rng, target.size, count, identities), length)


def _uniform_board(
    identities: Sequence[tuple[str, str]], rng: np.random.Generator, target: Bin
) -> Board:
    """Draw start and goal; where no moves lead from one to the other, the start is the goal."""
    assert target.geoms is not None
    board = _random_goal(rng, target.size, target.geoms, identities)
    start = _random_cells(rng, target.size, target.geoms)
    is_fine = is_reachable(target.size, start, board.goals)
    return replace(board, positions=start) if is_fine else board


def _random_goal(
    rng: np.random.Generator, size: int, count: int, identities: Sequence[tuple[str, str]]
) -> Board:
    """Return a board of geoms anywhere, solved."""
    points = _random_cells(rng, size, count)
    chosen = [identities[i] for i in rng.permutation(len(identities))[:count]]
    shapes, colors = zip(*chosen, strict=True)
    return Board(size=size, shapes=shapes, colors=colors, positions=points, goals=points)


def _random_cells(rng: np.random.Generator, size: int, count: int) -> tuple[Point, ...]:
    cells = rng.permutation(size * size)[:count].tolist()
    return tuple((cell % size, cell // size) for cell in cells)


def _tiles_moved(solved: Board, rng: np.random.Generator, target: Bin) -> Board:
    """Walk from the solved board, perhaps some moves longer than the bin asks for."""
    assert target.moves is not None
    return walk(rng, solved, target.moves + 2 * int(rng.integers(0, 3)))


def _tile_board(size: int) -> Board:
    """Return the solved board of sliding tiles, coloured by ring as iVISPAR colours them."""
    count = size * size - 1
    goals = tuple((t % size, size - 1 - t // size) for t in range(count))
    return Board(
        size=size,
        shapes=(TILE_SHAPE,) * count,
        colors=tuple(_ring_color(size, x, y) for x, y in goals),
        positions=goals,
        goals=goals,
    )


def _ring_color(size: int, x: int, y: int) -> str:
    depth = min(x, y, size - 1 - x, size - 1 - y)
    if depth == 0:
        return "green"
    return "blue" if size > 4 and depth == size // 2 else "red"


def _check_common(
    per_bin: int, seed: int, moves: Sequence[int] | None, set_id: str, attempts: int
) -> None:
    if per_bin < 1:
        raise ValueError(f"per_bin is {per_bin}; give at least 1")
    if not 0 <= seed <= _MAX_SEED:
        raise ValueError(f"seed is {seed}; give a whole number from 0 to {_MAX_SEED}")
    if moves is not None:
        _check_each("moves", moves, 1, MAX_MOVES)
    if not set_id.isprintable() or not set_id.strip() or set(set_id) & set("/\\"):
        raise ValueError(f"set_id is {set_id!r}; it must be printable and without slashes")
    if len(set_id) > _LONGEST_ID:
        raise ValueError(f"set_id has {len(set_id)} characters; give at most {_LONGEST_ID}")
    if attempts < 1:
        raise ValueError(f"attempts is {attempts}; give at least 1")


def _check_geoms(
    sizes: Sequence[int], geoms: Sequence[int] | None, num_shapes: int, num_colors: int
) -> None:
    if not (1 <= num_shapes <= len(SHAPES) and 1 <= num_colors <= len(COLORS)):
        raise ValueError(
            f"num_shapes is {num_shapes} and num_colors {num_colors};"
            f" there are {len(SHAPES)} and {len(COLORS)}"
        )
    _check_each("size", sizes, 2, MAX_SIZE)
    identities = num_shapes * num_colors
    if geoms is not None:
        _check_each("geoms", geoms, 1, len(SHAPES) * len(COLORS))
    for size, count in itertools.product(sizes, geoms or ()):
        most = min(size * size - 1, identities)
        if count > most:
            raise ValueError(
                f"{count} geoms are out of range: a board of {size}x{size} cells with"
                f" {identities} identities takes 1 to {most}"
            )


def _check_each(option: str, values: Sequence[int], low: int, high: int) -> None:
    if not values:
        raise ValueError(f"{option} is empty; give at least one number from {low} to {high}")
    for value in values:
        if not low <= value <= high:
            raise ValueError(f"{option} {value} is out of range: give {low} to {high}")

"""Sets of sliding puzzles from a seed, as configs with a shortest solution each.

    generate_sliding(3)                                3 boards for each of 10 x 10 bins, as iVISPAR
    generate_sliding(25, sizes=(5, 6), geoms=None, moves=None, interference=(1, 2, 3, 4))
    generate_tiles(3, sizes=(3,), moves=(3, 4, 5))     sliding tiles

A bin is a size, a number of geoms, a number of moves c1 and an interference c2. Boards without
interference come from `generator.draw_boards`, whose walks are shortest by construction. For the
others a walk from the goal is solved exactly and filed under what it turns out to be.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from spatialjax.data.sliding import board_config
from spatialjax.sliding.board import Board
from spatialjax.sliding.commands import action_command
from spatialjax.sliding.generator import draw_boards
from spatialjax.sliding.names import TILE_SHAPE
from spatialjax.sliding.types import COLORS, DIRECTION_STEPS, MAX_SIZE, SHAPES

DRAWS = 64
"""Boards drawn at once for every bin that isn't full."""

ROUNDS = 200
"""Such rounds after which a bin counts as empty."""

ATTEMPTS = 200_000
"""Walks that are solved in search of boards with interference."""

MAX_STATES = 100_000
"""Arrangements the solver may keep for one of them; harder boards are dropped."""

Bin = tuple[int, int, int]


def generate_sliding(
    per_bin: int,
    seed: int = 0,
    sizes: Sequence[int] = (4,),
    geoms: Sequence[int] | None = tuple(range(2, 12)),
    moves: Sequence[int] | None = tuple(range(2, 12)),
    interference: Sequence[int] = (0,),
    num_shapes: int = 4,
    num_colors: int = 4,
    set_id: str = "SJX",
) -> list[dict[str, Any]]:
    """Return `per_bin` boards of every bin, no two alike, bins in order.

    Args:
      seed: the same seed gives the same boards.
      sizes: cells along the side.
      geoms, moves: how many; None leaves them to chance, and is possible with interference alone.
      interference: detours of two moves that the geoms force on each other (c2).
      num_shapes, num_colors: how many of the first of `SHAPES` and `COLORS` identities are of.
      set_id: the first part of every id.

    Raises:
      ValueError: if an option is out of range, or bins could not be filled; it names them.
    """
    if per_bin < 1:
        raise ValueError(f"per_bin is {per_bin}; give at least 1")
    if not (1 <= num_shapes <= len(SHAPES) and 1 <= num_colors <= len(COLORS)):
        raise ValueError(
            f"num_shapes is {num_shapes} and num_colors {num_colors};"
            f" there are {len(SHAPES)} and {len(COLORS)}"
        )
    identities = num_shapes * num_colors
    for size in sizes:
        if not 2 <= size <= MAX_SIZE:
            raise ValueError(f"size {size} is out of range: a side has 2 to {MAX_SIZE} cells")
        most = min(size * size - 1, identities)
        for count in geoms or ():
            if not 1 <= count <= most:
                raise ValueError(
                    f"{count} geoms are out of range: a board of {size}x{size} cells with"
                    f" {identities} identities takes 1 to {most}"
                )
    plain, crossed = [c for c in interference if c == 0], [c for c in interference if c > 0]
    if plain and (geoms is None or moves is None):
        raise ValueError("without interference every bin needs its geoms and moves")
    boards: list[tuple[Board, list[int]]] = []
    if plain:
        bins = list(itertools.product(sizes, geoms or (), moves or ()))
        boards += _plain_boards(bins, per_bin, seed, num_shapes, num_colors)
    if crossed:
        boards += _crossed_boards(
            per_bin, seed, sizes, geoms, moves, crossed, num_shapes, num_colors
        )
    return list(_numbered(boards, set_id))


def generate_tiles(
    per_bin: int,
    seed: int = 0,
    sizes: Sequence[int] = (3,),
    moves: Sequence[int] = (3, 4, 5),
    set_id: str = "SJX_STP",
) -> list[dict[str, Any]]:
    """Return `per_bin` sliding-tile boards for every size and number of moves, no two alike.

    Tile 1 belongs in the top left corner and the others behind it in reading order. Raises
    ValueError where bins could not be filled; it names them.
    """
    from spatialjax.solvers.sliding_astar import Status, solve_position

    rng = np.random.default_rng(seed)
    found: list[tuple[Board, list[int]]] = []
    for size in sizes:
        solved = _tile_board(size)
        missing = dict.fromkeys(moves, per_bin)
        seen: set[Board] = set()
        for _ in range(ATTEMPTS):
            if not any(missing.values()):
                break
            length = int(rng.choice([k for k, count in missing.items() if count]))
            board = _walk(rng, solved, length + 2 * int(rng.integers(0, 3)))
            if board in seen or board.solved:
                continue
            seen.add(board)
            solution = solve_position(board, MAX_STATES)
            c1 = len(solution.actions)
            if solution.status == Status.SOLVED and missing.get(c1, 0):
                missing[c1] -= 1
                found.append((board, solution.actions))
        _refuse_unfilled({f"{size}x{size} cells, c1 {c1}": n for c1, n in missing.items() if n})
    found.sort(key=lambda pair: (pair[0].size, len(pair[1])))
    return list(_numbered(found, set_id))


def _plain_boards(
    bins: Sequence[Bin], per_bin: int, seed: int, num_shapes: int, num_colors: int
) -> list[tuple[Board, list[int]]]:
    """Draw boards without interference until every bin (size, geoms, moves) is full."""
    capacity = {
        "side": max(size for size, _, _ in bins),
        "max_geoms": max(count for _, count, _ in bins),
        "max_moves": max(length for _, _, length in bins),
        "num_shapes": num_shapes,
        "num_colors": num_colors,
    }
    of_draw = np.repeat(np.array(bins, np.int32), DRAWS, axis=0)
    boards: dict[Bin, dict[Board, list[int]]] = {one: {} for one in bins}
    key = jax.random.key(seed)
    for number in range(ROUNDS):
        keys = jax.random.split(jax.random.fold_in(key, number), len(of_draw))
        drawn = jax.device_get(draw_boards(keys, *of_draw.T, **capacity))
        for i in np.flatnonzero(drawn.is_complete):
            size, count, length = (int(value) for value in of_draw[i])
            chosen = boards[size, count, length]
            if len(chosen) < per_bin:
                board = _board(size, capacity["side"], jax.tree.map(lambda x, i=i: x[i], drawn))
                chosen.setdefault(board, drawn.actions[i, :length].tolist())
        if all(len(chosen) == per_bin for chosen in boards.values()):
            break
    _refuse_unfilled(
        {
            f"{size}x{size} cells, {count} geoms, c1 {length}, c2 0": per_bin - len(chosen)
            for (size, count, length), chosen in boards.items()
            if len(chosen) < per_bin
        }
    )
    return [pair for chosen in boards.values() for pair in chosen.items()]


def _board(size: int, side: int, walk: Any) -> Board:
    """Return a drawn walk as a board."""
    used = walk.shape >= 0
    start, goal = (
        tuple((int(c) % side, int(c) // side) for c in cells[used])
        for cells in (walk.start, walk.goal)
    )
    return Board(
        size=size,
        shapes=tuple(SHAPES[code] for code in walk.shape[used]),
        colors=tuple(COLORS[code] for code in walk.color[used]),
        positions=start,
        goals=goal,
    )


def _crossed_boards(
    per_bin: int,
    seed: int,
    sizes: Sequence[int],
    geoms: Sequence[int] | None,
    moves: Sequence[int] | None,
    interference: Sequence[int],
    num_shapes: int,
    num_colors: int,
) -> list[tuple[Board, list[int]]]:
    """Walk from random goals and solve, until every bin is full."""
    from spatialjax.solvers.sliding_astar import Status, solve_position

    rng = np.random.default_rng(seed)
    identities = [(shape, color) for shape in SHAPES[:num_shapes] for color in COLORS[:num_colors]]
    names = itertools.product(sizes, geoms or (None,), moves or (None,), interference)
    missing = dict.fromkeys(names, per_bin)
    found: dict[Board, tuple[tuple, list[int]]] = {}
    for _ in range(ATTEMPTS):
        wanted = [name for name, count in missing.items() if count]
        if not wanted:
            break
        size, count, length, _ = wanted[rng.integers(len(wanted))]
        # Crowded boards force detours: most cells are taken where the number is left to chance.
        most = min(size * size - 1, len(identities))
        count = count or int(rng.integers(most // 2, most + 1))
        walked = length or int(rng.integers(10, 60))
        board = _walk(rng, _random_goal(rng, size, count, identities), walked)
        if board.solved or board in found:
            continue
        solution = solve_position(board, MAX_STATES)
        if solution.status != Status.SOLVED:
            continue
        c1 = len(solution.actions)
        c2 = (c1 - board.distance) // 2
        name = (size, count if geoms else None, c1 if moves else None, c2)
        if missing.get(name, 0):
            missing[name] -= 1
            found[board] = (name, solution.actions)
    _refuse_unfilled(
        {
            f"{size}x{size} cells, {count or 'any'} geoms, c1 {length or 'any'}, c2 {c2}": n
            for (size, count, length, c2), n in missing.items()
            if n
        }
    )
    order = {name: place for place, name in enumerate(missing)}
    rows = sorted(found.items(), key=lambda item: order[item[1][0]])
    return [(board, actions) for board, (_, actions) in rows]


def _random_goal(
    rng: np.random.Generator, size: int, count: int, identities: Sequence[tuple[str, str]]
) -> Board:
    cells = rng.permutation(size * size)[:count].tolist()
    chosen = [identities[i] for i in rng.permutation(len(identities))[:count]]
    points = tuple((cell % size, cell // size) for cell in cells)
    shapes, colors = zip(*chosen, strict=True)
    return Board(size=size, shapes=shapes, colors=colors, positions=points, goals=points)


def _walk(rng: np.random.Generator, board: Board, length: int) -> Board:
    """Make random legal moves, none of which takes the one before it back."""
    positions, taken = list(board.positions), set(board.positions)
    last: tuple[int, int] | None = None
    for _ in range(length):
        options = []
        for slot, (x, y) in enumerate(positions):
            for direction, (dx, dy) in enumerate(DIRECTION_STEPS):
                target = x + dx, y + dy
                inside = 0 <= target[0] < board.size and 0 <= target[1] < board.size
                if inside and target not in taken and last != (slot, direction ^ 1):
                    options.append((slot, direction, target))
        if not options:
            break
        slot, direction, target = options[rng.integers(len(options))]
        taken.remove(positions[slot])
        taken.add(target)
        positions[slot], last = target, (slot, direction)
    return Board(board.size, board.shapes, board.colors, tuple(positions), board.goals)


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


def _numbered(boards: Iterable[tuple[Board, list[int]]], set_id: str) -> Iterator[dict[str, Any]]:
    """Yield the config of every board, numbered within its size, geoms, c1 and c2."""
    counts: dict[tuple[int, int, int, int], int] = {}
    for board, actions in boards:
        commands = [action_command(board, action) for action in actions]
        # Ids of tiles do not tell the interference.
        conflicts = -1 if TILE_SHAPE in board.shapes else len(actions) - board.distance
        name = (board.size, len(board), len(actions), conflicts)
        counts[name] = counts.get(name, 0) + 1
        yield board_config(board, commands, set_id, counts[name])


def _refuse_unfilled(missing: dict[str, int]) -> None:
    if missing:
        rows = "; ".join(f"{name}: {count} more" for name, count in missing.items())
        raise ValueError(f"not enough boards were found for {rows}; ask for other bins")

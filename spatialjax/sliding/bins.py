"""Bins of boards to be found, and two ways to fill them.

Boards without interference come from `generator.draw_boards`, whose walks are shortest by
construction. Others are drawn one by one, solved exactly and filed under what they turn out to be.
Either way goes in batches, after each of which it can be stopped and continued.
"""

import abc
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from spatialjax.sliding.board import Board
from spatialjax.sliding.generator import Walk, draw_boards
from spatialjax.sliding.types import COLORS, DIRECTION_STEPS, SHAPES

DRAWS = 64
"""Boards drawn at once for every bin."""

TRIES = 64
"""Boards solved in a batch."""

MAX_STATES = 100_000
"""Arrangements the solver may keep for one of them; harder boards are dropped."""


class Bin(NamedTuple):
    """What boards must be like; None leaves it to chance.

    Attributes:
      size: cells along the side.
      geoms: how many.
      moves: of a shortest solution, c1.
      interference: detours of two moves that the geoms force on each other, c2.
    """

    size: int
    geoms: int | None = None
    moves: int | None = None
    interference: int | None = None

    def __str__(self) -> str:
        words = [f"{self.size}x{self.size} cells"]
        words += [f"{self.geoms} geoms"] if self.geoms is not None else []
        words += [f"c1 {self.moves}"] if self.moves is not None else []
        words += [f"c2 {self.interference}"] if self.interference is not None else []
        return ", ".join(words)


class Solved(NamedTuple):
    """A board and a shortest solution of it, `4 * slot + direction` each move; [] if not solved."""

    board: Board
    actions: list[int]


class Bins:
    """Bins, and the boards in them, no two alike.

    Attributes:
      per_bin: boards wanted of each.
      attempts: a bin is given up after so many tries in a row without a board for it.
      tries: such tries for each bin.
    """

    def __init__(self, bins: Sequence[Bin], per_bin: int, attempts: int):
        self.per_bin = per_bin
        self.attempts = attempts
        self.tries = dict.fromkeys(bins, 0)
        self._boards: dict[Bin, list[Solved]] = {one: [] for one in bins}
        self._known: set[Board] = set()

    def __len__(self) -> int:
        return len(self._boards)

    def __contains__(self, board: Board) -> bool:
        return board in self._known

    def open(self) -> list[Bin]:
        """Return the bins to try for: neither full nor given up."""
        missing = self.missing()
        return [one for one in missing if self.tries[one] < self.attempts]

    def missing(self) -> dict[Bin, int]:
        """Return how many boards each bin lacks that isn't full."""
        return {
            one: self.per_bin - len(boards)
            for one, boards in self._boards.items()
            if len(boards) < self.per_bin
        }

    def put(self, solved: Solved) -> bool:
        """Put a board into its bin; say whether it was new and there was room for it."""
        board, length = solved.board, len(solved.actions)
        own = Bin(board.size, len(board), length, (length - board.distance) // 2)
        # All bins leave the same things to chance.
        any_bin = next(iter(self._boards))
        own = own._replace(**{k: None for k, v in any_bin._asdict().items() if v is None})
        boards = self._boards.get(own)
        if boards is None or len(boards) == self.per_bin or board in self._known:
            return False
        boards.append(solved)
        self._known.add(board)
        self.tries[own] = 0
        return True

    def boards(self) -> Iterator[Solved]:
        """Yield all boards, bins in order."""
        for boards in self._boards.values():
            yield from boards


class Filling(abc.ABC):
    """Bins and a way to fill them.

    Attributes:
      bins: which.
      state: with the content of the bins and their tries, where it goes on; JSON can hold it.
    """

    state: Any

    def __init__(self, bins: Bins):
        self.bins = bins

    def run(self) -> Iterator[list[Solved]]:
        """Yield what each batch puts into the bins, until none is open."""
        while self.bins.open():
            yield self.batch()

    @abc.abstractmethod
    def batch(self) -> list[Solved]:
        """Try some boards; return those that went into the bins."""


class DrawFilling(Filling):
    """Boards without interference, drawn for all bins at once."""

    def __init__(self, bins: Bins, seed: int, num_shapes: int, num_colors: int):
        super().__init__(bins)
        self.state = 0  # batches drawn
        self._key = jax.random.key(seed)
        self._of_draw = np.repeat(
            np.array([one[:3] for one in bins.tries], np.int32), DRAWS, axis=0
        )
        side, max_geoms, max_moves = self._of_draw.max(axis=0).tolist()
        self._capacity = {
            "side": side,
            "max_geoms": max_geoms,
            "max_moves": max_moves,
            "num_shapes": num_shapes,
            "num_colors": num_colors,
        }

    def batch(self) -> list[Solved]:
        keys = jax.random.split(jax.random.fold_in(self._key, self.state), len(self._of_draw))
        drawn = jax.device_get(draw_boards(keys, *self._of_draw.T, **self._capacity))
        self.state += 1
        for one in self.bins.tries:
            self.bins.tries[one] += DRAWS
        missing = self.bins.missing()
        is_wanted = np.repeat([one in missing for one in self.bins.tries], DRAWS)
        found = []
        for i in np.flatnonzero(drawn.is_complete & is_wanted).tolist():
            size, _, length = self._of_draw[i].tolist()
            board = _drawn_board(size, self._capacity["side"], drawn, i)
            solved = Solved(board, drawn.actions[i, :length].tolist())
            if self.bins.put(solved):
                found.append(solved)
        return found


class TrialFilling(Filling):
    """Boards drawn one by one for a bin that is open, each put where it belongs.

    Args:
      rng: what they are drawn with; fillings that come one after the other may share it.
      draw: draws a board for a bin; one that is solved counts as a failed try.
      solve: whether to solve them; without, bins must leave moves and interference to chance.
    """

    def __init__(
        self,
        bins: Bins,
        rng: np.random.Generator,
        draw: Callable[[np.random.Generator, Bin], Board],
        solve: bool = True,
    ):
        super().__init__(bins)
        self._rng = rng
        self._draw = draw
        self._solve = _shortest if solve else _unsolved

    @property
    def state(self) -> Any:
        return self._rng.bit_generator.state

    @state.setter
    def state(self, state: Any) -> None:
        self._rng.bit_generator.state = state

    def batch(self) -> list[Solved]:
        found = []
        for _ in range(TRIES):
            wanted = self.bins.open()
            if not wanted:
                break
            target = wanted[self._rng.integers(len(wanted))]
            self.bins.tries[target] += 1
            board = self._draw(self._rng, target)
            if board.solved or board in self.bins:
                continue
            actions = self._solve(board)
            if actions is not None and self.bins.put(Solved(board, actions)):
                found.append(Solved(board, actions))
        return found


def _shortest(board: Board) -> list[int] | None:
    """Return a shortest solution; None if the board is too hard."""
    # Imported here, as boards without interference need no solver.
    from spatialjax.solvers.sliding_astar import Status, solve_position

    solution = solve_position(board, MAX_STATES)
    return solution.actions if solution.status == Status.SOLVED else None


def _unsolved(board: Board) -> list[int] | None:
    del board
    return []


def walk(rng: np.random.Generator, board: Board, length: int) -> Board:
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


def _drawn_board(size: int, side: int, drawn: Walk, row: int) -> Board:
    """Return a row of what `draw_boards` drew as a board."""
    shape, color = np.asarray(drawn.shape[row]), np.asarray(drawn.color[row])
    used = shape >= 0
    start, goal = (
        tuple((int(c) % side, int(c) // side) for c in np.asarray(cells[row])[used])
        for cells in (drawn.start, drawn.goal)
    )
    return Board(
        size=size,
        shapes=tuple(SHAPES[code] for code in shape[used]),
        colors=tuple(COLORS[code] for code in color[used]),
        positions=start,
        goals=goal,
    )

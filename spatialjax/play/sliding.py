"""A sliding puzzle as a person plays it: choose a geom, slide it."""

from collections.abc import Mapping
from typing import Any

from spatialjax.data.sliding import ID, config_board
from spatialjax.sliding.board import Board, slide
from spatialjax.sliding.commands import action_command
from spatialjax.sliding.names import DIRECTIONS, cell_name
from spatialjax.sliding.render import render_text
from spatialjax.sliding.types import Direction, Result

REFUSALS = {Result.OUT_OF_BOUNDS: "the board ends there", Result.OCCUPIED: "that cell is taken"}


class SlidingGame:
    """One config being played; see `session.Game`."""

    keys = "Tab and Shift-Tab choose, arrows slide"

    def __init__(self, config: Mapping[str, Any]):
        self.puzzle_id = str(config[ID])
        self.message = ""
        self._board = config_board(config)
        self._before: list[tuple[Board, int]] = []
        self._chosen = 0

    @property
    def is_over(self) -> bool:
        return self._board.solved

    @property
    def is_solved(self) -> bool:
        return self._board.solved

    def picture(self) -> str:
        now, goal = (
            render_text(self._board, state=state, color=True).splitlines()
            for state in ("active", "goal")
        )
        # Only escape sequences make lines of one picture differ in length.
        width = 6 * self._board.size + 4
        rows = [f"{'now':^{width}}   {'goal':^{width}}"]
        for one, other in zip(now, goal, strict=True):
            rows.append(one + " " * (width - visible(one) + 3) + other)
        cell = cell_name(self._board.positions[self._chosen])
        return "\n".join([*rows, "", f"chosen: {self._board.names[self._chosen]} at {cell}"])

    def press(self, key: str) -> bool:
        """Choose another geom, or slide the one chosen."""
        if key in ("next", "previous"):
            self._chosen = (self._chosen + (1 if key == "next" else -1)) % len(self._board)
        if key not in DIRECTIONS or self.is_over:
            return False
        direction = DIRECTIONS[key]
        result, board = slide(self._board, self._chosen, direction)
        if result != Result.MOVED:
            self.message = REFUSALS[result]
            return False
        self._before.append((self._board, len(Direction) * self._chosen + direction))
        self._board = board
        return True

    def undo(self) -> bool:
        """Take the last move back."""
        if not self._before:
            return False
        self._board, _ = self._before.pop()
        return True

    def restart(self) -> None:
        if self._before:
            self._board = self._before[0][0]
        self._before = []

    def hint(self) -> str:
        """Return the first move of a shortest solution from here."""
        # Imported here: numba takes a second, and is an extra.
        from spatialjax.solvers.sliding_astar import Status, solve_position

        solution = solve_position(self._board)
        if solution.status != Status.SOLVED:
            return "no solution was found"
        if not solution.actions:
            return "every geom is on its goal"
        left = len(solution.actions)
        return f"{action_command(self._board, solution.actions[0])} ({left} moves to go)"

    def feedback(self) -> str:
        """Return how many moves it took."""
        return f"Solved with {len(self._before)} moves."

    def played(self) -> dict[str, Any]:
        """Return the moves as commands."""
        return {"commands": [action_command(board, action) for board, action in self._before]}


def visible(line: str) -> int:
    """Return the number of characters of a line that are no escape sequence."""
    length, is_escape = 0, False
    for character in line:
        is_escape = is_escape or character == "\x1b"
        length += not is_escape
        is_escape = is_escape and character != "m"
    return length

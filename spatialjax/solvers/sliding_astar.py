"""A shortest solution of a sliding puzzle: exact, on the host, any board.

    solve_board(size, start, goal)         moves, or how the search ended
    solve_sliding(config)                  the same as a list of commands

A* with Manhattan distance plus linear conflict, which never overestimate; of the states that look
equally good the deepest goes first, so that on a board without interference the search walks
straight to the goal. The search is compiled by numba (extra `solve`): states of hard boards number
millions.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatialjax.data.sliding import ID, config_board, validate_config
from spatialjax.errors import PuzzleError
from spatialjax.sliding.board import Board
from spatialjax.sliding.commands import action_command

try:
    from spatialjax.solvers import _sliding_search
except ImportError as error:
    raise ImportError(
        "the sliding solver needs numba: install it with `pip install 'spatialjax[solve]'`"
    ) from error

MAX_STATES = 3_000_000
"""Arrangements a search keeps before it gives up: some 200 MB."""


class Status(enum.IntEnum):
    """How a search ended."""

    SOLVED = _sliding_search.SOLVED
    UNREACHABLE = _sliding_search.UNREACHABLE
    GAVE_UP = _sliding_search.GAVE_UP


@dataclass(frozen=True)
class SlidingSolution:
    """What a search found.

    Attributes:
      status: how it ended.
      actions: `4 * geom + direction` of each move, empty unless solved.
      expanded: arrangements whose moves were tried; the same on every machine.
    """

    status: Status
    actions: list[int]
    expanded: int


def solve_board(
    size: int, start: Sequence[int], goal: Sequence[int], max_states: int = MAX_STATES
) -> SlidingSolution:
    """Find a shortest solution; cells are `x + size * y`, one for each geom.

    A board whose arrangement can't be reached is known to be so only once all that can be were
    tried.
    """
    start_row, goal_row = np.array(start, np.uint8), np.array(goal, np.uint8)
    try:
        status, actions, expanded = _sliding_search.search(start_row, goal_row, size, max_states)
    except SystemError as error:
        # Ctrl-C while numba hands over the result comes wrapped.
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
    return SlidingSolution(Status(status), actions.tolist(), int(expanded))


def solve_sliding(config: Mapping[str, Any], max_states: int = MAX_STATES) -> list[str]:
    """Return a shortest solution of a config as commands, such as "move red cube left".

    Raises:
      PuzzleError: if the config is malformed, or its goal can't be reached.
      ValueError: if the search kept `max_states` arrangements without an answer.
    """
    board = config_board(validate_config(config))
    solution = solve_position(board, max_states)
    if solution.status == Status.UNREACHABLE:
        raise PuzzleError(f"config {config.get(ID)!r}: its goal can't be reached")
    if solution.status == Status.GAVE_UP:
        raise ValueError(
            f"config {config.get(ID)!r} has more than {max_states} arrangements to look at;"
            " give a larger max_states"
        )
    return [action_command(board, action) for action in solution.actions]


def solve_position(board: Board, max_states: int = MAX_STATES) -> SlidingSolution:
    """Solve a board from where its geoms stand."""
    start, goal = (
        [x + board.size * y for x, y in points] for points in (board.positions, board.goals)
    )
    return solve_board(board.size, start, goal, max_states)

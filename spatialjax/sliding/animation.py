"""A sliding puzzle being played: the board after each action."""

from collections.abc import Iterable, Mapping
from typing import Any

from spatialjax.core.animation import Animation
from spatialjax.data.sliding import config_board
from spatialjax.sliding.board import Board
from spatialjax.sliding.commands import action_command, play_command
from spatialjax.sliding.render import DEFAULT_SIZE, render
from spatialjax.sliding.types import Direction


def animate(
    puzzle: Mapping[str, Any] | Board,
    moves: Iterable[str | int],
    size: int | tuple[int, int] = DEFAULT_SIZE,
    seconds: float = 0.4,
) -> Animation:
    """Show the board, then how it stands after each move.

        animate(config, spatialjax.solve_sliding(config)).save("board.gif")

    Puzzle, size and errors as `render`; each picture is shown for `seconds`, 0.02 to 60.

    Args:
        moves: commands such as "move red cube left", or actions `4 * slot + direction`. One that
            does not move a geom shows the board as it was; an action without a geom is a
            ValueError.
    """
    board = puzzle if isinstance(puzzle, Board) else config_board(puzzle)
    frames = [render(board, marking="none", size=size)]
    for index, move in enumerate(moves):
        _, board = play_command(board, _as_command(board, index, move))
        frames.append(render(board, marking="none", size=size))
    return Animation(frames, seconds)


def _as_command(board: Board, index: int, move: Any) -> str:
    if isinstance(move, str):
        return move
    last = len(Direction) * len(board) - 1
    if not 0 <= move <= last:
        raise ValueError(
            f"moves[{index}] is {move!r}; it must be a command or an action 0 to {last}"
        )
    return action_command(board, int(move))

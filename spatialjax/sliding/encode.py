"""From a board to arrays and back; the only place where cells `[x, y]` become numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spatialjax.errors import PuzzleError
from spatialjax.sliding.board import Board
from spatialjax.sliding.names import TILE_SHAPE, Point
from spatialjax.sliding.types import COLORS, MAX_SIZE, SHAPES, Puzzle

_SHAPES = (*SHAPES, TILE_SHAPE)  # in the order of their codes


def encode_board(board: Board, side: int, num_geoms: int, optimal_length: int = 0) -> Puzzle:
    """Encode a board into NumPy arrays padded to `side` x `side` cells and `num_geoms` slots.

    Raises:
      PuzzleError: if the board is larger than the capacity, or the capacity than `MAX_SIZE`.
    """
    if side > MAX_SIZE:
        raise PuzzleError(
            f"capacity {side} x {side} cells is too large: at most {MAX_SIZE} x {MAX_SIZE}"
        )
    if board.size > side or len(board) > num_geoms:
        raise PuzzleError(
            f"a board of {board.size} x {board.size} cells with {len(board)} geoms does not fit "
            f"the capacity of {side} x {side} cells and {num_geoms} geoms"
        )

    def padded(values: Sequence[int]) -> np.ndarray:
        return np.array([*values, *[-1] * (num_geoms - len(board))], np.int8)

    fields: dict[str, Any] = {
        "size": np.int32(board.size),
        "num_geoms": np.int32(len(board)),
        "start": padded(_numbers(board.positions, side)),
        "goal": padded(_numbers(board.goals, side)),
        "shape": padded([_SHAPES.index(shape) for shape in board.shapes]),
        "color": padded([COLORS.index(color) for color in board.colors]),
        "optimal_length": np.int32(optimal_length),
    }
    return Puzzle(**fields)


def decode_board(puzzle: Puzzle, side: int, position: Any = None) -> Board:
    """Return the board that a puzzle of this capacity holds.

    Args:
      position: cell of each slot, as in `State`; None puts the geoms on their start cells.
    """
    count = int(puzzle.num_geoms)
    shape, color, goal = (
        np.asarray(field)[:count].tolist() for field in (puzzle.shape, puzzle.color, puzzle.goal)
    )
    cells = np.asarray(puzzle.start if position is None else position)[:count].tolist()
    return Board(
        size=int(puzzle.size),
        shapes=tuple(_SHAPES[code] for code in shape),
        colors=tuple(COLORS[code] for code in color),
        positions=_points(cells, side),
        goals=_points(goal, side),
    )


def _numbers(points: Sequence[Point], side: int) -> list[int]:
    return [x + side * y for x, y in points]


def _points(cells: Sequence[int], side: int) -> tuple[Point, ...]:
    return tuple((cell % side, cell // side) for cell in cells)

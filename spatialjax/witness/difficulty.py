"""How hard a line puzzle is, by the formula behind the published scores.

With t = number of distinct symbol kinds on the board, n = number of symbols, area in cells,
d = n / area, and Phi the standard normal CDF:

    raw   = 0.048 t + 0.048 max(t - 1, 0) d + 0.025 area + 0.24 d + 0.012 n
    score = 5 Phi((raw - 0.5824) / 0.2108)
    level = min(floor(score) + 1, 5)

Dots, gaps, colours and the number of solutions don't count.
"""

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

from spatialjax.data.board import Board, parse_board

MEAN = 0.5824
SPREAD = 0.2108
LEVEL_BOUNDS = tuple(NormalDist(MEAN, SPREAD).inv_cdf(level / 5) for level in (1, 2, 3, 4))
"""Least `raw` of the levels 2 to 5."""


def difficulty(record: Mapping[str, Any]) -> tuple[float, int]:
    """Return the score (0 to 5) and the level (1 to 5) of a record's board."""
    return board_difficulty(parse_board(record))


def board_difficulty(board: Board) -> tuple[float, int]:
    """Return the score and the level of a parsed board."""
    num_kinds = len({symbol.kind for symbol in board.symbols})
    return score_and_level(num_kinds, len(board.symbols), board.width * board.height)


def score_and_level(num_kinds: int, num_symbols: int, area: int) -> tuple[float, int]:
    """Return the score and the level from what they depend on; `area` in cells."""
    raw = raw_difficulty(num_kinds, num_symbols, area)
    score = 2.5 * math.erfc((MEAN - raw) / (SPREAD * math.sqrt(2)))
    return score, min(math.floor(score) + 1, 5)


def raw_difficulty(num_kinds: Any, num_symbols: Any, area: Any) -> Any:
    """Return `raw` of the formula above: of numbers, or of float arrays."""
    density = num_symbols / area
    # Where there is no kind, the density is 0: no need for a maximum.
    return (
        0.048 * num_kinds
        + 0.048 * (num_kinds - 1) * density
        + 0.025 * area
        + 0.24 * density
        + 0.012 * num_symbols
    )

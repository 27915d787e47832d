"""Board-state inference: how well a list of geoms and cells describes a board.

Predicted and true geoms are paired so that, in this order: there are as many pairs as can be, of
geoms that share colour or shape at least; the pairs differ in as few colours, shapes and cells as
can be; as many pairs as can be share both colour and shape; their cells are close together. Among
equals the first prediction gets the first geom that it can have, then the second, and so on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spatialjax.sliding.board import Board, manhattan
from spatialjax.sliding.names import TILE_SHAPE, Point
from spatialjax.sliding.text import read_line

_MARKER = "description:"
# Blanks, quotes, commas and bullets around a prediction.
_WRAPPING = " \t\"'`,-*\u2022\u00b7\u2013\u201c\u201d\u2018\u2019"

# The terms of a pair's cost, each larger than all that follow can sum up to on any board.
_PAIR = 10**9
_MISMATCH = 10**6
_SAME_GEOM = 10**3

Placed = tuple[str, str, Point]
"""Colour, shape and cell."""


@dataclass(frozen=True)
class InferenceScore:
    """What a description got right and wrong.

    Attributes:
      correct: pairs that differ in nothing.
      coordinate, color, shape: pairs that differ in it; a pair may count in two of them.
      mismatched: pairs that differ in anything. With `correct` and `missed` they are all geoms.
      missed: geoms without a prediction.
      hallucinated: predictions without a geom.
      format_errors: lines that are no prediction.
    """

    correct: int
    coordinate: int
    color: int
    shape: int
    mismatched: int
    missed: int
    hallucinated: int
    format_errors: int


def score_description(text: str, board: Board) -> InferenceScore:
    """Score a description against where the geoms of a board stand; ValueError for tiles."""
    if TILE_SHAPE in board.shapes:
        raise ValueError("tiles have no colour and shape to describe; give a board of geoms")
    predictions, format_errors = read_description(text, board.size)
    truth = list(zip(board.colors, board.shapes, board.positions, strict=True))
    pairs = [(predictions[i], truth[j]) for i, j in pair_up(predictions, truth)]
    correct = sum(one == other for one, other in pairs)
    color, shape, coordinate = (sum(p[k] != q[k] for p, q in pairs) for k in range(3))
    return InferenceScore(
        correct=correct,
        coordinate=coordinate,
        color=color,
        shape=shape,
        mismatched=len(pairs) - correct,
        missed=len(truth) - len(pairs),
        hallucinated=len(predictions) - len(pairs),
        format_errors=format_errors,
    )


def read_description(text: str, size: int) -> tuple[list[Placed], int]:
    """Return the predictions of a text, and how many of its lines are none.

    A prediction is a line `B4 red cube`, perhaps with quotes, commas or a bullet around it. Where
    there is a marker `description:`, only what follows the last one is read.
    """
    predictions: list[Placed] = []
    format_errors = 0
    for line in text.lower().rpartition(_MARKER)[2].splitlines():
        content = line.strip().strip(_WRAPPING)
        if not content:
            continue
        placed = read_line(content, size)
        if placed is None or placed[0].startswith(TILE_SHAPE):
            format_errors += 1
            continue
        color, shape = placed[0].split()
        predictions.append((color, shape, placed[1]))
    return predictions, format_errors


def pair_up(predictions: Sequence[Placed], truth: Sequence[Placed]) -> list[tuple[int, int]]:
    """Return the pairs (prediction, geom) of the best matching, in the order of the predictions."""
    costs = np.array([[_cost(p, q) for q in truth] for p in predictions], np.int64)
    costs = costs.reshape(len(predictions), len(truth))
    rest, pairs = list(range(len(truth))), []
    left = _least(costs)
    for i in range(len(predictions)):
        for j in rest:
            others = [k for k in rest if k != j]
            cost = int(costs[i, j])
            # All sums are exact in the solver's floats: they stay far below 2**53.
            if cost < 0 and cost + _least(costs[i + 1 :, others]) == left:
                pairs.append((i, j))
                rest, left = others, left - cost
                break
    return pairs


def _cost(prediction: Placed, geom: Placed) -> int:
    """Return the cost of a pair, below 0 so that it is better than none; 0 where it may not be."""
    differs = [one != other for one, other in zip(prediction, geom, strict=True)]
    if differs[0] and differs[1]:
        return 0
    bonus = 0 if differs[0] or differs[1] else _SAME_GEOM
    return sum(differs) * _MISMATCH - bonus + manhattan(prediction[2], geom[2]) - _PAIR


def _least(costs: np.ndarray) -> int:
    """Return the least cost of a matching."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(costs)
    return int(costs[rows, columns].sum())

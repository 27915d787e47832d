"""Random numbers and random lines for the generator: the same on every machine and version."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

import numpy as np

T = TypeVar("T")
Point = tuple[int, int]


class Dice:
    """A stream of choices fixed by whole numbers.

    Only uniform doubles of PCG64 are drawn, as NumPy may change how its other methods use the
    bits from one release to the next.
    """

    def __init__(self, *seed: int):
        self._draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed))).random

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._draw() < probability

    def below(self, bound: int) -> int:
        """Return a whole number from 0 to bound - 1."""
        return int(self._draw() * bound)

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items, each as likely."""
        return items[self.below(len(items))]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """Return a key, each as likely as its weight says."""
        left = self._draw() * sum(weights.values())
        for key, weight in weights.items():
            left -= weight
            if left < 0:
                return key
        return next(key for key in reversed(list(weights)) if weights[key] > 0)

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """Return the items in random order."""
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items

    def rounded(self, number: float) -> int:
        """Return a whole number beside `number`, so that the mean is `number`."""
        return int(number + self._draw())

    def poisson(self, mean: float) -> int:
        """Return a Poisson number (by multiplying uniforms: means here are small)."""
        bound, count, product = math.exp(-mean), 0, self._draw()
        while product > bound:
            count += 1
            product *= self._draw()
        return count


def random_path(
    dice: Dice, width: int, height: int, start: Point, end: Point, detour: float
) -> list[Point]:
    """Return a random line from start to end, as every lattice point on it.

    Each node is drawn among those from where the end can still be reached; a step that ends the
    line is put off with probability `detour` while there is another.

    Sets of nodes are whole numbers, bit `y * (width + 1) + x` for the node (2 x, 2 y).
    """
    stride = width + 1
    across, down = _edges(width, height, start, end)
    firsts, lasts = (_nodes_at(point, stride) for point in (start, end))
    end_node = lasts if (end[0] + end[1]) % 2 == 0 else 0

    def near(nodes: int) -> int:
        """Nodes one edge on from any of these."""
        beside = (nodes & across) << 1 | (nodes >> 1) & across
        return beside | (nodes & down) << stride | (nodes >> stride) & down

    def reaches_end(node: int, free: int) -> bool:
        reached, grown = 0, node
        while grown != reached and not grown & lasts:
            reached, grown = grown, grown | near(grown) & free
        return bool(grown & lasts)

    def step(choices: int, free: int) -> int:
        """Return one of the nodes from where the end can be reached; 0 if there is none."""
        shuffled = dice.shuffled(_single_bits(choices))
        return next((node for node in shuffled if reaches_end(node, free)), 0)

    free = (1 << stride * (height + 1)) - 1
    head = step(firsts, free)
    nodes = [head]
    while head != end_node:
        free &= ~head
        choices = near(head) & free
        closes = head & lasts or choices & end_node
        choices &= ~end_node
        head = 0
        if not closes or (choices and dice.chance(detour)):
            head = step(choices, free)
        head = head or end_node
        if not head:
            break
        nodes.append(head)
    points = [_point(node, stride) for node in nodes]
    points = [start] * (points[0] != start) + points + [end] * (points[-1] != end)
    return _with_middles(points)


@lru_cache(maxsize=1024)
def _edges(width: int, height: int, start: Point, end: Point) -> tuple[int, int]:
    """Nodes with an edge to the right, and with one below, that the line may pass along.

    An edge that holds the start or the end is never passed along.
    """
    across = sum(1 << y * (width + 1) + x for y in range(height + 1) for x in range(width))
    down = (1 << (width + 1) * height) - 1
    for x, y in (start, end):
        node = 1 << (y // 2) * (width + 1) + x // 2
        across &= ~node if x % 2 else ~0
        down &= ~node if y % 2 else ~0
    return across, down


def _nodes_at(point: Point, stride: int) -> int:
    """The node at a point, or both ends of the edge there."""
    x, y = point
    return 1 << y // 2 * stride + x // 2 | 1 << (y + 1) // 2 * stride + (x + 1) // 2


def _single_bits(bits: int) -> list[int]:
    found = []
    while bits:
        found.append(bits & -bits)
        bits &= bits - 1
    return found


def _point(node: int, stride: int) -> Point:
    y, x = divmod(node.bit_length() - 1, stride)
    return 2 * x, 2 * y


def _with_middles(points: list[Point]) -> list[Point]:
    path = points[:1]
    for (x, y), (next_x, next_y) in pairwise(points):
        if abs(next_x - x) + abs(next_y - y) == 2:
            path.append(((x + next_x) // 2, (y + next_y) // 2))
        path.append((next_x, next_y))
    return path

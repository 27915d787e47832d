"""Random numbers and random lines for the generator: the same on every machine and version."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

import numpy as np

from spatialjax.data.board import STEPS

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
    """
    graph = _graph(width, height)

    def neighbours(point: Point) -> list[Point]:
        """Nodes one edge on, or the end where that edge holds it."""
        return [end if middle == end else node for middle, node in graph[point] if middle != start]

    def reaches_end(point: Point) -> bool:
        seen = {point}
        stack = [point]
        while stack:
            for node in neighbours(stack.pop()):
                if node == end:
                    return True
                if node not in seen and node not in visited:
                    seen.add(node)
                    stack.append(node)
        return False

    x, y = start
    on_edge = (x + y) % 2 == 1
    path = [start]
    head = start
    if on_edge:
        ends = [(x - x % 2, y - y % 2), (x + x % 2, y + y % 2)]
        visited: set[Point] = set()
        head = dice.pick([node for node in ends if node == end or reaches_end(node)])
        path.append(head)
    visited = {start, head}
    while head != end:
        nodes = [node for node in neighbours(head) if node not in visited]
        others = [node for node in nodes if node != end]
        if end in nodes and not (others and dice.chance(detour)):
            head = end
        else:
            for node in dice.shuffled(others):
                visited.add(node)
                if reaches_end(node):
                    head = node
                    break
                visited.discard(node)
            else:
                head = end
        path.append(head)
    return _with_middles(path)


@lru_cache(maxsize=64)
def _graph(width: int, height: int) -> dict[Point, list[tuple[Point, Point]]]:
    """For each node the (midpoint, node) pairs one edge on."""
    columns, rows = 2 * width + 1, 2 * height + 1
    return {
        (x, y): [
            ((x + dx, y + dy), (x + 2 * dx, y + 2 * dy))
            for dx, dy in STEPS
            if 0 <= x + 2 * dx < columns and 0 <= y + 2 * dy < rows
        ]
        for y in range(0, rows, 2)
        for x in range(0, columns, 2)
    }


def _with_middles(path: list[Point]) -> list[Point]:
    points = path[:1]
    for (x, y), (next_x, next_y) in pairwise(path):
        if abs(next_x - x) + abs(next_y - y) == 2:
            points.append(((x + next_x) // 2, (y + next_y) // 2))
        points.append((next_x, next_y))
    return points

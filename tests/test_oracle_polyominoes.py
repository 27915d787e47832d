"""How the oracle fits polyominoes: drawn cases, and every placement tried."""

import itertools
import random
from collections import Counter

import pytest
from building import draw
from drawn import broken, shape, walk
from oracle import placements, shapes_fit


def polyominoes(shapes, ylops=(), end="side"):
    """A 2x2 board, symbols from the top left cell down its left column, then the right one.

    The line runs along the middle column (``end="side"``), or from the left border to an E in
    the middle of the board (``end="inside"``).
    """
    cells = [f"P-R-{i}" for i in range(len(shapes))]
    cells += [f"Y-B-{len(shapes) + i}" for i in range(len(ylops))]
    a, b, c, d = [*cells, "N", "N", "N", "N"][:4]
    picture = f"""
        + + S + +
        + {a} + {c} +
        + + + + +
        + {b} + {d} +
        + + E + +
    """
    if end == "inside":
        picture = f"""
            + + + + +
            + {a} + {c} +
            S + E + +
            + {b} + {d} +
            + + + + +
        """
    matrices = {str(i): matrix for i, matrix in enumerate([*shapes, *ylops])}
    return draw(picture, matrices)


MONO = shape("#")
WIDE = shape("##")
TALL = shape("#", "#")
CORNER = shape("#", "##")
BLOCK = shape("##", "##")
DIAGONAL = shape("#.", ".#")
APART = shape("#..#")


@pytest.mark.parametrize(
    ("shapes", "ylops", "fits"),
    [
        ([TALL], [], True),
        ([shape("....", "...#", "...#")], [], True),  # the place in the matrix does not matter
        ([WIDE], [], False),  # never turned
        ([MONO], [], False),  # too small
        ([MONO, MONO], [], True),
        ([BLOCK], [], False),  # too large
        ([], [MONO], False),  # ylops alone
        ([MONO], [TALL], False),  # fewer than nothing
        ([CORNER], [MONO], True),  # the ylop lies outside its region
        ([shape("###")], [MONO], False),  # no place on the board
        ([MONO], [MONO], True),  # cancels
        ([TALL], [WIDE], False),  # equal in number, not in place
    ],
)
def test_polyominoes_fill_their_region(shapes, ylops, fits):
    record = polyominoes(shapes, ylops)
    symbols = [(1, 1), (1, 3)][: len(shapes) + len(ylops)]
    assert broken(record, walk((2, 0), "DD")) == ({} if fits else {"poly_ylop_area": symbols})


@pytest.mark.parametrize(
    ("shapes", "ylops", "fits"),
    [
        ([BLOCK], [], False),  # lies across the line
        ([WIDE, WIDE], [], True),
        ([TALL, TALL], [], False),
        ([MONO, CORNER], [], False),
        ([DIAGONAL, DIAGONAL], [], False),  # two alike cannot make both diagonals
        ([DIAGONAL, shape(".#", "#.")], [], True),  # in pieces, and across no line
        ([APART], [APART], False),  # too wide for the board
        ([MONO, MONO], [WIDE], True),  # several cancel one
        ([WIDE, MONO, MONO], [], True),
        ([WIDE, WIDE, WIDE], [WIDE], True),  # two layers, one taken away
        ([WIDE, WIDE, MONO], [MONO], True),
        ([WIDE, WIDE, WIDE], [TALL], False),
    ],
)
def test_a_line_that_ends_inside_a_region_bars_polys(shapes, ylops, fits):
    rules = set(broken(polyominoes(shapes, ylops, end="inside"), [(0, 2), (1, 2), (2, 2)]))
    assert rules == (set() if fits else {"poly_ylop_area"})


def test_shapes_fit_agrees_with_trying_every_placement():
    rng = random.Random(5)
    seen = Counter()
    for _ in range(1500):
        size = (rng.randint(1, 3), rng.randint(1, 3))
        cells = [(x, y) for y in range(size[1]) for x in range(size[0])]
        region = frozenset(rng.sample(cells, rng.randint(1, len(cells))))
        drawn = [_random_shape(rng) for _ in range(rng.randint(1, 4))]
        cut = rng.randint(1, len(drawn))
        polys, ylops = tuple(drawn[:cut]), tuple(drawn[cut:])
        pairs = [{a, b} for a in region for b in region if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]
        walls = frozenset(frozenset(pair) for pair in pairs if rng.random() < 0.1)
        expected = _fits_by_trying(polys, ylops, region, walls, size)
        assert shapes_fit(polys, ylops, region, walls, size) == expected
        seen[expected] += 1
    assert min(seen.values()) > 100


def _random_shape(rng):
    cells = rng.sample([(x, y) for y in range(2) for x in range(2)], rng.randint(1, 3))
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    return tuple(sorted(((x - left, y - top) for x, y in cells), key=lambda cell: cell[::-1]))


def _fits_by_trying(polys, ylops, region, walls, size):
    net = sum(map(len, polys)) - sum(map(len, ylops))
    if net not in (0, len(region)):
        return False
    choices = itertools.product(*(list(placements(one, size)) for one in (*polys, *ylops)))
    for choice in choices:
        layers = Counter(cell for placed in choice[: len(polys)] for cell in placed)
        taken = Counter(cell for placed in choice[len(polys) :] for cell in placed)
        wanted = taken + Counter(region) if net else taken
        crosses = any(wall <= set(placed) for placed in choice[: len(polys)] for wall in walls)
        if layers == wanted and not crosses:
            return True
    return False

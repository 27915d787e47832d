"""Symbols put on a board so that a given line satisfies them.

One function per kind, called in an order that keeps what stands true: polyominoes and ylops first
(they need a whole region), then squares and triangles, stars last (they count everything of their
colour in the region). A function that finds no room returns False and the attempt is dropped.
"""

from dataclasses import dataclass, field

from spatialjax.data.board import COLORS, SHAPE_SIDE, STEPS, Board, Symbol
from spatialjax.witness.random_path import Dice, Point
from spatialjax.witness.symmetry import shape_id

# Cells of a poly, and the count of a triangle, weighed as published boards have them; 3 is rare
# there, yet legal, so that a learner should have met it.
POLY_SIZES = {1: 0.01, 2: 0.05, 3: 0.2, 4: 0.5, 5: 0.28}
YLOP_SIZES = {1: 0.02, 2: 0.6, 3: 0.15, 4: 0.25}
TRIANGLE_COUNTS = {1: 0.6, 2: 0.2, 3: 0.004, 4: 1.5}
BORDER_GAPS = 0.2  # chance that a gap must be on the border


@dataclass
class Draft:
    """A board under construction: the line, its regions, and what stands so far."""

    width: int
    height: int
    path: list[Point]
    palette: list[str]
    regions: list[list[Point]]
    region_of: dict[Point, int]
    symbols: dict[Point, Symbol] = field(default_factory=dict)
    dots: set[Point] = field(default_factory=set)
    gaps: set[Point] = field(default_factory=set)

    def free(self, region: int | None = None) -> list[Point]:
        """Cells without a symbol, of one region or of all."""
        cells = self.region_of if region is None else self.regions[region]
        return [cell for cell in cells if cell not in self.symbols]

    def put(self, cell: Point, kind: str, color: str, count: int = 0, shape: tuple = ()) -> None:
        """Put one symbol on a free cell."""
        self.symbols[cell] = Symbol(*cell, kind, color, count, shape, shape_id(shape))

    def of_color(self, region: int, color: str) -> list[Symbol]:
        """Symbols of one colour in a region."""
        cells = self.regions[region]
        found = [self.symbols[cell] for cell in cells if cell in self.symbols]
        return [symbol for symbol in found if symbol.color == color]

    def board(self) -> Board:
        """Return the finished board."""
        return Board(
            self.width,
            self.height,
            self.path[0],
            self.path[-1],
            frozenset(self.dots),
            frozenset(self.gaps),
            tuple(sorted(self.symbols.values(), key=lambda symbol: (symbol.y, symbol.x))),
        )


def new_draft(width: int, height: int, path: list[Point], palette: list[str]) -> Draft:
    """Start a draft: find the regions that the line leaves."""
    line = set(path)
    region_of: dict[Point, int] = {}
    regions: list[list[Point]] = []
    for y in range(1, 2 * height, 2):
        for x in range(1, 2 * width, 2):
            if (x, y) in region_of:
                continue
            region_of[x, y] = len(regions)
            cells = [(x, y)]
            for cell in cells:
                for near, middle in _neighbours(cell, width, height):
                    if near not in region_of and middle not in line:
                        region_of[near] = len(regions)
                        cells.append(near)
            regions.append(cells)
    return Draft(width, height, path, palette, regions, region_of)


def place_dots(draft: Draft, dice: Dice, count: int) -> bool:
    """Put dots on the line, ends aside."""
    inner = draft.path[1:-1]
    draft.dots = set(dice.shuffled(inner)[:count])
    return len(inner) >= count


def place_gaps(draft: Draft, dice: Dice, count: int) -> bool:
    """Put gaps on edges off the line."""
    line = set(draft.path)
    edges = [
        (x, y)
        for y in range(2 * draft.height + 1)
        for x in range(1 - y % 2, 2 * draft.width + 1, 2)
        if (x, y) not in line
    ]
    border = [(x, y) for x, y in edges if x in (0, 2 * draft.width) or y in (0, 2 * draft.height)]
    draft.gaps = set()
    for _ in range(min(count, len(edges))):
        left = [e for e in (border if dice.chance(BORDER_GAPS) else edges) if e not in draft.gaps]
        if left:
            draft.gaps.add(dice.pick(left))
    return len(draft.gaps) == count


def place_squares(draft: Draft, dice: Dice, count: int) -> bool:
    """Put squares on free cells, one colour a region."""
    cells = dice.shuffled(draft.free())
    colors: dict[int, str] = {}
    for cell in cells[:count]:
        color = colors.setdefault(draft.region_of[cell], dice.pick(draft.palette))
        draft.put(cell, "square", color)
    return len(cells) >= count


def place_triangles(draft: Draft, dice: Dice, count: int) -> bool:
    """Put triangles beside the line, each with the number of its cell's sides on the line."""
    line = set(draft.path)
    by_sides: dict[int, list[Point]] = {}
    for cell in draft.free():
        by_sides.setdefault(_sides_on(line, cell), []).append(cell)
    for _ in range(count):
        weights = {n: w for n, w in TRIANGLE_COUNTS.items() if by_sides.get(n)}
        if not dice.chance(sum(weights.values()) / TRIANGLE_COUNTS[2]):
            return False
        sides = dice.weighted(weights)
        cell = by_sides[sides].pop(dice.below(len(by_sides[sides])))
        draft.put(cell, "triangle", dice.pick(draft.palette), sides)
    return True


def surrounds_cell(path: list[Point]) -> bool:
    """Say whether a line has all four sides of some cell, which it can at its ends alone."""
    line = set(path)
    cells = [(x + y % 2 * d, y + x % 2 * d) for x, y in (path[0], path[-1]) for d in (1, -1)]
    return any(_sides_on(line, cell) == 4 for cell in cells)


def _sides_on(line: set[Point], cell: Point) -> int:
    """Number of a cell's sides on the line."""
    x, y = cell
    return sum((x + dx, y + dy) in line for dx, dy in STEPS)


def place_stars(draft: Draft, dice: Dice, count: int) -> bool:
    """Put stars so that each finds exactly one partner of its colour in its region.

    A last star without a partner gets another star, and crowded boards may get fewer: False only
    if there is none.
    """
    left = count
    while left > 0:
        partners, pairs = [], []
        for region in range(len(draft.regions)):
            room = len(draft.free(region))
            for color in draft.palette:
                found = draft.of_color(region, color)
                if room and len(found) == 1 and found[0].kind != "star":
                    partners.append((region, color))
                if room > 1 and not found:
                    pairs.append((region, color))
        if pairs and (not partners or (left > 1 and dice.chance(0.4))):
            region, color = dice.pick(pairs)
            number = 2
        elif partners:
            region, color = dice.pick(partners)
            number = 1
        else:
            return left < count
        for cell in dice.shuffled(draft.free(region))[:number]:
            draft.put(cell, "star", color)
        left -= number
    return True


def place_polys(draft: Draft, dice: Dice, count: int) -> bool:
    """Cover one or more regions exactly with `count` polys in all."""
    left = count
    while left > 0:
        fitting = {
            region: min(len(cells), 4 * left) ** 4
            for region, cells in enumerate(draft.regions)
            if len(cells) <= 4.5 * left and len(draft.free(region)) == len(cells)
        }
        if not fitting:
            return False
        region = dice.weighted(fitting)
        demand = dict.fromkeys(draft.regions[region], 1)
        share = left if dice.chance(0.75) else 1 + dice.below(left)
        pieces = _cut(draft, dice, demand, share)
        if pieces is None:
            return False
        _put_shapes(draft, dice, region, pieces, [])
        left -= len(pieces)
    return left == 0


def place_ylops(draft: Draft, dice: Dice, num_polys: int, num_ylops: int) -> bool:
    """Fill one region with polys and ylops: a ylop adds a layer that the polys must cover too.

    In one case of five the region itself asks for nothing: the shapes cancel exactly.
    """
    cancel = dice.chance(0.2)
    room = num_polys + num_ylops
    fitting = [
        region
        for region, cells in enumerate(draft.regions)
        if len(cells) >= room and (cancel or len(cells) <= 4 * num_polys)
    ]
    if not fitting:
        return False
    region = dice.pick(fitting)
    demand = {} if cancel else dict.fromkeys(draft.regions[region], 1)
    ylops = []
    for _ in range(num_ylops):
        near = list(demand) or list(draft.region_of)
        seed = dice.pick(near)
        size = dice.weighted(YLOP_SIZES)
        cells = _grow(draft, dice, seed, size, set(draft.region_of))
        if len(cells) < size:
            return False
        # One step aside, so that ylops also stand partly or wholly outside their region.
        dx, dy = dice.pick(((0, 0), (2, 0), (-2, 0), (0, 2), (0, -2)))
        cells = [(x + dx, y + dy) for x, y in cells]
        if any(cell not in draft.region_of for cell in cells):
            return False
        for cell in cells:
            demand[cell] = demand.get(cell, 0) + 1
        ylops.append(cells)
    pieces = _cut(draft, dice, demand, num_polys)
    if pieces is None or len(pieces) != num_polys:
        return False
    _put_shapes(draft, dice, region, pieces, ylops)
    return True


def _put_shapes(
    draft: Draft, dice: Dice, region: int, polys: list[list[Point]], ylops: list[list[Point]]
) -> None:
    """Put one symbol per shape on cells of the region."""
    cells = dice.shuffled(draft.free(region))
    color = dice.pick(draft.palette)
    shapes = [("poly", poly) for poly in polys] + [("ylop", ylop) for ylop in ylops]
    for cell, (kind, points) in zip(cells, shapes, strict=False):
        if dice.chance(0.3):
            color = dice.pick(draft.palette)
        draft.put(cell, kind, color, 0, _normal(points))


def _cut(draft: Draft, dice: Dice, demand: dict[Point, int], most: int) -> list[list[Point]] | None:
    """Cut a demand (layers by cell) into connected pieces, at most `most`; None if it failed."""
    total = sum(demand.values())
    for _ in range(12):
        left = dict(demand)
        pieces: list[list[Point]] = []
        covered = 0
        while covered < total and len(pieces) < most:
            pieces_left = most - len(pieces)
            least = (total - covered) - 5 * (pieces_left - 1)
            weights = {s: w for s, w in POLY_SIZES.items() if s >= least} or {5: 1.0}
            if pieces_left == 1:
                weights = {total - covered: 1.0}
            elif total - covered - 1 in weights and len(weights) > 1:
                del weights[total - covered - 1]  # leave no single cell: they are rare
            allowed = {cell for cell, layers in left.items() if layers > 0}
            # Begin where the fewest neighbours are left, so that no cell is stranded.
            seed = min(
                dice.shuffled(sorted(allowed)),
                key=lambda cell: sum(
                    near in allowed for near, _ in _neighbours(cell, draft.width, draft.height)
                ),
            )
            piece = _grow(draft, dice, seed, dice.weighted(weights), allowed)
            for cell in piece:
                left[cell] -= 1
            covered += len(piece)
            pieces.append(piece)
        if covered == total and all(_fits(piece) for piece in pieces):
            return pieces
    return None


def _grow(draft: Draft, dice: Dice, seed: Point, size: int, allowed: set[Point]) -> list[Point]:
    """Grow a connected piece of up to `size` cells from `seed` within `allowed`."""
    piece = [seed]
    while len(piece) < size:
        edge = sorted(
            {
                near
                for cell in piece
                for near, _ in _neighbours(cell, draft.width, draft.height)
                if near in allowed and near not in piece
            }
        )
        if not edge:
            break
        piece.append(dice.pick(edge))
    return piece


def _neighbours(cell: Point, width: int, height: int) -> list[tuple[Point, Point]]:
    """Neighbouring cells on the board, each with the midpoint between."""
    x, y = cell
    return [
        ((x + 2 * dx, y + 2 * dy), (x + dx, y + dy))
        for dx, dy in STEPS
        if 0 < x + 2 * dx < 2 * width and 0 < y + 2 * dy < 2 * height
    ]


def _normal(points: list[Point]) -> tuple[Point, ...]:
    left, top = min(x for x, _ in points), min(y for _, y in points)
    return tuple(sorted(((x - left) // 2, (y - top) // 2) for x, y in points))


def _fits(points: list[Point]) -> bool:
    shape = _normal(points)
    return len(points) <= 5 and max(max(cell) for cell in shape) < SHAPE_SIDE


def draw_palette(dice: Dice, size: int) -> list[str]:
    """Return `size` colour letters."""
    return dice.shuffled(COLORS)[:size]

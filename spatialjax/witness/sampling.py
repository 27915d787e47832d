"""What generated boards look like: ends, line, and how many symbols of which kind.

The numbers follow the aggregate statistics of the published test puzzles; `comparison` prints both
side by side.
"""

from collections.abc import Mapping, Sequence

from spatialjax.data.board import Board
from spatialjax.witness.placing import (
    draw_palette,
    new_draft,
    place_dots,
    place_gaps,
    place_polys,
    place_squares,
    place_stars,
    place_triangles,
    place_ylops,
    surrounds_cell,
)
from spatialjax.witness.random_path import Dice, Point, random_path

KINDS = ("dot", "gap", "square", "star", "triangle", "poly", "ylop")
MIXES: dict[str, tuple[str, ...]] = {
    "all": KINDS,
    "dots": ("dot",),
    "gaps": ("gap",),
    "stones": ("square",),
    "stars": ("star",),
    "triangles": ("triangle",),
    "polys": ("poly",),
    "polys_ylops": ("poly", "ylop"),
    "stones_stars": ("square", "star"),
    "gaps_dots_triangles": ("dot", "gap", "triangle"),
    "dots_stars_polys": ("dot", "star", "poly"),
}
SIZES: dict[Point, float] = {
    (2, 2): 47, (2, 3): 31, (2, 4): 30, (2, 5): 32, (2, 6): 28,
    (3, 2): 36, (3, 3): 38, (3, 4): 16, (3, 5): 27, (3, 6): 15,
    (4, 2): 26, (4, 3): 27, (4, 4): 16, (4, 5): 12, (4, 6): 6,
    (5, 2): 26, (5, 3): 20, (5, 4): 13, (5, 5): 4, (5, 6): 3,
    (6, 2): 20, (6, 3): 14, (6, 4): 8, (6, 5): 2, (6, 6): 3,
}  # fmt: skip

# Chance of each kind on a board of 4 cells, and on one of 24 or more.
KIND_CHANCES = {
    "square": (0.62, 0.95),
    "star": (0.22, 0.8),
    "triangle": (0.35, 0.72),
    "poly": (0.45, 0.9),
}
YLOP_CHANCE, YLOP_AREA = 0.16, 8  # beside polys, on boards of so many cells
NO_SYMBOL_CHANCE = 0.02
# Number of symbols: 1 + Poisson(one of the factors * (first + second * area)).
SYMBOLS_BY_AREA, SPREAD = (1.1, 0.2), (0.55, 0.85, 1.0, 1.15, 1.4)
EXTRA_WEIGHTS = {"square": 1.0, "star": 0.85, "triangle": 0.45, "poly": 1.0, "ylop": 0.1}
MOST_SHAPES = 8  # polys and ylops on a board, as published; rule checkers pay for each
# Weights of each number, which is then multiplied by (first + second * area).
DOT_COUNTS = {0: 0.42, 1: 0.22, 2: 0.16, 3: 0.115, 4: 0.045, 5: 0.025, 6: 0.008, 7: 0.007}
GAP_COUNTS = {0: 0.40, 1: 0.25, 2: 0.155, 3: 0.12, 4: 0.05, 5: 0.01, 6: 0.015}
DOTS_BY_AREA, GAPS_BY_AREA = (0.6, 0.027), (0.6, 0.032)
COLORS_BY_SYMBOLS, MOST_COLORS = 0.32, 6  # mean number beyond the first, for each symbol

END_PLACES = {"edge": 0.45, "corner": 0.28, "side": 0.27}
FAR_CHANCE = 0.4  # to draw the end twice and take the one farther from the start
DETOUR = 0.92  # chance to walk on where the line could end
LINES_BY_AREA = (3, 1 / 8)  # lines drawn, of which the longest is taken
# On boards of triangles: the chance to look, among so many more lines, for one that has all four
# sides of some cell.
CURL_CHANCE, CURL_LINES = 0.3, 8


def draw_counts(dice: Dice, rules: str, area: int, crowding: float = 1.0) -> dict[str, int]:
    """Draw how many of each kind a board of `area` cells shall hold, times `crowding`.

    `rules` is one of `MIXES`. In the mix `all` any kind may be missing, in others none.
    """
    kinds = MIXES[rules]
    if rules == "all":
        chosen, number = _draw_kinds(dice, area)
        counts = {
            "dot": dice.rounded(dice.weighted(DOT_COUNTS) * _linear(DOTS_BY_AREA, area)),
            "gap": dice.rounded(dice.weighted(GAP_COUNTS) * _linear(GAPS_BY_AREA, area)),
        }
        most = round(0.6 * area)
    else:
        chosen = [kind for kind in kinds if kind not in ("dot", "gap")]
        number = len(chosen) + dice.poisson(0.2 + 0.27 * area)
        mean = area / 4 if len(kinds) == 1 else 1.5
        counts = {kind: 1 + dice.poisson(mean) for kind in ("dot", "gap") if kind in kinds}
        most = round(0.9 * area)
    counts = {kind: round(count * crowding) for kind, count in counts.items()}
    counts |= dict.fromkeys(chosen, 1)
    number = min(max(number, min(round(number * crowding), most)), area)
    weights = {kind: EXTRA_WEIGHTS[kind] for kind in chosen}
    for _ in range(number - len(chosen) if chosen else 0):
        counts[dice.weighted(weights)] += 1
    if "ylop" in counts:
        counts["ylop"] = min(counts["ylop"], MOST_SHAPES // 2)
    if "poly" in counts:
        counts["poly"] = min(counts["poly"], MOST_SHAPES - counts.get("ylop", 0))
    return counts


def _draw_kinds(dice: Dice, area: int) -> tuple[list[str], int]:
    """Draw the kinds of symbol of a board in the mix `all`, and the number of symbols."""
    if dice.chance(NO_SYMBOL_CHANCE):
        return [], 0
    number = 1 + dice.poisson(dice.pick(SPREAD) * _linear(SYMBOLS_BY_AREA, area))
    share = min(1.0, max(0.0, (area - 4) / 20))
    chances = {kind: low + share * (high - low) for kind, (low, high) in KIND_CHANCES.items()}
    chosen = [kind for kind, chance in chances.items() if dice.chance(chance)]
    chosen = dice.shuffled(chosen or KIND_CHANCES)[: min(number, len(chosen) or 1)]
    has_room = area >= YLOP_AREA and number > len(chosen)
    if "poly" in chosen and has_room and dice.chance(YLOP_CHANCE):
        chosen.append("ylop")
    return chosen, number


def draw_board(dice: Dice, size: Point, counts: Mapping[str, int]) -> Board | None:
    """Draw a line and put the symbols round it; None if one found no room."""
    width, height = size
    start, end = draw_ends(dice, width, height)
    if start == end:
        return None
    count = {kind: counts.get(kind, 0) for kind in KINDS}
    path = draw_line(dice, size, start, end, curled=bool(count["triangle"]))
    number = sum(count.values()) - count["dot"] - count["gap"]
    colors = min(1 + dice.poisson(COLORS_BY_SYMBOLS * number), MOST_COLORS)
    draft = new_draft(width, height, path, draw_palette(dice, colors))
    placed = (
        place_ylops(draft, dice, count["poly"], count["ylop"])
        if count["ylop"]
        else place_polys(draft, dice, count["poly"])
    )
    placed = (
        placed
        and place_triangles(draft, dice, count["triangle"])
        and place_squares(draft, dice, count["square"])
        and place_stars(draft, dice, count["star"])
        and place_dots(draft, dice, count["dot"])
        and place_gaps(draft, dice, count["gap"])
    )
    return draft.board() if placed else None


def draw_line(dice: Dice, size: Point, start: Point, end: Point, curled: bool) -> list[Point]:
    """Draw a long line; if `curled`, now and then one that has all four sides of some cell.

    Only a line that begins or ends on an edge can run round a cell.
    """

    def lines(number: int) -> list[list[Point]]:
        return [random_path(dice, *size, start, end, DETOUR) for _ in range(number)]

    drawn = lines(int(_linear(LINES_BY_AREA, size[0] * size[1])))
    if curled and (sum(start) % 2 or sum(end) % 2) and dice.chance(CURL_CHANCE):
        drawn = [line for line in drawn + lines(CURL_LINES) if surrounds_cell(line)] or drawn
    return max(drawn, key=len)


def draw_ends(dice: Dice, width: int, height: int) -> tuple[Point, Point]:
    """Draw a start and an end; they may be equal."""
    start, end = (draw_end(dice, width, height) for _ in range(2))
    if dice.chance(FAR_CHANCE):
        other = draw_end(dice, width, height)
        end = max(end, other, key=lambda p: abs(p[0] - start[0]) + abs(p[1] - start[1]))
    return start, end


def draw_end(dice: Dice, width: int, height: int) -> Point:
    """Draw a start or an end on the border: a corner, another node or an edge midpoint."""
    place = dice.weighted(END_PLACES)
    right, bottom = 2 * width, 2 * height
    parity = 1 if place == "edge" else 0
    inner = [(x, y) for x in range(2 - parity, right, 2) for y in (0, bottom)]
    inner += [(x, y) for y in range(2 - parity, bottom, 2) for x in (0, right)]
    corners = [(x, y) for x in (0, right) for y in (0, bottom)]
    return dice.pick(corners if place == "corner" or not inner else inner)


def _linear(line: Sequence[float], area: int) -> float:
    return line[0] + line[1] * area

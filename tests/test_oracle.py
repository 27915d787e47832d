"""The oracle itself: drawn boards that pass or fail for one reason, and the published puzzles."""

import itertools
import json
import random
from collections import Counter
from pathlib import Path

import pytest
from boards import (
    COLORS,
    KINDS,
    describe,
    draw,
    free_neighbours,
    mutate_path,
    perturb_record,
    random_path,
    random_record,
    recolor,
    solvable_record,
    transform,
    transform_path,
    with_solutions,
)
from oracle import (
    MOVES,
    RULES,
    check,
    check_board,
    difficulty,
    placements,
    read_board,
    shapes_fit,
    solve,
    stored_solutions,
)
from oracle_env import SpatialGymOracle

PUBLISHED = Path(__file__).parents[1] / "../shared/data/sparc/test.jsonl"


@pytest.fixture(scope="module")
def puzzles():
    if not PUBLISHED.exists():
        pytest.skip("the published puzzles (../shared/data/sparc/test.jsonl) are not here")
    with PUBLISHED.open() as lines:
        return [json.loads(line) for line in lines]


def walk(start, moves):
    """The path from ``start`` by r, u, l, d; a capital letter makes two steps, node to node."""
    path = [start]
    for letter in moves:
        dx, dy = MOVES["ruld".index(letter.lower())]
        for _ in range(2 if letter.isupper() else 1):
            path.append((path[-1][0] + dx, path[-1][1] + dy))
    return path


def broken(record, path):
    """The rules a path breaks, each with its points; {} when it solves the puzzle."""
    verdict = check(record, path)
    assert verdict["solved"] == all(verdict[rule] for rule in RULES)
    assert all(verdict[rule] == (not verdict["broken"][rule]) for rule in RULES)
    return {rule: points for rule, points in verdict["broken"].items() if points}


def shape(*rows):
    """A 4x4 matrix from rows of # and other marks."""
    return [[int(x < len(row) and row[x] == "#") for x in range(4)] for row in (*rows, "", "", "")][
        :4
    ]


EMPTY = draw("""
    S + + + +
    + N + N +
    + + + + +
    + N + N +
    + + + + E
""")
ROUND = walk((0, 0), "RRDD")  # along the border: one region
ACROSS = walk((0, 0), "DRRD")  # along the middle row: two cells above, two below


# ------------------------------------------------------------------------------ the line itself


@pytest.mark.parametrize("moves", ["RRDD", "DDRR", "RDRD", "DRURDD"])
def test_any_line_solves_an_empty_board(moves):
    assert broken(EMPTY, walk((0, 0), moves)) == {}


@pytest.mark.parametrize(
    ("path", "points"),
    [
        ([], [(0, 0)]),
        ([(0, 0)], [(0, 0)]),
        ([(4, 4)], [(4, 4)]),
        (ROUND[:-1], [(4, 3)]),
        (ROUND[1:], [(1, 0)]),
        (ROUND[::-1], [(0, 0), (4, 4)]),
        (ROUND[:3] + ROUND[4:], [(2, 0), (4, 0)]),
    ],
)
def test_reaches_the_target(path, points):
    assert broken(EMPTY, path) == {"reached_target": points}


def test_standing_still_is_no_step_and_a_crossing():
    path = [(0, 0), *ROUND]
    assert broken(EMPTY, path) == {"reached_target": [(0, 0)], "path_not_crossing": [(0, 0)]}


def test_crossing():
    path = walk((0, 0), "RDRULDDR")
    assert broken(EMPTY, path) == {"path_not_crossing": [(2, 0), (2, 1), (2, 2)]}


def test_cells_and_points_off_the_board_are_no_ground():
    assert broken(EMPTY, walk((0, 0), "rdrdRD")) == {"no_gap_violations": [(1, 1)]}
    assert broken(EMPTY, walk((0, 0), "urdrRDD")) == {"no_gap_violations": [(0, -1), (1, -1)]}


def test_gap():
    record = draw("""
        S G + + +
        + N + N +
        + + + + +
        + N + N +
        + + + + E
    """)
    assert broken(record, ROUND) == {"no_gap_violations": [(1, 0)]}
    assert broken(record, walk((0, 0), "DDRR")) == {}


# --------------------------------------------------------------------------------- line symbols


def test_dots_on_nodes_and_edges():
    record = draw("""
        S . + + .
        + N + N +
        + + + + +
        + N + N +
        + + + + E
    """)
    assert broken(record, ROUND) == {}
    assert broken(record, walk((0, 0), "RDRD")) == {"all_dots_collected": [(4, 0)]}


def test_dots_under_start_and_end_stand_in_the_text():
    tokens = EMPTY["puzzle_array"]
    record = {**EMPTY, "text_visualization": describe(tokens, {(0, 0), (4, 4)})}
    assert broken(record, ROUND) == {}
    assert broken(record, ROUND[:-1]) == {
        "reached_target": [(4, 3)],
        "all_dots_collected": [(4, 4)],
    }
    assert read_board({**EMPTY, "text_visualization": None}).dots == frozenset()


def test_triangles_count_border_sides():
    record = draw("""
        S + + + +
        + A-R + B-R +
        + + + + +
        + N + N +
        + + + + E
    """)
    assert broken(record, ROUND) == {}
    assert broken(record, ACROSS) == {"triangles_edge_count": [(1, 1), (3, 1)]}


@pytest.mark.parametrize(("token", "sides"), [("A-R", 1), ("B-R", 2), ("C-R", 3), ("D-R", 4)])
def test_triangles_count_a_side_with_start_or_end(token, sides):
    record = draw(f"""
        + S +
        + {token} +
        + E +
    """)
    long_way = walk((1, 0), "rDl")
    assert broken(record, long_way) == ({} if sides == 3 else {"triangles_edge_count": [(1, 1)]})


# -------------------------------------------------------------------------------------- regions


def squares(first, second, third="N", fourth="N", gap="+"):
    return draw(f"""
        S + + + +
        + {first} + {second} +
        + {gap} + + +
        + {third} + {fourth} +
        + + + + E
    """)


def test_squares_of_one_region_have_one_colour():
    assert broken(squares("o-R", "o-R", "o-B", "*-B"), ACROSS) == {}
    everywhere = [(1, 1), (1, 3), (3, 1)]
    assert broken(squares("o-R", "o-R", "o-B"), ROUND) == {"square_color_separation": everywhere}
    assert broken(squares("o-R", "A-B"), ROUND)["triangles_edge_count"] == [(3, 1)]
    assert broken(squares("o-R", "B-B"), ROUND) == {}


def test_corners_do_not_connect():
    staircase = walk((0, 0), "RDDRUR")  # E below is missed; only the regions matter
    assert "square_color_separation" not in broken(squares("o-R", "N", "N", "o-B"), staircase)


def test_gaps_do_not_separate():
    record = squares("o-R", "N", "o-B", "N", gap="G")
    assert broken(record, ROUND) == {"square_color_separation": [(1, 1), (1, 3)]}


def test_stars_pair_with_any_symbol_of_their_colour():
    for partner in ("*-R", "o-R", "B-R"):
        assert broken(squares("*-R", partner), ROUND) == {}
    assert broken(squares("*-R", "o-B"), ROUND) == {"star_pairing_exact": [(1, 1)]}
    assert broken(squares("*-R", "o-R", "o-R"), ROUND) == {"star_pairing_exact": [(1, 1)]}
    assert broken(squares("*-R", "N", "*-R"), ACROSS) == {"star_pairing_exact": [(1, 1), (1, 3)]}
    assert broken(squares("*-R", "*-B", "o-R", "A-B"), ROUND) == {}


def test_stars_pair_with_polyominoes():
    record = draw(
        """
        S + + + +
        + *-R + P-R-1 +
        + + + + +
        + *-B + Y-B-2 +
        + + + + E
    """,
        {"1": shape("##", "##", "#.", "#."), "2": shape("##")},
    )
    # 6 cells do not fit the board: only the polyominoes fail.
    assert broken(record, ROUND) == {"poly_ylop_area": [(3, 1), (3, 3)]}


# ---------------------------------------------------------------------------------- polyominoes


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


# -------------------------------------------------------------------------- published puzzles


def test_every_published_solution_solves(puzzles):
    number = 0
    for puzzle in puzzles:
        board = read_board(puzzle)
        for path in stored_solutions(puzzle):
            assert check_board(board, path)["solved"], puzzle["id"]
            number += 1
    assert number == 3218


def test_solve_finds_the_published_sets(puzzles):
    small = [
        puzzle
        for puzzle in puzzles
        if puzzle["grid_size"]["width"] * puzzle["grid_size"]["height"] <= 9
    ]
    assert len(small) == 208
    for puzzle in small:
        assert solve(puzzle) == sorted(stored_solutions(puzzle)), puzzle["id"]


def test_solve_refuses_too_many_paths():
    assert len(solve(EMPTY)) == 12
    assert len(solve(EMPTY, max_paths=12)) == 12
    with pytest.raises(ValueError, match="more than 11 paths"):
        solve(EMPTY, max_paths=11)


def test_difficulty_of_published_puzzles(puzzles):
    for puzzle in puzzles:
        score, level = difficulty(puzzle)
        assert score == pytest.approx(puzzle["difficulty_score"], abs=1e-12)
        assert level == puzzle["difficulty_level"]


def test_transform_by_nothing_gives_a_published_record_back(puzzles):
    for puzzle in puzzles[:100]:
        again = transform(puzzle, 0)
        again["difficulty_score"] = puzzle["difficulty_score"]
        names = json.loads(puzzle["polyshapes"])
        if all(int(name) < 1 << 16 for name in names):
            again["polyshapes"] = puzzle["polyshapes"]
            assert json.loads(transform(puzzle, 0)["polyshapes"]) == names
            assert again == puzzle


# ------------------------------------------------------------------------ random boards, symmetry


def test_solvable_records_are_solved_and_full():
    rng = random.Random(1)
    seen = Counter()
    for _ in range(150):
        record, path = solvable_record(rng, rng.randint(1, 6), rng.randint(1, 6))
        assert check(record, path)["solved"]
        assert stored_solutions(record) == [path]
        board = read_board(record)
        seen.update({symbol.kind for symbol in board.symbols.values()})
        seen.update({"dot": bool(board.dots), "gap": bool(board.gaps)})
        seen["hidden dot"] += bool(board.dots & {board.start, board.end})
    assert all(seen[kind] >= 15 for kind in (*KINDS, "hidden dot"))


def test_records_and_paths_repeat_by_seed():
    def make(seed):
        rng = random.Random(seed)
        record = random_record(rng, 3, 3, list_solutions=True)
        other, path = solvable_record(rng, 4, 4)
        around = free_neighbours(read_board(other))
        return record, other, random_path(rng, other, True, around), mutate_path(rng, path, other)

    assert make(3) == make(3)
    assert make(3) != make(4)


def test_random_paths_are_legal():
    rng = random.Random(2)
    for number in range(200):
        record = random_record(rng, rng.randint(1, 6), rng.randint(1, 6))
        finished = number % 2 == 0
        verdict = check(record, random_path(rng, record, finished))
        assert verdict["path_not_crossing"] and verdict["no_gap_violations"]
        assert verdict["reached_target"] == finished


def test_verdicts_keep_under_symmetry_and_recolouring():
    rng = random.Random(3)
    verdicts = Counter()
    for number in range(120):
        record, path = solvable_record(rng, rng.randint(1, 4), rng.randint(1, 4))
        if number % 3 == 1:
            record = perturb_record(rng, record)
        elif number % 3 == 2:
            path = mutate_path(rng, path, record)
        verdict = check(record, path)
        verdicts.update(rule for rule in RULES if not verdict[rule])
        for k in range(8):
            turned = check(transform(record, k), transform_path(path, k, record))
            for rule in RULES:
                points = transform_path(verdict["broken"][rule], k, record)
                assert turned["broken"][rule] == sorted(points), (record["id"], k, rule)
        names = list(COLORS)
        shuffled = rng.sample(names, len(names))
        renamed = recolor(record, dict(zip(names, shuffled, strict=True)))
        assert check(renamed, path) == verdict
    assert set(verdicts) == set(RULES)


# ------------------------------------------------------------------------------ the environment


def play(record, moves, traceback=False, max_steps=100, native=False):
    """The (reward, terminated, truncated) of each of the moves r, u, l, d."""
    env = SpatialGymOracle(record, traceback, max_steps, native)
    return [env.step("ruld".index(move))[:3] for move in moves]


GOOD = (0.01, False, False)
BAD = (-0.01, False, False)
STILL = (0.0, False, False)
CORNERED = draw("""
    S + + + E
    + N + N G
    + + + + +
""")


def test_rewards_follow_the_stored_solutions():
    record = with_solutions(EMPTY, [ROUND])
    assert play(record, "rrrrdddd") == [GOOD] * 7 + [(1.0, True, False)]
    assert play(record, "ddddrrrr") == [BAD] * 7 + [(-1.0, True, False)]
    assert play(record, "uldr") == [STILL, STILL, BAD, STILL]
    assert play(record, "rlu") == [GOOD, STILL, STILL]
    assert play(record, "rldudr", traceback=True) == [GOOD, GOOD, BAD, GOOD, BAD, STILL]


def test_step_limit():
    record = with_solutions(EMPTY, [ROUND])
    assert play(record, "rrr", max_steps=3) == [GOOD, GOOD, (-1.0, False, True)]
    assert play(record, "uuu", max_steps=3) == [STILL, STILL, (-1.0, False, True)]
    assert play(record, "rrrrdddd", max_steps=8)[-1] == (1.0, True, False)
    assert play(record, "rrrrdddd", max_steps=8, native=True)[-1] == (1.0, True, True)


def test_dead_end():
    record = with_solutions(CORNERED, [])
    stuck = "rrddrr"
    assert play(record, stuck)[-1] == (-1.0, False, True)
    assert play(record, stuck, native=True)[-1] == (-1.0, True, False)
    assert play(record, stuck, traceback=True)[-1] == BAD
    assert play(record, stuck, max_steps=6, native=True)[-1] == (-1.0, True, True)


def test_legal_actions():
    env = SpatialGymOracle(EMPTY, False, 100)
    assert env.reset()["legal_actions"] == [0, 3]
    assert env.step(0)[3]["legal_actions"] == [0]  # on an edge: no way into the cells, nor back
    assert env.step(0)[3]["legal_actions"] == [0, 3]
    again = SpatialGymOracle(EMPTY, True, 100)
    assert again.step(0)[3]["legal_actions"] == [0, 2]
    assert again.step(7)[:3] == again.step(-1)[:3] == STILL


def test_reset_starts_clean_and_ended_episodes_refuse_steps():
    env = SpatialGymOracle(with_solutions(EMPTY, [ROUND]), False, 1)
    env.step(0)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)
    assert env.reset() == {
        "legal_actions": [0, 3],
        "agent_location": (0, 0),
        "path": [(0, 0)],
        "current_step": 0,
        "outcome_reward": 0.0,
    }


def test_stored_solutions_earn_one(puzzles):
    for puzzle in puzzles[:200]:
        path = stored_solutions(puzzle)[-1]
        for native in (False, True):
            env = SpatialGymOracle(puzzle, False, 2000, native)
            for here, there in itertools.pairwise(path):
                action = MOVES.index((there[0] - here[0], there[1] - here[1]))
                reward, terminated, truncated, info = env.step(action)
                assert reward == (1.0 if terminated else 0.01)
            assert terminated and not truncated and info["outcome_reward"] == 1.0

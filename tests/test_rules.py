"""Each rule on drawn boards that break it for one reason, and the batched verdicts."""

import random

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from boards import random_record, solvable_record
from building import draw
from walks import random_path

from spatialjax import check_path
from spatialjax.data.board import parse_board
from spatialjax.witness.encode import encode_board
from spatialjax.witness.judge import solved_at_end, validate
from spatialjax.witness.rules import RULES, broken_rules
from spatialjax.witness.rules.polyominoes import judge_polyominoes
from spatialjax.witness.trace import trace_line, trace_path
from spatialjax.witness.types import Pack

KEYS = [key for key, _ in RULES]
BAR = [[1, 1, 0, 0]] + [[0] * 4] * 3
DOMINO = [[1, 0, 0, 0], [1, 0, 0, 0]] + [[0] * 4] * 2
SINGLE = [[1, 0, 0, 0]] + [[0] * 4] * 3
CORNER = [[1, 1, 0, 0], [1, 0, 0, 0]] + [[0] * 4] * 2
SHAPES = {"1": SINGLE, "3": BAR, "17": DOMINO, "19": CORNER}


def line(text):
    """The path that starts at a point and goes by letters: `0,0 rrdd`."""
    start, moves = text.split()
    x, y = map(int, start.split(","))
    path = [(x, y)]
    for move in moves:
        x, y = x + {"r": 1, "l": -1}.get(move, 0), y + {"d": 1, "u": -1}.get(move, 0)
        path.append((x, y))
    return path


def broken_by(picture, path):
    """The rules that a path breaks on a drawn board, with the points."""
    report = check_path(draw(picture, SHAPES), path)
    assert report.solved == (not any(report.broken.values()))
    assert {key: not points for key, points in report.broken.items()} == report.rules
    return {key: points for key, points in report.broken.items() if points}


def board(tokens, edges=("+ + + + +",) * 3):
    """Two by two cells with the start at the top left, the end at the bottom right."""
    rows = [edges[0].split(), [], edges[1].split(), [], edges[2].split()]
    for row, cells in zip((1, 3), tokens.split("/"), strict=True):
        left, right = cells.split()
        rows[row] = ["+", left, "+", right, "+"]
    rows[0][0], rows[4][4] = "S", "E"
    return "\n".join(" ".join(row) for row in rows)


AROUND = line("0,0 rrrrdddd")  # along the border: one region
DOWN = line("0,0 rrddddrr")  # left and right column apart
EMPTY = board("N N/N N")


@pytest.mark.parametrize(
    "path, broken",
    [
        (AROUND, {}),
        ([], {"reached_target": [(0, 0)]}),
        (AROUND[:-1], {"reached_target": [(4, 3)]}),
        (AROUND[1:], {"reached_target": [(1, 0)]}),
        (AROUND[::-1], {"reached_target": [(0, 0), (4, 4)]}),
        (AROUND[:3] + AROUND[4:], {"reached_target": [(2, 0), (4, 0)]}),
        (line("0,0 rlrrrrdddd"), {"path_not_crossing": [(0, 0), (1, 0)]}),
        (line("0,0 rddrrrdd"), {"no_gap_violations": [(1, 1)]}),
        (
            [(0, 0), (0, -1), *AROUND],
            {"no_gap_violations": [(0, -1)], "path_not_crossing": [(0, 0)]},
        ),
        (
            [(9, 9), (9, 9)],
            {
                "reached_target": [(9, 9)],
                "path_not_crossing": [(9, 9)],
                "no_gap_violations": [(9, 9)],
            },
        ),
        (
            [*AROUND, (10**30, 4), (5, 4)],
            {
                "reached_target": [(4, 4), (5, 4), (10**30, 4)],
                "no_gap_violations": [(5, 4), (10**30, 4)],
            },
        ),
    ],
)
def test_line_itself(path, broken):
    assert broken_by(EMPTY, path) == broken


def test_gap_blocks_the_line():
    picture = board("N N/N N", ("+ + + G +", "+ + + + +", "+ + + + +"))
    assert broken_by(picture, AROUND) == {"no_gap_violations": [(3, 0)]}


def test_gap_does_not_separate():
    picture = board("o-R N/o-B N", ("+ + + + +", "+ G + + +", "+ + + + +"))
    assert broken_by(picture, DOWN) == {"square_color_separation": [(1, 1), (1, 3)]}


def test_dots():
    picture = board("N N/N N", (". + . + +", ". + + + +", "+ + + . +"))
    assert broken_by(picture, AROUND) == {"all_dots_collected": [(0, 2), (3, 4)]}
    assert broken_by(picture, DOWN) == {"all_dots_collected": [(0, 2)]}


@pytest.mark.parametrize(
    "tokens, path, broken",
    [
        ("o-R o-B/o-R N", DOWN, []),
        ("o-R o-B/o-R N", AROUND, [(1, 1), (1, 3), (3, 1)]),
        ("o-R *-B/*-B N", AROUND, []),
    ],
)
def test_squares(tokens, path, broken):
    found = broken_by(board(tokens), path)
    assert found == ({"square_color_separation": broken} if broken else {})


@pytest.mark.parametrize(
    "tokens, path, broken",
    [
        ("*-R N/*-R N", DOWN, []),
        ("*-R *-R/N N", DOWN, [(1, 1), (3, 1)]),
        ("*-R o-R/*-R N", AROUND, [(1, 1), (1, 3)]),
        ("*-R o-R/N N", DOWN, [(1, 1)]),
    ],
)
def test_stars(tokens, path, broken):
    found = broken_by(board(tokens), path)
    assert found == ({"star_pairing_exact": broken} if broken else {})


def test_star_pairs_with_any_kind():
    for other in ("o-R", "*-R"):
        assert not broken_by(board(f"*-R N/{other} N"), DOWN)
    assert not broken_by(board("*-R N/A-R N"), DOWN)
    assert not broken_by(board("*-R N/P-R-17 N"), DOWN)


def test_triangles_count_border_start_and_end():
    # The side midpoints of the left column: top and right of the upper cell, right of the lower.
    assert not broken_by(board("B-R N/A-R N"), DOWN)
    assert broken_by(board("A-R N/B-R N"), DOWN) == {"triangles_edge_count": [(1, 1), (1, 3)]}
    edge_ends = "+ S + + +\n+ B-R + N +\n+ + + + +\n+ N + B-R E\n+ + + + +"
    assert not broken_by(edge_ends, line("1,0 rddrrd"))


@pytest.mark.parametrize(
    "tokens, path, is_broken",
    [
        ("P-R-17 N/N N", DOWN, False),
        ("P-R-3 N/N N", DOWN, True),  # the right area, but it does not fit
        ("P-R-1 N/N N", DOWN, True),  # the wrong area
        ("P-R-1 N/P-R-1 N", DOWN, False),
        ("P-R-19 P-R-1/N N", AROUND, False),
        ("P-R-3 P-R-17/N N", AROUND, True),
        ("P-R-3 P-R-3/N N", AROUND, False),
        ("Y-R-1 N/N N", DOWN, True),  # a ylop alone
        ("P-R-1 N/Y-B-1 N", DOWN, False),  # cancels to nothing
        ("P-R-3 N/Y-B-17 N", DOWN, True),  # the same area, but it does not cancel
        ("P-R-19 N/Y-R-1 N", DOWN, False),  # the ylop lies in the other region
        ("P-R-17 Y-R-1/N P-R-17", DOWN, True),
    ],
)
def test_polyominoes(tokens, path, is_broken):
    found = broken_by(board(tokens), path)
    assert list(found) == (["poly_ylop_area"] if is_broken else [])


def test_no_poly_across_a_line_that_ends_inside_its_region():
    # The line runs between the two upper cells and ends in the middle.
    ends_inside = "S + + + +\n+ {} + N +\n+ + E + +\n+ N + N +\n+ + + + +"
    path = line("0,0 rrdd")
    assert not broken_by(ends_inside.format("N"), path)
    square = {"1": [[1, 1, 0, 0], [1, 1, 0, 0]] + [[0] * 4] * 2, "2": SINGLE}
    record = draw(ends_inside.format("P-R-1"), square)
    assert check_path(record, path).broken["poly_ylop_area"] == [(1, 1)]
    # Two pieces, one on either side, may lie there.
    assert not broken_by("S + + + +\n+ P-R-17 + P-R-17 +\n+ + E + +\n+ N + N +\n+ + + + +", path)


def lanes(count, seed=0, side=4):
    """Puzzles of mixed sizes stacked to one capacity, and finished and unfinished lines."""
    rng = random.Random(seed)
    puzzles, paths = [], []
    for number in range(count):
        size = rng.randint(1, side), rng.randint(1, side)
        if number % 2:
            record, path = solvable_record(rng, *size, interior=0.0)
        else:
            record = random_record(rng, *size, interior=0.0)
            path = random_path(rng, record, number % 4 == 0)
        puzzles.append(encode_board(parse_board(record), side, side, 8))
        paths.append(path)
    points = np.zeros((count, 81, 2), np.int32)
    for row, path in enumerate(paths):
        points[row, : len(path)] = [(y, x) for x, y in path]
    stacked = jax.tree.map(lambda *fields: jnp.stack(fields), *puzzles)
    return stacked, jnp.array(points), jnp.array([len(path) for path in paths])


def rules_of_path(puzzle, points, length):
    return broken_rules(puzzle, trace_path(puzzle, points, length))


def test_plain_jit_and_vmap_agree_and_lanes_are_independent():
    args = lanes(24)
    broken, undecided = jax.jit(jax.vmap(rules_of_path))(*args)
    assert broken.shape == (24, len(RULES), 9, 9)
    assert not undecided.any()
    one = jax.jit(rules_of_path)
    for row in range(0, 24, 5):
        alone, _ = one(*jax.tree.map(lambda x, row=row: x[row], args))
        np.testing.assert_array_equal(alone, broken[row])
    order = np.random.default_rng(0).permutation(24)
    mixed, _ = jax.jit(jax.vmap(rules_of_path))(*jax.tree.map(lambda x: x[order], args))
    np.testing.assert_array_equal(mixed, broken[order])


def test_one_compilation_serves_every_puzzle():
    counted = jax.jit(chex.assert_max_traces(rules_of_path, n=1))
    args = lanes(4)
    for row in range(4):
        counted(*jax.tree.map(lambda x, row=row: x[row], args))


def test_verdicts_of_the_environment_agree_with_the_rules():
    puzzles, points, length = lanes(64, seed=1)
    broken, _ = jax.jit(jax.vmap(rules_of_path))(puzzles, points, length)
    rules = ~broken.any((2, 3))

    flat = np.asarray(points[..., 0] * 9 + points[..., 1])
    visited = np.zeros((64, 3), np.uint32)
    for row in range(64):
        for index in flat[row, : length[row]]:
            visited[row, index // 32] |= np.uint32(1 << (index % 32))
    position = jnp.array(flat[np.arange(64), length - 1])
    pack = Pack(puzzles=puzzles, trie=None, base_observation=None)
    rows, visited = jnp.arange(64), jnp.array(visited)

    kept, undecided = jax.jit(jax.vmap(validate, (None, 0, 0, 0)))(pack, rows, visited, position)
    np.testing.assert_array_equal(kept, rules)
    assert not undecided.any()

    trace = jax.jit(jax.vmap(trace_line))(puzzles, visited, position)
    plain = jax.jit(jax.vmap(trace_path))(puzzles, points, length)
    chex.assert_trees_all_equal(trace, plain)

    judge = jax.jit(jax.vmap(solved_at_end, (None, 0, 0, 0, 0)))
    at_end = position == puzzles.end
    solved, undecided = judge(pack, rows, visited, position, at_end)
    np.testing.assert_array_equal(solved, rules.all(1))
    assert 20 < solved.sum() < 60
    none, _ = judge(pack, rows, visited, position, jnp.zeros(64, bool))
    assert not none.any() and not undecided.any()


def test_search_that_runs_out_of_steps_says_so(monkeypatch):
    monkeypatch.setattr("spatialjax.witness.rules.polyominoes.MAX_STEPS", 2)
    record = draw(board("P-R-19 P-R-1/N N"), SHAPES)
    puzzle = encode_board(parse_board(record), 2, 2, 8)
    points = jnp.array([(y, x) for x, y in AROUND])
    trace = trace_path(puzzle, points, jnp.int32(len(AROUND)))
    broken, undecided = judge_polyominoes(puzzle, trace)
    assert undecided
    assert broken.sum() == 2
    monkeypatch.setattr("spatialjax.witness.rules.polyominoes.MAX_STEPS", 1000)
    broken, undecided = judge_polyominoes(puzzle, trace)
    assert not undecided and not broken.any()

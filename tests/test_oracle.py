"""The oracle: drawn boards that pass or fail for one reason."""

import pytest
from building import describe, draw
from drawn import ACROSS, EMPTY, ROUND, broken, shape, walk
from oracle import read_board, solve

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


def test_solve_refuses_too_many_paths():
    assert len(solve(EMPTY)) == 12
    assert len(solve(EMPTY, max_paths=12)) == 12
    with pytest.raises(ValueError, match="more than 11 paths"):
        solve(EMPTY, max_paths=11)

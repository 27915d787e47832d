"""The rules of a line puzzle: each one a function from a line to the points it finds broken."""

import jax.numpy as jnp
from jaxtyping import Array, Bool

from spatialjax.witness.rules.dots import broken_dots
from spatialjax.witness.rules.path import broken_crossing, broken_gaps, broken_target
from spatialjax.witness.rules.polyominoes import broken_polyominoes, judge_polyominoes
from spatialjax.witness.rules.squares import broken_squares
from spatialjax.witness.rules.stars import broken_stars
from spatialjax.witness.rules.triangles import broken_triangles
from spatialjax.witness.trace import Trace
from spatialjax.witness.types import Puzzle

RULES = (
    ("reached_target", broken_target),
    ("path_not_crossing", broken_crossing),
    ("no_gap_violations", broken_gaps),
    ("all_dots_collected", broken_dots),
    ("square_color_separation", broken_squares),
    ("star_pairing_exact", broken_stars),
    ("triangles_edge_count", broken_triangles),
    ("poly_ylop_area", broken_polyominoes),
)
"""Report key and function of every rule; their order is that of every axis `R`."""


def broken_rules(puzzle: Puzzle, trace: Trace) -> tuple[Bool[Array, "R H W"], Bool[Array, ""]]:
    """Return the points each rule finds broken, and whether the polyomino search gave up.

    The line solves the puzzle when it has no broken point and `trace.off_board` is false. Where
    undecided is true, the last row counts the undecided regions as broken, and they may not be.
    """
    others = [rule(puzzle, trace) for _, rule in RULES if rule is not broken_polyominoes]
    polyominoes, undecided = judge_polyominoes(puzzle, trace)
    return jnp.stack([*others, polyominoes]), undecided

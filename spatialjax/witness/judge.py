"""The verdict on lines that the environment built itself: legal, simple, from the start."""

import jax.numpy as jnp
from jax import tree
from jaxtyping import Array, Bool, Int32, UInt32

from spatialjax.core.compaction import compacted
from spatialjax.witness.rules import (
    broken_dots,
    broken_rules,
    broken_squares,
    broken_stars,
    broken_triangles,
    judge_polyominoes,
)
from spatialjax.witness.trace import trace_line
from spatialjax.witness.types import Pack

_LANES = 256
"""Lanes of a batch judged side by side: about as many as end in one step of 4096 lanes."""


def solved_at_end(
    pack: Pack,
    puzzle_index: Int32[Array, ""],
    visited: UInt32[Array, " V"],
    position: Int32[Array, ""],
    at_end: Bool[Array, ""],
) -> tuple[Bool[Array, ""], Bool[Array, ""]]:
    """Return whether the line is at the end and solves the puzzle, and whether that is undecided.

    A legal line keeps the first three rules exactly when it has reached the end. Under `vmap` only
    the lanes at the end cost anything, and of these only the ones that keep all other rules search
    for a fit of the polyominoes. An undecided line does not count as solved.
    """
    return compacted(_judge, _LANES)(at_end, pack.puzzles, puzzle_index, visited, position)


def _judge(puzzles, puzzle_index, visited, position):
    puzzle = tree.map(lambda field: field[puzzle_index], puzzles)
    trace = trace_line(puzzle, visited, position)
    is_broken = jnp.zeros((), bool)
    for rule in (broken_dots, broken_squares, broken_stars, broken_triangles):
        is_broken |= jnp.any(rule(puzzle, trace))
    broken, undecided = judge_polyominoes(puzzle, trace, ~is_broken)
    return ~is_broken & ~jnp.any(broken), undecided


def validate(
    pack: Pack,
    puzzle_index: Int32[Array, ""],
    visited: UInt32[Array, " V"],
    position: Int32[Array, ""],
) -> tuple[Bool[Array, " R"], Bool[Array, ""]]:
    """Return which rules a legal line keeps, in the order of `RULES`, and whether the last is
    undecided; then it does not count as kept.
    """
    puzzle = tree.map(lambda field: field[puzzle_index], pack.puzzles)
    broken, undecided = broken_rules(puzzle, trace_line(puzzle, visited, position))
    return ~jnp.any(broken, axis=(1, 2)), undecided

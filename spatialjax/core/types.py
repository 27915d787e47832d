"""Values every puzzle family shares.

Axis letters used in array types throughout: `N` puzzles, `B` batch, `T` time, `H W` lattice rows
and columns, `h w` cell rows and columns, `A` actions, `R` rules, `S` shapes, `V` words of a bit
set.
"""

from typing import Any

from jaxtyping import Array, Bool, Int32, UInt32

from spatialjax.core.pytree import pytree


@pytree
class Verdict:
    """How one state stands.

    `finished` ends the episode. `solved`: the puzzle is solved. `undecided`: a bounded search gave
    up, so that `solved` is false without proof; `info` passes it on.
    """

    finished: Bool[Array, ""]
    solved: Bool[Array, ""]
    undecided: Bool[Array, ""]


@pytree
class Outcome:
    """What a step came to, for reward functions.

    `moved`: the action was legal. `terminated`, `truncated`: how the episode stands after the step.
    """

    moved: Bool[Array, ""]
    solved: Bool[Array, ""]
    terminated: Bool[Array, ""]
    truncated: Bool[Array, ""]


@pytree
class Episode:
    """One running episode: a puzzle's state and the counters that the base class keeps.

    `state` is the family's own pytree; its field `puzzle_index` is the row of the pack.
    `stream` is the lane's own random word, drawn from the key at `reset` and advanced by each
    auto-reset, so that a whole batch may share the key it passes to `step`.
    """

    state: Any
    steps: Int32[Array, ""]
    invalid_actions: Int32[Array, ""]
    terminated: Bool[Array, ""]
    truncated: Bool[Array, ""]
    stream: UInt32[Array, ""]

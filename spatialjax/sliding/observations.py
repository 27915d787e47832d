"""What an agent sees of a sliding puzzle: arrays of its geoms, planes of its cells, or nothing.

`array` is a dict, `G` slots of geoms:

| name | holds |
|---|---|
| `positions`, `goals` | `int8[G]`, cell `x + N * y` of each geom, -1 in unused slots |
| `shape`, `color` | `int8[G]`, codes of `types.SHAPES` (or `TILE`) and `types.COLORS`, else -1 |
| `mask` | `bool[G]`, whether the slot is used |
| `size` | `int32[]`, cells along the side of the board |
| `steps` | `int32[]`, steps of the episode so far |

`planes` is `uint8[N, N, 7]`, indexed `[y, x, channel]`, so that row 0 is the bottom one:

| channel | holds |
|---|---|
| 0 `BOARD` | 1 on every cell of the board, 0 in the padding |
| 1 `SLOT`, 2 `GOAL_SLOT` | 1 + slot of the geom that is here, or whose goal is; 0 for none |
| 3 `SHAPE`, 4 `GOAL_SHAPE` | 1 + code of that geom's shape |
| 5 `COLOR`, 6 `GOAL_COLOR` | 1 + code of its colour |

The slot is what an action names. `none` is an empty `uint8[0]`.
"""

import enum
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Int8, UInt8

from spatialjax.core.spaces import Box, Dict, Space
from spatialjax.core.types import Episode
from spatialjax.sliding.types import COLORS, TILE, Pack

OBSERVATIONS = ("array", "planes", "none")


class Channel(enum.IntEnum):
    """Channels of the planes."""

    BOARD = 0
    SLOT = 1
    GOAL_SLOT = 2
    SHAPE = 3
    GOAL_SHAPE = 4
    COLOR = 5
    GOAL_COLOR = 6


def space(form: str, side: int, num_geoms: int, max_steps: int) -> Space:
    """Return the space of an observation form over a board of `side` x `side` cells."""
    if form == "planes":
        return Box(0, 255, (side, side, len(Channel)), jnp.uint8)
    if form == "none":
        return Box(0, 255, (0,), jnp.uint8)
    slots = (num_geoms,)
    return Dict(
        {
            "positions": Box(-1, side * side - 1, slots, jnp.int8),
            "goals": Box(-1, side * side - 1, slots, jnp.int8),
            "shape": Box(-1, TILE, slots, jnp.int8),
            "color": Box(-1, len(COLORS) - 1, slots, jnp.int8),
            "mask": Box(0, 1, slots, jnp.bool_),
            "size": Box(1, side, (), jnp.int32),
            "steps": Box(0, max_steps, (), jnp.int32),
        }
    )


def observe(pack: Pack, episode: Episode, form: str) -> Any:
    """Return the observation of an episode."""
    if form == "none":
        return jnp.zeros(0, jnp.uint8)
    state, puzzles = episode.state, pack.puzzles
    goal, shape, color = (
        field[state.puzzle_index] for field in (puzzles.goal, puzzles.shape, puzzles.color)
    )
    if form == "planes":
        size = puzzles.size[state.puzzle_index]
        return _planes(pack.cells, size, state.position, goal, shape, color)
    return {
        "positions": state.position,
        "goals": goal,
        "shape": shape,
        "color": color,
        "mask": state.position >= 0,
        "size": puzzles.size[state.puzzle_index],
        "steps": episode.steps,
    }


def _planes(cells, size, position, goal, shape, color) -> UInt8[Array, "N N 7"]:
    side = cells.shape[0]
    along = jnp.arange(side, dtype=jnp.int32)
    board = (along[:, None] < size) & (along[None, :] < size)
    slot = jnp.arange(position.shape[0], dtype=jnp.int8)

    def spread(where: Int8[Array, " G"], codes: Int8[Array, " G"]) -> UInt8[Array, "N N"]:
        """Put 1 + the code of each geom on its cell."""
        here = cells[:, :, None] == where[None, None, :]
        return jnp.sum(jnp.where(here, codes + 1, 0), axis=-1, dtype=jnp.uint8)

    planes = {Channel.BOARD: board.astype(jnp.uint8)}
    for codes, active, wanted in (
        (slot, Channel.SLOT, Channel.GOAL_SLOT),
        (shape, Channel.SHAPE, Channel.GOAL_SHAPE),
        (color, Channel.COLOR, Channel.GOAL_COLOR),
    ):
        planes[active], planes[wanted] = spread(position, codes), spread(goal, codes)
    return jnp.stack([planes[channel] for channel in Channel], axis=-1)

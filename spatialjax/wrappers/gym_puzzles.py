"""Puzzles as the Gymnasium adapters play them: environment, arrays, ids and pictures together."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import jax
import numpy as np

import spatialjax
from spatialjax.core.environment import Environment
from spatialjax.core.options import require_one_of
from spatialjax.core.spaces import Box, Dict, Space
from spatialjax.data.board import board_fields
from spatialjax.sliding import render as sliding_render
from spatialjax.sliding import sources as sliding_sources
from spatialjax.sliding.encode import decode_board as decode_sliding_board
from spatialjax.witness import render as witness_render
from spatialjax.witness import sources as witness_sources
from spatialjax.witness.dynamics import lattice_shape
from spatialjax.witness.encode import decode_board, decode_line
from spatialjax.witness.observations import OBSERVATIONS, Channel
from spatialjax.witness.types import NUM_COLORS, NUM_KINDS
from spatialjax.wrappers.gym_spaces import to_observation, to_space

RENDER_MODES = ("rgb_array", "ansi")

_HIGHEST = {
    Channel.KIND: NUM_KINDS,
    Channel.COLOR: NUM_COLORS,
    Channel.COUNT: 4,
    Channel.SHAPE_TOP: 255,
    Channel.SHAPE_BOTTOM: 255,
}
"""The highest value of each plane of a line puzzle; 1 where none is named."""


@dataclass(frozen=True)
class GymPuzzles:
    """A set of puzzles and all that an adapter asks of it.

    Attributes:
      env, params: as `spatialjax.make` returns them.
      ids: of the puzzles, in the order of `params`.
      present: from an observation of `env` to one in `observation_space`; traced.
      observation_space: Gymnasium's space of one observation.
      picture, text: from the row of a puzzle and a state, on the host, to an RGB array
        `uint8[height, width, 3]`, and to text.
    """

    env: Environment
    params: Any
    ids: tuple[str, ...]
    present: Callable[[Any], Any]
    observation_space: gymnasium.Space
    picture: Callable[[int, Any], np.ndarray]
    text: Callable[[int, Any], str]

    def index_of(self, options: dict[str, Any]) -> int:
        """Return the row of the puzzle that the options of a reset ask for, -1 if for none.

        Raises:
          ValueError: if there is no such puzzle or no such option, or both options are given.
        """
        for option in options:
            require_one_of("reset option", option, ("puzzle_id", "puzzle_index"))
        wanted = {name: value for name, value in options.items() if value is not None}
        if len(wanted) > 1:
            raise ValueError(f"the reset options are {wanted}; give one of them")
        if "puzzle_id" in wanted:
            return self._row(wanted["puzzle_id"])
        index = wanted.get("puzzle_index", -1)
        is_whole = isinstance(index, int | np.integer) and not isinstance(index, bool)
        if wanted and not (is_whole and 0 <= index < len(self.ids)):
            raise ValueError(
                f"puzzle_index is {index!r}; it must be a whole number from 0 to"
                f" {len(self.ids) - 1}"
            )
        return int(index)

    def _row(self, puzzle_id: Any) -> int:
        if puzzle_id in self.ids:
            return self.ids.index(puzzle_id)
        close = difflib.get_close_matches(str(puzzle_id), self.ids, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "it must be the id of a puzzle"
        raise ValueError(
            f"puzzle_id is {puzzle_id!r}, which none of the {len(self.ids)} puzzles has; {hint}"
        )

    def render(self, mode: str | None, index: int, state: Any) -> Any:
        """Return the picture or text of a state, None without a mode."""
        if mode is None:
            return None
        return self.picture(index, state) if mode == "rgb_array" else self.text(index, state)


def load_puzzles(env_id: str, options: dict[str, Any]) -> GymPuzzles:
    """Load the puzzles of an environment of `spatialjax.make`; the options are those it takes.

    Line puzzles have one more form of observation here, `"dict"`, which is the default: the planes
    by name.

    Raises:
      ValueError: as `spatialjax.make`.
    """
    return (
        _load_lines(env_id, options) if env_id == "Witness-v0" else _load_sliding(env_id, options)
    )


def _load_lines(env_id: str, options: dict[str, Any]) -> GymPuzzles:
    observation = options.get("observation", "dict")
    require_one_of("observation", observation, ("dict", *OBSERVATIONS))
    by_name = observation == "dict"
    options = options | {"observation": "planes" if by_name else observation}
    chosen, options = _split(options, ("source", "subset", "split", "revision", "capacity"))
    pack = witness_sources.load_host_pack(**chosen)
    env, params = spatialjax.make(env_id, source=pack, **options)
    space = _named_space(lattice_shape(params)) if by_name else env.observation_space(params)

    def scene(index: int, state: Any) -> tuple[dict[str, Any], list[tuple[int, int]]]:
        board = decode_board(jax.tree.map(lambda field: field[index], pack.puzzles))
        return board_fields(board), decode_line(board.start, state.path, int(state.length))

    return GymPuzzles(
        env=env,
        params=params,
        ids=pack.ids,
        present=_by_name if by_name else to_observation,
        observation_space=to_space(space),
        picture=lambda index, state: np.array(witness_render.render(*scene(index, state))),
        text=lambda index, state: witness_render.render_text(*scene(index, state)),
    )


def _load_sliding(env_id: str, options: dict[str, Any]) -> GymPuzzles:
    chosen, options = _split(options, ("source", "split", "capacity"))
    subset = "geoms" if env_id == "SlidingGeom-v0" else "tiles"
    pack = sliding_sources.load_host_pack(subset=subset, **chosen)
    env, params = spatialjax.make(env_id, source=pack, **options)

    def board(index: int, state: Any) -> Any:
        puzzle = jax.tree.map(lambda field: field[index], pack.puzzles)
        return decode_sliding_board(puzzle, pack.side, state.position)

    return GymPuzzles(
        env=env,
        params=params,
        ids=pack.ids,
        present=to_observation,
        observation_space=to_space(env.observation_space(params)),
        picture=lambda index, state: np.array(sliding_render.render(board(index, state))),
        text=lambda index, state: sliding_render.render_text(board(index, state)),
    )


def _split(
    options: dict[str, Any], names: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options that choose puzzles, with the defaults of `make`, and the others."""
    chosen = {name: options[name] for name in names if name in options}
    others = {name: value for name, value in options.items() if name not in names}
    return {"source": "embedded", "split": "train"} | chosen, others


def _named_space(lattice: tuple[int, ...]) -> Space:
    return Dict(
        {
            channel.name.lower(): Box(0, _HIGHEST.get(channel, 1), lattice, np.uint8)
            for channel in Channel
        }
    )


def _by_name(planes: Any) -> dict[str, Any]:
    return {channel.name.lower(): planes[..., channel] for channel in Channel}

"""A pack of sliding puzzles on the host: configs stacked into fixed shapes.

    configs -> HostPack -> params (a `sliding.types.Pack` on the device)

A `HostPack` can be saved and loaded as `.npz` without pickle, and has a content hash that results
quote.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import jax
import numpy as np

from spatialjax.data.fields import check_capacity
from spatialjax.data.npz import content_hash, load_npz, save_npz
from spatialjax.data.sliding import ID, bare_config, config_board, solution_commands
from spatialjax.errors import PuzzleError
from spatialjax.sliding.board import Board
from spatialjax.sliding.encode import decode_board, encode_board
from spatialjax.sliding.types import Pack, Puzzle

FORMAT = 1
SIDES = "the cells along the side and the number of geoms, such as (4, 11)"
Capacity = tuple[int, int]


@dataclass(frozen=True)
class HostPack:
    """Puzzles as stacked NumPy arrays.

    Attributes:
      ids: the configs' ids.
      puzzles: every field of `Puzzle` with a leading axis `N`.
      side: cells along the side of a board of full capacity.
    """

    ids: tuple[str, ...]
    puzzles: Puzzle
    side: int

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def capacity(self) -> Capacity:
        """Return the cells along the side and the number of slots for geoms."""
        return self.side, self.puzzles.start.shape[-1]

    @cached_property
    def hash(self) -> str:
        """Return a SHA-256 over ids, boards and lengths of solutions, whatever the padding."""
        return content_hash(
            (puzzle_id, _content(self.board(i)), int(self.puzzles.optimal_length[i]))
            for i, puzzle_id in enumerate(self.ids)
        )

    def board(self, index: int) -> Board:
        """Return one board, geoms on their start cells."""
        return decode_board(jax.tree.map(lambda field: field[index], self.puzzles), self.side)

    def configs(self) -> list[dict[str, Any]]:
        """Return the boards as configs, with `complexity_c1` where the length is known."""
        lengths = self.puzzles.optimal_length.tolist()
        return [
            bare_config(self.board(i), puzzle_id) | ({"complexity_c1": c1} if c1 else {})
            for i, (puzzle_id, c1) in enumerate(zip(self.ids, lengths, strict=True))
        ]

    def params(self) -> Pack:
        """Return the arrays of an environment, on the device."""
        cells = np.arange(self.side * self.side, dtype=np.int8).reshape(self.side, self.side)
        # Unlike `jnp.asarray`, which compiles a program for every shape and dtype.
        puzzles, cells = jax.device_put((self.puzzles, cells))
        return Pack(puzzles=puzzles, cells=cells)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the pack as `.npz`: whole or not at all."""
        arrays = {"ids": np.array(self.ids), "side": np.array(self.side)}
        arrays |= {f"puzzle_{f.name}": getattr(self.puzzles, f.name) for f in fields(Puzzle)}
        save_npz(path, FORMAT, arrays)


def build_pack(configs: Sequence[dict[str, Any]], capacity: Capacity | None = None) -> HostPack:
    """Stack validated configs.

    Args:
      configs: as `load_configs` returns them.
      capacity: cells along the side and number of geoms to pad to; None takes the largest of the
        configs.

    Raises:
      PuzzleError: if there is no config, or a board does not fit the capacity.
      ValueError: if the capacity is not a pair of positive integers.
    """
    if not configs:
        raise PuzzleError("a pack needs at least one puzzle, got no configs")
    boards = [config_board(config) for config in configs]
    side, num_geoms = max(board.size for board in boards), max(map(len, boards))
    if capacity is not None:
        side, num_geoms = check_capacity(capacity, SIDES)
    puzzles = []
    for config, board in zip(configs, boards, strict=True):
        try:
            puzzles.append(encode_board(board, side, num_geoms, _optimal_length(config)))
        except PuzzleError as error:
            raise PuzzleError(f"config {config[ID]!r}: {error}") from None
    return HostPack(
        ids=tuple(config[ID] for config in configs),
        puzzles=jax.tree.map(lambda *rows: np.stack(rows), *puzzles),
        side=side,
    )


def repadded(pack: HostPack, capacity: Capacity) -> HostPack:
    """Return the same boards for another capacity.

    Raises:
      PuzzleError: if a board does not fit it.
    """
    puzzles = []
    for i, puzzle_id in enumerate(pack.ids):
        try:
            puzzles.append(
                encode_board(pack.board(i), *capacity, int(pack.puzzles.optimal_length[i]))
            )
        except PuzzleError as error:
            raise PuzzleError(f"config {puzzle_id!r}: {error}") from None
    stacked = jax.tree.map(lambda *rows: np.stack(rows), *puzzles)
    return HostPack(ids=pack.ids, puzzles=stacked, side=capacity[0])


def load_pack(path: str | os.PathLike[str]) -> HostPack:
    """Read a pack that `HostPack.save` wrote.

    Raises:
      PuzzleError: if the file is missing, damaged, or not a pack of this format.
    """
    return load_npz(path, FORMAT, _from_arrays)


def _from_arrays(arrays: dict[str, np.ndarray]) -> HostPack:
    columns: dict[str, Any] = {f.name: arrays[f"puzzle_{f.name}"] for f in fields(Puzzle)}
    ids = tuple(arrays["ids"].tolist())
    return HostPack(ids=ids, puzzles=Puzzle(**columns), side=int(arrays["side"]))


def _optimal_length(config: dict[str, Any]) -> int:
    return config.get("complexity_c1", len(solution_commands(config)))


def _content(board: Board) -> tuple:
    return board.size, board.shapes, board.colors, board.positions, board.goals

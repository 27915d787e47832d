"""A pack of puzzles on the host: records stacked into fixed shapes, with their stored solutions.

    records -> HostPack -> params (a `witness.types.Pack` on the device)

A `HostPack` can be saved and loaded as `.npz` without pickle, and has a content hash that results
quote.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import jax
import numpy as np

from spatialjax.data.board import STEPS, Board, parse_board
from spatialjax.data.fields import check_capacity
from spatialjax.data.npz import content_hash, load_npz, save_npz
from spatialjax.errors import PuzzleError
from spatialjax.witness.encode import board_capacity, encode_board
from spatialjax.witness.observations import base_observations
from spatialjax.witness.pixels import DEFAULT_PIXELS
from spatialjax.witness.solutions import build_trie
from spatialjax.witness.types import Pack, Puzzle

FORMAT = 1
SIDES = "the height and width in cells, such as (6, 6)"
Capacity = tuple[int, int]


@dataclass(frozen=True, eq=False)
class HostPack:
    """Puzzles as stacked NumPy arrays.

    Attributes:
      ids: the records' ids.
      puzzles: every field of `Puzzle` with a leading axis `N`.
      solutions: for each puzzle its stored solutions as moves (0..3), sorted.
    """

    ids: tuple[str, ...]
    puzzles: Puzzle
    solutions: tuple[tuple[np.ndarray, ...], ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def capacity(self) -> tuple[int, int, int]:
        """Return the height and width in cells and the number of polyomino slots."""
        height, width = self.puzzles.kind.shape[-2:]
        return height, width, self.puzzles.shape_cell.shape[-1]

    @cached_property
    def hash(self) -> str:
        """Return a SHA-256 over ids, boards and solutions, whatever the padding."""

        def parts() -> Iterator[object]:
            for i, puzzle_id in enumerate(self.ids):
                yield puzzle_id, *_content(self.puzzles, i)
                yield [bytes(moves) for moves in self.solutions[i]]

        return content_hash(parts())

    def params(self, observation: str = "planes", pixels: int = DEFAULT_PIXELS) -> Pack:
        """Return the arrays of an environment with this form of observation, on the device.

        Raises:
          ImportError, ValueError: as `base_observations`.
        """
        # Unlike `jnp.asarray`, which compiles a program for every shape and dtype.
        puzzles, trie = jax.device_put((self.puzzles, build_trie(self.solutions)))
        return Pack(
            puzzles=puzzles,
            trie=trie,
            base_observation=base_observations(puzzles, observation, pixels),
        )

    def unsolved(self) -> list[str]:
        """Return the ids of puzzles that store no solution."""
        return [i for i, paths in zip(self.ids, self.solutions, strict=True) if not paths]

    def save(self, path: str | os.PathLike) -> None:
        """Write the pack as `.npz`: whole or not at all."""
        lengths = [len(moves) for paths in self.solutions for moves in paths]
        arrays = {
            "ids": np.array(self.ids),
            "solution_counts": np.array([len(paths) for paths in self.solutions], np.int32),
            "solution_lengths": np.array(lengths, np.int32),
            "solution_moves": _concatenate([m for paths in self.solutions for m in paths]),
        }
        arrays |= {f"puzzle_{f.name}": getattr(self.puzzles, f.name) for f in fields(Puzzle)}
        save_npz(path, FORMAT, arrays)


def build_pack(records: Sequence[dict], capacity: Capacity | None = None) -> HostPack:
    """Stack validated records.

    Args:
      records: as `load_records` returns them.
      capacity: height and width in cells to pad to; None takes the largest of the records.

    Raises:
      PuzzleError: if there is no record, or a board does not fit the capacity.
      ValueError: if the capacity is not a pair of positive integers.
    """
    if not records:
        raise PuzzleError("a pack needs at least one puzzle, got no records")
    boards = [parse_board(record) for record in records]
    height, width, num_shapes = np.max([board_capacity(b) for b in boards], axis=0).tolist()
    if capacity is not None:
        height, width = check_capacity(capacity, SIDES)
    puzzles = []
    for record, board in zip(records, boards, strict=True):
        try:
            puzzles.append(encode_board(board, height, width, num_shapes))
        except PuzzleError as error:
            raise PuzzleError(f"record {record['id']!r}: {error}") from None
    stacked = jax.tree.map(lambda *rows: np.stack(rows), *puzzles)
    solutions = tuple(_moves(record) for record in records)
    return HostPack(
        ids=tuple(record["id"] for record in records),
        puzzles=replace(
            stacked,
            level=np.array([r.get("difficulty_level") or 0 for r in records], np.int32),
            optimal_length=np.array([min(map(len, s), default=0) for s in solutions], np.int32),
        ),
        solutions=solutions,
    )


def load_pack(path: str | os.PathLike) -> HostPack:
    """Read a pack that `HostPack.save` wrote.

    Raises:
      PuzzleError: if the file is missing, damaged, or not a pack of this format.
    """
    return load_npz(path, FORMAT, _from_arrays)


def _from_arrays(arrays: dict[str, np.ndarray]) -> HostPack:
    _check_arrays(arrays)
    ends = np.cumsum(arrays["solution_lengths"])[:-1]
    paths = np.split(arrays["solution_moves"], ends) if arrays["solution_lengths"].size else []
    owners = np.split(np.arange(len(paths)), np.cumsum(arrays["solution_counts"])[:-1])
    columns: dict[str, Any] = {f.name: arrays[f"puzzle_{f.name}"] for f in fields(Puzzle)}
    return HostPack(
        ids=tuple(arrays["ids"].tolist()),
        puzzles=Puzzle(**columns),
        solutions=tuple(tuple(paths[i] for i in own) for own in owners),
    )


def _check_arrays(arrays: dict[str, np.ndarray]) -> None:
    """Raise ValueError where arrays have other shapes or dtypes than a pack, or don't match."""
    ids, counts, lengths, moves = (
        arrays[name] for name in ("ids", "solution_counts", "solution_lengths", "solution_moves")
    )
    height, width = arrays["puzzle_kind"].shape[-2:]
    slots = arrays["puzzle_shape_cell"].shape[-1]
    example = encode_board(Board(1, 1, (0, 0), (2, 2)), height, width, slots)
    wanted = {f"puzzle_{f.name}": np.asarray(getattr(example, f.name)) for f in fields(Puzzle)}
    wanted |= {"ids": np.array(""), "solution_counts": np.zeros((), np.int32)}
    for name, one in wanted.items():
        array = arrays[name]
        is_alike = array.dtype == one.dtype or array.dtype.kind == one.dtype.kind == "U"
        if not is_alike or array.shape != (len(ids), *one.shape) or not len(ids):
            raise ValueError(f"{name} is {array.dtype}{array.shape} for {len(ids)} puzzles")
    if lengths.shape != (counts.sum(),) or moves.shape != (lengths.sum(),):
        raise ValueError("the solutions are not as many as they are said to be")
    if moves.dtype != np.int8 or not np.isin(moves, np.arange(len(STEPS))).all():
        raise ValueError(f"the moves of the solutions are not all 0 to {len(STEPS) - 1}")


def _moves(record: dict) -> tuple[np.ndarray, ...]:
    """Return the stored solutions of a record as sorted move lists."""
    found = []
    action_of = {step: action for action, step in enumerate(STEPS)}
    for solution in record.get("solutions") or ():
        points = [(p["x"], p["y"]) for p in solution["path"]]
        moves = [
            action_of[x1 - x0, y1 - y0]
            for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False)
        ]
        found.append(moves)
    return tuple(np.array(moves, np.int8) for moves in sorted(found))


def _content(puzzles: Puzzle, index: int) -> tuple:
    """Return what puzzle `index` is, without its padding."""
    puzzle = jax.tree.map(lambda x: x[index], puzzles)
    height, width = int(puzzle.height), int(puzzle.width)
    rows, cols = 2 * height + 1, 2 * width + 1
    stride, cell_stride = puzzle.dot.shape[-1], puzzle.kind.shape[-1]
    used = puzzle.shape_sign != 0
    cells = [divmod(int(c), cell_stride) for c in puzzle.shape_cell[used]]
    return (
        (height, width, int(puzzle.level)),
        divmod(int(puzzle.start), stride),
        divmod(int(puzzle.end), stride),
        np.packbits(puzzle.dot[:rows, :cols]).tobytes(),
        np.packbits(puzzle.gap[:rows, :cols]).tobytes(),
        *(x[:height, :width].tobytes() for x in (puzzle.kind, puzzle.color, puzzle.count)),
        list(
            zip(
                cells,
                puzzle.shape_sign[used].tolist(),
                puzzle.shape_mask[used].tolist(),
                strict=True,
            )
        ),
    )


def _concatenate(moves: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(moves) if moves else np.zeros(0, np.int8)

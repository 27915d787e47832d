"""What Spatial-Gym shows of a line: planes (`"new"`) or text (`"SPaRC"`), and the spaces of both.

Each board has its own space, as in Spatial-Gym; `planes_space` and `text_space` hold several.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from spatialjax.data.board import SYMBOL_KINDS, Board, Point
from spatialjax.witness.encode import COLOR_CODES

KINDS = ("dot", *SYMBOL_KINDS)
HIGHEST_ID = 143_632
"""The largest number that Spatial-Gym's space allows in `additional_info`."""


class Planes:
    """The form `"new"`: arrays `[x, y]`, a plane for each kind of symbol that there is.

    | key | dtype | |
    |---|---|---|
    | `base/visited`, `base/agent_location` | int32 | 1 on the line, on its head |
    | `base/gaps` | int32 | 1 on gaps and cells |
    | `base/target_location` | int32 | 1 on the end |
    | `base/dot`, `square`, `star`, `triangle`, `poly`, `ylop` | int32 | 1 where one is |
    | `color` | int32 | a code of `witness.types.Color`, 0 for none |
    | `additional_info` | int64 | sides of a triangle, or id of a poly's or ylop's shape |

    With a `size` in lattice points, larger than the board, the arrays have that size and the planes
    of all kinds; what lies beyond the board counts as gap.
    """

    def __init__(self, board: Board, size: Point | None = None) -> None:
        shape = size or (board.columns, board.rows)
        kinds = {symbol.kind for symbol in board.symbols} | ({"dot"} if board.dots else set())
        names = ("visited", "gaps", "agent_location", "target_location")
        names += tuple(kind for kind in KINDS if size or kind in kinds)
        base = {name: np.zeros(shape, np.int32) for name in names}
        base["gaps"][1::2, 1::2] = 1
        base["gaps"][board.columns :] = 1
        base["gaps"][:, board.rows :] = 1
        base["target_location"][board.end] = 1
        for point in board.gaps:
            base["gaps"][point] = 1
        for point in board.dots:
            base["dot"][point] = 1
        color, info = np.zeros(shape, np.int32), np.zeros(shape, np.int64)
        for symbol in board.symbols:
            point = symbol.x, symbol.y
            base[symbol.kind][point] = 1
            color[point] = COLOR_CODES[symbol.color]
            info[point] = symbol.count or symbol.shape_id
        self._base, self._color, self._info = base, color, info

    def observe(self, path: Sequence[Point], has_moved: bool) -> dict[str, Any]:
        """Return the observation of a line; every array is new."""
        del has_moved
        base = {name: plane.copy() for name, plane in self._base.items()}
        xs, ys = zip(*path, strict=True)
        base["visited"][xs, ys] = 1
        base["agent_location"][path[-1]] = 1
        return {"base": base, "color": self._color.copy(), "additional_info": self._info.copy()}

    def space(self, highest_id: int = HIGHEST_ID) -> spaces.Dict:
        """Return the space of these observations, with room for shape ids up to `highest_id`."""
        shape = self._color.shape
        highest = max(highest_id, int(self._info.max()))
        base: dict[str, spaces.Space] = {
            name: spaces.Box(0, 1, shape, np.int32) for name in self._base
        }
        return spaces.Dict(
            {
                "base": spaces.Dict(base),
                "color": spaces.Box(0, 8, shape, np.int32),
                "additional_info": spaces.Box(0, highest, shape, np.int64),
            }
        )


class Text:
    """The form `"SPaRC"`: the tokens of `puzzle_array` as JSON, V on the line and L on its head.

    A line that has not moved yet is not shown.
    """

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._rows: list[list[str]] = record["puzzle_array"]

    def observe(self, path: Sequence[Point], has_moved: bool) -> str:
        """Return the observation of a line; a point that it left shows its token again."""
        rows = [row.copy() for row in self._rows]
        if has_moved:
            for x, y in path:
                rows[y][x] = "V"
            x, y = path[-1]
            rows[y][x] = "L"
        return json.dumps(rows, separators=(",", ":"))

    def space(self) -> spaces.Text:
        """Return the space of these observations."""
        return text_space([self._rows])


def planes_space(boards: Sequence[Board]) -> spaces.Dict:
    """Return the one space of `Planes` of several boards, when made with its size."""
    size = max(board.columns for board in boards), max(board.rows for board in boards)
    highest = max((s.shape_id for board in boards for s in board.symbols), default=0)
    return Planes(boards[0], size).space(max(HIGHEST_ID, highest))


def text_space(boards: Sequence[list[list[str]]]) -> spaces.Text:
    """Return the one space of `Text` of several boards, each given by its tokens."""
    texts = [json.dumps(rows, separators=(",", ":")) for rows in boards]
    charset = "".join(sorted(set("LV.").union(*texts)))
    return spaces.Text(max_length=2 * max(map(len, texts)), charset=charset)

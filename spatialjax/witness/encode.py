"""From a record's board to arrays and back; the only place where `(x, y)` becomes `[row, col]`."""

from typing import Any

import numpy as np

from spatialjax.data.board import MAX_CELLS, SHAPE_SIDE, STEPS, Board, Point, Symbol, parse_board
from spatialjax.errors import PuzzleError
from spatialjax.witness.lattice import open_directions, unpack_path
from spatialjax.witness.types import Color, Kind, Puzzle

KIND_CODES = {
    "square": Kind.SQUARE,
    "star": Kind.STAR,
    "triangle": Kind.TRIANGLE,
    "poly": Kind.POLY,
    "ylop": Kind.YLOP,
}
"""Code of `Kind` of each kind of symbol."""

COLOR_CODES = {
    "R": Color.RED,
    "B": Color.BLUE,
    "Y": Color.YELLOW,
    "G": Color.GREEN,
    "K": Color.BLACK,
    "P": Color.PURPLE,
    "O": Color.ORANGE,
    "W": Color.WHITE,
}
"""Code of `Color` of each colour letter."""


def encode_record(record: dict, capacity: tuple[int, int, int] | None = None) -> Puzzle:
    """Encode one record; see `encode_board`. Without a capacity the board's own size is taken."""
    board = parse_board(record)
    return encode_board(board, *(capacity or board_capacity(board)))


def board_capacity(board: Board) -> tuple[int, int, int]:
    """Return the smallest `(height, width, num_shapes)` that holds a board, sizes in cells."""
    return board.height, board.width, max(1, len(_shapes(board)))


def encode_board(board: Board, height: int, width: int, num_shapes: int) -> Puzzle:
    """Encode a board into NumPy arrays padded to `height` x `width` cells and `num_shapes` slots.

    Raises:
      PuzzleError: if the board is larger than the capacity, or the capacity than `MAX_CELLS`.
    """
    shapes = _shapes(board)
    _check_fits(board, height, width, num_shapes, len(shapes))
    rows, cols = 2 * height + 1, 2 * width + 1
    dot, gap = np.zeros((rows, cols), bool), np.zeros((rows, cols), bool)
    for points, plane in ((board.dots, dot), (board.gaps, gap)):
        for x, y in points:
            plane[y, x] = True
    kind, color, count = (np.zeros((height, width), np.int8) for _ in range(3))
    for symbol in board.symbols:
        cell = symbol.y // 2, symbol.x // 2
        kind[cell] = KIND_CODES[symbol.kind]
        color[cell] = COLOR_CODES[symbol.color]
        count[cell] = symbol.count
    fields: dict[str, Any] = {
        "height": np.int32(board.height),
        "width": np.int32(board.width),
        "start": np.int32(board.start[1] * cols + board.start[0]),
        "end": np.int32(board.end[1] * cols + board.end[0]),
        "open_directions": _open_directions(board, gap),
        "dot": dot,
        "gap": gap,
        "kind": kind,
        "color": color,
        "count": count,
        "level": np.int32(0),
        "optimal_length": np.int32(0),
    }
    return Puzzle(**fields, **_shape_slots(board, shapes, width, num_shapes))


def decode_board(puzzle: Puzzle) -> Board:
    """Return the board that a puzzle holds; its shapes are named after their masks."""
    height, width = int(puzzle.height), int(puzzle.width)
    dot, gap, kind, color, count = (
        np.asarray(field)
        for field in (puzzle.dot, puzzle.gap, puzzle.kind, puzzle.color, puzzle.count)
    )
    slots = zip(np.asarray(puzzle.shape_cell).tolist(), np.asarray(puzzle.shape_mask), strict=True)
    masks = {divmod(cell, kind.shape[1]): int(mask) for cell, mask in slots if cell >= 0}
    kinds = {code: name for name, code in KIND_CODES.items()}
    letters = {code: letter for letter, code in COLOR_CODES.items()}
    symbols = [
        Symbol(
            x=2 * col + 1,
            y=2 * row + 1,
            kind=kinds[int(kind[row, col])],
            color=letters[int(color[row, col])],
            count=int(count[row, col]),
            shape=_mask_cells(masks.get((row, col), 0)),
            shape_id=masks.get((row, col), 0),
        )
        for row, col in np.argwhere(kind).tolist()
    ]
    return Board(
        width,
        height,
        start=_point(int(puzzle.start), dot.shape[1]),
        end=_point(int(puzzle.end), dot.shape[1]),
        dots=frozenset((col, row) for row, col in np.argwhere(dot).tolist()),
        gaps=frozenset((col, row) for row, col in np.argwhere(gap).tolist()),
        symbols=tuple(symbols),
    )


def decode_line(start: Point, path: np.ndarray, length: int) -> list[Point]:
    """Return the points (x, y) of a line from its start and its packed moves, as in `State`."""
    points = [start]
    for action in unpack_path(path, length):
        (x, y), (dx, dy) = points[-1], STEPS[action]
        points.append((x + dx, y + dy))
    return points


def _point(index: int, columns: int) -> Point:
    row, col = divmod(index, columns)
    return col, row


def _mask_cells(mask: int) -> tuple[Point, ...]:
    """Return the filled cells (dx, dy) of a `shape_mask`, sorted."""
    bits = [bit for bit in range(SHAPE_SIDE * SHAPE_SIDE) if mask >> bit & 1]
    return tuple(sorted((bit % SHAPE_SIDE, bit // SHAPE_SIDE) for bit in bits))


def _shapes(board: Board) -> list[Symbol]:
    return [s for s in board.symbols if s.kind in ("poly", "ylop")]


def _check_fits(board: Board, height: int, width: int, num_shapes: int, shapes: int) -> None:
    if max(height, width) > MAX_CELLS:
        raise PuzzleError(
            f"capacity {width} x {height} cells is too large: at most {MAX_CELLS} x {MAX_CELLS}"
        )
    if board.height > height or board.width > width or shapes > num_shapes:
        raise PuzzleError(
            f"a board of {board.width} x {board.height} cells with {shapes} polyominoes does not "
            f"fit the capacity of {width} x {height} cells and {num_shapes} polyominoes"
        )


def _open_directions(board: Board, gap: np.ndarray) -> np.ndarray:
    """Return `open_directions` of the points the line may stand on, 0 on all others."""
    rows, cols = gap.shape
    row, col = np.mgrid[:rows, :cols]
    on_board = (row <= 2 * board.height) & (col <= 2 * board.width)
    is_cell = (row % 2 == 1) & (col % 2 == 1)
    walkable = on_board & ~is_cell & ~gap
    return np.where(walkable, open_directions(walkable), np.uint8(0))


def _shape_slots(board: Board, shapes: list[Symbol], width: int, num_shapes: int) -> dict:
    """Return the `shape_*` fields of `Puzzle`: a slot a polyomino, in the board's reading order."""
    cell = np.full(num_shapes, -1, np.int32)
    sign = np.zeros(num_shapes, np.int8)
    mask = np.zeros(num_shapes, np.uint16)
    bits = np.zeros((num_shapes, 2), np.uint32)
    extent = np.zeros((2, num_shapes), np.int32)
    for slot, symbol in enumerate(shapes):
        xs, ys = zip(*symbol.shape, strict=True)
        cell[slot] = (symbol.y // 2) * width + symbol.x // 2
        sign[slot] = 1 if symbol.kind == "poly" else -1
        extent[:, slot] = max(ys) + 1, max(xs) + 1
        fits = extent[0, slot] <= board.height and extent[1, slot] <= board.width
        for x, y in symbol.shape:
            mask[slot] |= np.uint16(1 << (4 * y + x))
            if fits:
                index = y * width + x
                bits[slot, index // 32] |= np.uint32(1 << (index % 32))
    return {
        "shape_cell": cell,
        "shape_sign": sign,
        "shape_mask": mask,
        "shape_board": bits,
        "shape_height": extent[0],
        "shape_width": extent[1],
    }

"""Boards made on the device, read back as records and paths for the plain-Python oracle."""

import numpy as np
from building import COLORS, build_record, shape_id
from oracle import MOVES

LETTERS = "RBYGKPOW"  # in the order of `Color`
TOKENS = {1: "o", 2: "*", 4: "P", 5: "Y"}  # of `Kind`; triangles differ by their count


def record_of(puzzle):
    """Return one puzzle, as NumPy arrays, as a record without solutions."""
    assert set(LETTERS) == set(COLORS)
    rows, cols = 2 * int(puzzle.height) + 1, 2 * int(puzzle.width) + 1
    stride, cell_stride = puzzle.dot.shape[1], puzzle.kind.shape[1]
    tokens = [["N" if x % 2 and y % 2 else "+" for x in range(cols)] for y in range(rows)]
    for plane, token in ((puzzle.dot, "."), (puzzle.gap, "G")):
        for y, x in np.argwhere(plane):
            tokens[y][x] = token
    for place, token in ((puzzle.start, "S"), (puzzle.end, "E")):
        y, x = divmod(int(place), stride)
        tokens[y][x] = token
    matrices = {
        int(cell): [[int(mask) >> (4 * y + x) & 1 for x in range(4)] for y in range(4)]
        for cell, mask in zip(puzzle.shape_cell, puzzle.shape_mask, strict=True)
        if cell >= 0
    }
    shapes = {shape_id(matrix): matrix for matrix in matrices.values()}
    for row, col in np.argwhere(puzzle.kind):
        kind, color = puzzle.kind[row, col], LETTERS[puzzle.color[row, col] - 1]
        letter = "ABCD"[puzzle.count[row, col] - 1] if kind == 3 else TOKENS[kind]
        parts = [letter, color]
        if kind > 3:
            parts.append(shape_id(matrices[row * cell_stride + col]))
        tokens[2 * row + 1][2 * col + 1] = "-".join(parts)
    return build_record(tokens, shapes)


def path_of(puzzle, moves):
    """Return the points (x, y) of a line from the start, given as moves padded with -1."""
    y, x = divmod(int(puzzle.start), puzzle.dot.shape[1])
    return walk((x, y), moves)


def walk(start, moves):
    """Return the points (x, y) of moves padded with -1, the start among them."""
    path = [start]
    for move in moves[moves >= 0]:
        path.append((path[-1][0] + MOVES[move][0], path[-1][1] + MOVES[move][1]))
    return path

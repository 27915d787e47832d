"""The eight symmetries of the square, and recolouring, on line-puzzle records and paths."""

import json
from collections.abc import Iterable, Mapping

from building import Matrix, build_record, hidden_dots_of, shape_id
from oracle import Path, Point, Record, stored_solutions


def transform_point(point: Point, k: int, columns: int, rows: int) -> Point:
    """Symmetry ``k`` (0 to 7) of the square: 1 mirrors x, 2 mirrors y, then 4 swaps x and y."""
    x, y = point
    if k & 1:
        x = columns - 1 - x
    if k & 2:
        y = rows - 1 - y
    return (y, x) if k & 4 else (x, y)


def transform_path(path: Iterable[Point], k: int, record: Record) -> Path:
    """A path over ``record``, on the board that ``transform(record, k)`` gives."""
    rows, columns = len(record["puzzle_array"]), len(record["puzzle_array"][0])
    return [transform_point(point, k, columns, rows) for point in path]


def transform(record: Record, k: int) -> Record:
    """The record under symmetry ``k``: tokens, shapes, hidden dots and solutions."""
    names: dict[str, str] = {}
    shapes: dict[str, Matrix] = {}
    for name, matrix in json.loads(record["polyshapes"]).items():
        turned = _transform_grid(matrix, k)
        names[name] = shape_id(turned)
        shapes[names[name]] = turned
    tokens = [
        [_renamed(token, names, {}) for token in row]
        for row in _transform_grid(record["puzzle_array"], k)
    ]
    hidden = set(transform_path(hidden_dots_of(record), k, record))
    solutions = [transform_path(path, k, record) for path in stored_solutions(record)]
    return build_record(tokens, shapes, hidden, solutions, record["id"])


def recolor(record: Record, permutation: Mapping[str, str]) -> Record:
    """The record with colour letters replaced; letters not named stay."""
    tokens = [[_renamed(token, {}, permutation) for token in row] for row in record["puzzle_array"]]
    shapes = json.loads(record["polyshapes"])
    solutions = stored_solutions(record)
    return build_record(tokens, shapes, hidden_dots_of(record), solutions, record["id"])


def _transform_grid(grid: list[list], k: int) -> list[list]:
    """A list of rows with every entry moved to its transformed place."""
    rows, columns = len(grid), len(grid[0])
    moved = {
        transform_point((x, y), k, columns, rows): grid[y][x]
        for y in range(rows)
        for x in range(columns)
    }
    if k & 4:
        rows, columns = columns, rows
    return [[moved[x, y] for x in range(columns)] for y in range(rows)]


def _renamed(token: str, names: Mapping[str, str], colors: Mapping[str, str]) -> str:
    if "-" not in token:
        return token
    letter, color, *shape = token.split("-")
    return "-".join([letter, colors.get(color, color), *(names.get(one, one) for one in shape)])

"""Validation of one record in the published format.

A record is a mapping with these fields; None counts as absent, since Arrow fills columns with it.

    id                    non-empty printable text
    grid_size             {width, height} in cells, each 1 to MAX_CELLS
    puzzle_array          tokens, (2 height + 1) rows of (2 width + 1)
    polyshapes            JSON text; absent or "" stands for "{}"
    text_visualization    YAML text; absent stands for ""
    difficulty_level      optional, 1 to 5
    difficulty_score      optional, 0 to 5
    solutions             optional, a list (may be empty) of {path, optional index, pathLength}
    solution_count        optional; equals the number of solutions where both are given

An optional field that is absent stays absent, as "no solutions are listed" differs from "there
are none". Fields that the format does not have are left out of the result.
"""

from collections.abc import Mapping
from typing import Any

from spatialjax.data.board import Board, Point, parse_board, record_name
from spatialjax.data.fields import as_float, as_id, as_int, as_list, as_mapping, fail
from spatialjax.data.tokens import place_of

_MAX_COUNT = 2**31 - 1


def validate_record(
    record: object, *, source: str = "record", index: int | None = None
) -> dict[str, Any]:
    """Check every field of a record and return it as plain Python values.

    Tuples, NumPy arrays and NumPy scalars become lists, ints, floats and strs. Solutions are
    checked as lines on the board (see `_path`), not against the rules of the symbols.
    Error messages open with `source`, `index` where given, and the id.
    """
    where = source if index is None else f"{source} {index}"
    fields = as_mapping(record, where, "the record", "an object with the fields of a puzzle")
    fields = {key: value for key, value in fields.items() if value is not None}
    where = record_name(where, fields)
    board = parse_board(fields, where)
    clean: dict[str, Any] = {
        "id": as_id(fields.get("id"), where, "id"),
        "grid_size": {"width": board.width, "height": board.height},
        "puzzle_array": [[str(token) for token in row] for row in fields["puzzle_array"]],
        "polyshapes": str(fields.get("polyshapes", "")) or "{}",
        "text_visualization": str(fields.get("text_visualization", "")),
    }
    if "difficulty_level" in fields:
        level = as_int(fields["difficulty_level"], where, "difficulty_level", 1, 5)
        clean["difficulty_level"] = level
    if "difficulty_score" in fields:
        score = as_float(fields["difficulty_score"], where, "difficulty_score", 0.0, 5.0)
        clean["difficulty_score"] = score
    if "solution_count" in fields:
        count = as_int(fields["solution_count"], where, "solution_count", 0, _MAX_COUNT)
        clean["solution_count"] = count
    if "solutions" in fields:
        solutions = clean["solutions"] = _solutions(fields["solutions"], board, where)
        if clean.get("solution_count", len(solutions)) != len(solutions):
            wanted = f"{len(solutions)}, the number of solutions listed"
            fail(where, "solution_count", clean["solution_count"], wanted)
    return clean


def hidden_dots(record: Mapping[str, Any]) -> list[Point]:
    """Return the dots under the start or the end, which `puzzle_array` cannot show."""
    board = parse_board(record)
    return sorted(board.dots & {board.start, board.end})


def solution_paths(record: Mapping[str, Any]) -> list[list[Point]]:
    """Return the listed solutions of a validated record as lists of (x, y)."""
    return [
        [(point["x"], point["y"]) for point in solution["path"]]
        for solution in record.get("solutions", ())
    ]


def _solutions(value: object, board: Board, where: str) -> list[dict[str, Any]]:
    clean = []
    paths: dict[tuple[Point, ...], int] = {}
    indices: dict[int, int] = {}
    for i, item in enumerate(as_list(value, where, "solutions")):
        field = f"solutions[{i}]"
        solution = as_mapping(item, where, field, "an object with a path")
        path = _path(solution.get("path"), board, where, f"{field}.path")
        first = paths.setdefault(tuple(path), i)
        if first != i:
            fail(where, f"{field}.path", path, f"another line than solutions[{first}].path")
        index, length = solution.get("index"), solution.get("pathLength")
        if index is None:
            index = i
        if length is None:
            length = len(path)
        index = as_int(index, where, f"{field}.index", 0, _MAX_COUNT)
        first = indices.setdefault(index, i)
        if first != i:
            fail(where, f"{field}.index", index, f"another index than solutions[{first}].index")
        if as_int(length, where, f"{field}.pathLength", 0, _MAX_COUNT) != len(path):
            wanted = f"{len(path)}, the number of points of its path"
            fail(where, f"{field}.pathLength", length, wanted)
        points = [{"x": x, "y": y} for x, y in path]
        clean.append({"index": index, "path": points, "pathLength": len(path)})
    return clean


def _path(value: object, board: Board, where: str, field: str) -> list[Point]:
    """Return the points of a line: start to end, single steps, no point twice, all open."""
    path = [
        _point(item, where, field, i)
        for i, item in enumerate(as_list(value, where, field, "a list of points {x, y}"))
    ]
    for name, at, point in (("start", 0, board.start), ("end", -1, board.end)):
        if not path or path[at] != point:
            found = path[at] if path else path
            fail(where, f"{field}'s {name}", found, f"{point}, the {name} of the board")
    for i, point in enumerate(path):
        if not board.is_open(point):
            wanted = "a point the line may pass, and here is " + _obstacle(point, board)
            fail(where, f"{field}[{i}]", point, wanted)
        if i and abs(point[0] - path[i - 1][0]) + abs(point[1] - path[i - 1][1]) != 1:
            fail(where, f"{field}[{i}]", point, f"one lattice step from {path[i - 1]}")
    if len(set(path)) < len(path):
        i, point = next((i, point) for i, point in enumerate(path) if point in path[:i])
        fail(where, f"{field}[{i}]", point, "a point the line has not passed before")
    return path


def _point(value: object, where: str, field: str, i: int) -> Point:
    if type(value) is dict:  # the common case, apart for speed: paths are most of a record
        x, y = value.get("x"), value.get("y")
        if type(x) is int and type(y) is int:
            return x, y
    name = f"{field}[{i}]"
    point = as_mapping(value, where, name, "an object with x and y")
    return (
        as_int(point.get("x"), where, f"{name}.x", -_MAX_COUNT, _MAX_COUNT),
        as_int(point.get("y"), where, f"{name}.y", -_MAX_COUNT, _MAX_COUNT),
    )


def _obstacle(point: Point, board: Board) -> str:
    x, y = point
    if not (0 <= x < board.columns and 0 <= y < board.rows):
        return f"nothing, outside the {board.columns}x{board.rows} lattice"
    return "a cell" if place_of(x, y) == "cell" else "a gap"

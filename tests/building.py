"""Line-puzzle records in the published format, built from tokens or from a drawing."""

import json
from collections.abc import Collection, Iterable, Mapping

from oracle import KIND_OF_TOKEN, Path, Point, Record, difficulty, text_dots

Matrix = list[list[int]]
Tokens = list[list[str]]

COLORS = {
    "R": "red",
    "B": "blue",
    "G": "green",
    "Y": "yellow",
    "W": "white",
    "O": "orange",
    "P": "purple",
    "K": "black",
}


def build_record(
    tokens: Tokens,
    shapes: Mapping[str, Matrix] | None = None,
    hidden_dots: Collection[Point] = (),
    solutions: Iterable[Path] = (),
    record_id: str = "0" * 16,
) -> Record:
    """A whole record from its tokens; ``hidden_dots`` are dots under S or E."""
    shapes = dict(shapes or {})
    record: Record = {
        "id": record_id,
        "grid_size": {"width": len(tokens[0]) // 2, "height": len(tokens) // 2},
        "puzzle_array": tokens,
        "polyshapes": json.dumps(shapes, separators=(",", ":")),
        "text_visualization": describe(tokens, hidden_dots),
    }
    record["difficulty_score"], record["difficulty_level"] = difficulty(record)
    return with_solutions(record, solutions)


def draw(
    picture: str, shapes: Mapping[str, Matrix] | None = None, hidden_dots: Collection[Point] = ()
) -> Record:
    """A record without solutions from a drawing: tokens apart by spaces, one row a line."""
    tokens = [line.split() for line in picture.strip().splitlines()]
    return build_record(tokens, shapes, hidden_dots)


def with_solutions(record: Record, solutions: Iterable[Path]) -> Record:
    """The record with these solutions listed instead of its own."""
    listed = [
        {
            "index": index,
            "path": [{"x": x, "y": y} for x, y in path],
            "pathLength": len(path),
        }
        for index, path in enumerate(solutions)
    ]
    return {**record, "solutions": listed, "solution_count": len(listed)}


def describe(tokens: Tokens, hidden_dots: Collection[Point]) -> str:
    """The YAML text of ``text_visualization``, cells ordered by x, then y."""
    where = {token: (x, y) for x, y, token in points_of(tokens) if token in ("S", "E")}
    lines = ["puzzle:", "  dimensions:"]
    lines += [f"    width: {len(tokens[0]) // 2}", f"    height: {len(tokens) // 2}"]
    for name, token in (("start", "S"), ("end", "E")):
        lines += [f"  {name}:", f"    x: {where[token][0]}", f"    y: {where[token][1]}"]
    lines.append("  cells:")
    for x, y, token in sorted(points_of(tokens)):
        properties = ["dot: 1"] if (x, y) in hidden_dots else _properties(token)
        if properties:
            lines += ["    - position:", f"        x: {x}", f"        y: {y}", "      properties:"]
            lines += [f"        {line}" for line in properties]
    return "\n".join(lines) + "\n"


def points_of(tokens: Tokens) -> list[tuple[int, int, str]]:
    return [(x, y, token) for y, row in enumerate(tokens) for x, token in enumerate(row)]


def _properties(token: str) -> list[str]:
    if token == ".":
        return ["dot: 1"]
    if token == "G":
        return ["gap: 1"]
    if "-" not in token:
        return []
    letter, color, *shape_id = token.split("-")
    kind = KIND_OF_TOKEN[letter]
    lines = [f'type: "{kind}"']
    if kind == "triangle":
        lines.append(f"count: {'ABCD'.index(letter) + 1}")
    lines += [f"polyshape: {name}" for name in shape_id]
    return [*lines, f'color: "{COLORS[color]}"']


def shape_id(matrix: Matrix) -> str:
    """The published number of a 4x4 shape: bit 4 x + y for the square in column x, row y."""
    return str(sum(1 << (4 * x + y) for y in range(4) for x in range(4) if matrix[y][x]))


def hidden_dots_of(record: Record) -> set[Point]:
    tokens = record["puzzle_array"]
    found = text_dots(record.get("text_visualization") or "")
    return {(x, y) for x, y in found if tokens[y][x] in ("S", "E")}

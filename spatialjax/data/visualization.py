"""The `text_visualization` field: a board as YAML, the one place that shows dots under S or E.

The field uses a small, fixed part of YAML (block mappings and lists, whole numbers, simple
strings). It is read here, strictly, rather than by PyYAML: every user who loads a record would
otherwise need that library in the base install, for twenty distinct lines of text.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from spatialjax.data.fields import as_int, as_list, as_mapping, fail
from spatialjax.data.tokens import COLOR_LETTERS, COLORS, SYMBOL_KINDS, Token
from spatialjax.errors import PuzzleError

_FIELD = "text_visualization"
_ENTRY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*):(?: +(.*))?")
_INT = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_STRING = re.compile(r'"([^"\\]*)"|\'([^\']*)\'|([A-Za-z_][A-Za-z0-9_]*)')
_MAX_DEPTH = 16


class Visualization(NamedTuple):
    """What the text shows: size in cells, (x, y) of start and end, and a token per listed point."""

    width: int
    height: int
    start: tuple[int, int]
    end: tuple[int, int]
    tokens: dict[tuple[int, int], Token]


class _Line(NamedTuple):
    """One entry: its line number, indent, key (None for a list dash) and text after the colon."""

    number: int
    indent: int
    key: str | None
    value: str | None


def read_visualization(text: str, where: str, max_cells: int) -> Visualization:
    """Read the field; PuzzleError where the text is malformed or says something unknown."""
    puzzle = _object(_object(_read_yaml(text, where), where, "", ("puzzle",))["puzzle"], where,
                     "puzzle", ("dimensions", "start", "end", "cells"))  # fmt: skip
    size = _object(puzzle["dimensions"], where, "dimensions", ("width", "height"))
    width, height = (
        as_int(size[side], where, f"{_FIELD} dimensions.{side}", 1, max_cells)
        for side in ("width", "height")
    )
    start = _point(puzzle["start"], where, "start", width, height)
    end = _point(puzzle["end"], where, "end", width, height)
    tokens: dict[tuple[int, int], Token] = {}
    cells = [] if puzzle["cells"] is None else puzzle["cells"]
    for i, cell in enumerate(as_list(cells, where, f"{_FIELD} cells")):
        name = f"cells[{i}]"
        cell = _object(cell, where, name, ("position", "properties"))
        point = _point(cell["position"], where, f"{name}.position", width, height)
        if point in tokens:
            fail(where, f"{_FIELD} {name}.position", point, "a point that is not listed before")
        tokens[point] = _token(cell["properties"], where, f"{name}.properties")
    return Visualization(width, height, start, end, tokens)


def write_visualization(visualization: Visualization) -> str:
    """Write the field in the published form: points sorted by x, then y."""
    lines = ["puzzle:", "  dimensions:"]
    lines += [f"    width: {visualization.width}", f"    height: {visualization.height}"]
    for name, (x, y) in (("start", visualization.start), ("end", visualization.end)):
        lines += [f"  {name}:", f"    x: {x}", f"    y: {y}"]
    lines.append("  cells:")
    for (x, y), token in sorted(visualization.tokens.items()):
        lines += ["    - position:", f"        x: {x}", f"        y: {y}", "      properties:"]
        lines += [f"        {line}" for line in _properties(token)]
    return "\n".join(lines) + "\n"


def _properties(token: Token) -> list[str]:
    if token.kind in ("dot", "gap"):
        return [f"{token.kind}: 1"]
    lines = [f'type: "{token.kind}"']
    if token.kind == "triangle":
        lines.append(f"count: {token.count}")
    if token.kind in ("poly", "ylop"):
        lines.append(f"polyshape: {token.shape_id}")
    return [*lines, f'color: "{COLORS[token.color]}"']


def _token(value: object, where: str, name: str) -> Token:
    properties = as_mapping(value, where, f"{_FIELD} {name}")
    for kind in ("dot", "gap"):
        if kind in properties:
            _object(properties, where, name, (kind,))
            as_int(properties[kind], where, f"{_FIELD} {name}.{kind}", 1, 1)
            return Token(kind)
    kind = properties.get("type")
    if kind not in SYMBOL_KINDS:
        fail(where, f"{_FIELD} {name}.type", kind, f"one of {', '.join(SYMBOL_KINDS)}")
    extra = {"triangle": "count", "poly": "polyshape", "ylop": "polyshape"}.get(kind)
    keys = ("type", "color") if extra is None else ("type", extra, "color")
    _object(properties, where, name, keys)
    color = properties["color"]
    if not isinstance(color, str) or color not in COLOR_LETTERS:
        fail(where, f"{_FIELD} {name}.color", color, f"one of {', '.join(COLOR_LETTERS)}")
    letter = COLOR_LETTERS[color]
    if extra is None:
        return Token(kind, letter)
    low, high = (1, 4) if extra == "count" else (0, 10**18 - 1)
    number = as_int(properties[extra], where, f"{_FIELD} {name}.{extra}", low, high)
    return Token(kind, letter, number) if extra == "count" else Token(kind, letter, 0, number)


def _object(value: object, where: str, name: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """Return a mapping with exactly these keys."""
    field = f"{_FIELD} {name}".rstrip()
    wanted = f"a mapping with {' and '.join(keys)}"
    mapping = as_mapping(value, where, field, wanted)
    if set(mapping) != set(keys):
        fail(where, field, dict(mapping), wanted)
    return mapping


def _point(value: object, where: str, name: str, width: int, height: int) -> tuple[int, int]:
    point = _object(value, where, name, ("x", "y"))
    return (
        as_int(point["x"], where, f"{_FIELD} {name}.x", 0, 2 * width),
        as_int(point["y"], where, f"{_FIELD} {name}.y", 0, 2 * height),
    )


def _read_yaml(text: str, where: str) -> object:
    """Read the part of YAML described above into dicts, lists, ints and strings."""
    lines = _split(text, where)
    if not lines:
        fail(where, _FIELD, text, "YAML text that starts with 'puzzle:'")
    value, after = _block(lines, 0, where, 0)
    if after < len(lines):
        _refuse(where, lines[after].number, "it is indented like no entry before it")
    return value


def _split(text: str, where: str) -> list[_Line]:
    """Cut the text into entries; `- key: value` gives two, the dash and the entry after it."""
    lines: list[_Line] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        body = raw.rstrip(" \r").lstrip(" ")
        indent = len(raw.rstrip(" \r")) - len(body)
        if not body or body.startswith("#"):
            continue
        while body == "-" or body.startswith("- "):
            lines.append(_Line(number, indent, None, None))
            rest = body[1:].lstrip(" ")
            indent, body = indent + len(body) - len(rest), rest
        if not body:
            continue
        match = _ENTRY.fullmatch(body)
        if match is None:
            _refuse(where, number, "it is neither 'key:', 'key: value' nor a list dash before one")
        lines.append(_Line(number, indent, match[1], match[2]))
    return lines


def _block(lines: list[_Line], at: int, where: str, depth: int) -> tuple[Any, int]:
    """Read the list or mapping that begins at line `at`; also return where the next one begins."""
    indent, is_list = lines[at].indent, lines[at].key is None
    if depth > _MAX_DEPTH:
        _refuse(where, lines[at].number, f"it is nested deeper than {_MAX_DEPTH} levels")
    items: list[Any] = []
    entries: dict[str, Any] = {}
    while at < len(lines) and lines[at].indent == indent and (lines[at].key is None) == is_list:
        line, at, value = lines[at], at + 1, None
        if line.value is not None:
            value = _scalar(line.value, where, line.number)
        elif at < len(lines):
            # A list may stand at the indent of the key that holds it, as YAML writers do.
            same = lines[at].indent == indent and lines[at].key is None and not is_list
            if lines[at].indent > indent or same:
                value, at = _block(lines, at, where, depth + 1)
        if line.key is None:
            items.append(value)
        elif line.key in entries:
            _refuse(where, line.number, f"the key {line.key!r} is there twice")
        else:
            entries[line.key] = value
    return (items if is_list else entries), at


def _scalar(text: str, where: str, number: int) -> object:
    if text == "[]":
        return []
    if _INT.fullmatch(text):
        return int(text)
    match = _STRING.fullmatch(text)
    if match is None:
        _refuse(where, number, "its value is neither a whole number nor a simple string")
    return next(group for group in match.groups() if group is not None)


def _refuse(where: str, number: int, why: str) -> NoReturn:
    raise PuzzleError(f"{where}: {_FIELD} line {number} cannot be read: {why}")

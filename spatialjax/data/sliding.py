"""Sliding puzzles in iVISPAR's config format: one config to a `Board` and back.

A config is a mapping with these fields; all but `grid_size` and `landmarks` are optional, and None
counts as absent. Whole numbers may come as floats.

    config_instance_id        non-empty printable text
    experiment_type           "SlidingGeomPuzzle", for tiles too
    complexity_c1             length of a shortest solution
    complexity_c2             (c1 - M) / 2, with M the Manhattan distance from start to goal
    grid_size                 cells along the side, 2 to MAX_SIZE
    landmarks                 a list of geoms:
      geom_nr                 1 to their number, each once, also as text; absent: place in the list
      body, color             of SHAPES and COLORS, no two alike; or every body is "tile"
      start_coordinate        cell [x, y], x to the right and y upwards, both from 0
      goal_coordinate         likewise
    shortest_move_sequence    "start", the commands of a shortest solution, "done"; the first and
                              the last may be absent
    random_valid_move_sequence, random_invalid_move_sequence   lists of text
    use_rendering, auto_done_check                             true or false
    grid_label                "edge", "cell", "both" or "none"

An optional field that is absent stays absent. Fields that are not in this list are kept as they
are.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spatialjax.data.board import record_name
from spatialjax.data.fields import as_id, as_list, as_mapping, as_text, as_whole, fail
from spatialjax.sliding.board import Board, is_reachable, slide
from spatialjax.sliding.commands import parse_command
from spatialjax.sliding.names import TILE_SHAPE, Point
from spatialjax.sliding.types import COLORS, MAX_SIZE, SHAPES, Result

ID = "config_instance_id"
EXPERIMENT = "SlidingGeomPuzzle"
GRID_LABELS = ("edge", "cell", "both", "none")

_MAX_LENGTH = 2**31 - 1
_STORED = "shortest_move_sequence"
_COMPLEXITY = {"c1": "complexity_c1", "c2": "complexity_c2"}
_LANDMARK = ("geom_nr", "body", "color", "start_coordinate", "goal_coordinate")
_FAULTS = {Result.OUT_OF_BOUNDS: "outside the board", Result.OCCUPIED: "occupied"}


def validate_config(
    config: object, *, source: str = "config", index: int | None = None
) -> dict[str, Any]:
    """Check every field of a config and return it as plain Python values, in its own order.

    A stored solution is replayed: every move must be legal, only the last may reach the goal, and
    there must be `complexity_c1` of them. That none is shorter is not checked. Error messages open
    with `source`, `index` where given, and the id.
    """
    where = source if index is None else f"{source} {index}"
    fields = as_mapping(config, where, "the config", "an object with the fields of a config")
    fields = {key: value for key, value in fields.items() if value is not None}
    where = record_name(where, fields, ID)
    board, landmarks = _read(fields, where)
    clean = {}
    for key, value in fields.items():
        if not isinstance(key, str):
            fail(where, "a field's name", key, "text")
        clean[str(key)] = _FIELDS.get(key, _as_json)(value, where, key)
    clean |= {"grid_size": board.size, "landmarks": landmarks}
    _check_length(clean, board, where)
    return clean


def config_board(config: Mapping[str, Any], where: str | None = None) -> Board:
    """Read the board of a config, geoms on their start cells; PuzzleError where it is malformed.

    `where` opens the error messages; without it they name the config by its id.
    """
    fields = as_mapping(config, where or "config", "the config")
    board, _ = _read(fields, where or record_name("config", fields, ID))
    return board


def solution_commands(config: Mapping[str, Any]) -> list[str]:
    """Return the moves of a validated config's stored solution; [] if it stores none."""
    commands = [parse_command(text, config["grid_size"]) for text in config.get(_STORED, ())]
    return [str(command) for command in commands if command and command.verb == "move"]


def board_config(
    board: Board, commands: Sequence[str], set_id: str, number: int = 1
) -> dict[str, Any]:
    """Write a board, with a shortest solution as commands, as a config.

    Args:
      board: with its geoms on their start cells.
      commands: none if its solution is not known.
      set_id: the set it belongs to.
      number: counts the boards of a set that are alike in size, geoms, c1 and c2, from 1.
    """
    fields = solution_fields(board, commands) if commands else {}
    name = f"{set_id}_b_{board.size}_g_{len(board)}"
    name += "".join(f"_{c}_{fields[key]}" for c, key in _COMPLEXITY.items() if key in fields)
    return bare_config(board, f"{name}_i_{number}") | fields


def bare_config(board: Board, config_id: str) -> dict[str, Any]:
    """Write a board as a config that tells no solution and no length."""
    landmarks = [
        {
            "geom_nr": slot,
            "body": shape,
            "color": color,
            "start_coordinate": list(start),
            "goal_coordinate": list(goal),
        }
        for slot, (shape, color, start, goal) in enumerate(
            zip(board.shapes, board.colors, board.positions, board.goals, strict=True), start=1
        )
    ]
    return {
        ID: config_id,
        "experiment_type": EXPERIMENT,
        "grid_size": board.size,
        "landmarks": landmarks,
        "use_rendering": True,
    }


def solution_fields(board: Board, commands: Sequence[str]) -> dict[str, Any]:
    """Return what a config tells about a shortest solution of its board."""
    fields: dict[str, Any] = {"complexity_c1": len(commands)}
    if TILE_SHAPE not in board.shapes:  # iVISPAR's tile puzzles have no c2
        fields["complexity_c2"] = (len(commands) - board.distance) // 2
    return fields | {_STORED: ["start", *commands]}


def _read(fields: Mapping[str, Any], where: str) -> tuple[Board, list[dict[str, Any]]]:
    """Return the board of a config, and its landmarks as plain Python values."""
    size = as_whole(fields.get("grid_size"), where, "grid_size", 2, MAX_SIZE)
    most = size * size - 1
    wanted = f"a list of 1 to {most} geoms, as a cell of {size}x{size} must be empty"
    items = as_list(fields.get("landmarks"), where, "landmarks", wanted)
    if not 1 <= len(items) <= most:
        fail(where, "landmarks", f"{len(items)} geoms", wanted)
    clean = [_landmark(item, where, place, size, len(items)) for place, item in enumerate(items)]
    ordered = sorted(
        (landmark.get("geom_nr", place + 1), place, landmark)
        for place, landmark in enumerate(clean)
    )
    geoms = [landmark for _, _, landmark in ordered]
    _check_numbers([(number, place) for number, place, _ in ordered], where)
    _check_bodies(clean, where)
    for field in ("start_coordinate", "goal_coordinate"):
        cells = [tuple(landmark[field]) for landmark in clean]
        _check_distinct(cells, where, field, "a cell of its own")
    board = Board(
        size,
        shapes=tuple(landmark["body"] for landmark in geoms),
        colors=tuple(landmark["color"] for landmark in geoms),
        positions=tuple(_point(landmark["start_coordinate"]) for landmark in geoms),
        goals=tuple(_point(landmark["goal_coordinate"]) for landmark in geoms),
    )
    if board.solved:
        fail(where, "landmarks", "at the goal from the start", "a geom away from its goal")
    if not is_reachable(size, board.positions, board.goals):
        found = f"{len(board)} geoms with a goal that no moves reach"
        fail(where, "landmarks", found, "one within reach, as it is with any two geoms swapped")
    return board, clean


def _landmark(value: object, where: str, place: int, size: int, count: int) -> dict[str, Any]:
    field = f"landmarks[{place}]"
    wanted = "an object with body, color, start_coordinate and goal_coordinate"
    item = as_mapping(value, where, field, wanted)
    clean: dict[str, Any] = {}
    for key, entry in item.items():
        if entry is None:
            continue
        if not isinstance(key, str):
            fail(where, f"{field} name", key, "text")
        known = key in _LANDMARK
        clean[str(key)] = entry if known else _as_json(entry, where, f"{field}.{key}")
    if "geom_nr" in clean:
        clean["geom_nr"] = _number(clean["geom_nr"], where, f"{field}.geom_nr", count)
    for key, words in (("body", (*SHAPES, TILE_SHAPE)), ("color", COLORS)):
        word = clean.get(key)
        if not isinstance(word, str) or word not in words:
            fail(where, f"{field}.{key}", word, f"one of {', '.join(words)}")
        clean[key] = str(word)
    for key in ("start_coordinate", "goal_coordinate"):
        clean[key] = _coordinate(clean.get(key), where, f"{field}.{key}", size)
    return clean


def _number(value: object, where: str, field: str, count: int) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 2:
        return as_whole(int(value), where, field, 1, count)
    return as_whole(value, where, field, 1, count)


def _coordinate(value: object, where: str, field: str, size: int) -> list[int]:
    wanted = f"a cell [x, y], each 0 to {size - 1}"
    pair = as_list(value, where, field, wanted)
    if len(pair) != 2:
        fail(where, field, value, wanted)
    return [as_whole(entry, where, f"{field}[{i}]", 0, size - 1) for i, entry in enumerate(pair)]


def _point(pair: Sequence[int]) -> Point:
    return pair[0], pair[1]


def _check_numbers(numbered: Sequence[tuple[int, int]], where: str) -> None:
    for (before, first), (number, place) in zip(numbered, numbered[1:], strict=False):
        if before == number:
            wanted = f"a number of its own, and landmarks[{first}] has the same"
            fail(where, f"landmarks[{place}].geom_nr", number, wanted)


def _check_bodies(landmarks: Sequence[Mapping[str, Any]], where: str) -> None:
    """Check that either all geoms are tiles, or that each is known by shape and colour."""
    bodies = [landmark["body"] for landmark in landmarks]
    if TILE_SHAPE not in bodies:
        names = [f"{landmark['color']} {landmark['body']}" for landmark in landmarks]
        _check_distinct(names, where, "color and body", "a pair of its own")
    for place, body in enumerate(bodies):
        if (body == TILE_SHAPE) != (bodies[0] == TILE_SHAPE):
            wanted = "a tile like all others, or there must be no tiles"
            fail(where, f"landmarks[{place}].body", body, wanted)


def _check_distinct(values: Sequence[object], where: str, field: str, wanted: str) -> None:
    places: dict[object, int] = {}
    for place, value in enumerate(values):
        first = places.setdefault(value, place)
        if first != place:
            wanted = f"{wanted}, and landmarks[{first}] has the same"
            fail(where, f"landmarks[{place}]'s {field}", value, wanted)


def _check_length(clean: Mapping[str, Any], board: Board, where: str) -> None:
    """Check c1, c2 and the stored solution against each other and the board."""
    c1, c2, distance = clean.get("complexity_c1"), clean.get("complexity_c2"), board.distance
    if c1 is not None and c1 < distance:
        fail(where, "complexity_c1", c1, f"at least {distance}, the Manhattan distance")
    if c1 is not None and c1 % 2 != distance % 2:
        parity = "odd" if distance % 2 else "even"
        wanted = f"{parity} as the Manhattan distance {distance} is: every move changes it by one"
        fail(where, "complexity_c1", c1, wanted)
    if _STORED in clean:
        moves = _replay(clean[_STORED], board, where)
        if c1 is not None and moves != c1:
            fail(where, _STORED, f"{moves} moves", f"{c1} moves, as complexity_c1 says")
        c1 = moves
    if c1 is not None and c2 is not None and 2 * c2 != c1 - distance:
        wanted = f"{(c1 - distance) // 2}, half of length {c1} less Manhattan distance {distance}"
        fail(where, "complexity_c2", c2, wanted)


def _replay(texts: Sequence[str], board: Board, where: str) -> int:
    """Play a stored solution and return how many moves it has."""
    commands = [parse_command(text, board.size) for text in texts]
    first = 1 if commands and commands[0] and commands[0].verb == "start" else 0
    last = commands[-1] if commands else None
    end = len(commands) - (1 if last and last.verb == "done" else 0)
    for i in range(first, end):
        field, command = f"{_STORED}[{i}]", commands[i]
        if board.solved:
            fail(where, field, texts[i], "absent, as the goal is reached before it")
        if command is None or command.direction is None:
            fail(where, field, texts[i], 'a move such as "move red cube left"')
        if command.geom not in board.names:
            fail(where, field, texts[i], f"a move of a geom on the board: {', '.join(board.names)}")
        result, board = slide(board, board.names.index(command.geom), command.direction)
        if result != Result.MOVED:
            fail(where, field, texts[i], f"a legal move, and its target is {_FAULTS[result]}")
    if not board.solved:
        fail(where, _STORED, f"{end - first} moves that do not reach the goal", "a solution")
    return end - first


def _as_json(value: object, where: str, field: str) -> Any:
    """Return a copy of a value that JSON can hold."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        fail(where, field, value, "a value that JSON can hold")


def _as_flag(value: object, where: str, field: str) -> bool:
    if not isinstance(value, bool):
        fail(where, field, value, "true or false")
    return value


def _as_texts(value: object, where: str, field: str) -> list[str]:
    items = as_list(value, where, field, "a list of commands")
    return [as_text(item, where, f"{field}[{i}]") for i, item in enumerate(items)]


def _as_length(value: object, where: str, field: str) -> int:
    return as_whole(value, where, field, 0, _MAX_LENGTH)


def _one_of(*words: str) -> Callable[[object, str, str], str]:
    def check(value: object, where: str, field: str) -> str:
        if not isinstance(value, str) or value not in words:
            fail(where, field, value, f"one of {', '.join(words)}")
        return str(value)

    return check


def _pass(value: object, where: str, field: str) -> object:
    """Leave a field that is read elsewhere."""
    return value


_FIELDS: dict[str, Callable[[object, str, str], Any]] = {
    ID: as_id,
    "experiment_type": _one_of(EXPERIMENT),
    "complexity_c1": _as_length,
    "complexity_c2": _as_length,
    "grid_size": _pass,
    "landmarks": _pass,
    _STORED: _as_texts,
    "random_valid_move_sequence": _as_texts,
    "random_invalid_move_sequence": _as_texts,
    "use_rendering": _as_flag,
    "auto_done_check": _as_flag,
    "grid_label": _one_of(*GRID_LABELS),
}

"""Long generator runs: noted on the way, going on where a stopped run was, written at the end."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

from spatialjax.data.files import noted, part_of, resume
from spatialjax.sliding.bins import Bin, Filling, Solved
from spatialjax.sliding.board import Board
from spatialjax.sliding.generate import VERSION, BoardSet, missing_boards, numbered_configs
from spatialjax.sliding.sources import check_target, write_source

Progress = Callable[[int, int], None]


def generate_file(
    out: Path, wanted: BoardSet, progress: Progress = lambda done, total: None
) -> tuple[int, dict[Bin, int]]:
    """Make a set and write it; return its number of boards and what its bins lack.

    A run that was stopped is continued by the same call.

    Raises:
      ValueError: if `out` can't be written, or no board at all was found.
    """
    check_target(out)
    part = part_of(out)
    configs, missing = generate_resumable(wanted, part, progress)
    if configs:
        write_source(out, configs)
    part.unlink()
    if not configs:
        raise ValueError("no board was found for any of the bins")
    return len(configs), missing


def generate_resumable(
    wanted: BoardSet, part: Path, progress: Progress = lambda done, total: None
) -> tuple[list[dict[str, Any]], dict[Bin, int]]:
    """Return the configs of a set, and what its bins lack, noting boards in `part` as they come.

    A `part` left by a stopped run of the same options and version is read first and continued; one
    of another run is a ValueError.
    """
    fillings = wanted.fillings()
    total = sum(len(filling.bins) * filling.bins.per_bin for filling in fillings)
    done = 0
    for place, *piece in resume(part, _header(wanted)):
        done += _restore(fillings[place], *piece)
    for place, filling in enumerate(fillings):
        pieces = ([place, *_piece(filling, found)] for found in filling.run())
        with closing(noted(part, pieces)) as stream:
            for *_, found in stream:
                done += len(found)
                progress(done, total)
    return numbered_configs(fillings, wanted.set_id), missing_boards(fillings)


def _header(wanted: BoardSet) -> dict[str, Any]:
    """What must be the same for a run to go on."""
    values = {field.name: getattr(wanted, field.name) for field in fields(wanted)}
    plain = {k: v if v is None or isinstance(v, int | str) else list(v) for k, v in values.items()}
    return {"version": VERSION, "kind": type(wanted).__name__, "options": plain}


def _piece(filling: Filling, found: list[Solved]) -> list[Any]:
    """Return all that a batch changed."""
    rows = [
        [board.size, board.shapes, board.colors, board.positions, board.goals, actions]
        for board, actions in found
    ]
    return [filling.state, list(filling.bins.tries.values()), rows]


def _restore(filling: Filling, state: Any, tries: list[int], rows: list[Any]) -> int:
    """Repeat what a batch changed; return how many boards it found."""
    for size, shapes, colors, positions, goals, actions in rows:
        points, ends = (tuple((x, y) for x, y in cells) for cells in (positions, goals))
        filling.bins.put(Solved(Board(size, tuple(shapes), tuple(colors), points, ends), actions))
    filling.bins.tries.update(zip(filling.bins.tries, tries, strict=True))
    filling.state = state
    return len(rows)

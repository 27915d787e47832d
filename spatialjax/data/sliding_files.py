"""Config files of sliding puzzles: a file, a folder or a list of configs, read and written."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spatialjax.data.atomic import replacing
from spatialjax.data.fields import fail
from spatialjax.data.sliding import ID, validate_config
from spatialjax.data.sources import Row, look_up, read_file, validated
from spatialjax.errors import PuzzleError

_PREFIX = "config_"
_LONGEST_NAME = 255  # bytes that file systems allow


def load_configs(
    source: str | os.PathLike[str] | Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Load every config of a source, each validated by `validate_config`; none is ever skipped.

    A config without an id gets the name of its file without `config_`, or its number in the source.

    Args:
      source: a config file, a folder with config files, also in folders below it, read in the
        order of their paths; or configs at hand.

    Raises:
      PuzzleError: a source that cannot be read, a malformed config, an id that occurs twice, or no
        config at all.
    """
    if isinstance(source, str | os.PathLike):
        path, is_folder, _ = look_up(os.fspath(source))
        return _validated(_read_folder(path) if is_folder else _read(path), str(path))
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        fail("sliding puzzles", "source", source, "a name, a path, a list of configs or a pack")
    rows = (Row("config", number, config) for number, config in enumerate(source))
    return _validated(rows, "the list of configs")


def write_configs(
    folder: str | os.PathLike[str], configs: Sequence[Mapping[str, Any]]
) -> list[Path]:
    """Write each config to `config_<id>.json` in a folder, made if need be; return the paths.

    Every file is written whole or not at all, and none before all configs are found to be fine.

    Raises:
      PuzzleError: a malformed config, or an id that is missing, occurs twice or can't name a file.
    """
    folder = Path(folder)
    clean: dict[Path, dict[str, Any]] = {}
    for index, item in enumerate(configs):
        config = validate_config(item, index=index)
        path = folder / _file_name(config.get(ID), f"config {index}")
        if path in clean:
            fail(f"config {index}", ID, config[ID], "an id of its own")
        clean[path] = config
    folder.mkdir(parents=True, exist_ok=True)
    for path, config in clean.items():
        with replacing(path) as scratch:
            scratch.write_text(json.dumps(config, indent=4), encoding="utf-8")
    return list(clean)


def _validated(rows: Iterator[Row], name: str) -> list[dict[str, Any]]:
    def validate(config: object, *, source: str, index: int) -> dict[str, Any]:
        clean = validate_config(config, source=source, index=index)
        return clean if ID in clean else {ID: str(index), **clean}

    return validated(rows, name, validate, ID)


def _read_folder(folder: Path) -> Iterator[Row]:
    paths = sorted(folder.rglob("*.json"))
    if not paths:
        raise PuzzleError(f"{folder}: it holds no .json files; there must be at least one config")
    for path in paths:
        yield from _read(path)


def _read(path: Path) -> Iterator[Row]:
    """Yield the configs of a file; the only one of a file is named after it if it has no id."""
    rows = list(read_file(path))
    if len(rows) == 1 and isinstance(config := rows[0].record, dict) and config.get(ID) is None:
        named = config | {ID: path.stem.removeprefix(_PREFIX)}
        rows = [rows[0]._replace(record=named)]
    yield from rows


def _file_name(config_id: str | None, where: str) -> str:
    name = f"{_PREFIX}{config_id}.json"
    wanted = f"the name of a file without {_PREFIX!r} and '.json'"
    if config_id is None or "/" in name or "\\" in name or len(name.encode()) > _LONGEST_NAME:
        fail(where, ID, config_id, wanted)
    return name

"""Long generator runs: on all cores, into a file, going on where a killed run stopped."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spatialjax.witness.generator import VERSION, Record, Settings, candidates

SUFFIXES = (".jsonl", ".parquet")

Progress = Callable[[int], None]


def generate_resumable(
    part: Path,
    n: int,
    seed: int,
    settings: Settings,
    workers: int = 1,
    seen: set[str] | None = None,
    progress: Progress = lambda done: None,
) -> list[Record]:
    """Return `n` distinct puzzles, noting each in the file `part` as it is made.

    A `part` left by a killed run of the same seed, settings and version is read first and
    continued; one of another run is a ValueError. Puzzles with a key in `seen` are left out, and
    `seen` grows.
    """
    seen = set() if seen is None else seen
    made = _resume(part, _header(seed, settings))
    records: list[Record] = []

    def take(pairs: Iterable[tuple[str, Record]]) -> None:
        for key, record in pairs:
            if key not in seen:
                seen.add(key)
                records.append(record)
                progress(len(records))
            if len(records) == n:
                return

    take(made)
    if len(records) < n:
        fresh = candidates(seed, settings, first=len(made), workers=workers)
        with part.open("a", encoding="utf-8") as file, closing(fresh):
            take(_noted(fresh, file))
    return records


def write_records(path: Path, records: list[Record]) -> None:
    """Write records to `.jsonl` or `.parquet`, whole or not at all."""
    temporary = path.with_name(path.name + ".tmp")
    if path.suffix == ".jsonl":
        lines = (json.dumps(record, separators=(",", ":"), sort_keys=True) for record in records)
        temporary.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    elif path.suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), temporary)
    else:
        raise ValueError(f"{path.name} does not end in {' or '.join(SUFFIXES)}")
    os.replace(temporary, path)


def _header(seed: int, settings: Settings) -> dict[str, Any]:
    """What must be the same for a run to go on."""
    options = asdict(settings) | {"sizes": [[*size, w] for size, w in settings.sizes.items()]}
    return json.loads(json.dumps({"version": VERSION, "seed": seed, "settings": options}))


def _resume(part: Path, header: dict[str, Any]) -> list[tuple[str, Record]]:
    """Read what an earlier run noted, dropping a last line cut off by its end."""
    text = part.read_text(encoding="utf-8") if part.exists() else ""
    lines = text[: text.rfind("\n") + 1].splitlines()
    if not lines:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(header) + "\n", encoding="utf-8")
        return []
    if json.loads(lines[0]) != header:
        raise ValueError(f"{part} was begun with another seed, version or options: delete it")
    whole = "".join(line + "\n" for line in lines)
    if whole != text:
        part.write_text(whole, encoding="utf-8")
    return [tuple(json.loads(line)) for line in lines[1:]]


def _noted(pairs: Iterable[tuple[str, Record]], file: Any) -> Iterator[tuple[str, Record]]:
    for pair in pairs:
        file.write(json.dumps(pair, separators=(",", ":")) + "\n")
        file.flush()
        yield pair

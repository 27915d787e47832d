"""Files that long runs leave: the records made, and the pieces noted on the way to them."""

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from spatialjax.data.atomic import replacing

T = TypeVar("T")

SUFFIXES = (".jsonl", ".parquet")


def write_records(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write records to `.jsonl` or `.parquet`, whole or not at all; ValueError for other names."""
    check_suffix(path)
    with replacing(path) as file:
        if path.suffix == ".jsonl":
            lines = (
                json.dumps(record, separators=(",", ":"), sort_keys=True) for record in records
            )
            file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        else:
            import pyarrow
            import pyarrow.parquet

            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(records)), file)


def check_suffix(path: Path) -> None:
    """Raise ValueError unless `write_records` can write a file of this name."""
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{path} does not end in {' or '.join(SUFFIXES)}")
    if path.suffix == ".parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError as error:
            raise ImportError(
                f"{path}: writing Parquet needs pyarrow: pip install 'spatialjax[data]'"
            ) from error


def part_of(path: Path) -> Path:
    """Return where the pieces of an unfinished `path` are noted."""
    return path.with_name(path.name + ".part")


def resume(part: Path, header: Mapping[str, Any]) -> list[Any]:
    """Return the pieces that an earlier run noted in `part`; begin the file where there is none.

    A last line cut off by the end of that run is dropped. A file under another `header` belongs to
    another run and is a ValueError.
    """
    text = part.read_text(encoding="utf-8") if part.exists() else ""
    lines = text[: text.rfind("\n") + 1].splitlines()
    if not lines:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(header) + "\n", encoding="utf-8")
        return []
    if json.loads(lines[0]) != json.loads(json.dumps(header)):
        raise ValueError(
            f"{part} was begun with other input, options or version, so it can't be continued:"
            " delete it or write elsewhere"
        )
    whole = "".join(line + "\n" for line in lines)
    if whole != text:
        part.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in lines[1:]]


def noted(part: Path, pieces: Iterable[T]) -> Generator[T, None, None]:
    """Yield each piece after it is noted at the end of `part`."""
    with part.open("a", encoding="utf-8") as file:
        for piece in pieces:
            file.write(json.dumps(piece, separators=(",", ":")) + "\n")
            file.flush()
            yield piece

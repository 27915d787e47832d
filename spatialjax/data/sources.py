"""Where records come from: the embedded pack, local files and folders, the Hugging Face Hub."""

import codecs
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from spatialjax.data.board import record_name
from spatialjax.data.fields import fail, parse_json
from spatialjax.data.records import solution_paths, validate_record
from spatialjax.errors import PuzzleError

SPARC = "lkaesberg/SPaRC"
SPARC_REVISION = "e2d908363190e9a244f931df2654a501facc90a7"
# As published; used for error messages only, so a set added later still loads.
SPARC_SUBSETS = (
    "all", "dots", "dots_stars_polys", "gaps", "gaps_dots_triangles", "polys", "polys_ylops",
    "stars", "stones", "stones_stars", "triangles",
)  # fmt: skip

_SUFFIXES = (".jsonl", ".json", ".parquet")
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_PROBE_SECONDS = 10.0


class Row(NamedTuple):
    """One record as read, with its place: `source` and `number` together name it in errors."""

    source: str
    number: int
    record: object


def load_records(
    source: str | os.PathLike[str] = "embedded",
    subset: str = "all",
    split: str = "test",
    *,
    revision: str | None = None,
    check_solutions: bool = True,
) -> list[dict[str, Any]]:
    """Load every record of a source, each validated by `validate_record`; none is ever skipped.

    Args:
        source: "embedded"; a `.jsonl`, `.json` (a list of records, or one) or `.parquet` file,
            which is one set, so that subset and split don't apply; a folder in the layout of a
            Hugging Face data set; or the name of one on the Hub.
        subset: configuration of the data set, such as "all" or "dots".
        split: "train" or "test".
        revision: commit, tag or branch of a data set on the Hub; None is the pinned one for
            `lkaesberg/SPaRC` and the newest for others. Where the Hub can't be reached, the copy
            cached last serves, whichever revision it is, and `datasets` logs that.
        check_solutions: also judge the listed solutions by all rules. The embedded pack is
            checked before it ships, not when it is loaded.

    Raises:
        PuzzleError: a source that cannot be read, a malformed record, an id that occurs twice, no
            record at all, or a listed solution that breaks a rule.
        ImportError: the library that reads this kind of source is not installed.
    """
    name = os.fspath(source)
    if name == "embedded":
        from spatialjax.data.embedded import load_embedded

        return load_embedded(subset, split)
    path, is_folder, is_there = look_up(name)
    if is_folder:
        # `datasets` takes the name of the set from the path, so "." alone is none.
        rows = _load_dataset(str(path.absolute()), name, subset, split, None)
    elif path.suffix.lower() in _SUFFIXES or is_there:
        rows = read_file(path)
    elif _HUB_NAME.fullmatch(name):
        rows = _read_hub(name, subset, split, revision)
    else:
        raise PuzzleError(f"{name}: there is no such file or folder")
    records = validated(rows, name, validate_record, "id")
    if check_solutions:
        refuse_wrong_solutions(records, name)
    return records


def refuse_wrong_solutions(records: Sequence[Mapping[str, Any]], source: str = "record") -> None:
    """Raise PuzzleError for the first listed solution that breaks a rule of its puzzle.

    All solutions of all records are judged in one batched call.
    """
    from spatialjax.witness.check import check_paths

    listed = [(record, solution_paths(record)) for record in records]
    lines = [(record, i, path) for record, paths in listed for i, path in enumerate(paths)]
    if not lines:
        return
    try:
        reports = check_paths([record for record, _, _ in lines], [path for _, _, path in lines])
    except RuntimeError as error:  # the bounded search for a fit of the polyominoes gave up
        advice = "pass check_solutions=False to take them as they are"
        raise PuzzleError(
            f"{source}: not every solution can be judged: {error}; {advice}"
        ) from error
    for (record, i, path), report in zip(lines, reports, strict=True):
        if not report.solved:
            broken = ", ".join(rule for rule, kept in report.rules.items() if not kept)
            wanted = f"a line that keeps every rule, and it breaks {broken}"
            fail(record_name(source, record), f"solutions[{i}].path", path, wanted)


def validated(
    rows: Iterable[Row], name: str, validate: Callable[..., dict[str, Any]], id_field: str
) -> list[dict[str, Any]]:
    """Return what `validate` makes of each row; PuzzleError if an id comes twice, or none at all.

    Args:
        name: the source that the rows come from.
        validate: as `validate_record`.
        id_field: field of what it returns that must differ.
    """
    records: list[dict[str, Any]] = []
    places: dict[str, str] = {}
    for row in rows:
        record = validate(row.record, source=row.source, index=row.number)
        place = f"{row.source} {row.number}"
        first = places.setdefault(record[id_field], place)
        if first != place:
            fail(place, id_field, record[id_field], f"an id of its own, and {first} has the same")
        records.append(record)
    if not records:
        raise PuzzleError(f"{name}: it holds no records; there must be at least one")
    return records


def read_file(path: Path) -> Iterator[Row]:
    """Yield what a `.jsonl`, `.json` or `.parquet` file holds, one row a record."""
    suffix = path.suffix.lower()
    try:
        if not path.exists():
            raise PuzzleError(f"{path}: there is no such file")
        if suffix not in _SUFFIXES:
            fail(str(path), "the suffix", path.suffix, f"one of {', '.join(_SUFFIXES)}")
        if suffix == ".parquet":
            return _read_parquet(path)
        data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise PuzzleError(f"{path}: the file cannot be read: {_line(error)}") from error
    return _read_json_lines(data, path) if suffix == ".jsonl" else _read_json(data, path)


def look_up(name: str) -> tuple[Path, bool, bool]:
    """Return the path that a source names, and whether a folder, or anything, is there.

    Raises:
      PuzzleError: if it names no path, or one that cannot be followed.
    """
    if not name:
        raise PuzzleError("the source is ''; it must be the name of a file, folder or data set")
    try:
        path = Path(name).expanduser()
        return path, path.is_dir(), path.exists()
    except (OSError, RuntimeError) as error:  # a name too long, a closed folder, no home folder
        raise PuzzleError(f"{name}: the path cannot be followed: {_line(error)}") from error


def _read_json_lines(data: bytes, path: Path) -> Iterator[Row]:
    """Yield one record a line, numbered from 1; lines of white space alone hold none."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            where = f"{path} line {number}"
            record = parse_json(_decode(line, where), where, "the line", "one JSON object")
            yield Row(f"{path} line", number, record)


def _read_json(data: bytes, path: Path) -> Iterator[Row]:
    """Yield the records of a list, numbered from 1, or the one record that is the whole file."""
    parsed = parse_json(_decode(data, str(path)), str(path), "the text", "JSON")
    records = parsed if isinstance(parsed, list) else [parsed]
    for number, record in enumerate(records, start=1):
        yield Row(f"{path} record", number, record)


def _decode(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        fault = f"byte {data[error.start]:#04x} at position {error.start}"
        raise PuzzleError(f"{where}: {fault} is not UTF-8 text; save it as UTF-8") from None


def _read_parquet(path: Path) -> Iterator[Row]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise _missing("pyarrow", f"{path}: reading Parquet") from error
    try:
        table = parquet.ParquetFile(path).read()
        rows = table.to_pylist()
    except (pyarrow.ArrowException, ValueError) as error:
        raise PuzzleError(f"{path}: this is no readable Parquet file: {_line(error)}") from error
    names = table.column_names
    twice = sorted(name for name in set(names) if names.count(name) > 1)
    if twice:
        fail(str(path), "the column", twice[0], "there at most once")
    return (Row(f"{path} row", number, row) for number, row in enumerate(rows, start=1))


def _read_hub(name: str, subset: str, split: str, revision: str | None) -> Iterator[Row]:
    if revision is None and name == SPARC:
        revision = SPARC_REVISION
    with _offline_where_unreachable(name, revision):
        return _load_dataset(name, name, subset, split, revision)


def _load_dataset(
    path: str, name: str, subset: str, split: str, revision: str | None
) -> Iterator[Row]:
    """Read one split of a folder or of a data set on the Hub through `datasets`."""
    try:
        import datasets
    except ImportError as error:
        raise _missing("datasets", f"{name}: reading a data set") from error
    try:
        rows = datasets.load_dataset(path, subset, split=split, revision=revision).to_list()
    except ConnectionError as error:
        raise PuzzleError(
            f"{name}: there is no file or folder of this name, the Hugging Face Hub cannot be "
            "reached and no copy is cached; give source the path of a .jsonl, .json or .parquet "
            "file, or of a folder with the data set's files, downloaded where there is a network"
        ) from error
    except Exception as error:  # the library raises many unrelated types, all about this source
        known = f" (subsets of {SPARC}: {', '.join(SPARC_SUBSETS)})" if name == SPARC else ""
        asked = f"subset {subset!r}, split {split!r}"
        raise PuzzleError(f"{name}: cannot load {asked}: {_line(error)}{known}") from error
    label = f"{name} {subset}/{split} row"
    return (Row(label, number, row) for number, row in enumerate(rows, start=1))


@contextmanager
def _offline_where_unreachable(name: str, revision: str | None) -> Iterator[None]:
    """Switch the Hub libraries to offline mode inside the block where the Hub does not answer.

    They would else retry for half a minute before they look into the cache. Both read their flag
    from the environment at import only, hence the assignment.
    """
    try:
        from datasets import config
        from huggingface_hub import HfApi, constants
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError as error:
        raise _missing("datasets", f"{name}: reading a data set") from error
    flags = ((config, "HF_HUB_OFFLINE"), (constants, "HF_HUB_OFFLINE"))
    before = [getattr(module, flag) for module, flag in flags]
    try:
        HfApi().dataset_info(name, revision=revision, timeout=_PROBE_SECONDS)
    except HfHubHTTPError:
        pass  # an answer, if a refusal: load_dataset gets it too and says what is wrong
    except Exception:  # whichever error the HTTP library of the day has for "no connection"
        for module, flag in flags:
            setattr(module, flag, True)
    try:
        yield
    finally:
        for (module, flag), value in zip(flags, before, strict=True):
            setattr(module, flag, value)


def _missing(library: str, purpose: str) -> ImportError:
    return ImportError(f'{purpose} needs {library}: pip install "spatialjax[data]"')


def _line(error: Exception) -> str:
    """Return an error's message on one line."""
    return " ".join(str(error).split()) or type(error).__name__

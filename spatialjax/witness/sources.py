"""From any source of line puzzles to a pack on the host."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path

from spatialjax.data.embedded import manifest
from spatialjax.data.fields import check_capacity, fail
from spatialjax.data.npz import is_npz
from spatialjax.data.records import validate_record
from spatialjax.data.sources import Row, load_records, validated
from spatialjax.witness.pack import SIDES, Capacity, HostPack, build_pack, load_pack


def load_host_pack(
    source: str | Path | Sequence[dict] | HostPack = "embedded",
    subset: str = "all",
    split: str = "train",
    *,
    revision: str | None = None,
    capacity: Capacity | None = None,
) -> HostPack:
    """Return the puzzles of a source as a pack; arguments as in `make_witness`."""
    if capacity is not None:
        capacity = check_capacity(capacity, SIDES)
    if source == "embedded" and (pack := _embedded(subset, split, capacity)) is not None:
        return pack
    if isinstance(source, str | Path) and is_npz(source):
        source = load_pack(source)
    if isinstance(source, HostPack):
        built = source.capacity[:2]
        if capacity not in (None, built):
            raise ValueError(f"capacity is {capacity}, but the pack was built for {built}")
        return source
    return build_pack(records_of(source, subset, split, revision=revision), capacity)


def records_of(
    source: str | Path | Sequence[dict],
    subset: str = "all",
    split: str = "train",
    *,
    revision: str | None = None,
) -> list[dict]:
    """Return the validated records of a source that `load_records` takes, or of a list of records.

    The solutions of records at hand are not judged by the rules.
    """
    if isinstance(source, str | Path):
        return load_records(source, subset=subset, split=split, revision=revision)
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        rows = (Row("record", number, record) for number, record in enumerate(source))
        return validated(rows, "the list of records", validate_record, "id")
    fail("make", "source", source, "a name, a path, a list of records or a HostPack")


def _embedded(subset: str, split: str, capacity: Capacity | None) -> HostPack | None:
    """Return an embedded pack as it was built beforehand, None if it is of another capacity."""
    if f"{subset}/{split}" not in manifest()["packs"]:
        return None  # reading the records will say what there is
    file = resources.files("spatialjax.data.embedded") / f"{subset}-{split}.npz"
    with resources.as_file(file) as path:
        pack = load_pack(path)
    return pack if capacity in (None, pack.capacity[:2]) else None

"""From any source of sliding puzzles to a pack on the host, and from configs to files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spatialjax.data.atomic import replacing
from spatialjax.data.fields import check_capacity
from spatialjax.data.files import part_of, write_records
from spatialjax.data.npz import is_npz
from spatialjax.data.sliding import validate_config
from spatialjax.data.sliding_files import load_configs, write_configs
from spatialjax.sliding.pack import SIDES, Capacity, HostPack, build_pack, load_pack, repadded

_SUFFIXES = (".json", ".jsonl", ".npz")


def load_host_pack(
    source: str | Path | Sequence[Mapping[str, Any]] | HostPack,
    subset: str = "geoms",
    split: str = "test",
    *,
    capacity: Capacity | None = None,
) -> HostPack:
    """Return the puzzles of a source as a pack.

    Args:
      source: "embedded", a config file, a folder of them, a list of configs, a `.npz` pack file, or
        a pack.
      subset, split: which of the embedded sets.
      capacity: cells along the side and number of geoms to pad to; None takes the largest boards.
        A pack has the one it was built for.
    """
    if capacity is not None:
        capacity = check_capacity(capacity, SIDES)
    if isinstance(source, str) and source == "embedded":
        # Imported here, as the recipes of the sets need the generators.
        from spatialjax.data.embedded.sliding import load_set

        source = load_set(subset, split)
        if capacity is not None and capacity != source.capacity:
            source = repadded(source, capacity)
    if isinstance(source, str | Path) and is_npz(source):
        source = load_pack(source)
    if isinstance(source, HostPack):
        if capacity not in (None, source.capacity):
            built = source.capacity
            raise ValueError(f"capacity is {capacity}, but the pack was built for {built}")
        return source
    return build_pack(load_configs(source), capacity)


def write_source(path: Path, configs: Sequence[Mapping[str, Any]]) -> None:
    """Write configs where `check_target` lets them: each file whole or not at all.

    A `.npz` pack keeps boards and lengths, everything else whole configs.
    """
    if not path.suffix:
        write_configs(path, configs)
        return
    clean = [validate_config(config, index=i) for i, config in enumerate(configs)]
    if path.suffix == ".npz":
        build_pack(clean).save(path)
    elif path.suffix == ".jsonl":
        write_records(path, clean)
    else:
        with replacing(path) as scratch:
            scratch.write_text(json.dumps(clean, indent=4) + "\n", encoding="utf-8")


def check_target(path: Path) -> None:
    """Raise ValueError unless `write_source` can write to a path of this name.

    A folder must hold no configs, as those written would mix with them; that of a stopped run may.
    """
    if path.suffix not in ("", *_SUFFIXES):
        raise ValueError(
            f"{path} does not end in {', '.join(_SUFFIXES)}, and the name of a folder for config"
            " files has no suffix"
        )
    if path.exists() and path.is_dir() == bool(path.suffix):
        kind = "a folder" if path.suffix else "a file"
        raise ValueError(f"{path} is {kind}: give another name, a suffix for a file alone")
    if not path.suffix and not part_of(path).exists() and any(path.rglob("*.json")):
        raise ValueError(f"{path} holds .json files already: give a folder without")

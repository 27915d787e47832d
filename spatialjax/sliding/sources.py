"""From any source of sliding puzzles to a pack on the host."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spatialjax.data.fields import check_capacity
from spatialjax.data.npz import is_npz
from spatialjax.data.sliding_files import load_configs
from spatialjax.sliding.pack import SIDES, Capacity, HostPack, build_pack, load_pack, repadded


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

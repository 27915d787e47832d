"""Long generator runs: on all cores, noted on the way, going on where a killed run stopped."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spatialjax.data.files import noted, resume
from spatialjax.witness.generator import VERSION, Record, Settings, candidates

Progress = Callable[[int], None]


def generate_resumable(
    part: Path | None,
    n: int,
    seed: int,
    settings: Settings,
    workers: int = 1,
    seen: set[str] | None = None,
    progress: Progress = lambda done: None,
) -> list[Record]:
    """Return `n` distinct puzzles, noting each in the file `part` as it is made.

    A `part` left by a killed run of the same seed, settings and version is read first and
    continued; one of another run is a ValueError. Without `part` nothing is noted. Puzzles with a
    key in `seen` are left out, and `seen` grows.
    """
    if n < 1:
        raise ValueError(f"n is {n}: ask for at least 1 puzzle")
    seen = set() if seen is None else seen
    made = [] if part is None else resume(part, _header(seed, settings))
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
        with closing(fresh), closing(fresh if part is None else noted(part, fresh)) as pairs:
            take(pairs)
    return records


def _header(seed: int, settings: Settings) -> dict[str, Any]:
    """What must be the same for a run to go on."""
    options = asdict(settings) | {"sizes": [[*size, w] for size, w in settings.sizes.items()]}
    return {"version": VERSION, "seed": seed, "settings": options}

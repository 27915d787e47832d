"""Make the embedded packs anew: the same seed and generator version give the same files."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from spatialjax.data.embedded import pack_records
from spatialjax.witness.generate_file import generate_resumable
from spatialjax.witness.generator import MIXES, VERSION, make_settings

SEED = 20
SPLITS = {"train": 4000, "validation": 500, "test": 1000}
MIX_COUNT = 200


def build_embedded(
    folder: Path,
    parts: Path,
    workers: int = 1,
    subsets: tuple[str, ...] = tuple(MIXES),
    progress: Callable[[int], None] = lambda done: None,
) -> None:
    """Write the pack files and `manifest.json` to `folder`; `parts` keeps unfinished work.

    No puzzle comes twice within or between packs, up to rotation, reflection and recolouring.
    """
    seen: set[str] = set()
    packs = {}
    for subset in subsets:
        splits = SPLITS if subset == "all" else {"test": MIX_COUNT}
        records = generate_resumable(
            parts / f"{subset}.part.jsonl",
            sum(splits.values()),
            SEED,
            make_settings(rules=subset),
            workers,
            seen,
            progress,
        )
        for split, count in splits.items():
            data = pack_records(records[:count])
            records = records[count:]
            name = f"{subset}-{split}.jsonl.xz"
            (folder / name).write_bytes(data)
            packs[f"{subset}/{split}"] = {
                "file": name,
                "puzzles": count,
                "sha256": hashlib.sha256(data).hexdigest(),
            }
    manifest = {"version": VERSION, "seed": SEED, "packs": packs}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")

"""Make the embedded packs anew: the same seed and generator version give the same files."""

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from spatialjax.data.atomic import replacing
from spatialjax.data.board import parse_board
from spatialjax.data.embedded import Record, pack_records
from spatialjax.witness.generate_file import generate_resumable
from spatialjax.witness.generator import VERSION, make_settings
from spatialjax.witness.pack import build_pack
from spatialjax.witness.sampling import KINDS, MIXES

SEED = 20
SPLITS = {"train": 4000, "validation": 500, "test": 1000}
MIX_COUNT = 200

HOW = """# The embedded line puzzles

Made by `python scripts/generate.py --embedded` with generator version {version} and seed {seed};
nothing in them comes from a published puzzle. Licence: that of the package.

Each puzzle was made backwards: a board size, the two ends and the number of symbols of each kind
were drawn; then a random line; then symbols that this line satisfies. The exhaustive solver
listed every solution, and boards with more than 50 were dropped. The weights behind those draws
follow the aggregate statistics of the published benchmark (sizes, kinds, counts, numbers of
solutions), so that the mix `all` is about as hard; no published board was used. No puzzle comes
twice, within a pack or between packs, up to rotation, reflection and recolouring.

`all` is the mix for training (`train`), choosing (`validation`) and measuring (`test`); the other
subsets hold only the kinds their names say.

"""


def build_embedded(
    folder: Path, parts: Path, workers: int = 1, progress: Callable[[int], None] = lambda done: None
) -> None:
    """Write the pack files, `manifest.json` and `datasheet.md` to `folder`.

    `parts` keeps unfinished work, and goes at the end; nothing in `folder` is touched before
    everything is made.
    """
    seen: set[str] = set()
    made: dict[str, list[Record]] = {}
    for subset in MIXES:
        splits = SPLITS if subset == "all" else {"test": MIX_COUNT}
        part = parts / f"{subset}.part.jsonl"
        settings = make_settings(rules=subset)
        total = sum(splits.values())
        records = generate_resumable(part, total, SEED, settings, workers, seen, progress)
        for split, count in splits.items():
            made[f"{subset}/{split}"] = records[:count]
            records = records[count:]
    packs = {}
    files = {}
    for name, records in made.items():
        file = name.replace("/", "-") + ".jsonl.xz"
        files[file] = pack_records(records)
        digest = hashlib.sha256(files[file]).hexdigest()
        packs[name] = {"file": file, "puzzles": len(records), "sha256": digest}
    manifest = {"version": VERSION, "seed": SEED, "packs": packs}
    files["manifest.json"] = (json.dumps(manifest, indent=2) + "\n").encode()
    files["datasheet.md"] = (HOW.format(version=VERSION, seed=SEED) + tables(made)).encode()
    for file, data in files.items():
        with replacing(folder / file) as scratch:
            scratch.write_bytes(data)
    for name, records in made.items():
        build_pack(records).save(folder / (name.replace("/", "-") + ".npz"))
    shutil.rmtree(parts)


def tables(packs: dict[str, list[Record]]) -> str:
    """Return the counts by level, kind and size as Markdown."""
    text = "## Puzzles by level, solutions and kind\n\n"
    text += "A kind's column counts the puzzles that hold it.\n\n"
    head = ["pack", "puzzles", "level 1", "2", "3", "4", "5", "solutions", *KINDS]
    text += _line(head) + _line(["---"] * len(head))
    sizes: dict[str, Counter[tuple[int, int]]] = {}
    for name, records in packs.items():
        levels = Counter(record["difficulty_level"] for record in records)
        kinds: Counter[str] = Counter()
        sizes[name] = Counter()
        for board in map(parse_board, records):
            kinds.update({symbol.kind for symbol in board.symbols})
            kinds.update({"dot": bool(board.dots), "gap": bool(board.gaps)})
            sizes[name][board.width, board.height] += 1
        solutions = sum(record["solution_count"] for record in records)
        by_level = [levels[level] for level in range(1, 6)]
        text += _line([name, len(records), *by_level, solutions, *(kinds[k] for k in KINDS)])
    text += "\n## Puzzles of the mix `all` by size (width x height in cells)\n\n"
    names = [name for name in packs if name.startswith("all/")]
    text += _line(["size", *names]) + _line(["---"] * (1 + len(names)))
    for width, height in sorted(set().union(*(sizes[name] for name in names))):
        counts = [sizes[name][width, height] for name in names]
        text += _line([f"{width}x{height}", *counts])
    return text


def _line(entries: list) -> str:
    return "| " + " | ".join(map(str, entries)) + " |\n"

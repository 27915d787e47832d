"""Our own line puzzles, shipped with the package and opened on demand.

`manifest.json` lists the files: for each "subset/split" the count, the seed and the SHA-256 of the
compressed file. A file is xz-compressed JSON lines, each a published-format record but for
`solutions`: a list of texts, one digit per step of the line (0 right, 1 up, 2 left, 3 down).
The `.npz` beside it is the same as a pack of arrays, which loads in a tenth of the time.
How the puzzles were made: `datasheet.md`.
"""

import hashlib
import io
import json
import lzma
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from itertools import accumulate
from typing import Any

from spatialjax.data.board import STEPS
from spatialjax.errors import PuzzleError

STEP_CODES = {step: str(action) for action, step in enumerate(STEPS)}
STRIDE = 32  # more than the columns of any board
PLACE_STEPS = {code: dy * STRIDE + dx for (dx, dy), code in STEP_CODES.items()}

Record = dict[str, Any]


def load_embedded(subset: str = "all", split: str = "test") -> list[Record]:
    """Return the records of one embedded pack, checked against its hash.

    An unknown subset or split is a PuzzleError that lists what there is.
    """
    packs = manifest()["packs"]
    name = f"{subset}/{split}"
    if name not in packs:
        raise PuzzleError(
            f"the embedded puzzles have no subset {subset!r} with split {split!r}: give one of "
            + ", ".join(packs)
        )
    data = (resources.files(__name__) / packs[name]["file"]).read_bytes()
    if hashlib.sha256(data).hexdigest() != packs[name]["sha256"]:
        raise PuzzleError(
            f"{packs[name]['file']} in {__name__} differs from its hash in manifest.json:"
            " the installation is damaged, reinstall spatialjax"
        )
    return unpack_records(data)


@lru_cache(maxsize=1)
def manifest() -> dict[str, Any]:
    """Return the manifest: generator `version` and `packs`, by "subset/split"."""
    return json.loads((resources.files(__name__) / "manifest.json").read_text("utf-8"))


def pack_records(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Compress records; the inverse of `unpack_records`."""
    lines = []
    for record in records:
        paths = [[(p["x"], p["y"]) for p in s["path"]] for s in record["solutions"]]
        short = dict(record) | {"solutions": [_encode(path) for path in paths]}
        lines.append(json.dumps(short, separators=(",", ":"), sort_keys=True) + "\n")
    return lzma.compress("".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME)


def unpack_records(data: bytes) -> list[Record]:
    """Decompress records and write their solutions out point by point."""
    return [_expand(json.loads(line)) for line in io.BytesIO(lzma.decompress(data))]


def _expand(record: Record) -> Record:
    x, y = next(
        (x, y)
        for y, row in enumerate(record["puzzle_array"])
        for x, token in enumerate(row)
        if token == "S"
    )
    record["solutions"] = [
        {"index": i, "path": _decode(codes, x, y), "pathLength": len(codes) + 1}
        for i, codes in enumerate(record["solutions"])
    ]
    return record


def _encode(path: list[tuple[int, int]]) -> str:
    """Write a path as one digit a step."""
    pairs = zip(path, path[1:], strict=False)
    return "".join(STEP_CODES[x - last_x, y - last_y] for (last_x, last_y), (x, y) in pairs)


def _decode(codes: str, x: int, y: int) -> list[dict[str, int]]:
    """Walk from (x, y) as the digits say; points are y * STRIDE + x on the way, which is fast."""
    places = accumulate([PLACE_STEPS[code] for code in codes], initial=y * STRIDE + x)
    return [{"x": place % STRIDE, "y": place // STRIDE} for place in places]

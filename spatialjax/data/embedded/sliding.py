"""Our own sliding puzzles, shipped with the package: recipes, building and opening.

A set is a `.npz` pack beside this file; `sliding.json` lists its boards and the content hash that
results quote. `build_sets` makes them anew: the same recipes give the same files.
"""

import json
import shutil
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from spatialjax.data.atomic import replacing
from spatialjax.errors import PuzzleError
from spatialjax.sliding.generate import BoardSet, GeomSet, TileSet, refuse_unfilled
from spatialjax.sliding.generate_file import Progress, generate_resumable
from spatialjax.sliding.pack import HostPack, build_pack, load_pack

FOLDER = "spatialjax.data.embedded"
MANIFEST = "sliding.json"

RECIPES: dict[str, BoardSet] = {
    "geoms/test": GeomSet(3, seed=0, set_id="SJX"),
    "geoms/hard": GeomSet(
        25,
        seed=1,
        sizes=(5, 6),
        geoms=None,
        moves=None,
        interference=(1, 2, 3, 4),
        num_shapes=6,
        num_colors=6,
        set_id="SJX_HARD",
    ),
    "geoms/train": GeomSet(100, seed=2, set_id="SJX_TRAIN"),
    "tiles/test": TileSet(3, seed=3, sizes=(3, 4), moves=range(5, 21), set_id="SJX_STP"),
    "tiles/train": TileSet(20, seed=4, sizes=(3, 4), moves=range(5, 21), set_id="SJX_STP_TRAIN"),
}
"""How each set is made. `geoms/test` is like the 300 boards of iVISPAR's paper: 4 x 4 cells, 2 to
11 geoms, 2 to 11 moves, no interference, three boards each."""


def load_set(subset: str, split: str) -> HostPack:
    """Return an embedded set as a pack, checked against its hash.

    Raises:
      PuzzleError: if there is no such set; it lists what there is.
    """
    name = f"{subset}/{split}"
    sets = manifest()
    if name not in sets:
        raise PuzzleError(
            f"the embedded sliding puzzles have no subset {subset!r} with split {split!r}: give one"
            f" of {', '.join(sets)}"
        )
    with resources.as_file(resources.files(FOLDER) / sets[name]["file"]) as path:
        pack = load_pack(path)
    if pack.hash != sets[name]["hash"]:
        raise PuzzleError(
            f"{sets[name]['file']} in {FOLDER} differs from its hash in {MANIFEST}:"
            " the installation is damaged, reinstall spatialjax"
        )
    return pack


@lru_cache(maxsize=1)
def manifest() -> dict[str, dict[str, Any]]:
    """Return file, boards and hash of every set, by "subset/split"."""
    return json.loads((resources.files(FOLDER) / MANIFEST).read_text("utf-8"))


def build_sets(
    subset: str, folder: Path, parts: Path, progress: Progress = lambda done, total: None
) -> None:
    """Make the sets of a subset and write their packs, and the manifest of all, to `folder`.

    A set for training holds no arrangement of the one for testing, whatever its geoms are called.
    `parts` keeps unfinished work, and goes at the end; nothing in `folder` is touched before
    everything is made.

    Raises:
      ValueError: if bins could not be filled.
    """
    made = {}
    for name, wanted in RECIPES.items():
        if name.startswith(f"{subset}/"):
            part = parts / f"{name.replace('/', '-')}.part"
            made[name], missing = generate_resumable(wanted, part, progress)
            refuse_unfilled(missing)
    tested = set(map(_arrangement, made[f"{subset}/test"]))
    sets = manifest()
    for name, configs in made.items():
        if name.endswith("/train"):
            configs = [config for config in configs if _arrangement(config) not in tested]
        pack = build_pack(configs)
        file = f"sliding-{name.replace('/', '-')}.npz"
        pack.save(folder / file)
        sets = sets | {name: {"file": file, "boards": len(pack), "hash": pack.hash}}
    with replacing(folder / MANIFEST) as scratch:
        scratch.write_text(json.dumps(sets, indent=2) + "\n", "utf-8")
    shutil.rmtree(parts)


def _arrangement(config: dict[str, Any]) -> tuple:
    """Return where geoms start and where they belong, in an order of its own."""
    pairs = [(*geom["start_coordinate"], *geom["goal_coordinate"]) for geom in config["landmarks"]]
    return config["grid_size"], *sorted(pairs)

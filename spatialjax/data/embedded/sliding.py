"""Our own sliding puzzles, shipped with the package: recipes, building and opening.

A set is a `.npz` pack beside this file; `sliding.json` lists its boards and the content hash that
results quote. `build_sets` makes them anew: the same recipes give the same files.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from spatialjax.data.atomic import replacing
from spatialjax.errors import PuzzleError
from spatialjax.sliding.generate import generate_sliding, generate_tiles
from spatialjax.sliding.pack import HostPack, build_pack, load_pack

FOLDER = "spatialjax.data.embedded"
MANIFEST = "sliding.json"

RECIPES: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "geoms/test": lambda: generate_sliding(3, seed=0, set_id="SJX"),
    "geoms/hard": lambda: generate_sliding(
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
    "geoms/train": lambda: generate_sliding(100, seed=2, set_id="SJX_TRAIN"),
    "tiles/test": lambda: generate_tiles(
        3, seed=3, sizes=(3, 4), moves=tuple(range(5, 21)), set_id="SJX_STP"
    ),
    "tiles/train": lambda: generate_tiles(
        20, seed=4, sizes=(3, 4), moves=tuple(range(5, 21)), set_id="SJX_STP_TRAIN"
    ),
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


def build_sets(folder: Path) -> None:
    """Make every set and write its pack and the manifest to `folder`.

    A set for training holds no arrangement of the one for testing, whatever its geoms are called.
    """
    sets = {}
    for name, recipe in RECIPES.items():
        configs = recipe()
        subset, split = name.split("/")
        if split == "train":
            tested = {_arrangement(config) for config in RECIPES[f"{subset}/test"]()}
            configs = [config for config in configs if _arrangement(config) not in tested]
        pack = build_pack(configs)
        file = f"sliding-{subset}-{split}.npz"
        pack.save(folder / file)
        sets[name] = {"file": file, "boards": len(pack), "hash": pack.hash}
    with replacing(folder / MANIFEST) as scratch:
        scratch.write_text(json.dumps(sets, indent=2) + "\n", "utf-8")


def _arrangement(config: dict[str, Any]) -> tuple:
    """Return where geoms start and where they belong, in an order of its own."""
    pairs = [(*geom["start_coordinate"], *geom["goal_coordinate"]) for geom in config["landmarks"]]
    return config["grid_size"], *sorted(pairs)

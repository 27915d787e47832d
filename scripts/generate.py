"""Generate puzzles into a file or folder, compare them with another set, or rebuild embedded packs.

A run that was stopped goes on with the same command.
"""

import argparse
import os
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

try:
    from spatialjax import load_records
    from spatialjax.core.command_line import Family, Flags, parse_flags
    from spatialjax.data.embedded.build import build_embedded
    from spatialjax.data.embedded.sliding import build_sets
    from spatialjax.data.files import check_suffix, part_of, write_records
    from spatialjax.sliding.generate import BoardSet, GeomSet, TileSet, UniformSet
    from spatialjax.sliding.generate_file import generate_file
    from spatialjax.witness.comparison import compare
    from spatialjax.witness.generate_file import generate_resumable
    from spatialjax.witness.generator import make_settings
    from spatialjax.witness.sampling import MIXES, SIZES
except ImportError as error:
    sys.exit(f"error: {error}")

EMBEDDED = ROOT / "spatialjax" / "data" / "embedded"
BUILD = ROOT / "build"
PAUSE = 0.2  # seconds between lines of progress


def size(text: str) -> tuple[int, int]:
    """Read "4x3" as width and height."""
    width, height = map(int, text.split("x"))
    return width, height


def level_or_scores(text: str) -> int | tuple[float, float]:
    """Read "3" as a level, "1.5:2" as a range of scores."""
    if ":" not in text:
        return int(text)
    low, high = map(float, text.split(":"))
    return low, high


def numbers(text: str) -> tuple[int, ...] | None:
    """Read "2-5,8" as 2, 3, 4, 5 and 8, "any" as None."""
    if text == "any":
        return None
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        found += range(int(first), int(last if dash else first) + 1)
    return tuple(dict.fromkeys(found))


def option(**arguments: Any) -> dict[str, Any]:
    """Describe a flag that leaves its value to the set's own default."""
    return {"default": argparse.SUPPRESS} | arguments


COMMON: Flags = {
    "out": {
        "nargs": "?",
        "type": Path,
        "help": "what to write: a .jsonl or .parquet file for lines; a folder of config files, or"
        " a .json, .jsonl or .npz file for geoms and tiles",
    },
    "--seed": {"type": int, "default": 0},
    "--embedded": {"action": "store_true", "help": "rebuild the embedded packs of the family"},
}
LINES: Flags = {
    "-n": {"type": int, "default": 500, "help": "puzzles (default 500)"},
    "--rules": {"default": "all", "choices": list(MIXES)},
    "--sizes": {"nargs": "+", "type": size, "metavar": "WxH", "help": "cells: 4x4 5x3"},
    "--difficulty": {"type": level_or_scores, "help": "level 1 to 5, or scores LOW:HIGH in 0 to 5"},
    "--max-solutions": {"type": int, "default": 50},
    "--workers": {
        "type": int,
        "default": os.cpu_count(),
        "help": "processes (default: one a core)",
    },
    "--compare": {"metavar": "PATH", "help": "print distributions beside this set's"},
}
TILES: Flags = {
    "--per-bin": {"type": int, "default": 3, "help": "boards of every kind (default 3)"},
    "--sizes": option(type=numbers, help="cells along the side, such as 4 or 3,5-6"),
    "--moves": option(type=numbers, help="of a shortest solution (c1), such as 2-11"),
    "--set-id": option(help="first part of every id"),
    "--attempts": option(type=int, help="tries in a row without success that end a kind"),
}
GEOMS: Flags = TILES | {
    "--geoms": option(type=numbers, help="how many on a board, such as 2-11"),
    "--interference": option(
        type=numbers,
        help="detours of two moves that geoms force on each other (c2), such as 1-4; without 0,"
        " `--geoms any --moves any` leave those to chance",
    ),
    "--shapes": option(type=int, dest="num_shapes", help="how many of the 6 (default 4)"),
    "--colors": option(type=int, dest="num_colors", help="how many of the 6 (default 4)"),
    "--uniform": {
        "action": "store_true",
        "help": "geoms on any cells, at the start as at the goal; these boards are not solved",
    },
}


class Progress:
    """A line that tells how far a run is and how fast, a few times a second."""

    def __init__(self) -> None:
        self._begin = self._shown = time.monotonic()

    def __call__(self, done: int, total: int | None = None) -> None:
        now = time.monotonic()
        if now < self._shown + PAUSE:
            return
        self._shown = now
        rate = done / (now - self._begin)
        of = "" if total is None else f" of {total}"
        print(f"\r{done}{of} puzzles, {rate:.0f} a second ", end="", file=sys.stderr, flush=True)

    def end(self, done: int) -> None:
        """Close the line."""
        seconds = time.monotonic() - self._begin
        print(f"\n{done} puzzles in {seconds:.1f} s", file=sys.stderr)


def run_lines(flags: argparse.Namespace) -> None:
    """Generate line puzzles."""
    for name in ("n", "workers"):
        if getattr(flags, name) < 1:
            raise ValueError(f"{name} is {getattr(flags, name)}; it must be at least 1")
    progress = Progress()
    if flags.embedded:
        build_embedded(EMBEDDED, BUILD / "embedded", flags.workers, progress)
        return
    if not (flags.out or flags.compare):
        raise ValueError("give a file to write, or --compare PATH")
    if flags.out:
        check_suffix(flags.out)
    other = load_records(flags.compare, check_solutions=False) if flags.compare else None
    settings = make_settings(
        flags.sizes or SIZES, flags.rules, flags.difficulty, flags.max_solutions
    )
    part = part_of(flags.out) if flags.out else None
    records = generate_resumable(
        part, flags.n, flags.seed, settings, flags.workers, progress=progress
    )
    progress.end(len(records))
    if flags.out and part:
        write_records(flags.out, records)
        part.unlink()
    if other:
        print(compare(records, other, ("generated", "other")))


def run_geoms(flags: argparse.Namespace) -> None:
    """Generate boards of geoms."""
    run_sliding(flags, UniformSet if flags.uniform else GeomSet)


def run_tiles(flags: argparse.Namespace) -> None:
    """Generate boards of sliding tiles."""
    run_sliding(flags, TileSet)


def run_sliding(flags: argparse.Namespace, kind: type[BoardSet]) -> None:
    """Generate a set of sliding puzzles."""
    progress = Progress()
    if flags.embedded:
        build_sets(flags.family, EMBEDDED, BUILD / f"embedded-{flags.family}", progress)
        return
    if not flags.out:
        raise ValueError("give a file or folder to write")
    known = {field.name for field in fields(kind)}
    options = {name: value for name, value in vars(flags).items() if name in known}
    for name in ("moves", "interference"):
        if name in vars(flags) and name not in known:
            raise ValueError(f"--{name} does not go with --uniform, which solves no boards")
    number, missing = generate_file(flags.out, kind(**options), progress)
    progress.end(number)
    for one, count in missing.items():
        print(f"not filled: {one}: {count} more", file=sys.stderr)


FAMILIES = {
    "lines": Family(LINES, run_lines),
    "geoms": Family(GEOMS, run_geoms),
    "tiles": Family(TILES, run_tiles),
}


def main() -> None:
    """Run, and turn expected errors and Ctrl-C into one sentence."""
    flags = parse_flags(__doc__, COMMON, FAMILIES)
    try:
        FAMILIES[flags.family].run(flags)
    except (ValueError, ImportError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("\nstopped; the same command goes on from here")


if __name__ == "__main__":
    main()

"""Generate line puzzles into a file, compare them with another set, or rebuild the embedded packs.

A run that was stopped goes on with the same command.
"""

import argparse
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

try:
    from spatialjax import load_records
    from spatialjax.data.embedded.build import build_embedded
    from spatialjax.data.files import check_suffix, part_of, write_records
    from spatialjax.witness.comparison import compare
    from spatialjax.witness.generate_file import generate_resumable
    from spatialjax.witness.generator import make_settings
    from spatialjax.witness.sampling import MIXES, SIZES
except ImportError as error:
    sys.exit(f"error: {error}")


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


def parse_arguments() -> argparse.Namespace:
    """Read the flags."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("out", nargs="?", type=Path, help=".jsonl or .parquet file to write")
    add("-n", type=int, default=500, help="puzzles (default 500)")
    add("--seed", type=int, default=0)
    add("--rules", default="all", choices=list(MIXES))
    add("--sizes", nargs="+", type=size, metavar="WxH", help="cells: 4x4 5x3")
    add("--difficulty", type=level_or_scores, help="level 1 to 5, or scores LOW:HIGH in 0 to 5")
    add("--max-solutions", type=int, default=50)
    add("--workers", type=int, default=os.cpu_count(), help="processes (default: one a core)")
    add("--compare", metavar="PATH", help="print distributions beside this set's")
    add("--embedded", action="store_true", help="rebuild the embedded packs")
    flags = parser.parse_args()
    if not (flags.out or flags.compare or flags.embedded):
        parser.error("give a file to write, or --compare PATH")
    for name in ("n", "workers"):
        if getattr(flags, name) < 1:
            parser.error(f"{name} is {getattr(flags, name)}; it must be at least 1")
    return flags


def run(flags: argparse.Namespace) -> None:
    """Do what the flags ask for."""
    begin = time.monotonic()

    def show_progress(done: int) -> None:
        rate = done / (time.monotonic() - begin)
        print(f"\r{done} puzzles, {rate:.0f} a second ", end="", file=sys.stderr, flush=True)

    if flags.embedded:
        folder = ROOT / "spatialjax" / "data" / "embedded"
        build_embedded(folder, ROOT / "build" / "embedded", flags.workers, show_progress)
        return
    if flags.out:
        check_suffix(flags.out)
    other = load_records(flags.compare, check_solutions=False) if flags.compare else None
    settings = make_settings(
        flags.sizes or SIZES, flags.rules, flags.difficulty, flags.max_solutions
    )
    part = part_of(flags.out) if flags.out else None
    records = generate_resumable(
        part, flags.n, flags.seed, settings, flags.workers, progress=show_progress
    )
    seconds = time.monotonic() - begin
    if flags.out and part:
        write_records(flags.out, records)
        part.unlink()
    print(f"\n{len(records)} puzzles in {seconds:.1f} s", file=sys.stderr)
    if other:
        print(compare(records, other, ("generated", "other")))


def main() -> None:
    """Run, and turn expected errors and Ctrl-C into one sentence."""
    flags = parse_arguments()
    try:
        run(flags)
    except (ValueError, ImportError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("\nstopped; the same command goes on from here")


if __name__ == "__main__":
    main()

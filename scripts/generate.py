"""Generate line puzzles into a file, rebuild the embedded packs, or compare with another set."""

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
    from spatialjax.witness.comparison import compare
    from spatialjax.witness.generate_file import SUFFIXES, generate_resumable, write_records
    from spatialjax.witness.generator import MIXES, SIZES, make_settings
except ImportError as error:
    sys.exit(f"error: {error}")


def size(text: str) -> tuple[int, int]:
    """Read "4x3" as width and height."""
    width, height = map(int, text.split("x"))
    return width, height


def parse_arguments() -> argparse.Namespace:
    """Read the flags."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="?", type=Path, help=".jsonl or .parquet file to write")
    parser.add_argument("-n", type=int, default=500, help="puzzles (default 500)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rules", default="all", choices=list(MIXES))
    parser.add_argument("--sizes", nargs="+", type=size, metavar="WxH", help="cells: 4x4 5x3")
    parser.add_argument("--difficulty", type=int, help="level 1 to 5")
    parser.add_argument("--max-solutions", type=int, default=50)
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--compare", metavar="PATH", help="print distributions beside this set's")
    parser.add_argument("--embedded", action="store_true", help="rebuild the embedded packs")
    return parser.parse_args()


def show_progress(begin: float, done: int) -> None:
    """Print the count and the rate on one line."""
    rate = done / (time.monotonic() - begin)
    print(f"\r{done} puzzles, {rate:.0f} a second ", end="", file=sys.stderr, flush=True)


def main() -> None:
    """Run the command that the flags ask for."""
    flags = parse_arguments()
    begin = time.monotonic()
    if flags.embedded:
        folder = ROOT / "spatialjax" / "data" / "embedded"
        parts = ROOT / "build" / "embedded"
        build_embedded(folder, parts, flags.workers, lambda done: show_progress(begin, done))
        return
    if flags.out is None or flags.out.suffix not in SUFFIXES:
        sys.exit(f"give a file to write that ends in {' or '.join(SUFFIXES)}, not {flags.out}")
    try:
        settings = make_settings(
            flags.sizes or SIZES, flags.rules, flags.difficulty, flags.max_solutions
        )
        part = flags.out.with_name(flags.out.name + ".part")
        records = generate_resumable(
            part, flags.n, flags.seed, settings, flags.workers,
            progress=lambda done: show_progress(begin, done),
        )  # fmt: skip
        write_records(flags.out, records)
        part.unlink()
        if flags.compare:
            print("\n" + compare(records, load_records(flags.compare), ("generated", "other")))
    except (ValueError, ImportError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()

"""Solve line puzzles exactly and time it; compare the solutions with those a file lists."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

try:
    from spatialjax.witness.solve_file import SolveConfig, solve_source
except ImportError as error:
    sys.exit(f"error: {error}")

BAR = 40  # characters


def parse_arguments() -> argparse.Namespace:
    """Read the flags; they are the fields of `SolveConfig`."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("source", metavar="PATH", help="a file, a folder, 'embedded' or the name of a data set")
    add("--subset", default="all")
    add("--split", default="test")
    add("--verify", action="store_true", help="exit with 1 if solutions differ from those listed")
    add("--limit", type=int, help="stop a puzzle after so many solutions")
    add("--deadline", type=float, metavar="SECONDS", help="stop a puzzle after so long")
    add("--workers", type=int, help="threads (default: one a core)")
    add("--out", type=Path, help=".jsonl or .parquet file for the records with their solutions")
    return parser.parse_args()


def show_progress(done: int, total: int) -> None:
    """Draw the progress bar anew for each per cent."""
    if done < total and done % max(1, total // 100):
        return
    bar = "#" * (BAR * done // total)
    end = "\n" if done == total else ""
    print(f"\r[{bar:{BAR}}] {done}/{total}", end=end, file=sys.stderr, flush=True)


def main() -> None:
    """Solve, print, and say by the exit status whether the solutions are those listed."""
    flags = parse_arguments()
    try:
        report = solve_source(SolveConfig(**vars(flags)), show_progress)
    except (ValueError, ImportError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        again = "; the same command goes on from here" if flags.out else ""
        sys.exit(f"\nstopped{again}")
    print(report.text())
    sys.exit(bool(report.differing))


if __name__ == "__main__":
    main()

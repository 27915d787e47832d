"""Solve puzzles exactly and time it; compare the solutions with those a file lists."""

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

try:
    from spatialjax.core.command_line import Family, Flags, parse_flags
    from spatialjax.sliding import solve_file as sliding
    from spatialjax.witness import solve_file as witness
except ImportError as error:
    sys.exit(f"error: {error}")

BAR = 40  # characters

COMMON: Flags = {
    "source": {
        "metavar": "PATH",
        "help": "a file, a folder, 'embedded', or for lines the name of a data set",
    },
    "--split": {"default": "test", "help": "of the embedded sets (default test)"},
    "--verify": {
        "action": "store_true",
        "help": "exit with 1 if what is found is not what is listed",
    },
    "--workers": {"type": int, "help": "threads (default: one a core)"},
    "--out": {"type": Path, "help": "where to write the puzzles with their solutions"},
}
LINES: Flags = {
    "--subset": {"default": "all"},
    "--limit": {"type": int, "help": "stop a puzzle after so many solutions"},
    "--deadline": {"type": float, "metavar": "SECONDS", "help": "stop a puzzle after so long"},
}
SLIDING: Flags = {
    "--solver": {
        "default": "ida_star",
        "choices": sliding.SOLVERS,
        "help": "ida_star (default): on the device, and by A* on the host what runs out of its"
        " budget; astar: all on the host",
    },
    "--budget": {
        "type": int,
        "default": sliding.BUDGET,
        "help": "iterations of IDA* for each board (default %(default)s)",
    },
    "--max-states": {
        "type": int,
        "default": sliding.MAX_STATES,
        "help": "arrangements that A* keeps before it gives a board up (default %(default)s)",
    },
}


def show_progress(done: int, total: int) -> None:
    """Draw the progress bar anew for each per cent."""
    if done < total and done % max(1, total // 100):
        return
    bar = "#" * (BAR * done // total)
    end = "\n" if done == total else ""
    print(f"\r[{bar:{BAR}}] {done}/{total}", end=end, file=sys.stderr, flush=True)


def solve_lines(flags: argparse.Namespace) -> witness.SolveReport:
    """Solve line puzzles; flags are the fields of `SolveConfig`."""
    return witness.solve_source(witness.SolveConfig(**_fields(flags)), show_progress)


def solve_sliding(flags: argparse.Namespace) -> sliding.SolveReport:
    """Solve boards of geoms and tiles; flags are the fields of `SolveConfig`."""
    config = sliding.SolveConfig(subset=flags.family, **_fields(flags))
    return sliding.solve_source(config, show_progress)


def _fields(flags: argparse.Namespace) -> dict[str, Any]:
    return {name: value for name, value in vars(flags).items() if name != "family"}


FAMILIES = {
    "lines": Family(LINES, solve_lines),
    "geoms": Family(SLIDING, solve_sliding),
    "tiles": Family(SLIDING, solve_sliding),
}


def main() -> None:
    """Solve, print, and say by the exit status whether what was found is what is listed."""
    flags = parse_flags(__doc__, COMMON, FAMILIES)
    try:
        report = FAMILIES[flags.family].run(flags)
    except (ValueError, ImportError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        again = "; the same command goes on from here" if flags.out else ""
        sys.exit(f"\nstopped{again}")
    print(report.text())
    sys.exit(bool(report.differing))


if __name__ == "__main__":
    main()

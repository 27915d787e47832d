"""Play puzzles in the terminal; attempts can be noted as JSON lines, for a human baseline."""

import argparse
import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

try:
    from spatialjax import load_records
    from spatialjax.core.command_line import Family, parse_flags
    from spatialjax.play.lines import LineGame
    from spatialjax.play.session import Game, Log, play
    from spatialjax.play.sliding import SlidingGame
    from spatialjax.play.terminal import Terminal
    from spatialjax.sliding.sources import load_host_pack
except ImportError as error:
    sys.exit(f"error: {error}")

COMMON: dict[str, dict[str, Any]] = {
    "source": {
        "nargs": "?",
        "default": "embedded",
        "help": "a file, a folder, 'embedded' (default) or the name of a data set",
    },
    "--split": {"default": "test", "help": "of the embedded puzzles (default %(default)s)"},
    "--puzzle": {"metavar": "ID", "help": "play this one alone"},
    "--seed": {"type": int, "help": "play in an order drawn with this seed"},
    "--log": {"type": Path, "metavar": "FILE", "help": "note every attempt as a line of JSON"},
    "--player": {"default": "", "help": "name in the log; what it has solved there is left out"},
}


def line_games(flags: argparse.Namespace) -> list[Game]:
    """Return the line puzzles of a source."""
    records = load_records(flags.source, subset=flags.subset, split=flags.split)
    return [LineGame(record) for record in records]


def sliding_games(subset: str, flags: argparse.Namespace) -> list[Game]:
    """Return the sliding puzzles of a source."""
    pack = load_host_pack(flags.source, subset, flags.split)
    return [SlidingGame(config) for config in pack.configs()]


FAMILIES = {
    "lines": Family({"--subset": {"default": "all", "help": "mix of rules"}}, line_games),
    "geoms": Family({}, partial(sliding_games, "geoms")),
    "tiles": Family({}, partial(sliding_games, "tiles")),
}


def chosen(games: list[Game], flags: argparse.Namespace, log: Log) -> list[Game]:
    """Return the puzzles that are to be played, in order.

    Raises:
      ValueError: if there is none.
    """
    if flags.puzzle is not None:
        games = [game for game in games if game.puzzle_id == flags.puzzle]
        if not games:
            raise ValueError(f"{flags.source} has no puzzle {flags.puzzle!r}")
        return games
    own = [row for row in log.rows if row["player"] == flags.player]
    solved = {row["puzzle_id"] for row in own if row.get("solved")}
    games = [game for game in games if game.puzzle_id not in solved]
    if not games:
        raise ValueError(f"{flags.log}: every puzzle of {flags.source} is solved")
    if flags.seed is not None:
        random.Random(flags.seed).shuffle(games)
    return games


def main() -> None:
    """Play, and turn expected errors and Ctrl-C into one sentence."""
    flags = parse_flags(__doc__, COMMON, FAMILIES)
    try:
        log = Log(flags.log)
        games = chosen(FAMILIES[flags.family].run(flags), flags, log)
        with Terminal() as terminal:
            play(games, terminal, log, flags.player)
    except (ValueError, ImportError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("stopped")


if __name__ == "__main__":
    main()

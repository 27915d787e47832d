"""Command lines of programs that serve several families of puzzles, each with flags of its own."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Flags = Mapping[str, Mapping[str, Any]]
"""Arguments of `ArgumentParser.add_argument` by flag."""


class Family(NamedTuple):
    """What a program does for one family of puzzles.

    Attributes:
      flags: its own.
      run: does what the flags ask for; the program knows what it returns.
    """

    flags: Flags
    run: Callable[[argparse.Namespace], Any]


def parse_flags(
    description: str | None, common: Flags, families: Mapping[str, Family]
) -> argparse.Namespace:
    """Parse what all families share and the flags of the one that `--family` names.

    Without it that is the first. Exits with one sentence on a flag of another family.
    """
    names = list(families)
    family: dict[str, Any] = {"choices": names, "default": names[0]}
    family["help"] = "kind of puzzles (default %(default)s)"
    chooser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    chooser.add_argument("--family", **family)
    name = chooser.parse_known_args()[0].family
    parser = argparse.ArgumentParser(
        description=description,
        epilog=f"These are the flags for --family {name}; other families have their own.",
        allow_abbrev=False,
    )
    parser.add_argument("--family", **family)
    for flag, options in (*common.items(), *families[name].flags.items()):
        parser.add_argument(flag, **options)
    flags, unknown = parser.parse_known_args()
    for word in unknown:
        flag = word.partition("=")[0]
        owners = [other for other in names if flag in families[other].flags]
        if owners:
            parser.error(f"{flag} is a flag for --family {' or '.join(owners)}, not for {name}")
    if unknown:
        parser.error(f"not understood: {' '.join(unknown)}")
    return flags

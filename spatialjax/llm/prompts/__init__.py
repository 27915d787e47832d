"""What language models are asked: prompts by name, each with a version and a hash.

    prompts = line_prompts("step", examples=1, grid="table")
    messages = prompts.messages(LineEpisode(record))    # anew before every reply
    prompts.identity()                                  # {"name", "version", "hash"}, for results

    line_prompts("sparc:single_shot")                   # the words of an installed sparc-puzzle
    sliding_prompts("picture").messages(SlidingEpisode(config))

Each conversation says all that there is to know of the state, so it holds no earlier turn (of the
sliding puzzles: the last two).
"""

from spatialjax.llm.prompts.lines import LinePrompts
from spatialjax.llm.prompts.message import Prompts
from spatialjax.llm.prompts.sliding import SlidingPrompts
from spatialjax.llm.prompts.sparc import PREFIX, SparcPrompts

__all__ = [
    "LinePrompts",
    "Prompts",
    "SlidingPrompts",
    "SparcPrompts",
    "line_prompts",
    "sliding_prompts",
]


def line_prompts(name: str, **options) -> "LinePrompts | SparcPrompts":
    """Return the prompts of a mode of `LinePrompts`, or those that `sparc:NAME` names.

    Raises:
      ValueError: if the name or an option is unknown or has a value that is not allowed.
      ImportError: if sparc-puzzle is asked for and not installed.
    """
    if name.startswith(PREFIX):
        return SparcPrompts(name.removeprefix(PREFIX), **options)
    return LinePrompts(name, **options)


def sliding_prompts(name: str, **options) -> "SlidingPrompts":
    """Return the prompts of a mode of `SlidingPrompts`; errors as `line_prompts`."""
    return SlidingPrompts(name, **options)

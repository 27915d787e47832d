"""Commands in words: their grammar, what is one in a language model's reply, and playing them.

    command   = move | "start" | "done"
    move      = "move" colour shape direction | "move" "tile" number direction
    direction = "left" | "right" | "up" | "down"
    colour    = one of `COLORS`
    shape     = one of `SHAPES`, or its synonym: square, circle, triangle, hexagon
    number    = decimal digits, 1 to size * size - 1

Upper and lower case are the same, words are separated by blanks, and one full stop may follow. One
command a line: no counts, no lists, and nothing else beside it.
"""

import re
from dataclasses import dataclass
from typing import Literal

from spatialjax.sliding.board import Board, slide
from spatialjax.sliding.names import DIRECTIONS, read_geom
from spatialjax.sliding.types import Direction, Result

_BLANKS = re.compile("[ \t]+")
_MARKER = "action:"
_MARKUP = str.maketrans("", "", "*#`")


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
      verb: what to do.
      geom: name of the geom to move, `red cube` or `tile 7`; "" for the other verbs.
      direction: where it moves; None for the other verbs.
    """

    verb: Literal["move", "start", "done"]
    geom: str = ""
    direction: Direction | None = None

    def __str__(self) -> str:
        if self.direction is None:
            return self.verb
        return f"{self.verb} {self.geom} {self.direction.name.lower()}"


def parse_command(text: str, size: int) -> Command | None:
    """Read a command for a board of this size; None if the text does not fit the grammar."""
    line = text.strip().removesuffix(".").rstrip(" \t").lower()
    match _BLANKS.split(line):
        case ["start"]:
            return Command("start")
        case ["done"]:
            return Command("done")
        case ["move", first, second, last] if last in DIRECTIONS:
            geom = read_geom(first, second, size)
            return Command("move", geom, DIRECTIONS[last]) if geom else None
    return None


def command_in_reply(reply: str) -> str:
    """Return what a language model's reply gives as its action; it may be no command at all.

    That is the rest of the line after the last `action:`, without asterisks, hashes and backquotes;
    "" where there is none.
    """
    _, marker, rest = reply.lower().translate(_MARKUP).rpartition(_MARKER)
    lines = rest.splitlines()
    return lines[0].strip() if marker and lines else ""


def play_command(board: Board, text: str) -> tuple[Result, Board]:
    """Carry out one command; the board comes back as it was unless a geom moved.

    `start` is illegal: whoever runs the episode has started it. A board that is solved by a move
    ends the episode unless it runs without automatic check, and only then is `done` ever right.
    """
    command = parse_command(text, board.size)
    if command is None or command.verb == "start":
        return Result.ILLEGAL_COMMAND, board
    if command.direction is None:
        return (Result.DONE_RIGHT if board.solved else Result.DONE_WRONG), board
    if command.geom not in board.names:
        return Result.NO_SUCH_GEOM, board
    return slide(board, board.names.index(command.geom), command.direction)


def action_command(board: Board, action: int) -> str:
    """Write the action `4 * slot + direction` as a command."""
    slot, direction = divmod(action, len(Direction))
    return str(Command("move", board.names[slot], Direction(direction)))

"""What a reply of a language model gives as its answer: a line, or the next move.

Two modes of reading:

- `"published"` reads as the package sparc-puzzle does, for numbers beside published ones. A line is
  every `(x, y)` after the last `####`, or in the whole reply where there is none, up to the first
  visit of the end. A move is the first digit after `Final:`, else the first word after it, else a
  digit, else a word, with which the reply ends; what stands before the last `</think>` is left out.
- `"tolerant"` understands more ways of writing, so that a right answer is not lost to its form.

What `"tolerant"` reads beside that in lines:

| | |
|---|---|
| points | `(1, 2)` `[1, 2]` `{"x": 1, "y": 2}` `<1, 2>`, or `1,2` where no brackets are used |
| corners | points left out between two of a row or a column are filled in |
| directions | `right, right, up`, `right 2, up 1`, `2 right, 1 up`, `RRU`, arrows; from the start |
| start | points before its first visit are left out, as are those behind the end |
| marker | also `<answer>` and `\\boxed{`; it may follow the line; an earlier one counts too |
| around | JSON, lists, code fences and LaTeX; thinking in tags is left out |

It takes, in this order: the published reading if that is a legal line; the first line from start to
end after the last marker, after an earlier one, and the last such line before all markers; the
longest chain of points that follow each other. So the two modes agree wherever the published one
finds a legal line, and only the form of an answer decides, never whether it keeps the rules.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from spatialjax.core.options import require_one_of
from spatialjax.data.board import STEPS, Board, Point
from spatialjax.llm.faults import line_faults

MODES = ("published", "tolerant")

MARKER = "####"
"""What a reply puts before its line."""

DIRECTIONS = ("right", "up", "left", "down")
"""Words of the actions 0 to 3."""


def extract_path(reply: str, board: Board, mode: str = "tolerant") -> list[Point] | None:
    """Return the line that a reply gives, as points (x, y); None if it gives none.

    The points may be anything: not on the board, not connected, not a line.

    Raises:
      ValueError: if the mode is unknown.
    """
    require_one_of("mode", mode, MODES)
    published = _published_path(reply, board)
    if mode == "published" or (published is not None and not line_faults(board, published)):
        return published
    return _tolerant_path(reply, board)


def extract_action(reply: str, mode: str = "tolerant") -> int | None:
    """Return the move that a reply gives: 0 right, 1 up, 2 left, 3 down; None if it gives none.

    The tolerant mode takes the last `Final:` rather than the first, sees through Markdown, quotes
    and brackets, and understands `Action:` and `Move:` as well.

    Raises:
      ValueError: if the mode is unknown.
    """
    require_one_of("mode", mode, MODES)
    if mode == "published":
        return _published_action(reply.rpartition("</think>")[2].strip())
    text = without_thinking(unicodedata.normalize("NFKC", reply)).translate(_NO_MARKUP)
    finals = _ANY_FINAL.findall(text)
    return _action(finals[-1]) if finals else _published_action(text.strip().rstrip(".!"))


def without_thinking(reply: str) -> str:
    """Return a reply without the blocks that hold a model's thinking, closed or cut off."""
    text = reply.rpartition("<|channel|>final<|message|>")[2]
    said: list[str] = []
    is_thinking, begin = False, 0
    for tag in _THINKING.finditer(text):
        if not tag[1] and not is_thinking:
            said.append(text[begin : tag.start()])
        elif tag[1] and not is_thinking:
            said = []  # it thought from the beginning on
        is_thinking, begin = not tag[1], tag.end()
    return "".join(said if is_thinking else [*said, text[begin:]])


_THINKING = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|scratchpad)>", re.IGNORECASE)


# --- moves

_WORD = "|".join(DIRECTIONS)
_PUBLISHED_ACTION = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"final:\s*([0-3])\b",
        rf"final:\s*({_WORD})\b",
        r"\b([0-3])\s*$",
        rf"\b({_WORD})\s*$",
    )
)
_ANY_FINAL = re.compile(
    rf"\b(?:final(?: (?:answer|action|move))?|action|move)\s*[:=]\s*(?:action\s*[:=]?\s*)?"
    rf"([0-3]|{_WORD})\b",
    re.IGNORECASE,
)
_NO_MARKUP = str.maketrans("", "", "*`#_\"'<>[](){}$\\")


def _published_action(text: str) -> int | None:
    for pattern in _PUBLISHED_ACTION:
        match = pattern.search(text)
        if match:
            return _action(match[1])
    return None


def _action(found: str) -> int | None:
    if found.isdecimal():
        return int(found)
    word = found.lower()  # without case, "i" matches a dotless one too
    return DIRECTIONS.index(word) if word in DIRECTIONS else None


# --- lines, the published reading

_ROUND = re.compile(r"\((\d+),\s*(\d+)\)")


def _published_path(reply: str, board: Board) -> list[Point] | None:
    try:
        points = [(int(x), int(y)) for x, y in _ROUND.findall(reply.rpartition(MARKER)[2])]
    except ValueError:  # Python refuses numbers of more than 4300 digits
        return None
    return _cut(points, board) or None


def _cut(points: list[Point], board: Board) -> list[Point]:
    """Leave out what follows the first visit of the end."""
    return points[: points.index(board.end) + 1] if board.end in points else points


# --- lines, the tolerant reading

_MARKERS = re.compile(rf"{MARKER}|<answer>|\\boxed\{{", re.IGNORECASE)
_NUMBER = r"(-?\d{1,9})"
_OPEN, _SHUT = r"(?:[(\[<{]|\\left\()", r"(?:[)\]>}]|\\[)]|\\right\))"


def _name(*names: str) -> str:
    return rf"[\"']?(?:{'|'.join(names)})[\"']?\s*[:=]\s*"


_X, _Y = _name("x", "col", "column"), _name("y", "row")
_BRACKETED = re.compile(
    rf"{_OPEN}\s*(?:{_X})?{_NUMBER}\s*[,;]\s*(?:{_Y})?{_NUMBER}\s*{_SHUT}"
    rf"|{_OPEN}\s*{_Y}{_NUMBER}\s*[,;]\s*{_X}{_NUMBER}\s*{_SHUT}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?<![\d.-]){_NUMBER}\s*,\s*{_NUMBER}(?![\d.])")
# What may stand between two points, and between two directions, of one chain.
_FILLERS = "to|then|and|next|go|move|steps?|cells?|by|point|node"
_POINT_JOINT = re.compile(
    rf"(?:\W|_|\b(?:{_FILLERS}|{_WORD}|(?:long)?rightarrow|\d{{1,3}})\b)*", re.IGNORECASE
)
_MOVE_JOINT = re.compile(rf"(?:\W|_|\b(?:{_FILLERS})\b|\b\d{{1,3}}[.):])*", re.IGNORECASE)
_MAX_JOINT = 60  # characters

_ARROWS = dict(zip("→↑←↓➡⬆⬅⬇", 2 * DIRECTIONS, strict=True))
_LETTERS = dict(zip("RULD", DIRECTIONS, strict=True))
_COUNT = r"(\d{1,2})"
_MOVES_ANY = rf"[{''.join(_ARROWS)}]|\b(?i:{_WORD})\b"
_COUNT_AFTER = re.compile(
    rf"({_MOVES_ANY}|\b[RULD]+\b)"
    rf"(?:[ \t]*(?:[x×*]|by\b|for\b)?[ \t]*\(?{_COUNT}\)?(?![\d.):]))?"
    rf"|\b([RULD]){_COUNT}\b"
)
_COUNT_BEFORE = re.compile(
    rf"(?:\b{_COUNT}[ \t]*[x×*]?[ \t]*(?:(?:steps?|cells?)[ \t]+)?)?({_MOVES_ANY}|\b[RULD]+\b)"
)

Reading = Callable[[str, Board], list[list[Point]]]
"""The chains of points that a text holds, each a line."""


def _tolerant_path(reply: str, board: Board) -> list[Point] | None:
    text = without_thinking(unicodedata.normalize("NFKC", reply))
    before, *after = _MARKERS.split(text)
    # Text after the last marker first, and the text before all markers last, read from its end.
    parts = [*reversed(after), before]
    readings = (_points_in_brackets, _bare_points, _moves_counted_after, _moves_counted_before)
    for number, part in enumerate(parts):
        for reading in readings:
            chains = reading(part, board)
            for chain in chains if number < len(after) else reversed(chains):
                if chain[0] == board.start and chain[-1] == board.end:
                    return chain
    for reading in readings:
        chains = [chain for part in reversed(after) for chain in reading(part, board)]
        if chains:
            return max(chains, key=len)
    chains = [chain for chain in reversed(_points_in_brackets(before, board)) if len(chain) > 1]
    return max(chains, key=len, default=None)


def _points_in_brackets(text: str, board: Board) -> list[list[Point]]:
    return _point_chains(_BRACKETED, text, board)


def _bare_points(text: str, board: Board) -> list[list[Point]]:
    if _BRACKETED.search(text):
        return []
    return _point_chains(_BARE, text, board)


def _point_chains(pattern: re.Pattern[str], text: str, board: Board) -> list[list[Point]]:
    chains = []
    for matches in _chains(pattern, _POINT_JOINT, text):
        points = [_point(match) for match in matches]
        # Points spoken of just before the line, as those cut off behind it.
        first = points.index(board.start) if board.start in points else 0
        chains.append(_filled_in(_cut(points[first:], board)))
    return chains


def _point(match: re.Match[str]) -> Point:
    numbers = [int(group) for group in match.groups() if group]
    is_y_first = match.lastindex == 4
    return (numbers[1], numbers[0]) if is_y_first else (numbers[0], numbers[1])


def _moves_counted_after(text: str, board: Board) -> list[list[Point]]:
    return _move_chains(_COUNT_AFTER, text, board)


def _moves_counted_before(text: str, board: Board) -> list[list[Point]]:
    return _move_chains(_COUNT_BEFORE, text, board)


def _move_chains(pattern: re.Pattern[str], text: str, board: Board) -> list[list[Point]]:
    chains = []
    for matches in _chains(pattern, _MOVE_JOINT, text):
        points = [board.start]
        for action in (action for match in matches for action in _actions(match)):
            (x, y), (dx, dy) = points[-1], STEPS[action]
            points.append((x + dx, y + dy))
        chains.append(_cut(points, board))
    return chains


def _actions(match: re.Match[str]) -> list[int]:
    groups = [group for group in match.groups() if group]
    count = next((int(group) for group in groups if group.isdecimal()), 1)
    (word,) = (group for group in groups if not group.isdecimal())
    if word.lower() in DIRECTIONS:
        words = [word.lower()]
    else:
        words = [(_LETTERS | _ARROWS)[letter] for letter in word]
    return [DIRECTIONS.index(word) for word in words] * count


def _chains(
    pattern: re.Pattern[str], joint: re.Pattern[str], text: str
) -> Iterator[list[re.Match[str]]]:
    """Yield the matches in groups: those with nothing but a joint between them."""
    chain: list[re.Match[str]] = []
    for match in pattern.finditer(text):
        if chain:
            between = text[chain[-1].end() : match.start()]
            if len(between) > _MAX_JOINT or not joint.fullmatch(between):
                yield chain
                chain = []
        chain.append(match)
    if chain:
        yield chain


def _filled_in(points: Sequence[Point]) -> list[Point]:
    """Complete a line given by its corners, if it is one; a point said twice in a row is one."""
    line = [*points[:1], *(b for a, b in pairwise(points) if a != b)]
    if any(a[0] != b[0] and a[1] != b[1] for a, b in pairwise(line)):
        return line
    if any(abs(a[0] - b[0]) + abs(a[1] - b[1]) > _MAX_SIDE for a, b in pairwise(line)):
        return line
    filled = line[:1]
    for x, y in line[1:]:
        while filled[-1] != (x, y):
            at_x, at_y = filled[-1]
            filled.append((at_x + _sign(x - at_x), at_y + _sign(y - at_y)))
    return filled


_MAX_SIDE = 99
"""Steps between two corners, far more than the side of any board."""


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)

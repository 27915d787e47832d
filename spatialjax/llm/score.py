"""The verdict on an answer to a line puzzle, and both of its scores.

| verdict | when |
|---|---|
| `solved` | the line keeps every rule |
| `rule_broken` | it leads legally from start to end, and breaks the rules in `broken` |
| `incomplete` | it is legal but for its last point, which is not the end |
| `illegal_path` | it has other faults, those in `faults` |
| `parse_failed` | the reply gives no line |

The score `rules` is whether `check_path` says solved. The score `stored` is what published numbers
count: whether the line is one of those listed in the record, point for point. A list that is not
complete makes `stored` refuse good lines, a wrong one makes it take bad ones; so both are kept.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spatialjax.data.board import Board, Point, parse_board
from spatialjax.data.records import solution_paths
from spatialjax.llm.extract import extract_path
from spatialjax.llm.faults import Fault, line_faults


class Verdict(enum.StrEnum):
    """What an answer came to; see the module docstring."""

    SOLVED = "solved"
    RULE_BROKEN = "rule_broken"
    INCOMPLETE = "incomplete"
    ILLEGAL_PATH = "illegal_path"
    PARSE_FAILED = "parse_failed"


@dataclass(frozen=True)
class Score:
    """The verdict on one answer.

    Attributes:
      verdict: what it came to.
      stored: whether the line is listed in the record.
      rules: whether it keeps every rule.
      path: the line judged, points (x, y); None if the reply gave none.
      faults: what is wrong with it as a line.
      broken: keys of the rules it breaks, in the order of `check_path(...).rules`; asked only of
        lines without faults, so empty for all others.
    """

    verdict: Verdict
    stored: bool
    rules: bool
    path: tuple[Point, ...] | None
    faults: tuple[Fault, ...] = ()
    broken: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the score as JSON holds it; `score_from_json` is the inverse."""
        return asdict(self)


def score_from_json(fields: Mapping[str, Any]) -> Score:
    """Return the score that `Score.as_json` gave, after a trip through JSON."""
    path = fields["path"]
    return Score(
        verdict=Verdict(fields["verdict"]),
        stored=fields["stored"],
        rules=fields["rules"],
        path=None if path is None else tuple((x, y) for x, y in path),
        faults=tuple(map(Fault, fields["faults"])),
        broken=tuple(fields["broken"]),
    )


def score_answer(record: Mapping[str, Any], reply: str, mode: str = "tolerant") -> Score:
    """Score a reply that is to give a whole line.

    Args:
      record: a puzzle in the published format.
      reply: all that the model answered.
      mode: of `extract_path`.

    Raises:
      PuzzleError: if the board is malformed.
      RuntimeError: as `check_path`.
    """
    return score_path(record, extract_path(reply, parse_board(record), mode))


def score_path(record: Mapping[str, Any], path: Sequence[Point] | None) -> Score:
    """Score a line, None if there is none; errors as `score_answer`."""
    if path is None:
        return Score(Verdict.PARSE_FAILED, stored=False, rules=False, path=None)
    board = parse_board(record)
    line = tuple(path)
    stored = is_stored(record, line)
    faults = line_faults(board, line)
    if faults:
        is_short = faults == (Fault.WRONG_END,)
        verdict = Verdict.INCOMPLETE if is_short else Verdict.ILLEGAL_PATH
        return Score(verdict, stored, False, line, faults)
    # Imported here: it loads JAX, which replies that hold no legal line don't need.
    from spatialjax.witness.check import check_path

    report = check_path(record, line)
    broken = tuple(rule for rule, is_kept in report.rules.items() if not is_kept)
    verdict = Verdict.SOLVED if report.solved else Verdict.RULE_BROKEN
    return Score(verdict, stored, report.solved, line, (), broken)


def is_stored(record: Mapping[str, Any], path: Sequence[Point] | None) -> bool:
    """Say whether a line is one of those that the record lists, as sparc-puzzle scores it."""
    return path is not None and len(path) > 1 and list(path) in solution_paths(record)


def path_analysis(board: Board, path: Sequence[Point] | None) -> dict[str, bool]:
    """Return what sparc-puzzle's `analyze_path` says of a line: the columns of SPaRC's Table 7.

    It asks less than `line_faults`: it knows no gaps and no borders, and does not look for cells at
    the two ends of the line. A line of no points fails everything.
    """
    faults = set(line_faults(board, path or ()))
    inner = line_faults(board, (path or ())[1:-1])
    ends_right = not faults & {Fault.WRONG_START, Fault.WRONG_END}
    connected = Fault.DISCONNECTED not in faults
    simple = Fault.CROSSING not in faults
    off_cells = Fault.RULE_CELL not in inner
    analysis = {
        "starts_at_start_ends_at_exit": ends_right,
        "connected_line": connected,
        "non_intersecting_line": simple,
        "start_to_exit_connected": ends_right and connected,
        "no_rule_crossing": off_cells,
        "fully_valid_path": ends_right and connected and simple and off_cells,
    }
    return analysis if path else dict.fromkeys(analysis, False)

"""Puzzles played reply by reply: one class a family, driven by a runner and by a replay alike.

    episode = LineEpisode(record, traceback=True)
    while not episode.is_over:
        episode.reply(ask_the_model(episode))
    episode.score()

A result is never kept beside the replies that led to it: `replay` plays them again, so that the
last one always counts and a stored transcript can be scored anew.

| end | when |
|---|---|
| `end` | the line reached the end, or the board its goal |
| `dead_end` | the line can't go on; it isn't at the end |
| `max_steps` | as many replies were taken; none of the above |
| `parse_failed` | the last reply gave no move (line puzzles; sliding puzzles take a step for it) |
| `""` | not over |

The rewards are 0, and 1 for the last reply of an episode that is solved.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

from spatialjax.core.options import require_one_of, require_positive
from spatialjax.data.board import STEPS, Point, parse_board
from spatialjax.data.sliding import config_board
from spatialjax.llm.extract import MODES, extract_action
from spatialjax.llm.faults import line_faults
from spatialjax.llm.score import Score, Verdict, is_stored, score_path
from spatialjax.sliding.board import Board as SlidingBoard
from spatialjax.sliding.commands import command_in_reply, play_command
from spatialjax.sliding.types import Result

LINE_STEPS = 100
"""Replies of a line puzzle, as sparc-puzzle allows."""

SLIDING_STEPS = 20
"""Replies of a sliding puzzle, as iVISPAR allows."""

SCORES = ("rules", "stored")


class Episode(Protocol):
    """What both families have in common."""

    @property
    def steps(self) -> int:
        """Replies taken."""
        ...

    @property
    def end(self) -> str:
        """Why it is over; "" while it isn't."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether it takes no more replies."""
        ...

    def reply(self, text: str) -> None:
        """Take the next reply of the model; ValueError if the episode is over."""
        ...


E = TypeVar("E", bound=Episode)


def replay(episode: E, replies: Iterable[str]) -> E:
    """Give a new episode all replies of a transcript, and return it.

    Raises:
      ValueError: if replies are left when it is over; they belong to another puzzle or settings.
    """
    for text in replies:
        episode.reply(text)
    return episode


class LineEpisode:
    """A line puzzle whose line grows by a lattice step a reply; moves and ends as in Spatial-Gym.

    A move that is not legal takes a step and leaves the line as it is.

    Attributes:
      path: points (x, y) of the line, from the start.
      actions: move of each reply, 0 right, 1 up, 2 left, 3 down; None for one that gave none.
      illegal: how many of them were not legal.
    """

    def __init__(
        self,
        record: Mapping[str, Any],
        *,
        traceback: bool = False,
        max_steps: int = LINE_STEPS,
        mode: str = "tolerant",
    ) -> None:
        """Start on a record.

        Args:
          record: a puzzle in the published format.
          traceback: whether a step back over the last point is legal.
          max_steps: replies after which it is over.
          mode: of `extract_action`.

        Raises:
          PuzzleError: if the board is malformed.
          ValueError: if an option has a value that is not allowed.
        """
        require_positive("max_steps", max_steps)
        require_one_of("mode", mode, MODES)
        self.record = record
        self.traceback = traceback
        self.max_steps = max_steps
        self.mode = mode
        self.board = parse_board(record)
        self.path: list[Point] = [self.board.start]
        self.actions: list[int | None] = []
        self.illegal = 0

    @property
    def steps(self) -> int:
        """Replies taken."""
        return len(self.actions)

    @property
    def end(self) -> str:
        """Why it is over; see the module docstring."""
        if self.path[-1] == self.board.end:
            return "end"
        if self.actions and self.actions[-1] is None:
            return "parse_failed"
        if not self.legal_actions:
            return "dead_end"
        return "max_steps" if self.steps >= self.max_steps else ""

    @property
    def is_over(self) -> bool:
        """Whether it takes no more replies."""
        return bool(self.end)

    @property
    def legal_actions(self) -> list[int]:
        """The moves that would change the line, in order."""
        return [action for action in range(len(STEPS)) if self._target(action) is not None]

    def reply(self, text: str) -> None:
        """Take the move that a reply gives; ValueError if the episode is over."""
        self.step(extract_action(text, self.mode))

    def step(self, action: int | None) -> None:
        """Take a move, None for a reply that gave none; ValueError if the episode is over."""
        _require_open(self)
        target = None if action is None else self._target(action)
        self.actions.append(action)
        if target is None:
            self.illegal += action is not None
        elif target in self.path:
            self.path.pop()
        else:
            self.path.append(target)

    def score(self) -> Score:
        """Score the line as it stands; raises as `score_path`."""
        if self.end == "parse_failed":
            faults = line_faults(self.board, self.path)
            return Score(Verdict.PARSE_FAILED, False, False, tuple(self.path), faults)
        return score_path(self.record, self.path)

    def rewards(self, score: str = "rules") -> list[float]:
        """Return a reward a reply, by the score `rules` or `stored`; raises as `score_path`."""
        require_one_of("score", score, SCORES)
        if score == "stored":
            return _rewards(self.steps, self.end == "end" and is_stored(self.record, self.path))
        return _rewards(self.steps, self.score().rules)

    def _target(self, action: int) -> Point | None:
        """Return the point that a move leads to; None if it is not legal."""
        (x, y), (dx, dy) = self.path[-1], STEPS[action]
        target = x + dx, y + dy
        if self.traceback and [target] == self.path[-2:-1]:
            return target
        return target if self.board.is_open(target) and target not in self.path else None


class SlidingEpisode:
    """A sliding puzzle played with a command a reply.

    Attributes:
      boards: how it stood at the start and after every reply, `steps + 1` of them.
      commands: what each reply gave as its action.
      results: what each came to.
    """

    def __init__(
        self,
        puzzle: Mapping[str, Any] | SlidingBoard,
        *,
        max_steps: int = SLIDING_STEPS,
    ) -> None:
        """Start on a config, or on a board as it stands.

        Raises:
          PuzzleError: if the config is malformed.
          ValueError: if `max_steps` is no count.
        """
        require_positive("max_steps", max_steps)
        board = puzzle if isinstance(puzzle, SlidingBoard) else config_board(puzzle)
        self.max_steps = max_steps
        self.boards: list[SlidingBoard] = [board]
        self.commands: list[str] = []
        self.results: list[Result] = []

    @property
    def steps(self) -> int:
        """Replies taken."""
        return len(self.results)

    @property
    def is_solved(self) -> bool:
        """Whether every geom is on its goal cell."""
        return self.boards[-1].solved

    @property
    def end(self) -> str:
        """Why it is over; see the module docstring."""
        if self.is_solved:
            return "end"
        return "max_steps" if self.steps >= self.max_steps else ""

    @property
    def is_over(self) -> bool:
        """Whether it takes no more replies."""
        return bool(self.end)

    def reply(self, text: str) -> None:
        """Carry out the command that a reply gives; ValueError if the episode is over."""
        self.step(command_in_reply(text))

    def step(self, command: str) -> None:
        """Carry out a command; ValueError if the episode is over."""
        _require_open(self)
        result, board = play_command(self.boards[-1], command)
        self.commands.append(command)
        self.results.append(result)
        self.boards.append(board)

    def rewards(self) -> list[float]:
        """Return a reward a reply."""
        return _rewards(self.steps, self.is_solved)


def _require_open(episode: Episode) -> None:
    if episode.is_over:
        raise ValueError(
            f"reply {episode.steps + 1} comes after the end of the episode ({episode.end})"
        )


def _rewards(steps: int, is_solved: bool) -> list[float]:
    return [0.0] * (steps - 1) + [float(is_solved)] if steps else []

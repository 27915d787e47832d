"""A person plays one puzzle after the other; every attempt is noted when it ends.

One line of the log is one attempt:

| field | holds |
|---|---|
| `puzzle_id`, `player` | what was played, and by whom |
| `attempt` | its number among this player's attempts at the puzzle, from 1, over all sittings |
| `outcome` | "solved", "failed", "restarted", "skipped" or "quit" |
| `solved` | whether it was solved |
| `seconds` | from the first sight of the board, or the end of the attempt before, to its end |
| `moves`, `undone`, `hints` | keys that moved, moves taken back, hints asked for |
| `started` | when it began, as ISO 8601 in UTC |
| `path` or `commands` | the line as published solutions have it; or the moves of a sliding puzzle |
"""

import datetime
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

CLEAR = "\x1b[H\x1b[2J"
"""Moves the cursor to the corner and empties the screen."""


class Game(Protocol):
    """One puzzle being played.

    Attributes:
      puzzle_id: its id.
      keys: what its own keys are, for the last line of the screen.
      message: what the last key led to, if anything is to be said; emptied by the session.
    """

    puzzle_id: str
    keys: str
    message: str

    @property
    def is_over(self) -> bool:
        """Whether the attempt has ended by itself."""
        ...

    @property
    def is_solved(self) -> bool:
        """Whether it ended with the puzzle solved."""
        ...

    def picture(self) -> str:
        """Return the board as text for a terminal."""
        ...

    def press(self, key: str) -> bool:
        """Take a key; say whether it moved anything."""
        ...

    def undo(self) -> bool:
        """Take a move back; say whether there was one."""
        ...

    def restart(self) -> None:
        """Go back to the start."""
        ...

    def hint(self) -> str:
        """Return what to do next."""
        ...

    def feedback(self) -> str:
        """Return what is to be said at the end of an attempt."""
        ...

    def played(self) -> dict[str, Any]:
        """Return what was played, for the log."""
        ...


class Screen(Protocol):
    """What shows text and gives keys; a `terminal.Terminal`, or a script in tests."""

    def show(self, text: str) -> None:
        """Show a screen of text."""
        ...

    def read_key(self) -> str:
        """Wait for a key: a direction, "next", "previous", "undo", or a character."""
        ...


class Log:
    """Attempts as JSON lines; without a path they are kept in memory alone.

    Attributes:
      rows: all attempts of the file, those of earlier sittings too.
    """

    def __init__(self, path: Path | None):
        self._path = path
        self.rows: list[dict[str, Any]] = []
        if path is None:
            return
        if path.is_dir() or not path.parent.is_dir():
            raise ValueError(
                f"{path} can't be written: give the name of a file in a folder there is"
            )
        if not path.exists():
            return
        lines = path.read_text("utf-8").splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):
            raise ValueError(f"{path} ends in the middle of line {len(lines)}; remove that line")
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                self.rows.append({"player": row["player"], "puzzle_id": row["puzzle_id"], **row})
            except (ValueError, TypeError, KeyError):
                raise ValueError(f"{path} line {number} is no attempt of play.py") from None

    def add(self, row: dict[str, Any]) -> None:
        """Note an attempt; on the disk before this returns."""
        self.rows.append(row)
        if self._path is not None:
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
                file.flush()
                os.fsync(file.fileno())

    def attempts(self, player: str, puzzle_id: str) -> list[dict[str, Any]]:
        """Return a player's attempts at a puzzle."""
        return [r for r in self.rows if (r["player"], r["puzzle_id"]) == (player, puzzle_id)]


def play(
    games: Sequence[Game],
    screen: Screen,
    log: Log,
    player: str = "",
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Play the games in order until the last has ended or the player quits."""
    for number, game in enumerate(games, start=1):
        title = f"{game.puzzle_id}   {number} of {len(games)}"
        if Sitting(game, screen, log, player, clock).play(title) == "quit":
            return


class Sitting:
    """One puzzle from its first sight to the key that leaves it."""

    def __init__(
        self, game: Game, screen: Screen, log: Log, player: str, clock: Callable[[], float]
    ):
        self._game, self._screen, self._log = game, screen, log
        self._player, self._clock = player, clock
        self._begin()

    def _begin(self) -> None:
        self._began = self._clock()
        self._started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self._counts: Counter[str] = Counter()

        self._is_noted = False  # whether the attempt on the screen is in the log

    def play(self, title: str) -> str:
        """Play until the puzzle is left; return "next" or "quit"."""
        while True:
            game = self._game
            if game.is_over:
                self._note("solved" if game.is_solved else "failed")
            self._show(title)
            try:
                key = self._screen.read_key()
            except KeyboardInterrupt:
                self._note("quit")
                raise
            if key in ("n", "q"):
                self._note("skipped" if key == "n" else "quit")
                return "next" if key == "n" else "quit"
            if key == "r":
                self._note("restarted")
                game.restart()
                if self._is_noted:  # else nothing was done, and the same attempt goes on
                    self._begin()
            elif key == "?" and not game.is_over:
                self._counts["hints"] += 1
                game.message = self._hint()
            elif key == "undo" and not game.is_over:
                self._counts["undone"] += game.undo()
            else:
                self._counts["moves"] += game.press(key)

    def _hint(self) -> str:
        try:
            return self._game.hint()
        except ImportError as error:
            return f"hints need the extra 'solve': {error}"

    def _note(self, outcome: str) -> None:
        """Add the attempt to the log, once, and if anything was done in it."""
        is_used = self._counts["moves"] or self._counts["hints"] or outcome == "skipped"
        if self._is_noted or not is_used:
            return
        self._is_noted = True
        earlier = self._log.attempts(self._player, self._game.puzzle_id)
        self._log.add(
            {
                "puzzle_id": self._game.puzzle_id,
                "player": self._player,
                "attempt": len(earlier) + 1,
                "outcome": outcome,
                "solved": outcome == "solved",
                "seconds": round(self._clock() - self._began, 3),
                **{name: self._counts[name] for name in ("moves", "undone", "hints")},
                "started": self._started,
                **self._game.played(),
            }
        )

    def _show(self, title: str) -> None:
        game = self._game
        lines = [title, "", game.picture(), ""]
        if game.is_over:
            again = "n next, q quit" if game.is_solved else "r try again, n next, q quit"
            lines += [game.feedback(), "", again]
        else:
            lines += [game.message, "", f"{game.keys}, u undo, r restart, ? hint, n next, q quit"]
        game.message = ""
        self._screen.show("\n".join(lines))

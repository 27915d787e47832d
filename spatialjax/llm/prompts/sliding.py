"""Prompts for sliding puzzles.

| mode | the model is shown, before every move |
|---|---|
| `text` | goal and active state as text |
| `picture` | goal and active state as pictures |

Before them come the last two states and the command given in each, as turns of the conversation.
`start` is given by the runner and is not among them. Fields of a template:

| field | holds |
|---|---|
| `rules`, `cells`, `legend`, `answer`, `examples` | the parts of our own prompts |
| `size`, `geoms` | cells along a side; names of all geoms |
| `goal`, `active` | the two states as text; in pictures their place |
| `states` | both with their headings |
| `step`, `max_steps` | number of this turn, from 1, and of the last one |
"""

from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from spatialjax.core.options import require_one_of
from spatialjax.llm.client import Message
from spatialjax.llm.episodes import SlidingEpisode
from spatialjax.llm.prompts import sliding_texts as texts
from spatialjax.llm.prompts.message import VERSION, digest, message
from spatialjax.llm.prompts.template import Template, read_template
from spatialjax.sliding.board import Board
from spatialjax.sliding.names import TILE_SHAPE, cell_name
from spatialjax.sliding.text import board_text

SLIDING_MODES = ("text", "picture")
HISTORY = 2
"""Past states that are shown."""

FIELDS = (
    "rules", "cells", "legend", "answer", "examples", "size", "geoms", "goal", "active", "states",
    "step", "max_steps",
)  # fmt: skip


class SlidingExample(NamedTuple):
    """A worked example: a board, a shortest solution, and why it is so."""

    board: Board
    commands: tuple[str, ...]
    reasons: str


SLIDING_EXAMPLES = (
    SlidingExample(
        Board(4, ("cube", "sphere"), ("red", "blue"), ((0, 0), (1, 0)), ((2, 0), (1, 1))),
        ("move blue sphere up", "move red cube right", "move red cube right"),
        "The red cube has to go two cells to the right, but the blue sphere stands in its way. The "
        "sphere belongs one cell up, so it goes first.",
    ),
    SlidingExample(
        Board(3, ("cube", "sphere"), ("red", "blue"), ((0, 0), (1, 0)), ((1, 0), (0, 0))),
        ("move red cube up", "move blue sphere left", "move red cube right", "move red cube down"),
        "The two have to change places and can't pass each other in their row. One of them leaves "
        "it, which costs two moves more, and comes back behind the other.",
    ),
)


class SlidingPrompts:
    """The prompts of one mode; see the module docstring."""

    is_stepwise = True

    def __init__(
        self,
        mode: str = "text",
        *,
        examples: int = 0,
        history: int = HISTORY,
        marking: str = "both",
        size: int = 800,
        template: str | Path | Template | None = None,
    ) -> None:
        """Choose what is asked.

        Args:
          mode: one of `SLIDING_MODES`.
          examples: worked examples to begin with, 0 to 2; always as text.
          history: past states to show.
          marking: how pictures tell their state, one of `sliding.render.MARKINGS`.
          size: width of pictures in pixels.
          template: file with a text in place of ours, or one read.

        Raises:
          ValueError: if an option has a value that is not allowed, or the template a field that is
            unknown.
          OSError: if the template can't be read.
        """
        require_one_of("mode", mode, SLIDING_MODES)
        require_one_of("marking", marking, tuple(texts.MARKS))
        for option, value, most in (("examples", examples, 2), ("history", history, 20)):
            if type(value) is not int or not 0 <= value <= most:
                raise ValueError(f"{option} is {value!r}; it must be 0 to {most}")
        self.mode = mode
        self.is_visual = mode == "picture"
        self._examples = SLIDING_EXAMPLES[:examples]
        self._history = history
        self._marking = marking
        self._size = size
        self._name = f"sliding_{mode}" if template is None else f"sliding_{mode}:template"
        if template is None:
            template = Template(texts.TEMPLATE, FIELDS, mode)
        elif not isinstance(template, Template):
            template = read_template(template, FIELDS)
        self._template = template

    def messages(self, episode: SlidingEpisode) -> list[Message]:
        """Return the conversation that the next reply answers.

        Raises:
          ImportError: in mode "picture", without Pillow.
        """
        board = episode.boards[-1]
        system, user = self._template.fill(self._fields(episode))
        messages = [message("system", system)] if system else []
        past = list(zip(episode.boards, episode.commands, strict=False))
        past = past[max(len(past) - self._history, 0) :]
        for number, (before, command) in enumerate(past, start=1):
            head = texts.PAST.format(number=number, count=len(past))
            messages.append(self._state(head, before))
            messages.append(message("assistant", f"action: {command or texts.NO_COMMAND}"))
        pictures = []
        if self.is_visual:
            pictures = [self._picture(board, "goal"), self._picture(board, "active")]
        return [*messages, message("user", user, pictures)]

    def identity(self) -> dict[str, Any]:
        """Return `name`, `version` and `hash`; the hash covers every word and every option."""
        return {"name": self._name, "version": VERSION, "hash": self._hash}

    @cached_property
    def _hash(self) -> str:
        options = {"mode": self.mode, "template": self._template.text, "version": VERSION}
        options |= {"history": self._history}
        if self.is_visual:
            options |= {"marking": self._marking, "size": self._size}
        board, commands, _ = SLIDING_EXAMPLES[-1]
        tiles = Board(2, (TILE_SHAPE,) * 3, ("red",) * 3, *_TILES)
        episodes = [SlidingEpisode(board), SlidingEpisode(tiles)]
        for command in commands[:-1]:
            episodes[0].step(command)
        return digest([one for episode in episodes for one in self.messages(episode)], options)

    def _fields(self, episode: SlidingEpisode) -> dict[str, str]:
        board = episode.boards[-1]
        goal, active = board_text(board.at_goal()), board_text(board)
        states = f"{texts.GOAL}\n{goal}\n\n{texts.ACTIVE}\n{active}"
        if self.is_visual:
            goal, active, states = "the first picture", "the second picture", texts.PICTURES
        last_column = cell_name((board.size - 1, 0))[0]
        return {
            "rules": texts.RULES.format(size=board.size, pieces=_pieces(board)),
            "cells": texts.CELLS.format(size=board.size, last_column=last_column),
            "legend": self._legend(board),
            "answer": _answer(board),
            "examples": self._examples_text(),
            "size": str(board.size),
            "geoms": ", ".join(board.names),
            "goal": goal,
            "active": active,
            "states": states,
            "step": str(episode.steps + 1),
            "max_steps": str(episode.max_steps),
        }

    def _legend(self, board: Board) -> str:
        if not self.is_visual:
            return texts.LEGEND_TEXT
        legend = texts.LEGEND_PICTURE.format(marks=texts.MARKS[self._marking])
        return legend if TILE_SHAPE in board.shapes else f"{legend}\n{texts.DRAWN_AS}"

    def _examples_text(self) -> str:
        if not self._examples:
            return ""
        parts = [texts.EXAMPLES_HEAD]
        for number, (board, commands, reasons) in enumerate(self._examples, start=1):
            size = f"{board.size} x {board.size} cells"
            moves = "\n".join(f"action: {command}" for command in commands)
            parts.append(
                f"Example {number}, {size}.\n{texts.GOAL}\n{board_text(board.at_goal())}\n"
                f"{texts.ACTIVE}\n{board_text(board)}\n{reasons} One line a turn:\n{moves}"
            )
        return "\n\n".join(parts)

    def _state(self, head: str, board: Board) -> Message:
        if self.is_visual:
            return message("user", head, [self._picture(board, "past")])
        return message("user", f"{head}\n{board_text(board)}")

    def _picture(self, board: Board, state: str) -> Any:
        # Imported here: pictures take Pillow, which is an extra.
        from spatialjax.sliding.render import render

        return render(board, state, self._marking, self._size)


_TILES = (((0, 1), (1, 1), (1, 0)), ((0, 1), (1, 1), (0, 0)))


def _pieces(board: Board) -> str:
    count = len(board)
    if TILE_SHAPE in board.shapes:
        return f"{count} numbered tiles"
    return f"{count} solids, no two alike in both colour and shape" if count > 1 else "one solid"


def _answer(board: Board) -> str:
    first = board.names[0]
    text = texts.ANSWER_TILES if TILE_SHAPE in board.shapes else texts.ANSWER_GEOMS
    return (text + texts.ANSWER_END).format(
        first=first,
        colors=", ".join(dict.fromkeys(board.colors)),
        shapes=", ".join(dict.fromkeys(board.shapes)),
    )

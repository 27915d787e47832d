"""Prompts for line puzzles.

| mode | the model is shown | and answers |
|---|---|---|
| `one_shot` | the board as text | the whole line |
| `step` | board and line as text, before every move | the next move |
| `step_traceback` | the same | the next move, which may take the last one back |
| `one_shot_visual` | a picture of the board | the whole line |
| `step_visual` | a picture of board and line, before every move | the next move |

In every mode the rules are the same words, those of `line_texts.RULES`. Fields of a template:

| field | holds |
|---|---|
| `task`, `board`, `rules`, `legend`, `answer`, `examples` | the parts of our own prompts |
| `traceback` | whether a step can be taken back |
| `width`, `height`; `columns`, `rows` | size in cells; in points |
| `start`, `end` | their points, as `(x, y)` |
| `grid` | the board as text and the shapes; in visual modes only what a picture may not show |
| `step`, `max_steps` | number of this turn, from 1, and of the last one |
| `position`, `path` | where the line stands, and all its points |
| `moves` | the legal moves, as `0 right, 3 down` |
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from spatialjax.core.options import require_one_of
from spatialjax.data.board import Board, Point, parse_board
from spatialjax.llm.client import Message
from spatialjax.llm.episodes import LineEpisode
from spatialjax.llm.extract import DIRECTIONS, MARKER
from spatialjax.llm.prompts import line_texts as texts
from spatialjax.llm.prompts.grids import GRIDS, drawn_rows, hidden_dots_text, shapes_text
from spatialjax.llm.prompts.line_examples import LINE_EXAMPLES, LineExample
from spatialjax.llm.prompts.message import VERSION, digest, message
from spatialjax.llm.prompts.template import Template, read_template
from spatialjax.witness.styles import STYLES

STYLE_OF: Mapping[str, str] = MappingProxyType(
    {"one_shot_visual": "coordinate_grid", "step_visual": "path_cell_annotated"}
)
"""Style of the pictures of each visual mode, where no other is asked for."""

LINE_MODES = ("one_shot", "step", "step_traceback", *STYLE_OF)

FIELDS = (
    "task", "board", "rules", "legend", "answer", "examples", "traceback", "width", "height",
    "columns", "rows", "start", "end", "grid", "step", "max_steps", "position", "path", "moves",
)  # fmt: skip


class LinePrompts:
    """The prompts of one mode; see the module docstring."""

    def __init__(
        self,
        mode: str = "one_shot",
        *,
        examples: int = 0,
        grid: str = "array",
        style: str | None = None,
        size: int = 768,
        template: str | Path | Template | None = None,
    ) -> None:
        """Choose what is asked.

        Args:
          mode: one of `LINE_MODES`.
          examples: worked examples to begin with, 0 to 2.
          grid: form of a board as text, a name in `GRIDS`.
          style: style of pictures, a name in `witness.styles.STYLES`; None for that of `STYLE_OF`.
          size: pixels of the longer side of pictures.
          template: file with a text in place of ours, or one read.

        Raises:
          ValueError: if an option has a value that is not allowed, or the template a field that is
            unknown.
          OSError: if the template can't be read.
        """
        require_one_of("mode", mode, LINE_MODES)
        require_one_of("grid", grid, tuple(GRIDS))
        if style is not None:
            require_one_of("style", style, tuple(STYLES))
        if type(examples) is not int or not 0 <= examples <= len(LINE_EXAMPLES):
            raise ValueError(f"examples is {examples!r}; it must be 0 to {len(LINE_EXAMPLES)}")
        self.mode = mode
        self.is_stepwise = mode.startswith("step")
        self.is_visual = mode in STYLE_OF
        self._examples = LINE_EXAMPLES[:examples]
        self._grid = grid
        self._style = style or STYLE_OF.get(mode, "original")
        self._size = size
        self._name = mode if template is None else f"{mode}:template"
        if template is None:
            template = Template(texts.STEP if self.is_stepwise else texts.ONE_SHOT, FIELDS, mode)
        elif not isinstance(template, Template):
            template = read_template(template, FIELDS)
        self._template = template

    @property
    def traceback(self) -> bool:
        """Whether its episodes allow a step back."""
        return self.mode == "step_traceback"

    def messages(self, episode: LineEpisode) -> list[Message]:
        """Return the conversation that the next reply answers.

        Raises:
          ImportError: in visual modes, without Pillow.
        """
        system, user = self._template.fill(self._fields(episode))
        pictures = []
        if self.is_visual:
            pictures = [self._picture(example.record, None) for example in self._examples]
            pictures.append(self._picture(episode.record, episode.path))
        opening = [message("system", system)] if system else []
        return [*opening, message("user", user, pictures)]

    def identity(self) -> dict[str, Any]:
        """Return `name`, `version` and `hash`; the hash covers every word and every option."""
        return {"name": self._name, "version": VERSION, "hash": self._hash}

    @cached_property
    def _hash(self) -> str:
        example = LINE_EXAMPLES[-1]
        episode = LineEpisode(example.record, traceback=self.traceback)
        for action in example.actions[:5]:
            episode.step(action)
        options = {"mode": self.mode, "template": self._template.text, "version": VERSION}
        if self.is_visual:
            options |= {"style": self._style, "size": self._size}
        return digest(self.messages(episode), options)

    def _fields(self, episode: LineEpisode) -> dict[str, str]:
        board = episode.board
        return {
            "task": texts.TASK_STEP if self.is_stepwise else texts.TASK,
            "board": texts.BOARD,
            "rules": "\n".join(f"- {rule}" for rule in texts.RULES.values()),
            "legend": self._legend(),
            "answer": texts.ANSWER_STEP if self.is_stepwise else texts.ANSWER_PATH,
            "examples": self._examples_text(),
            "traceback": texts.TRACEBACK if episode.traceback else texts.NO_TRACEBACK,
            "width": str(board.width),
            "height": str(board.height),
            "columns": str(board.columns),
            "rows": str(board.rows),
            "start": str(board.start),
            "end": str(board.end),
            "grid": self._board_text(episode.record, board, episode.path),
            "step": str(episode.steps + 1),
            "max_steps": str(episode.max_steps),
            "position": str(episode.path[-1]),
            "path": _points(episode.path),
            "moves": ", ".join(
                f"{action} {DIRECTIONS[action]}" for action in episode.legal_actions
            ),
        }

    def _legend(self) -> str:
        plain, drawn = texts.LEGEND, texts.LEGEND_DRAWN
        if self.is_visual:
            plain, drawn = texts.LEGEND_PICTURE, texts.LEGEND_PICTURE_DRAWN
        return f"{plain}\n{drawn}" if self.is_stepwise else plain

    def _board_text(self, record: Mapping[str, Any], board: Board, path: Sequence[Point]) -> str:
        """Return the board as text; of a picture only what it can't show."""
        parts = [hidden_dots_text(board)]
        if not self.is_visual:
            rows = drawn_rows(record["puzzle_array"], path)
            parts = [GRIDS[self._grid](rows), *parts, shapes_text(board)]
        return "\n\n".join(part for part in parts if part)

    def _examples_text(self) -> str:
        if not self._examples:
            return ""
        head = [texts.EXAMPLES_HEAD]
        if self.is_visual:
            head.append(texts.PICTURES_OF_EXAMPLES)
        parts = [self._example_text(i, one) for i, one in enumerate(self._examples, start=1)]
        return "\n\n".join(["\n".join(head), *parts])

    def _example_text(self, number: int, example: LineExample) -> str:
        board = parse_board(example.record)
        parts = [
            f"Example {number}. Start {board.start}, end {board.end}.",
            self._board_text(example.record, board, example.path[:1]),
            example.reasons,
        ]
        if self.is_stepwise:
            words = ", ".join(DIRECTIONS[action] for action in example.actions)
            first = example.actions[0]
            parts.append(f"So the moves are {words}, one a turn. The first reply ends with")
            parts[-1] += f"\nFinal: {first}"
        else:
            parts.append(f"{MARKER} {_points(example.path)}")
        return "\n\n".join(part for part in parts if part)

    def _picture(self, record: Mapping[str, Any], path: Sequence[Point] | None) -> Any:
        # Imported here: pictures take Pillow, which is an extra.
        from spatialjax.witness.render import render

        shown = path if path is not None and len(path) > 1 else None
        return render(record, shown, style=self._style, size=self._size)


def _points(path: Sequence[Point]) -> str:
    return ", ".join(map(str, path))

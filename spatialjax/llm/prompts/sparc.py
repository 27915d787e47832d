"""The prompts of an installed sparc-puzzle, word for word, to compare with published numbers.

What its program says before every move stands inside its functions; that text is evaluated from the
installed source. Its pictures come from its own package too.

Two faults of version 0.7.0 come along, as they belong to the numbers: the system message of
`gym_visual` numbers the moves otherwise than its turns (0 up, 1 right, 2 down, 3 left, where 0
right, 1 up, 2 left, 3 down are counted), and a dot under the start or the end is shown nowhere but
in the text of `single_shot_visual`.
"""

import ast
import importlib
import importlib.metadata
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

from spatialjax.core.options import require_one_of
from spatialjax.llm.client import Message
from spatialjax.llm.episodes import LineEpisode
from spatialjax.llm.prompts.grids import drawn_rows
from spatialjax.llm.prompts.line_examples import LINE_EXAMPLES
from spatialjax.llm.prompts.message import digest, encoded_part

PREFIX = "sparc:"
PACKAGE = "sparc-puzzle"

_SOURCE = "sparc.process_puzzle"
_TURNS = {  # of text and of pictures: the function, its variable that holds the text
    False: ("process_puzzle_step_by_step", "user_payload"),
    True: ("process_puzzle_step_by_step_visual", "obs_text"),
}

# Fields that the pictures don't show, but that their package reads; records may lack them.
_UNSEEN = {"difficulty_level": 1, "difficulty_score": 0.0, "solution_count": 0, "solutions": []}


class SparcPrompts:
    """The prompts that sparc-puzzle calls `name`."""

    def __init__(self, name: str, *, style: str | None = None) -> None:
        """Find the prompts.

        Args:
          name: one of its `AVAILABLE_PROMPTS`, such as "single_shot" or "gym_step_traceback".
          style: its `plot_type` of pictures; None for the one it takes by itself.

        Raises:
          ImportError: if sparc-puzzle is not installed.
          ValueError: if it has no prompts of this name.
        """
        prompts = _package("sparc.prompts")
        require_one_of("prompt", name, tuple(prompts.AVAILABLE_PROMPTS))
        self.name = name
        self.is_stepwise = name.startswith("gym_")
        self.is_visual = "visual" in name
        self._get = prompts.get_prompt
        self._style = style or ("path_cell_annotated" if self.is_stepwise else "original")

    @property
    def traceback(self) -> bool:
        """Whether its episodes allow a step back."""
        return "traceback" in self.name

    def messages(self, episode: LineEpisode) -> list[Message]:
        """Return the conversation that the next reply answers."""
        prompt = self._get(self.name, episode.record)
        text = _turn(episode, self.is_visual) if self.is_stepwise else prompt["user"]
        content: Any = text
        if self.is_visual:
            content = [encoded_part(self._picture(episode)), {"type": "text", "text": text}]
        return [
            {"role": "system", "content": prompt["system"]},
            {"role": "user", "content": content},
        ]

    def identity(self) -> dict[str, Any]:
        """Return `name`, `version`, that of the package, and `hash`."""
        episode = LineEpisode(LINE_EXAMPLES[-1].record, traceback=self.traceback)
        options = {"name": self.name, "style": self._style if self.is_visual else None}
        return {
            "name": PREFIX + self.name,
            "version": importlib.metadata.version(PACKAGE),
            "hash": digest(self.messages(episode), options),
        }

    def _picture(self, episode: LineEpisode) -> str:
        plot = _package("sparc_visualization.plot")
        path = [{"x": x, "y": y} for x, y in episode.path] if self.is_stepwise else None
        return plot.get_puzzle_image(
            _UNSEEN | dict(episode.record), plot_type=self._style, base_64_image=True, path=path
        )


def _turn(episode: LineEpisode, is_visual: bool) -> str:
    """Return what its program says before a move."""
    words = {0: "RIGHT", 1: "UP", 2: "LEFT", 3: "DOWN"}
    x, y = episode.path[-1]
    rows = drawn_rows(episode.record["puzzle_array"], episode.path)
    if episode.steps > episode.illegal:
        rows[y][x] = "L"  # at the start too, once the line has come back there
    names = {
        "step": episode.steps,
        "agent_loc": f"[{x} {y}]",
        "legal_str": ", ".join(f"{action}={words[action]}" for action in episode.legal_actions),
        "obs_str": "\n".join(map(str, rows)),
    }
    return eval(_turn_code(is_visual), {"__builtins__": {}}, names)


@cache
def _turn_code(is_visual: bool) -> Any:
    """Compile the text of a turn, an expression in the source of the installed program."""
    function, variable = _TURNS[is_visual]
    _package("sparc")
    spec = importlib.util.find_spec(_SOURCE)
    source = Path(spec.origin).read_text("utf-8") if spec and spec.origin else ""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AsyncFunctionDef) and node.name == function:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Assign) and _names(inner) == [variable]:
                    return compile(ast.Expression(inner.value), _SOURCE, "eval")
    version = importlib.metadata.version(PACKAGE)
    raise ImportError(
        f"{PACKAGE} {version} has no {variable} in {_SOURCE}.{function}; "
        "its stepwise prompts can be used with version 0.7.0"
    )


def _names(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


def _package(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"prompts that begin with {PREFIX!r} need {PACKAGE}: install it with "
            "`pip install 'spatialjax[sparc]'`"
        ) from error

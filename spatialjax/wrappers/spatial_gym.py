"""SpatialGym-v0: Spatial-Gym 0.1.5 on line puzzles, for scripts written for that package.

Usage:

    import gymnasium, spatialjax.wrappers.gymnasium
    env = gymnasium.make("spatialjax/SpatialGym-v0", df_name="puzzles.jsonl", observation="SPaRC")
    observation, info = env.reset(options={"puzzle_id": "..."})

| | |
|---|---|
| actions | 0 right, 1 up, 2 left, 3 down; an action that is not legal costs a step |
| legal | a step to a free point that is no gap and no cell; with `traceback` also back |
| observation | `"new"`, `"SPaRC"`: `spatial_gym_observations.py` |
| reward | at the end +1 for a stored solution, else -1; before that 0 for a step that did not |
| | move, +0.01 if some stored solution begins with the line, else -0.01 |
| terminated | the line stands on the end, solved or not |
| truncated | else, if `max_steps` steps were taken or no legal step is left |
| puzzle of a reset | `options={"puzzle_id": id}`; else drawn with `seed`; else the next in order |

`info` holds Spatial-Gym's `solution_count`, `difficulty`, `grid_x_size`, `grid_y_size`,
`legal_actions`, `current_step`, `agent_location`, `rule_status` (see `rule_status.py`) and
`Rewards`; what its README promises beside them: `puzzle_id`, `success` (the line is a stored
solution), `steps`, `path_length` (moves of the line), `optimality` (that over the moves of the
shortest stored solution, 0 if none is stored) and `invalid_actions`; and `action_mask` (int8).

Differences from Spatial-Gym 0.1.5, all of them mended faults:

- `rule_status` follows the rules of `witness.rules`. There, polyomino matrices are read transposed,
  gaps part regions, regions in which ylops cancel the polys never pass, and an end inside the board
  parts nothing.
- A second episode on a puzzle starts as clean as the first.
- A step back restores the dot, S or E of the point it leaves in the text observation.
- The planes of an observation depend on its record alone. There, a gap that is listed first adds an
  empty plane of the kind of the symbol before it, in another record.
- An unknown `puzzle_id` is an error.
- `fixed_space=True` gives all puzzles one observation space, as learners and vector environments
  need: planes are padded to the largest board. There, each puzzle has its own.
- `render_mode="llm"` returns the text; there it opens a window. `"rgb_array"` and `"ansi"` are new.

Version history: v0, first version.
"""

import difflib
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces

from spatialjax.core.options import require_one_of, require_positive
from spatialjax.data.board import STEPS, Board, Point, parse_board
from spatialjax.data.records import solution_paths
from spatialjax.witness.render import render, render_text
from spatialjax.witness.sources import records_of
from spatialjax.wrappers.rule_status import RuleStatus
from spatialjax.wrappers.spatial_gym_observations import Planes, Text, planes_space, text_space
from spatialjax.wrappers.window import Window

OBSERVATIONS = ("new", "SPaRC")


@dataclass(frozen=True)
class _Stage:
    """A puzzle made ready to be played; nothing here changes with the line.

    Attributes:
      solutions: the stored ones, each as its actions.
    """

    record: dict
    board: Board
    observer: Planes | Text
    space: spaces.Space
    rules: RuleStatus
    solutions: frozenset[bytes]

    @functools.cached_property
    def shortest(self) -> int:
        """Moves of the shortest stored solution, 0 if none is stored."""
        return min(map(len, self.solutions), default=0)


class SpatialGym(gymnasium.Env):
    """Line puzzles with the interface of Spatial-Gym; see the module docstring.

    The first puzzle is there from construction on, so the first `reset` gives the second.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi", "llm"], "render_fps": 30}

    def __init__(
        self,
        df_name: str | Path | Sequence[dict] = "lkaesberg/SPaRC",
        df_split: str = "all",
        df_set: str = "test",
        render_mode: str | None = None,
        observation: str = "new",
        traceback: bool = False,
        max_steps: int = 2000,
        *,
        fixed_space: bool = False,
    ) -> None:
        """Load the puzzles and set up the first.

        Args:
          df_name: `source` of `spatialjax.load_records`, or a list of records.
          df_split: its `subset`.
          df_set: its `split`.
          render_mode: None, `"human"` (a window, drawn at every reset and step), `"rgb_array"`,
            `"ansi"` (box-drawing characters) or `"llm"` (the text of observation `"SPaRC"`).
          observation: `"new"` or `"SPaRC"`.
          traceback: whether a step back over the last point is legal.
          max_steps: steps after which an episode is truncated.
          fixed_space: whether all puzzles share one observation space.

        Raises:
          PuzzleError: if the source is malformed.
          ValueError: if an option has a value that is not allowed.
        """
        if render_mode is not None:
            require_one_of("render_mode", render_mode, tuple(self.metadata["render_modes"]))
        require_one_of("observation", observation, OBSERVATIONS)
        require_positive("max_steps", max_steps)
        self.render_mode = render_mode
        self.observation = observation
        self.traceback = traceback
        self.max_steps = max_steps
        self.action_space = spaces.Discrete(len(STEPS))
        self._records = records_of(df_name, df_split, df_set)
        self._index_of = {record["id"]: i for i, record in enumerate(self._records)}
        self._fixed_space = self._shared_space() if fixed_space else None
        self._stages: dict[int, _Stage] = {}
        self._window = Window("Spatial-Gym", self.metadata["render_fps"])
        self._load(0)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode on the puzzle that the options, the seed or the order say.

        Options without a `puzzle_id` keep the puzzle.

        Raises:
          ValueError: if the `puzzle_id` is unknown.
        """
        super().reset(seed=seed)
        index = self.current_puzzle_index
        if options is not None:
            puzzle_id = options.get("puzzle_id")
            index = index if puzzle_id is None else self._find(puzzle_id)
        elif seed is not None:
            index = int(self.np_random.integers(len(self._records)))
        else:
            index = (index + 1) % len(self._records)
        self._load(index)
        self._show()
        return self._observe(), self._info()

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take one action; whatever is not a legal one leaves the line as it is."""
        is_legal = action in self._legal
        self.current_step += 1
        if is_legal:
            self._move(int(action))
        else:
            self._invalid_actions += 1

        terminated = self.path[-1] == self._stage.board.end
        is_over = self.current_step >= self.max_steps or not self._legal
        truncated = is_over and not terminated
        moves = bytes(self._moves)
        if terminated or truncated:
            self._reward = self._outcome = 1 if moves in self._stage.solutions else -1
        else:
            self._outcome = 0
            self._reward = self._step_reward(moves) if is_legal else 0
        self._show()
        return self._observe(), self._reward, terminated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal, `bool[4]`, for learners that ask the environment."""
        return np.array([action in self._legal for action in range(len(STEPS))])

    def render(self) -> Any:
        """Return the picture or text of the render mode; `"human"` shows it and returns None."""
        if self.render_mode == "ansi":
            return render_text(self._stage.record, self.path)
        if self.render_mode == "llm":
            return Text(self._stage.record).observe(self.path, self._has_moved)
        if self.render_mode is None:
            return None
        picture = np.array(render(self._stage.record, self.path))
        if self.render_mode == "rgb_array":
            return picture
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()

    def _load(self, index: int) -> None:
        """Set up a puzzle and the line's start on it."""
        if index not in self._stages:
            self._stages[index] = self._prepare(self._records[index])
        self.current_puzzle_index = index
        self._stage = self._stages[index]
        self.observation_space = self._stage.space
        self.path: list[Point] = [self._stage.board.start]
        self.current_step = 0
        self._moves: list[int] = []
        self._legal = self._legal_actions()
        self._has_moved = False
        self._invalid_actions = 0
        self._reward: float = 0
        self._outcome = 0

    def _prepare(self, record: dict) -> "_Stage":
        board = parse_board(record)
        size = None
        if self._fixed_space is not None and self.observation == "new":
            size = self._fixed_space["color"].shape
        observer = Text(record) if self.observation == "SPaRC" else Planes(board, size)
        return _Stage(
            record=record,
            board=board,
            observer=observer,
            space=self._fixed_space or observer.space(),
            rules=RuleStatus(board),
            solutions=frozenset(_moves(path) for path in solution_paths(record)),
        )

    def _shared_space(self) -> Any:
        if self.observation == "SPaRC":
            return text_space([record["puzzle_array"] for record in self._records])
        return planes_space([parse_board(record) for record in self._records])

    def _find(self, puzzle_id: Any) -> int:
        if puzzle_id not in self._index_of:
            close = difflib.get_close_matches(str(puzzle_id), self._index_of, n=1)
            hint = f"did you mean {close[0]!r}?" if close else "it must be the id of a record"
            raise ValueError(
                f"puzzle_id is {puzzle_id!r}, which none of the {len(self._index_of)} puzzles has; "
                + hint
            )
        return self._index_of[puzzle_id]

    def _legal_actions(self) -> list[int]:
        x, y = self.path[-1]
        is_open = self._stage.board.is_open
        before = self.path[-2] if self.traceback and len(self.path) > 1 else None
        legal = []
        for action, (dx, dy) in enumerate(STEPS):
            target = x + dx, y + dy
            if target == before or (is_open(target) and target not in self.path):
                legal.append(action)
        return legal

    def _move(self, action: int) -> None:
        """Take a legal action: back over the last point, or onto a free one."""
        (x, y), (dx, dy) = self.path[-1], STEPS[action]
        target = x + dx, y + dy
        self._has_moved = True
        if target in self.path:
            self.path.pop()
            self._moves.pop()
        else:
            self.path.append(target)
            self._moves.append(action)
        self._legal = self._legal_actions()

    def _step_reward(self, moves: bytes) -> float:
        """Return the reward of a move that ends nothing; Spatial-Gym has none without solutions."""
        solutions = self._stage.solutions
        if not solutions:
            return 0
        return 0.01 if any(one.startswith(moves) for one in solutions) else -0.01

    def _observe(self) -> Any:
        return self._stage.observer.observe(self.path, self._has_moved)

    def _info(self) -> dict[str, Any]:
        stage = self._stage
        # Spatial-Gym's array changes its dtype with the first move.
        location = np.array(self.path[-1], np.int64 if self._has_moved else np.int32)
        length = len(self._moves)
        return {
            "solution_count": len(stage.solutions),
            "difficulty": stage.record.get("difficulty_level", 0),
            "grid_x_size": stage.board.columns,
            "grid_y_size": stage.board.rows,
            "legal_actions": list(self._legal),
            "current_step": self.current_step,
            "agent_location": location,
            "rule_status": stage.rules.report(self.path),
            "Rewards": {"normal_reward": self._reward, "outcome_reward": self._outcome},
            "puzzle_id": stage.record["id"],
            "success": self._outcome == 1,
            "steps": self.current_step,
            "path_length": length,
            "optimality": length / stage.shortest if stage.shortest else 0.0,
            "invalid_actions": self._invalid_actions,
            "action_mask": self.action_masks().astype(np.int8),
        }

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def _moves(path: Sequence[Point]) -> bytes:
    """Return a line as its actions."""
    actions = {step: action for action, step in enumerate(STEPS)}
    pairs = zip(path, path[1:], strict=False)
    return bytes(actions[x1 - x0, y1 - y0] for (x0, y0), (x1, y1) in pairs)

"""The Spatial-Gym environment on one line puzzle, in plain Python; the reference for episodes."""

from typing import Any

from oracle import MOVES, Point, Record, read_board, stored_solutions


class SpatialGymOracle:
    """One episode after another on one record, with the rewards and flags of Spatial-Gym.

    A step always counts. A legal action moves: onto a free point that is not on the path, or with
    ``traceback`` back onto the point before, which takes the point left off the path.

    ``native=False`` keeps the reference's flags: ``terminated`` at E, otherwise ``truncated`` at
    the step limit or when no legal action is left. ``native=True``: ``terminated`` at E or when no
    legal action is left, else ``truncated`` at the step limit.

    Rewards when the episode ends: +1 if the path is a stored solution, else -1. Before that: 0 if
    nothing moved, +0.01 if the path begins some stored solution, else -0.01.
    ``info["outcome_reward"]`` is the +1 or -1 at the end and 0 before.
    """

    def __init__(
        self, record: Record, traceback: bool, max_steps: int, native: bool = False
    ) -> None:
        self.board = read_board(record)
        self.solutions = stored_solutions(record)
        self.traceback = traceback
        self.max_steps = max_steps
        self.native = native
        self.reset()

    def reset(self) -> dict[str, Any]:
        """Start again from S; returns the info."""
        self.path = [self.board.start]
        self.steps = 0
        self.done = False
        return self._info(0.0)

    def legal_actions(self) -> list[int]:
        """Actions that move, in ascending order; none once the episode is over."""
        if self.done:
            return []
        return [action for action in range(4) if self._is_legal(action)]

    def step(self, action: int) -> tuple[float, bool, bool, dict[str, Any]]:
        """Take one action, any int; returns reward, terminated, truncated, info."""
        if self.done:
            raise RuntimeError("the episode is over: call reset")
        self.steps += 1
        has_moved = self._is_legal(action)
        if has_moved:
            target = self._target(action)
            if target in self.path:
                self.path.pop()
            else:
                self.path.append(target)

        at_end = self.path[-1] == self.board.end
        is_stuck = not at_end and not any(self._is_legal(one) for one in range(4))
        is_late = self.steps >= self.max_steps
        if self.native:
            terminated = at_end or is_stuck
            truncated = is_late and not terminated
        else:
            terminated, truncated = at_end, not at_end and (is_late or is_stuck)
        self.done = terminated or truncated

        outcome = 0.0
        if self.done:
            outcome = 1.0 if self.path in self.solutions else -1.0
        if self.done:
            reward = outcome
        elif not has_moved:
            reward = 0.0
        elif any(one[: len(self.path)] == self.path for one in self.solutions):
            reward = 0.01
        else:
            reward = -0.01
        return reward, terminated, truncated, self._info(outcome)

    def _target(self, action: int) -> Point:
        dx, dy = MOVES[action]
        return self.path[-1][0] + dx, self.path[-1][1] + dy

    def _is_legal(self, action: int) -> bool:
        if action not in range(4):
            return False
        target = self._target(action)
        if self.traceback and len(self.path) > 1 and target == self.path[-2]:
            return True
        return self.board.is_free(target) and target not in self.path

    def _info(self, outcome: float) -> dict[str, Any]:
        return {
            "legal_actions": self.legal_actions(),
            "agent_location": self.path[-1],
            "path": list(self.path),
            "current_step": self.steps,
            "outcome_reward": outcome,
        }

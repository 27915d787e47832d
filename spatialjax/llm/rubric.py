"""What an episode with a language model is worth: a weighted sum of functions of its state."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

State = dict[str, Any]
"""One episode; `gym_env.GymEnv` lists its keys."""

RewardFunc = Callable[..., Any]
"""Returns a number, or an awaitable of one. Its parameters are keys of the state, or `state`."""


class Rubric:
    """Scores episodes: `Rubric([solved, few_turns], weights=[1.0, 0.1])`.

    A function asks for what it needs by the names of its parameters: `state`, or any key of it
    (`prompt`, `completion`, `answer`, `trajectory`, ...); with `**kwargs` it gets all.
    """

    def __init__(
        self, funcs: Iterable[RewardFunc] = (), weights: Iterable[float] | None = None
    ) -> None:
        """Set up the sum; without weights each function has weight 1.

        Raises:
          ValueError: if functions and weights differ in number, or two functions share a name.
        """
        self.funcs: list[RewardFunc] = []
        self.weights: list[float] = []
        funcs = list(funcs)
        weights = [1.0] * len(funcs) if weights is None else list(weights)
        if len(weights) != len(funcs):
            raise ValueError(
                f"weights has {len(weights)} entries for {len(funcs)} funcs; each needs one"
            )
        for func, weight in zip(funcs, weights, strict=True):
            self.add_reward_func(func, weight)

    def add_reward_func(self, func: RewardFunc, weight: float = 1.0) -> None:
        """Add a function; with weight 0 it is noted in `metrics` alone.

        Raises:
          ValueError: if a function of that name is there already.
        """
        if _name(func) in map(_name, self.funcs):
            raise ValueError(f"the rubric has a function {_name(func)!r} already; rename one")
        self.funcs.append(func)
        self.weights.append(float(weight))

    async def score(self, state: State) -> None:
        """Set `reward`, and in `metrics` the value of each function by its name."""
        metrics = {}
        for func in self.funcs:
            value = func(**_arguments(func, state))
            metrics[_name(func)] = float(await value if inspect.isawaitable(value) else value)
        weighted = zip(self.weights, metrics.values(), strict=True)
        state["metrics"] = metrics
        state["reward"] = sum(weight * value for weight, value in weighted)


class EpisodicSumRubric(Rubric):
    """Scores an episode with the sum of its step rewards."""

    def __init__(self, weight: float = 1.0) -> None:
        super().__init__([sum_step_rewards], [weight])


def sum_step_rewards(state: State) -> float:
    """Return the sum of the rewards of all steps."""
    return float(sum(step["reward"] for step in state["trajectory"]))


def _name(func: RewardFunc) -> str:
    return getattr(func, "__name__", type(func).__name__)


def _arguments(func: RewardFunc, state: State) -> State:
    known = {**state, "state": state}
    parameters = inspect.signature(func).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return known
    return {one.name: known[one.name] for one in parameters if one.name in known}

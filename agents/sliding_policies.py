"""Agents for sliding puzzles that learn nothing; they see the observation `"array"`."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, Key

from spatialjax.sliding.dynamics import targets
from spatialjax.sliding.estimate import cell_distance
from spatialjax.solvers.ida_star import exact_distance


@dataclasses.dataclass(frozen=True)
class RandomAnyPolicy:
    """Draw a geom of the board and a direction uniformly, whether the move is legal or not."""

    def act(
        self, params: Any, observation: Any, mask: Bool[Array, " A"], key: Key[Array, ""]
    ) -> Int32[Array, ""]:
        """Return an action of a geom that exists."""
        del params, mask
        return _draw(key, jnp.repeat(observation["mask"], 4))


@dataclasses.dataclass(frozen=True)
class GreedyPolicy:
    """Draw among the legal moves that take a geom nearer to its goal; if none does, among all.

    Attributes:
      side: the capacity of the pack in cells.
    """

    side: int

    def act(
        self, params: Any, observation: Any, mask: Bool[Array, " A"], key: Key[Array, ""]
    ) -> Int32[Array, ""]:
        """Return a legal action."""
        del params
        position, goal = observation["positions"], observation["goals"][:, None]
        reached, _ = targets(position, observation["size"], self.side)
        now, then = (
            cell_distance(cells, goal, self.side) for cells in (position[:, None], reached)
        )
        nearer = mask & (then < now).reshape(-1)
        return _draw(key, jnp.where(jnp.any(nearer), nearer, mask))


@dataclasses.dataclass(frozen=True)
class OptimalPolicy:
    """Take the first move of a shortest solution, searched anew at every step.

    Where the search runs out of its budget, the agent moves greedily.

    Attributes:
      side: the capacity of the pack in cells.
      budget: iterations of the search.
    """

    side: int
    budget: int = 5000

    def act(
        self, params: Any, observation: Any, mask: Bool[Array, " A"], key: Key[Array, ""]
    ) -> Int32[Array, ""]:
        """Return a legal action."""
        cells = jnp.arange(self.side**2, dtype=jnp.int8).reshape(self.side, self.side)
        found = exact_distance(
            observation["positions"], observation["goals"], observation["size"], cells, self.budget
        )
        first = found.actions[0].astype(jnp.int32)
        greedy = GreedyPolicy(self.side).act(params, observation, mask, key)
        return jnp.where(first >= 0, first, greedy)


def _draw(key: Key[Array, ""], allowed: Bool[Array, " A"]) -> Int32[Array, ""]:
    """Draw one of the allowed actions uniformly."""
    noise = jax.random.uniform(key, allowed.shape, jnp.float32)
    return jnp.argmax(jnp.where(allowed, noise, -1.0)).astype(jnp.int32)

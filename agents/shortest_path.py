"""The agent that draws a shortest line and ignores every symbol: the published baseline."""

import dataclasses
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, Key, UInt8

from spatialjax.solvers.astar import Status, shortest_line
from spatialjax.witness.lattice import open_directions
from spatialjax.witness.observations import Channel


@dataclasses.dataclass(frozen=True)
class ShortestPathPolicy:
    """Search from the line's head over the free points, in every step anew; needs `planes`."""

    def act(
        self,
        params: Any,
        observation: UInt8[Array, "H W C"],
        mask: Bool[Array, " A"],
        key: Key[Array, ""],
    ) -> Int32[Array, ""]:
        """Return the first move of a shortest line, the first legal one if the end is cut off."""
        head = jnp.argmax(observation[:, :, Channel.HEAD]).astype(jnp.int32)
        end = jnp.argmax(observation[:, :, Channel.END]).astype(jnp.int32)
        result = shortest_line(open_directions(observation[:, :, Channel.USABLE] > 0), head, end)
        fallback = jnp.argmax(mask).astype(jnp.int32)
        found = result.status == Status.FOUND
        return jnp.where(found, result.actions[0].astype(jnp.int32), fallback)

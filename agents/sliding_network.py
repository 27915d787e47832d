"""The network for sliding puzzles: a few residual 3 x 3 layers over the cells of the board.

Each geom writes where its goal lies into its cell; what the layers make of a cell is the geom's own
logits for the four directions. So it makes no difference in which slot a geom is, and one network
plays boards of any size and any number of geoms.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32

from agents.heads import ILLEGAL_LOGIT, ValueHead
from agents.layers import patches, pooled
from spatialjax.sliding.types import MAX_SIZE

BOARD = 14
"""Feature of a cell that is 1 on the board and 0 beyond it."""


class SlidingNetwork(nn.Module):
    """Policy and value over the observation `"array"` of boards of up to `side` x `side` cells.

    Attributes:
      side: the capacity of the pack.
      width: channels of every layer.
      depth: number of residual layers; each widens what a cell sees by one cell.
      hidden: width of the dense layers before the heads.
    """

    side: int
    width: int
    depth: int
    hidden: int

    @nn.compact
    def __call__(
        self, observation: dict[str, Array], mask: Bool[Array, "... A"]
    ) -> tuple[Float32[Array, "... A"], Float32[Array, "..."]]:
        """Return `(logits, value)`."""
        position = observation["positions"]
        is_here = jax.nn.one_hot(position, self.side**2)
        x = cell_features(observation, is_here, self.side)
        x = x.reshape(*x.shape[:-2], self.side, self.side, x.shape[-1])
        board = x[..., BOARD : BOARD + 1]
        x = nn.relu(nn.Dense(self.width)(x)) * board
        for _ in range(self.depth):
            around = nn.Dense(self.width)(patches(x))
            overall = nn.Dense(self.width)(pooled(x, board))
            x = (x + nn.relu(around + overall[..., None, None, :])) * board
        x = nn.LayerNorm()(x) * board
        cells = x.reshape(*x.shape[:-3], self.side**2, self.width)
        geoms = jnp.einsum("...gc,...cf->...gf", is_here, cells)
        geoms = nn.relu(nn.Dense(self.hidden)(geoms))
        logits = nn.Dense(4, kernel_init=nn.initializers.orthogonal(0.01))(geoms)
        logits = jnp.where(mask, logits.reshape(mask.shape), ILLEGAL_LOGIT)
        value = ValueHead()(nn.relu(nn.Dense(self.hidden)(pooled(x, board))))
        return logits, value


def cell_features(
    observation: dict[str, Array], is_here: Float32[Array, "... G C"], side: int
) -> Float32[Array, "... C F"]:
    """Return what stands on each cell, where it wants to go, and who wants to come here."""
    position, goal, mask = (observation[name] for name in ("positions", "goals", "mask"))
    right = (goal % side - position % side).astype(jnp.float32)
    up = (goal // side - position // side).astype(jnp.float32)
    signs = [sign * way > 0 for way in (right, up) for sign in (1, -1)]
    offsets = right / MAX_SIZE, up / MAX_SIZE
    geom = [jnp.ones_like(right), *offsets, *(sign.astype(jnp.float32) for sign in signs)]
    geom = jnp.stack(geom, axis=-1) * mask[..., None].astype(jnp.float32)
    standing = jnp.einsum("...gc,...gf->...cf", is_here, geom)
    is_goal = jax.nn.one_hot(goal, side**2)
    # What the geom whose goal is here still has to go: zero once it stands on it.
    wanted = jnp.einsum("...gc,...gf->...cf", is_goal, geom)
    return jnp.concatenate([standing, wanted, edges(observation["size"], side)], axis=-1)


def edges(size: Int32[Array, "..."], side: int) -> Float32[Array, "... C 5"]:
    """Mark the cells of the board, and of these the ones along each of its edges."""
    last = size[..., None, None] - 1
    along = jnp.arange(side).reshape((1,) * size.ndim + (side,))
    x, y = along[..., None, :], along[..., :, None]
    board = (x <= last) & (y <= last)
    marks = [board, *(board & edge for edge in (x == 0, x == last, y == 0, y == last))]
    stacked = jnp.stack([jnp.broadcast_to(mark, board.shape) for mark in marks], axis=-1)
    return stacked.reshape(*size.shape, side**2, len(marks)).astype(jnp.float32)

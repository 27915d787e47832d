"""The network for line puzzles: a few residual 3 x 3 layers over the blocks of the lattice.

A block is a node, the edges to its right and below, and the cell between them: a board of 6 x 6
cells is 7 x 7 blocks, a quarter of its lattice points. Besides the planes, the network sees what
flood fills tell: which points the head can still reach, and for each move whether the end and all
missed dots stay within reach.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, UInt8

from agents.heads import PolicyHead, ValueHead
from agents.layers import patches, pooled
from spatialjax.witness.observations import Channel, one_hot_planes
from spatialjax.witness.types import ACTION_STEPS


class LineNetwork(nn.Module):
    """Policy and value over the observation `"planes"`.

    Attributes:
      width: channels of every layer.
      depth: number of residual layers; each widens what a block sees by one block.
      hidden: width of the dense layer before the heads.
    """

    num_actions: int
    width: int
    depth: int
    hidden: int

    @nn.compact
    def __call__(
        self, planes: UInt8[Array, "... H W 13"], mask: Bool[Array, "... A"]
    ) -> tuple[Float32[Array, "... A"], Float32[Array, "..."]]:
        """Return `(logits, value)`."""
        x = jnp.concatenate([one_hot_planes(planes), reachable(planes)[..., None]], axis=-1)
        board, head = (x[..., c : c + 1] for c in (Channel.BOARD, Channel.HEAD))
        board, head = (jnp.max(to_blocks(plane), axis=-1, keepdims=True) for plane in (board, head))
        x = nn.relu(nn.Dense(self.width)(to_blocks(x))) * board
        for _ in range(self.depth):
            around = nn.Dense(self.width)(patches(x))
            everywhere = nn.Dense(self.width)(pooled(x, board))
            x = (x + nn.relu(around + everywhere[..., None, None, :])) * board
        x = nn.LayerNorm()(x) * board
        here = jnp.sum(x * head, axis=(-3, -2))
        moves = move_features(planes)
        features = jnp.concatenate([here, pooled(x, board), moves], axis=-1)
        # The value reads what the policy found but doesn't pull at it: it starts to learn after
        # the warm start, from a few noisy returns.
        seen = jax.lax.stop_gradient(features)
        logits = PolicyHead(self.num_actions)(nn.relu(nn.Dense(self.hidden)(features)), mask)
        return logits, ValueHead()(nn.relu(nn.Dense(self.hidden)(seen)))


def to_blocks(x: Float32[Array, "... H W C"]) -> Float32[Array, "... h w K"]:
    """Put the four points of each block side by side."""
    *batch, rows, cols, channels = x.shape
    x = jnp.pad(x, [(0, 0)] * len(batch) + [(0, rows % 2), (0, cols % 2), (0, 0)])
    rows, cols = (rows + 1) // 2, (cols + 1) // 2
    x = x.reshape(*batch, rows, 2, cols, 2, channels)
    return jnp.moveaxis(x, -4, -3).reshape(*batch, rows, cols, 4 * channels)


def reachable(planes: UInt8[Array, "... H W 13"]) -> Float32[Array, "... H W"]:
    """Return 1 on the free points that the line can still get to, without passing the end."""
    return jnp.any(_reach_by_move(planes), axis=-3).astype(jnp.float32)


def move_features(planes: UInt8[Array, "... H W 13"]) -> Float32[Array, "... 8"]:
    """Return for each move whether the end stays in reach, and whether all missed dots do."""
    reach = _reach_by_move(planes)
    end = planes[..., None, :, :, Channel.END] > 0
    missed = (planes[..., Channel.DOT] > 0) & (planes[..., Channel.LINE] == 0)
    to_end = jnp.any(reach & end, axis=(-2, -1))
    to_dots = ~jnp.any(missed[..., None, :, :] & ~reach & ~end, axis=(-2, -1))
    return jnp.concatenate([to_end, to_dots], axis=-1).astype(jnp.float32)


def _reach_by_move(planes: UInt8[Array, "... H W 13"]) -> Bool[Array, "... 4 H W"]:
    """Return what a flood fill over free points reaches from each neighbour of the head."""
    free = (planes[..., Channel.USABLE] > 0)[..., None, :, :]
    end = (planes[..., Channel.END] > 0)[..., None, :, :]
    head = planes[..., Channel.HEAD] > 0
    seeds = jnp.stack([_shift(head, *step) for step in ACTION_STEPS], axis=-3) & free

    def spread(carry):
        reach, _ = carry
        source = reach & ~end  # a line that reaches the end is over
        grown = source
        for step in ACTION_STEPS:
            grown |= _shift(source, *step)
        grown = (grown & free) | reach
        return grown, jnp.any(grown != reach)

    return jax.lax.while_loop(lambda carry: carry[1], spread, (seeds, jnp.bool_(True)))[0]


def _shift(x: Bool[Array, "... H W"], down: int, right: int) -> Bool[Array, "... H W"]:
    """Move everything by one point; what leaves the lattice is gone."""
    rows, cols = x.shape[-2:]
    padded = jnp.pad(x, [(0, 0)] * (x.ndim - 2) + [(1, 1), (1, 1)])
    return padded[..., 1 - down : 1 - down + rows, 1 - right : 1 - right + cols]

"""The eight symmetries of the square and recolouring, on observation planes inside jit.

The views of one puzzle have the same solutions, seen likewise: an agent can learn from all of
them. Symmetry `k` is that of `symmetry.py`: mirrored left to right if `k >= 4`, then `k % 4`
quarter turns clockwise. The board stays in the top left corner of the padding.
"""

import functools

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, UInt8, UInt16

from spatialjax.witness.observations import Channel
from spatialjax.witness.symmetry import NUM_SYMMETRIES
from spatialjax.witness.types import NUM_COLORS


def turn_planes(planes: UInt8[Array, "H W 13"], k: Int32[Array, ""]) -> UInt8[Array, "H W 13"]:
    """Return the planes of the same state of the turned board; `H` equals `W`."""
    turned = _turn_points(planes, k)
    top = turned[..., Channel.SHAPE_TOP].astype(jnp.uint16)
    bottom = turned[..., Channel.SHAPE_BOTTOM].astype(jnp.uint16)
    masks = jnp.asarray(_turned_masks())[k, top | (bottom << 8)]
    turned = turned.at[..., Channel.SHAPE_TOP].set((masks & 255).astype(jnp.uint8))
    return turned.at[..., Channel.SHAPE_BOTTOM].set((masks >> 8).astype(jnp.uint8))


def turn_actions(k: Int32[Array, ""]) -> Int32[Array, " 4"]:
    """Return what each action is called on the turned board."""
    actions = jnp.arange(4, dtype=jnp.int32)
    mirrored = jnp.where(k >= 4, (2 - actions) % 4, actions)
    return (mirrored - k % 4) % 4


def recolor_planes(
    planes: UInt8[Array, "H W 13"], order: Int32[Array, " 8"]
) -> UInt8[Array, "H W 13"]:
    """Give colour `1 + i` the name `1 + order[i]`; `order` is a permutation."""
    names = jnp.concatenate([jnp.zeros(1, jnp.uint8), 1 + order.astype(jnp.uint8)])
    assert order.shape == (NUM_COLORS,)
    return planes.at[..., Channel.COLOR].set(names[planes[..., Channel.COLOR]])


def _turn_points(planes: UInt8[Array, "H W 13"], k: Int32[Array, ""]) -> UInt8[Array, "H W 13"]:
    """Move what each point of the board shows to where the point comes to lie, 0 around it."""
    height, width = planes.shape[:2]
    board = planes[..., Channel.BOARD]
    rows, cols = (jnp.sum(line, dtype=jnp.int32) for line in (board[:, 0], board[0, :]))
    row = jnp.arange(height, dtype=jnp.int32)[:, None]
    col = jnp.arange(width, dtype=jnp.int32)[None, :]
    row, col = jnp.broadcast_arrays(row, col)
    # Where the point that lands on (row, col) came from, for 0 to 3 quarter turns clockwise.
    quarter = k % 4
    from_row = jnp.stack([row, rows - 1 - col, rows - 1 - row, col])[quarter]
    from_col = jnp.stack([col, row, cols - 1 - col, cols - 1 - row])[quarter]
    from_col = jnp.where(k >= 4, cols - 1 - from_col, from_col)
    inside = (from_row >= 0) & (from_row < rows) & (from_col >= 0) & (from_col < cols)
    moved = planes[jnp.where(inside, from_row, 0), jnp.where(inside, from_col, 0)]
    return jnp.where(inside[..., None], moved, jnp.zeros_like(moved))


@functools.cache
def _turned_masks() -> UInt16[np.ndarray, "8 65536"]:
    """Return what each shape mask becomes under each symmetry, moved to the top left again."""
    bits = (np.arange(1 << 16)[:, None] >> np.arange(16)) & 1
    views = []
    for k in range(NUM_SYMMETRIES):
        shapes = bits.reshape(-1, 4, 4)
        shapes = shapes[:, :, ::-1] if k >= 4 else shapes
        shapes = np.rot90(shapes, -(k % 4), axes=(1, 2)).copy()
        for axis in (1, 2):
            for _ in range(3):
                empty = ~np.any(shapes, axis=3 - axis)[:, 0]
                shapes[empty] = np.roll(shapes[empty], -1, axis=axis)
        views.append((shapes.reshape(-1, 16) << np.arange(16)).sum(axis=1))
    return np.array(views, np.uint16)

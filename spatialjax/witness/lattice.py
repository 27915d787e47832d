"""The lattice: cells, points and steps on it, its points as bit sets, lines as move lists."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int32, Shaped, UInt8, UInt32

from spatialjax.witness.types import ACTION_STEPS

WORD = 32
MOVES_PER_WORD = 16


def num_words(num_points: int) -> int:
    """Return how many words a bit set over `num_points` lattice points takes."""
    return -(-num_points // WORD)


def cells_on_lattice(cells: Shaped[Array, "h w"]) -> Shaped[Array, "H W"]:
    """Put each cell (r, c) at its lattice point (2 r + 1, 2 c + 1), zeros elsewhere."""
    return lax.pad(cells, jnp.zeros((), cells.dtype), ((1, 1, 1), (1, 1, 1)))


def point_on_lattice(index: Int32[Array, ""], shape: tuple[int, ...]) -> Bool[Array, "H W"]:
    """Mark the point with one flat lattice index."""
    rows, cols = shape
    return (jnp.arange(rows * cols, dtype=jnp.int32) == index).reshape(rows, cols)


def open_directions(walkable: Any) -> Any:
    """Return as bits, one an action, which steps from each point lead to a walkable one.

    Args:
      walkable: `bool[H, W]` of NumPy or of JAX; the result is a `uint8[H, W]` of the same. The
        point itself need not be walkable.
    """
    xp = walkable.__array_namespace__()
    rows, cols = walkable.shape
    padded = xp.pad(walkable, 1).astype(xp.uint8)
    bits = xp.zeros((rows, cols), xp.uint8)
    for action, (row, col) in enumerate(ACTION_STEPS):
        bits |= padded[1 + row : 1 + row + rows, 1 + col : 1 + col + cols] << action
    return bits


def num_path_words(rows: int, cols: int) -> int:
    """Return how many words hold the longest line: two moves a node, start and end on edges."""
    nodes = (rows // 2 + 1) * (cols // 2 + 1)
    return -(-2 * nodes // MOVES_PER_WORD)


def get_bit(words: UInt32[Array, " V"], index: Int32[Array, "*n"]) -> Bool[Array, "*n"]:
    """Whether the bits at `index` are set; indices outside the set read some other bit."""
    shift = (index % WORD).astype(jnp.uint32)
    return (words[index // WORD] >> shift) & 1 == 1


def flip_bit(words: UInt32[Array, " V"], index: Int32[Array, ""]) -> UInt32[Array, " V"]:
    """Return the set with one bit flipped."""
    bit = jnp.uint32(1) << (index % WORD).astype(jnp.uint32)
    here = jnp.arange(words.shape[0], dtype=jnp.int32) == index // WORD
    return words ^ jnp.where(here, bit, jnp.uint32(0))


def get_move(path: UInt32[Array, " P"], index: Int32[Array, ""]) -> Int32[Array, ""]:
    """Return move `index` of a packed path."""
    shift = (2 * (index % MOVES_PER_WORD)).astype(jnp.uint32)
    return ((path[index // MOVES_PER_WORD] >> shift) & 3).astype(jnp.int32)


def set_move(
    path: UInt32[Array, " P"], index: Int32[Array, ""], move: Int32[Array, ""]
) -> UInt32[Array, " P"]:
    """Return the packed path with move `index` replaced."""
    shift = (2 * (index % MOVES_PER_WORD)).astype(jnp.uint32)
    here = jnp.arange(path.shape[0], dtype=jnp.int32) == index // MOVES_PER_WORD
    kept = path & ~(jnp.uint32(3) << shift)
    return jnp.where(here, kept | (move.astype(jnp.uint32) << shift), path)


def unpack_bits(words: UInt32[Array, " V"], shape: tuple[int, ...]) -> UInt8[Array, "H W"]:
    """Return a bit set as an array of 0 and 1 over the lattice."""
    bits = (words[:, None] >> jnp.arange(WORD, dtype=jnp.uint32)[None, :]) & 1
    rows, cols = shape
    return bits.astype(jnp.uint8).reshape(-1)[: rows * cols].reshape(rows, cols)


def unpack_path(path: np.ndarray, length: int) -> list[int]:
    """Return the moves of a packed path as plain integers (host only)."""
    return [int(path[t // MOVES_PER_WORD] >> (2 * (t % MOVES_PER_WORD))) & 3 for t in range(length)]

"""Stored solutions as a forest: built on the host, walked in O(1) a move inside jit."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from spatialjax.witness.types import Trie


def build_trie(solutions: Sequence[Sequence[np.ndarray]]) -> Trie:
    """Build the forest of a pack as NumPy arrays.

    Args:
      solutions: for each puzzle its stored solutions, each an integer array of moves (0..3).

    All puzzles are built at once: with the paths sorted, a path adds one node for each move past
    the prefix that it shares with the path before it.
    """
    owner = np.array([i for i, paths in enumerate(solutions) for _ in paths], np.int64)
    lengths = np.array([len(p) for paths in solutions for p in paths], np.int64)
    count, longest = len(owner), int(lengths.max(initial=0))
    moves = np.full((count, longest), -1, np.int8)
    flat = [p for paths in solutions for p in paths]
    if flat:
        moves[np.arange(longest) < lengths[:, None]] = np.concatenate(flat)
    order = np.lexsort((*moves.T[::-1], owner))
    owner, lengths, moves = owner[order], lengths[order], moves[order]

    new_owner = np.ones(count, bool)
    new_owner[1:] = owner[1:] != owner[:-1]
    shared = np.zeros(count, np.int64)
    equal = np.logical_and.accumulate(moves[1:] == moves[:-1], axis=1)
    shared[1:] = np.where(new_owner[1:], 0, np.minimum(equal.sum(axis=1), lengths[1:]))

    roots = np.full(len(solutions), -1, np.int32)
    num_roots = int(new_owner.sum())
    roots[owner[new_owner]] = np.arange(num_roots)
    is_new = (np.arange(longest) >= shared[:, None]) & (np.arange(longest) < lengths[:, None])
    # node_at[i, t]: the node that path i is on after t moves. Where it shares a node, that is the
    # one which the paths before it added last, and numbers grow from path to path.
    node_at = np.zeros((count, longest + 1), np.int32)
    node_at[:, 0] = roots[owner]
    node_at[:, 1:][is_new] = num_roots + np.arange(int(is_new.sum()))
    np.maximum.accumulate(node_at, axis=0, out=node_at)

    num_nodes = max(1, num_roots + int(is_new.sum()))
    child = np.full((num_nodes, 4), -1, np.int32)
    parent = np.full(num_nodes, -1, np.int32)
    complete = np.zeros(num_nodes, bool)
    before, after = node_at[:, :-1][is_new], node_at[:, 1:][is_new]
    child[before, moves[is_new]] = after
    parent[after] = before
    complete[node_at[np.arange(count), lengths]] = True
    arrays: dict[str, Any] = {"root": roots, "child": child, "parent": parent, "complete": complete}
    return Trie(**arrays)


def advance(
    trie: Trie, node: Int32[Array, ""], astray: Int32[Array, ""], action: Int32[Array, ""]
) -> tuple[Int32[Array, ""], Int32[Array, ""]]:
    """Follow one move: return the new `(node, astray)` of `State`."""
    child = trie.child[node, action]
    follows = (astray == 0) & (child >= 0) & (node >= 0)
    return jnp.where(follows, child, node), jnp.where(follows, 0, astray + 1)


def retreat(
    trie: Trie, node: Int32[Array, ""], astray: Int32[Array, ""]
) -> tuple[Int32[Array, ""], Int32[Array, ""]]:
    """Take the last move back: return the new `(node, astray)` of `State`."""
    return jnp.where(astray == 0, trie.parent[node], node), jnp.maximum(astray - 1, 0)


def is_stored(trie: Trie, node: Int32[Array, ""], astray: Int32[Array, ""]) -> Bool[Array, ""]:
    """Whether the line is exactly one of the stored solutions."""
    return (astray == 0) & (node >= 0) & trie.complete[node]

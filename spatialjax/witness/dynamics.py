"""How the line moves: which steps are legal and what a step does."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from spatialjax.witness import solutions
from spatialjax.witness.lattice import (
    flip_bit,
    get_bit,
    get_move,
    num_path_words,
    num_words,
    set_move,
)
from spatialjax.witness.types import ACTION_STEPS, Pack, State


def lattice_shape(pack: Pack) -> tuple[int, int]:
    """Return the rows and columns of the pack's padded lattice."""
    rows, cols = pack.puzzles.dot.shape[-2:]
    return rows, cols


def flat_steps(cols: int) -> Int32[Array, " 4"]:
    """Return by how much each action changes a flat lattice index."""
    return jnp.array([row * cols + col for row, col in ACTION_STEPS], jnp.int32)


def initial(pack: Pack, puzzle_index: Int32[Array, ""]) -> State:
    """Return the bare start point of a puzzle as a state."""
    rows, cols = lattice_shape(pack)
    start = pack.puzzles.start[puzzle_index]
    zero = jnp.int32(0)
    return State(
        puzzle_index=puzzle_index,
        position=start,
        visited=flip_bit(jnp.zeros(num_words(rows * cols), jnp.uint32), start),
        path=jnp.zeros(num_path_words(rows, cols), jnp.uint32),
        length=zero,
        node=pack.trie.root[puzzle_index],
        astray=zero,
    )


def legal_actions(pack: Pack, state: State, *, traceback: bool) -> Bool[Array, " 4"]:
    """Return the steps to free points, with `traceback` also the one back to the point before."""
    rows, cols = lattice_shape(pack)
    bits = pack.puzzles.open_directions.reshape(-1, rows * cols)[state.puzzle_index, state.position]
    actions = jnp.arange(4, dtype=jnp.int32)
    # A closed direction may point off the lattice: its bit is read somewhere and then not used.
    target = jnp.clip(state.position + flat_steps(cols), 0, rows * cols - 1)
    is_open = (bits >> jnp.arange(4, dtype=jnp.uint8)) & 1 == 1
    legal = is_open & ~get_bit(state.visited, target)
    if traceback:
        legal |= (actions == _back(state)) & (state.length > 0)
    return legal


def transition(pack: Pack, state: State, action: Int32[Array, ""], *, traceback: bool) -> State:
    """Take one legal step, forward or, with `traceback`, back over the last one."""
    _, cols = lattice_shape(pack)
    is_taken = jnp.arange(4, dtype=jnp.int32) == action
    step = jnp.sum(jnp.where(is_taken, flat_steps(cols), 0), dtype=jnp.int32)
    target = state.position + step
    node, astray = solutions.advance(pack.trie, state.node, state.astray, action)
    flipped, index, move, length = target, state.length, action, state.length + 1
    if traceback:
        is_back = (action == _back(state)) & (state.length > 0)
        old_node, old_astray = solutions.retreat(pack.trie, state.node, state.astray)
        node, astray = jnp.where(is_back, old_node, node), jnp.where(is_back, old_astray, astray)
        # The point left becomes free, and the move that led to it is erased.
        flipped = jnp.where(is_back, state.position, target)
        index, move = jnp.where(is_back, state.length - 1, index), jnp.where(is_back, 0, action)
        length = jnp.where(is_back, index, length)
    return State(
        puzzle_index=state.puzzle_index,
        position=target,
        visited=flip_bit(state.visited, flipped),
        path=set_move(state.path, index, move),
        length=length,
        node=node,
        astray=astray,
    )


def _back(state: State) -> Int32[Array, ""]:
    """Return the action that undoes the last move; opposite actions differ by two."""
    return get_move(state.path, jnp.maximum(state.length - 1, 0)) ^ 2

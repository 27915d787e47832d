"""The puzzles that training learns from: one pack for ever, or a fresh one every few updates."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from agents.imitation import NEVER, Demonstrations
from spatialjax.witness.device_generator import (
    Boards,
    GeneratorConfig,
    generate_boards,
    make_params,
)
from spatialjax.witness.dynamics import flat_steps
from spatialjax.witness.sampling import MIXES, SIZES
from spatialjax.witness.types import Pack


class Puzzles(Protocol):
    """Where the puzzles of an update come from; `update` counts the updates done before it."""

    @property
    def name(self) -> str:
        """What tells these puzzles from others, for the run's records."""
        ...

    def params(self, update: int) -> Any:
        """Return the pack; the same object until another pack begins."""
        ...

    def demonstrated(self, update: int) -> tuple[Any, Demonstrations]:
        """Return it with what there is to imitate; the same object until another pack begins."""
        ...

    def begins(self, update: int) -> bool:
        """Whether the update is the first with another pack than the one before it."""
        ...


class StoredPuzzles:
    """One pack, and what there is to imitate on it.

    `demonstrate` lists that when it is first asked for; None has nothing to imitate.
    """

    def __init__(
        self, name: str, params: Any, demonstrate: Callable[[], Demonstrations] | None = None
    ):
        self._name = name
        self._params = params
        self._demonstrate = demonstrate

    @property
    def name(self) -> str:
        return self._name

    def params(self, update: int) -> Any:
        return self._params

    def demonstrated(self, update: int) -> tuple[Any, Demonstrations]:
        return self._demonstrated

    @cached_property
    def _demonstrated(self) -> tuple[Any, Demonstrations]:
        if self._demonstrate is None:
            raise ValueError(
                f"pack {self._name} has nothing to imitate: imitation.updates must be 0"
            )
        return self._params, self._demonstrate()

    def begins(self, update: int) -> bool:
        return False


class GeneratedPuzzles:
    """Boards made on the device: the pack of an update follows from the key and its number alone.

    Only the line that a board was made round is known to solve it: that is what is imitated.
    """

    def __init__(
        self, key: Key[Array, ""], num_puzzles: int, config: GeneratorConfig, updates_each: int
    ):
        if updates_each < 1 or num_puzzles < 1:
            raise ValueError(
                f"a generated pack has {num_puzzles} puzzles and serves {updates_each} updates: "
                "give at least 1 of each"
            )
        self._key = key
        self._updates_each = updates_each
        self._num_puzzles = num_puzzles
        self._config = config
        self._made: tuple[int, tuple[Pack, Demonstrations]] | None = None

    @property
    def name(self) -> str:
        return "generated"

    def params(self, update: int) -> Pack:
        return self.demonstrated(update)[0]

    def demonstrated(self, update: int) -> tuple[Pack, Demonstrations]:
        number = update // self._updates_each
        if self._made is None or self._made[0] != number:
            key = jax.random.fold_in(self._key, number)
            boards = generate_boards(key, self._num_puzzles, self._config)
            params = make_params(boards.puzzles, "planes")
            self._made = number, (params, line_demonstrations(boards))
        return self._made[1]

    def begins(self, update: int) -> bool:
        return update > 0 and update % self._updates_each == 0


def generator_config(subset: str, capacity: tuple[int, int]) -> GeneratorConfig:
    """Return the config for boards of a named mix, of all published sizes up to a capacity."""
    if subset not in MIXES:
        raise ValueError(f"subset is {subset!r}; generated puzzles are of {', '.join(MIXES)}")
    height, width = capacity
    sizes = {(w, h): weight for (w, h), weight in SIZES.items() if w <= width and h <= height}
    sizes = sizes or {(width, height): 1.0}
    return GeneratorConfig(sizes=tuple(sizes.items()), capacity=capacity, kinds=MIXES[subset])


@jax.jit
def line_demonstrations(boards: Boards) -> Demonstrations:
    """Return the demonstrations on the one known line of each board.

    All moves are listed, as their number must not depend on the boards; those where nothing is to
    be chosen have no share.
    """
    time, good, legal = jax.vmap(_follow)(boards.puzzles, boards.moves)
    num_boards, num_moves = boards.moves.shape
    has_choice = (boards.moves >= 0) & (jnp.sum(legal, axis=2) > 1)
    num_choices = jnp.maximum(jnp.sum(has_choice, axis=1, keepdims=True), 1)
    total = jnp.cumsum(has_choice / jnp.maximum(num_choices, 1.0))
    # Whatever the rounding, a move without a choice gets nothing, and the last choice reaches 1.
    share = jax.lax.cummax(jnp.where(has_choice.reshape(-1), total / total[-1], 0.0))
    share = jnp.where(share == share[-1], 1.0, share)
    owner = jnp.arange(num_boards, dtype=jnp.int32)
    return Demonstrations(
        owner=owner,
        time=time,
        good=good,
        legal=legal,
        solution=jnp.repeat(owner, num_moves),
        step=jnp.tile(jnp.arange(num_moves, dtype=jnp.int16), num_boards),
        share=share,
    )


def _follow(puzzle, moves):
    """Return of one line when it takes each point, and its good and its legal moves."""
    shape = puzzle.dot.shape
    num_points = shape[0] * shape[1]
    steps = flat_steps(shape[1])
    is_move = moves >= 0
    good = moves[:, None] == jnp.arange(4, dtype=moves.dtype)[None, :]
    taken = jnp.sum(jnp.where(good, steps[None, :], 0), axis=1)
    position = jnp.concatenate([puzzle.start[None], puzzle.start + jnp.cumsum(taken)])
    is_on_line = jnp.concatenate([jnp.ones(1, bool), is_move])
    number = jnp.arange(position.shape[0], dtype=jnp.uint8)
    time = jnp.full(num_points, NEVER, jnp.uint8)
    time = time.at[jnp.where(is_on_line, position, num_points)].set(number, mode="drop")
    here = position[:-1]
    bits = puzzle.open_directions.reshape(-1)[here]
    is_open = (bits[:, None] >> jnp.arange(4, dtype=jnp.uint8)[None, :]) & 1 == 1
    target = jnp.clip(here[:, None] + steps[None, :], 0, num_points - 1)
    legal = is_open & (time[target] > number[:-1, None])
    return time.reshape(shape), good, legal

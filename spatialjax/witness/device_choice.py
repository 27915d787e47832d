"""Random choices on the device: random words of a board, and what is chosen by them."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float32, Int32, Key, Num

SCORE_BITS = 25
"""Bits of a random score."""

_INDEX_BITS = SCORE_BITS - 16


class Words:
    """A board's random 16-bit words, handed out in order while a function is traced.

    Without words it hands out zeros: then it serves to count how many the function takes.
    """

    def __init__(self, words: Int32[Array, " n"] | None = None):
        self._words = words
        self.used = 0

    def _next(self, shape: tuple[int, ...]) -> Int32[Array, "..."]:
        begin, self.used = self.used, self.used + math.prod(shape)
        if self._words is None:
            return jnp.zeros(shape, jnp.int32)
        return self._words[begin : self.used].reshape(shape)

    def uniform(self, *shape: int) -> Float32[Array, "..."]:
        """Return numbers above 0 and below 1."""
        return (self._next(shape).astype(jnp.float32) + 0.5) / 65536.0

    def below(self, bound: Int32[Array, ""] | int, *shape: int) -> Int32[Array, "..."]:
        """Return whole numbers from 0 to `bound - 1`; the bound is far below 65536."""
        return (self._next(shape) * bound) >> 16

    def scores(self, *shape: int) -> Int32[Array, "... h w"]:
        """Return random scores for `pick`, distinct within the last two axes, of `SCORE_BITS`."""
        place = jnp.arange(math.prod(shape[-2:]), dtype=jnp.int32)
        assert place.shape[0] <= 1 << _INDEX_BITS
        scores = self._next(shape) << _INDEX_BITS
        return scores | jnp.broadcast_to(place.reshape(shape[-2:]), shape)


def with_words(key: Key[Array, ""], num_boards: int, fn: Callable[..., Any], *rows: Any) -> Any:
    """Return `fn(words, *row)` for each of the boards, whose arguments lie along the first axis.

    The words of all boards are drawn at once, as XLA takes half a second to compile a draw, and a
    board makes some thirty. The key is consumed.
    """
    counter = Words()
    jax.eval_shape(jax.vmap(lambda *row: fn(counter, *row), axis_size=num_boards), *rows)
    # Not 16 bits at once: `jax.random` takes three times as long to cut words in two.
    bits = jax.random.bits(key, (num_boards, -(-counter.used // 2)), jnp.uint32)
    words = jnp.concatenate([bits & 0xFFFF, bits >> 16], axis=1).astype(jnp.int32)
    return jax.vmap(lambda words, *row: fn(Words(words), *row))(words, *rows)


def pick(score: Num[Array, "*s"], allowed: Bool[Array, "*s"]) -> Bool[Array, "*s"]:
    """Mark the allowed place with the highest score; none if none is allowed.

    The scores are distinct and not negative.
    """
    return allowed & (score == jnp.max(score, initial=-1, where=allowed))


def pick_several(
    score: Num[Array, "*s"], allowed: Bool[Array, "*s"], count: Int32[Array, ""]
) -> Bool[Array, "*s"]:
    """Mark the `count` allowed places with the highest scores, all of them if there are fewer.

    The scores are distinct and not negative.
    """

    def add(carry):
        number, chosen = carry
        return number + 1, chosen | pick(score, allowed & ~chosen)

    # At most as many rounds as the most of any board: under `vmap` faster than sorting.
    nothing = (jnp.zeros((), jnp.int32), jnp.zeros_like(allowed))
    return lax.while_loop(lambda carry: carry[0] < count, add, nothing)[1]


def weighted_scores(
    score: Int32[Array, "*s"], weight: Float32[Array, "*s"]
) -> Float32[Array, "*s"]:
    """Turn scores of `Words` into others by which a place is picked as likely as it weighs."""
    return weight / -jnp.log((score.astype(jnp.float32) + 0.5) / (1 << SCORE_BITS))


def draw_index(
    uniform: Float32[Array, ""], weights: Sequence[float] | Float32[Array, " k"]
) -> Int32[Array, ""]:
    """Turn a number between 0 and 1 into an index, each as likely as its weight says.

    The index is 0 if no weight is above 0.
    """
    weights = jnp.asarray(weights, jnp.float32)
    bounds = jnp.cumsum(weights)
    # A weight of 0 is asked for, as a sum may be rounded another way than the one before it.
    return jnp.argmax((uniform * bounds[-1] < bounds) & (weights > 0)).astype(jnp.int32)


def draw_poisson(
    uniform: Float32[Array, ""], mean: Float32[Array, ""], most: int
) -> Int32[Array, ""]:
    """Turn a number between 0 and 1 into a Poisson number, `most` at most."""
    number = jnp.arange(most, dtype=jnp.float32)
    # Not `mean ** number`, which overflows.
    log_factorial = jnp.array([math.lgamma(k + 1) for k in range(most)], jnp.float32)
    log_chance = number * jnp.log(jnp.maximum(mean, 1e-6)) - mean - log_factorial
    return jnp.sum(uniform >= jnp.cumsum(jnp.exp(log_chance)), dtype=jnp.int32)

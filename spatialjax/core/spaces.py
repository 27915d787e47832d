"""Action and observation spaces: enough to build networks and adapters, with gymnax's fields."""

import dataclasses
from typing import Any

import chex
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool


@dataclasses.dataclass(frozen=True)
class Discrete:
    """The integers 0 .. n - 1."""

    n: int
    shape: tuple[int, ...] = ()
    dtype: Any = jnp.int32

    def sample(self, key: chex.PRNGKey) -> Array:
        """Draw an element uniformly. The key is consumed."""
        return jax.random.randint(key, self.shape, 0, self.n, self.dtype)

    def contains(self, x: Array) -> Bool[Array, ""]:
        """Whether `x` is an element."""
        return jnp.all((x >= 0) & (x < self.n))


@dataclasses.dataclass(frozen=True)
class Box:
    """Arrays of one shape and dtype with values from `low` to `high`, both included."""

    low: float
    high: float
    shape: tuple[int, ...]
    dtype: Any = jnp.float32

    def sample(self, key: chex.PRNGKey) -> Array:
        """Draw an element uniformly. The key is consumed."""
        if not jnp.issubdtype(self.dtype, jnp.floating):
            drawn = jax.random.randint(
                key, self.shape, int(self.low), int(self.high) + 1, jnp.int32
            )
            return drawn.astype(self.dtype)
        return jax.random.uniform(key, self.shape, self.dtype, self.low, self.high)

    def contains(self, x: Array) -> Bool[Array, ""]:
        """Whether `x` is an element."""
        if jnp.shape(x) != self.shape:
            return jnp.bool_(False)
        if jnp.result_type(x) == jnp.bool_:
            x = x.astype(jnp.uint8)  # strict promotion compares no boolean with a number
        return jnp.all((x >= self.low) & (x <= self.high))


@dataclasses.dataclass(frozen=True)
class Dict:
    """Elements of several spaces by name."""

    spaces: dict[str, "Space"]

    def sample(self, key: chex.PRNGKey) -> dict[str, Any]:
        """Draw an element uniformly. The key is consumed."""
        keys = jax.random.split(key, len(self.spaces))
        return {
            name: space.sample(key)
            for (name, space), key in zip(self.spaces.items(), keys, strict=True)
        }

    def contains(self, x: Any) -> Bool[Array, ""]:
        """Whether `x` has exactly these names, and an element under each."""
        if x.keys() != self.spaces.keys():
            return jnp.bool_(False)
        parts = [space.contains(x[name]) for name, space in self.spaces.items()]
        return jnp.all(jnp.stack(parts))


Space = Discrete | Box | Dict

"""The decorator of every value that is a tree of arrays."""

from typing import Any, TypeVar, dataclass_transform

import chex

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def pytree(cls: type[T]) -> type[T]:
    """Make a class a frozen dataclass that JAX takes apart into its fields.

    Not a mapping, chex's default: that refuses positional arguments, and NumPy compares no more
    than its field names.
    """
    decorated: Any = chex.dataclass(cls, frozen=True, mappable_dataclass=False)
    return decorated

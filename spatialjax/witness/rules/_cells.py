"""Where a broken cell lies on the lattice."""

from jax import lax
from jaxtyping import Array, Bool


def cells_on_lattice(cells: Bool[Array, "h w"]) -> Bool[Array, "H W"]:
    """Mark each marked cell (r, c) at its lattice point (2 r + 1, 2 c + 1)."""
    return lax.pad(cells, False, ((1, 1, 1), (1, 1, 1)))

"""The one protocol every agent in JAX follows."""

from typing import Any, Protocol

from jaxtyping import Array, Bool, Int32, Key


class Policy(Protocol):
    """Choose an action from what is seen; pure, unbatched, jit and vmap friendly.

    A policy is a hashable object (static configuration); what it has learnt is `params`, any
    pytree, `()` for a policy that learns nothing. Callers `vmap` over observation, mask and key.
    """

    def act(
        self, params: Any, observation: Any, mask: Bool[Array, " A"], key: Key[Array, ""]
    ) -> Int32[Array, ""]:
        """Return a legal action; `mask` is true for those, the key is consumed."""
        ...

"""The protocols that agents in JAX follow: a policy, and the network that some are made of."""

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


class Network(Protocol):
    """A flax module from an observation and a mask to `(logits, value)`; its variables are apart.

    `inputs` are an observation and a mask, with any number of leading batch axes.
    """

    def init(self, rngs: Key[Array, ""], /, *inputs: Any) -> Any:
        """Return the first variables; the key is consumed."""
        ...

    def apply(self, variables: Any, /, *inputs: Any, method: str | None = None) -> Any:
        """Return `(logits, value)`, or what another method of the module returns."""
        ...

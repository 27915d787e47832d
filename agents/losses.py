"""Advantages and PPO losses: pure functions of arrays.

`[T, B]` arrays hold one row per time step and one column per environment lane; `terminated` and
`truncated` belong to the step that ended the episode. Where both are true, termination wins.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32


def generalized_advantages(
    reward: Float32[Array, "T B"],
    value: Float32[Array, "T B"],
    next_value: Float32[Array, "T B"],
    terminated: Bool[Array, "T B"],
    truncated: Bool[Array, "T B"],
    discount: float,
    trace_decay: float,
) -> Float32[Array, "T B"]:
    """Estimate advantages by GAE.

    `next_value[t]` is the value of the observation that step `t` led to, before any auto-reset: a
    truncated step bootstraps from it, a terminated one from nothing. Neither lets the estimate of
    the next episode flow back.
    """
    discount_next = discount * (1.0 - terminated.astype(reward.dtype))
    error = reward + discount_next * next_value - value
    decay = discount * trace_decay * (1.0 - (terminated | truncated).astype(reward.dtype))

    def backwards(advantage, inputs):
        error, decay = inputs
        advantage = error + decay * advantage
        return advantage, advantage

    _, advantage = jax.lax.scan(backwards, jnp.zeros_like(error[0]), (error, decay), reverse=True)
    return advantage


def policy_loss(
    log_prob: Float32[Array, "..."],
    old_log_prob: Float32[Array, "..."],
    advantage: Float32[Array, "..."],
    clip: float,
) -> Float32[Array, "..."]:
    """Return the clipped surrogate loss of each sample."""
    ratio = jnp.exp(log_prob - old_log_prob)
    clipped = jnp.clip(ratio, 1.0 - clip, 1.0 + clip)
    return -jnp.minimum(ratio * advantage, clipped * advantage)


def value_loss(
    value: Float32[Array, "..."],
    old_value: Float32[Array, "..."],
    target: Float32[Array, "..."],
    clip: float,
) -> Float32[Array, "..."]:
    """Return the squared error of each sample, half; the larger of it and its clipped twin."""
    clipped = old_value + jnp.clip(value - old_value, -clip, clip)
    return 0.5 * jnp.maximum((value - target) ** 2, (clipped - target) ** 2)


def entropy(log_probs: Float32[Array, "... A"]) -> Float32[Array, "..."]:
    """Return the entropy in nats; a masked action has probability zero and adds nothing."""
    return -jnp.sum(jnp.exp(log_probs) * log_probs, axis=-1)

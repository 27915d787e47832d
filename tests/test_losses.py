"""Advantages and losses against arithmetic written out here."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flax", reason="needs the agents extra")

from agents import losses

REWARD = jnp.array([[1.0], [2.0], [3.0]])
VALUE = jnp.array([[10.0], [20.0], [30.0]])
NEXT_VALUE = jnp.array([[20.0], [30.0], [40.0]])
NEVER = jnp.zeros((3, 1), bool)


def advantages(terminated, truncated, next_value=NEXT_VALUE):
    """Discount 0.5, trace decay 0.8: the trace shrinks by 0.4 a step."""
    return losses.generalized_advantages(
        REWARD, VALUE, next_value, terminated, truncated, 0.5, 0.8
    )[:, 0]


def test_advantages_within_one_episode():
    # Errors: 1 + 10 - 10 = 1, 2 + 15 - 20 = -3, 3 + 20 - 30 = -7.
    expected = [1.0 + 0.4 * (-3.0 + 0.4 * -7.0), -3.0 + 0.4 * -7.0, -7.0]
    np.testing.assert_allclose(advantages(NEVER, NEVER), expected, rtol=1e-6)


def test_termination_bootstraps_from_nothing():
    # The second step ends the episode: its error is 2 - 20, and nothing flows back over it.
    terminated = NEVER.at[1].set(True)
    expected = [1.0 + 0.4 * -18.0, -18.0, -7.0]
    np.testing.assert_allclose(advantages(terminated, NEVER), expected, rtol=1e-6)


def test_truncation_bootstraps_from_the_last_observation():
    # The second step is cut off where the value is 50: error 2 + 25 - 20 = 7, and nothing flows
    # over it.
    truncated = NEVER.at[1].set(True)
    expected = [1.0 + 0.4 * 7.0, 7.0, -7.0]
    actual = advantages(NEVER, truncated, NEXT_VALUE.at[1].set(50.0))
    np.testing.assert_allclose(actual, expected, rtol=1e-6)


def test_termination_wins_over_truncation():
    both = NEVER.at[1].set(True)
    np.testing.assert_allclose(advantages(both, both), advantages(both, NEVER))


def test_lanes_are_independent():
    terminated = jnp.array([[False, True], [False, False], [True, False]])
    wide = [jnp.tile(leaf, (1, 2)) for leaf in (REWARD, VALUE, NEXT_VALUE)]
    actual = losses.generalized_advantages(*wide, terminated, jnp.zeros_like(terminated), 0.5, 0.8)
    for lane in range(2):
        np.testing.assert_allclose(
            actual[:, lane], advantages(terminated[:, lane : lane + 1], NEVER)
        )


@pytest.mark.parametrize(
    ("ratio", "advantage", "loss"),
    [(1.1, 2.0, -2.2), (1.5, 2.0, -2.4), (0.5, 2.0, -1.0), (0.5, -2.0, 1.6), (1.5, -2.0, 3.0)],
)
def test_policy_loss_clips_only_what_would_pay(ratio, advantage, loss):
    actual = losses.policy_loss(jnp.log(ratio), jnp.zeros(()), jnp.asarray(advantage), 0.2)
    np.testing.assert_allclose(actual, loss, rtol=1e-6)


@pytest.mark.parametrize(
    ("value", "loss"),
    # Old value 1, target 2, clip 0.5: within the clip the plain error, beyond it the larger of the
    # two.
    [(1.4, 0.18), (1.9, 0.125), (3.0, 0.5)],
)
def test_value_loss_takes_the_larger_error(value, loss):
    actual = losses.value_loss(jnp.asarray(value), jnp.asarray(1.0), jnp.asarray(2.0), 0.5)
    np.testing.assert_allclose(actual, loss, rtol=1e-5)


def test_entropy_ignores_masked_actions():
    logits = jnp.array([0.0, 0.0, -1e9, -1e9])
    value, gradient = jax.value_and_grad(lambda x: losses.entropy(jax.nn.log_softmax(x)))(logits)
    np.testing.assert_allclose(value, np.log(2.0), rtol=1e-6)
    assert np.all(np.isfinite(gradient))

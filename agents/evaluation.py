"""Evaluation: every puzzle of a pack once an attempt, and what the results say."""

import dataclasses
import math
import platform
import re
from collections.abc import Sequence
from functools import partial
from importlib import metadata
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Key

import spatialjax
from agents.base import Policy
from spatialjax.core.compaction import compacted

PUZZLES_AT_ONCE = 512
"""Puzzles played side by side: enough to keep a processor busy, few enough for its cache."""

CHOICES_AT_ONCE = 64
"""Of these, how many the policy is asked about in one call."""


def play_attempts(
    env: Any, params: Any, policy: Policy, policy_params: Any, seed: int, attempts: int = 1
) -> Bool[np.ndarray, "K N"]:
    """Play every puzzle of the pack once an attempt; return which were solved."""
    keys = jax.random.split(jax.random.key(seed), attempts)
    played = [play_all(env, policy, params, policy_params, key)[0] for key in keys]
    return np.stack([np.asarray(solved) for solved in played])


@partial(jax.jit, static_argnums=(0, 1))
def play_all(
    env: Any, policy: Policy, params: Any, policy_params: Any, key: Key[Array, ""]
) -> tuple[Bool[Array, " N"], Any]:
    """Play every puzzle once: which were solved, and the last episodes."""
    indices = jnp.arange(env.num_puzzles(params), dtype=jnp.int32)
    play = partial(play_puzzle, env, policy, params, policy_params, key)
    return jax.lax.map(play, indices, batch_size=PUZZLES_AT_ONCE)


def play_puzzle(
    env: Any, policy: Policy, params: Any, policy_params: Any, key: Key[Array, ""], index: Array
) -> tuple[Bool[Array, ""], Any]:
    """Play the puzzle in row `index` to its end: whether it was solved, and the last episode.

    A loop that stops at the end of the episode (under `vmap`, of the longest one) instead of a scan
    over `max_steps`: most lines are far shorter than the limit. The policy is asked only where
    there is a choice, which halves the work: half of all steps lead along an edge.
    """
    key = jax.random.fold_in(key, index)
    choose = compacted(policy.act, CHOICES_AT_ONCE)
    observation, episode = env.reset_to(index, params)

    def is_running(carry):
        _, episode, _ = carry
        return ~(episode.terminated | episode.truncated)

    def move(carry):
        observation, episode, _ = carry
        step_key = jax.random.fold_in(key, episode.steps)
        mask = env.action_mask(episode, params)
        has_choice = is_running(carry) & (jnp.sum(mask) > 1)
        chosen = choose(has_choice, policy_params, observation, mask, step_key)
        action = jnp.where(has_choice, chosen, jnp.argmax(mask).astype(jnp.int32))
        observation, episode, _, _, info = env.step_env(step_key, episode, action, params)
        return observation, episode, info["solved"]

    _, episode, solved = jax.lax.while_loop(
        is_running, move, (observation, episode, jnp.bool_(False))
    )
    return solved, episode


Label = str | tuple[str, ...]
"""What a puzzle is counted under; it may be several things at once."""


def count_by(labels: Sequence[Label], solved: Bool[np.ndarray, " N"]) -> dict[str, list[int]]:
    """Return `{label: [solved, n]}`, sorted by label, numbers by their value."""
    counts: dict[str, list[int]] = {}
    for label, is_solved in zip(labels, solved, strict=True):
        for name in (label,) if isinstance(label, str) else label:
            count = counts.setdefault(name, [0, 0])
            count[0] += int(is_solved)
            count[1] += 1
    return {name: counts[name] for name in sorted(counts, key=_by_number)}


def _by_number(label: str) -> tuple[list[int], str]:
    """Order labels by the numbers in them, and those without by their letters."""
    return [int(number) for number in re.findall(r"\d+", label)], label


def pass_at(solved: Bool[np.ndarray, "K N"]) -> dict[str, float]:
    """Return the unbiased estimate of solving a puzzle within k = 1, 2, 4, ... and all tries.

    With c of K attempts solved it is 1 - C(K - c, k) / C(K, k), averaged over the puzzles.
    """
    attempts = len(solved)
    failures = attempts - solved.sum(axis=0)
    tries = sorted({2**power for power in range(attempts.bit_length())} | {attempts})
    return {
        str(k): float(
            np.mean([1.0 - math.comb(f, k) / math.comb(attempts, k) for f in failures.tolist()])
        )
        for k in tries
    }


def wilson(solved: int, n: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share."""
    z = 1.959964
    share = solved / n
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """Results of one agent on one pack.

    Attributes:
      agent, source, pack_hash, seed: what was played.
      solved: which puzzles each attempt solved.
      labels: of every puzzle by "level", "size" and "kind": how hard it is, its cells, and what is
        on it.
    """

    agent: str
    source: str
    pack_hash: str
    seed: int
    solved: Bool[np.ndarray, "K N"]
    labels: dict[str, list[Label]]

    def to_json(self, command: str) -> dict[str, Any]:
        """Return the object that `evaluate.py --json` writes."""
        first = self.solved[0]
        return {
            "agent": self.agent,
            "source": self.source,
            "pack_hash": self.pack_hash,
            "attempts": len(self.solved),
            "seed": self.seed,
            "n": len(first),
            "solved": int(first.sum()),
            **{f"by_{name}": count_by(labels, first) for name, labels in self.labels.items()},
            "pass_at": pass_at(self.solved),
            "versions": versions(),
            "command": command,
        }

    def tables(self) -> str:
        """Return the first attempt by every label, and pass@k, as text."""
        first = self.solved[0]
        lines = [f"{self.agent} on {self.source}, first of {len(self.solved)} attempts"]
        for title, labels in {"all": [""] * len(first), **self.labels}.items():
            for label, (solved, n) in count_by(labels, first).items():
                lines.append(f"  {title:6} {label:9} {share_text(solved, n)}  {solved}/{n}")
        tries = "  ".join(f"{k}: {100 * share:.1f} %" for k, share in pass_at(self.solved).items())
        return "\n".join([*lines, f"  pass@k {tries}"])


def share_text(solved: int, n: int) -> str:
    """Return a share in percent with its 95 % interval."""
    low, high = wilson(solved, n)
    return f"{100 * solved / n:5.1f} % [{100 * low:4.1f}, {100 * high:4.1f}]"


def check_seed(seed: int) -> None:
    """Raise ValueError unless a seed fits 32 bits, as JAX takes no more of it."""
    if not 0 <= seed < 1 << 32:
        raise ValueError(f"seed is {seed}; it must be from 0 to {(1 << 32) - 1}")


def versions() -> dict[str, str]:
    """Return what the results depend on: versions, and the kind of device."""
    found = {"python": platform.python_version()}
    found |= {name: metadata.version(name) for name in ("jax", "jaxlib", "flax")}
    return found | {
        "spatialjax": spatialjax.__version__,
        "device": jax.devices()[0].device_kind,
    }

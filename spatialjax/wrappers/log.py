"""Episode returns and lengths in `info`."""

import dataclasses
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float32, Int32, UInt32

from spatialjax.core.pytree import pytree
from spatialjax.core.types import Episode, Verdict
from spatialjax.wrappers.wrapper import Wrapper


@pytree
class LoggedEpisode(Episode):
    """An episode and the sum of the rewards it has paid so far."""

    episode_return: Float32[Array, ""]


@dataclasses.dataclass(frozen=True)
class LogEpisodes(Wrapper):
    """Adds the return and the length of the episode to `info`.

    | key of `info` | holds |
    |---|---|
    | `episode_return` | `float32[]`, sum of the rewards of the episode, this step's too |
    | `episode_length` | `int32[]`, steps of the episode, this one too |

    Where a step ends the episode (`terminated | truncated`) they are those of the whole episode.
    A mean over the episodes that ended in a rollout `[T, B]`:

        over = terminated | truncated
        mean = jnp.mean(info["episode_return"], where=over)

    The rewards are those of the environment inside: around `ScaleReward` the scaled ones, inside
    it the original ones.

    Raises:
      ValueError: if a wrapper inside logs already.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        inside = self.env
        while isinstance(inside, Wrapper):
            if isinstance(inside, LogEpisodes):
                raise ValueError("the environment logs its episodes already; wrap it once")
            inside = inside.env

    def info(self, episode: Episode, params: Any, verdict: Verdict) -> dict[str, Any]:
        return super().info(episode, params, verdict) | _totals(episode)

    def _advance(
        self, episode: Any, action: Int32[Array, ""], params: Any
    ) -> tuple[Episode, Float32[Array, ""], dict[str, Any]]:
        ended, reward, info = super()._advance(episode, action, params)
        ended = dataclasses.replace(ended, episode_return=episode.episode_return + reward)
        return ended, reward, info | _totals(ended)

    def _fresh(self, params: Any, index: Int32[Array, ""], stream: UInt32[Array, ""]) -> Episode:
        fresh = super()._fresh(params, index, stream)
        fields = {field.name: getattr(fresh, field.name) for field in dataclasses.fields(fresh)}
        return LoggedEpisode(**fields, episode_return=jnp.float32(0))


def _totals(episode: Any) -> dict[str, Array]:
    return {"episode_return": episode.episode_return, "episode_length": episode.steps}

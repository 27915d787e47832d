"""Rewards times a constant."""

import dataclasses
import math
from typing import Any

from jaxtyping import Array, Float32, Int32

from spatialjax.core.types import Episode, Outcome
from spatialjax.wrappers.wrapper import Wrapper


@dataclasses.dataclass(frozen=True)
class ScaleReward(Wrapper):
    """Multiplies every reward by `scale`, a finite number; it stays `float32[]`.

    Raises:
      ValueError: if `scale` is no finite number.
    """

    scale: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.scale) not in (int, float) or not math.isfinite(self.scale):
            raise ValueError(f"scale is {self.scale!r}; it must be a finite number")

    def reward(
        self, params: Any, state: Any, next_state: Any, outcome: Outcome
    ) -> Float32[Array, ""]:
        return self.scale * super().reward(params, state, next_state, outcome)

    def _advance(
        self, episode: Episode, action: Int32[Array, ""], params: Any
    ) -> tuple[Episode, Float32[Array, ""], dict[str, Any]]:
        episode, reward, info = super()._advance(episode, action, params)
        return episode, self.scale * reward, info

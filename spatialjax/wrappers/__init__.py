"""Wrappers in the JAX API, by name here, and adapters to other packages, a module each.

`Batched`, `FlattenObservation`, `LogEpisodes` and `ScaleReward` are loaded when first used; the
adapters are `gymnasium` and `gymnax`, whose import registers the environments there.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spatialjax.wrappers.batched import Batched
    from spatialjax.wrappers.flatten import FlattenObservation
    from spatialjax.wrappers.log import LogEpisodes
    from spatialjax.wrappers.scale_reward import ScaleReward

__all__ = ["Batched", "FlattenObservation", "LogEpisodes", "ScaleReward"]

_HOMES = {
    "Batched": "spatialjax.wrappers.batched",
    "FlattenObservation": "spatialjax.wrappers.flatten",
    "LogEpisodes": "spatialjax.wrappers.log",
    "ScaleReward": "spatialjax.wrappers.scale_reward",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value

"""Language models on the puzzles. The public names below are loaded when first used."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spatialjax.llm.client import ChatClient, ModelError, Reply
    from spatialjax.llm.gym_env import GymEnv
    from spatialjax.llm.openai_client import OpenAIClient
    from spatialjax.llm.rubric import EpisodicSumRubric, Rubric

_HOMES = {
    "ChatClient": "spatialjax.llm.client",
    "EpisodicSumRubric": "spatialjax.llm.rubric",
    "GymEnv": "spatialjax.llm.gym_env",
    "ModelError": "spatialjax.llm.client",
    "OpenAIClient": "spatialjax.llm.openai_client",
    "Reply": "spatialjax.llm.client",
    "Rubric": "spatialjax.llm.rubric",
}

__all__ = [
    "ChatClient",
    "EpisodicSumRubric",
    "GymEnv",
    "ModelError",
    "OpenAIClient",
    "Reply",
    "Rubric",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spatialjax.llm' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

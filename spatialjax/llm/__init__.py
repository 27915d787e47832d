"""Language models on the puzzles. The public names below are loaded when first used."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spatialjax.llm.client import ChatClient, ModelError, Reply
    from spatialjax.llm.episodes import LineEpisode, SlidingEpisode, replay
    from spatialjax.llm.extract import extract_action, extract_path
    from spatialjax.llm.gym_env import GymEnv
    from spatialjax.llm.openai_client import OpenAIClient
    from spatialjax.llm.prompts import line_prompts, sliding_prompts
    from spatialjax.llm.rubric import EpisodicSumRubric, Rubric
    from spatialjax.llm.score import Score, Verdict, score_answer, score_path

_HOMES = {
    "ChatClient": "spatialjax.llm.client",
    "EpisodicSumRubric": "spatialjax.llm.rubric",
    "GymEnv": "spatialjax.llm.gym_env",
    "LineEpisode": "spatialjax.llm.episodes",
    "ModelError": "spatialjax.llm.client",
    "OpenAIClient": "spatialjax.llm.openai_client",
    "Reply": "spatialjax.llm.client",
    "Rubric": "spatialjax.llm.rubric",
    "Score": "spatialjax.llm.score",
    "SlidingEpisode": "spatialjax.llm.episodes",
    "Verdict": "spatialjax.llm.score",
    "extract_action": "spatialjax.llm.extract",
    "extract_path": "spatialjax.llm.extract",
    "line_prompts": "spatialjax.llm.prompts",
    "replay": "spatialjax.llm.episodes",
    "score_answer": "spatialjax.llm.score",
    "score_path": "spatialjax.llm.score",
    "sliding_prompts": "spatialjax.llm.prompts",
}

__all__ = [
    "ChatClient",
    "EpisodicSumRubric",
    "GymEnv",
    "LineEpisode",
    "ModelError",
    "OpenAIClient",
    "Reply",
    "Rubric",
    "Score",
    "SlidingEpisode",
    "Verdict",
    "extract_action",
    "extract_path",
    "line_prompts",
    "replay",
    "score_answer",
    "score_path",
    "sliding_prompts",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spatialjax.llm' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

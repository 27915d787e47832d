"""The program behind `scripts/evaluate.py`: one agent on one source of puzzles."""

import json
import shlex
import sys

from agents.config import EvaluateConfig
from agents.evaluation import Evaluation
from agents.families import FAMILIES
from agents.runs import output_file, write_whole

__all__ = ["EvaluateConfig", "run"]


def run(config: EvaluateConfig) -> Evaluation:
    """Evaluate, print the tables, and write the JSON file if one is named."""
    if (config.agent == "ppo") != bool(config.checkpoint):
        raise ValueError("--checkpoint RUN goes with --agent ppo, and only with it")
    results = output_file(config.json) if config.json else None
    evaluation = FAMILIES[config.env].evaluate(config)
    print(evaluation.tables())
    if results:
        result = evaluation.to_json(shlex.join(["python", *sys.argv]))
        write_whole(results, json.dumps(result, indent=2) + "\n")
    return evaluation

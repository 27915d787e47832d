"""The program behind `scripts/evaluate.py`: one agent on one source of puzzles."""

import dataclasses
import json
import shlex
import sys
from pathlib import Path
from typing import Any, Literal

import spatialjax
from agents.base import Policy
from agents.evaluation import Evaluation, check_seed, evaluate
from agents.networks import NetworkPolicy, SymmetricPolicy
from agents.random import RandomPolicy
from agents.runs import output_file, read_config, write_whole
from agents.shortest_path import ShortestPathPolicy
from agents.train import TrainConfig, load_agent
from spatialjax.witness.pack import HostPack, build_pack


@dataclasses.dataclass(frozen=True)
class EvaluateConfig:
    """Play every puzzle of a source once an attempt and count what was solved."""

    agent: Literal["random", "astar", "ppo"]
    source: str = "embedded"  # "embedded", a file, or the name of a data set
    subset: str = "all"
    split: str = "test"
    attempts: int = 1  # of every puzzle; of ppo, more than one draws its actions at random
    views: Literal[1, 8] = 1  # of the board, which ppo averages over for its likeliest action
    seed: int = 0
    checkpoint: str = ""  # run folder of ppo
    json: str = ""  # file for the results
    success: Literal["rules", "solutions"] = "rules"

    def __post_init__(self):
        if self.attempts < 1:
            raise ValueError(f"attempts is {self.attempts}; it must be at least 1")
        if self.views > 1 and (self.agent != "ppo" or self.attempts > 1):
            raise ValueError("--views 8 is for --agent ppo with one attempt")
        check_seed(self.seed)


def run(config: EvaluateConfig) -> Evaluation:
    """Evaluate, print the tables, and write the JSON file if one is named."""
    if (config.agent == "ppo") != bool(config.checkpoint):
        raise ValueError("--checkpoint RUN goes with --agent ppo, and only with it")
    results = output_file(config.json) if config.json else None
    records = spatialjax.load_records(config.source, subset=config.subset, split=config.split)
    pack, observation, policy, params = load_policy(config, records)
    env, _ = spatialjax.make(
        "Witness-v0", source=pack, observation=observation, success=config.success
    )
    evaluation = evaluate(
        config.agent, env, pack, policy, params, config.source, config.attempts, config.seed
    )
    print(evaluation.tables())
    if results:
        result = evaluation.to_json(shlex.join(["python", *sys.argv]))
        write_whole(results, json.dumps(result, indent=2) + "\n")
    return evaluation


def load_policy(config: EvaluateConfig, records: list[dict]) -> tuple[HostPack, str, Policy, Any]:
    """Return the puzzles as a pack, the observation the agent needs, the agent, its parameters."""
    if config.agent == "ppo":
        run_config = read_config(Path(config.checkpoint), TrainConfig)
        pack = build_pack(records, run_config.capacity)
        network, variables = load_agent(Path(config.checkpoint), pack, run_config)
        policy = NetworkPolicy(network, greedy=config.attempts == 1)
        return pack, "planes", SymmetricPolicy(network) if config.views == 8 else policy, variables
    if config.agent == "astar":
        return build_pack(records), "planes", ShortestPathPolicy(), ()
    return build_pack(records), "none", RandomPolicy(), ()

"""Sliding puzzles to train on, to compare agents on, and to evaluate one agent on."""

import dataclasses
import os
from pathlib import Path
from typing import Any

import spatialjax
from agents import sliding_report
from agents.base import Policy
from agents.config import EnvId, EvaluateConfig, TrainConfig
from agents.imitation import ImitationConfig
from agents.networks import NetworkConfig, NetworkPolicy, make_network
from agents.paths import PUBLISHED_SLIDING
from agents.ppo import PPOConfig
from agents.puzzles import Puzzles, StoredPuzzles
from agents.random import RandomPolicy
from agents.runs import check_trained, output_file, read_config, restore_variables
from agents.sliding_evaluation import SlidingEvaluation, evaluate
from agents.sliding_policies import GreedyPolicy, RandomAnyPolicy
from agents.sliding_report import Table
from spatialjax.core.options import require_one_of
from spatialjax.sliding.pack import HostPack
from spatialjax.sliding.sources import load_host_pack

AGENTS = ("random", "random_any", "greedy", "optimal", "ppo")


@dataclasses.dataclass(frozen=True)
class SlidingFamily:
    """The family of SlidingGeom-v0, and that of SlidingTile-v0; see `families.Family`.

    Attributes:
      env_id: the id.
      subset: the embedded sets that belong to it.
    """

    env_id: EnvId
    subset: str

    @property
    def defaults(self) -> TrainConfig:
        return TrainConfig(
            env=self.env_id,
            capacity=(4, 15 if self.subset == "tiles" else 11),
            imitation=ImitationConfig(updates=0),
            ppo=PPOConfig(
                updates=120,
                num_envs=256,
                num_steps=32,
                num_epochs=2,
                num_minibatches=4,
                learning_rate=1e-3,
                entropy_weight=0.01,
            ),
            network=NetworkConfig(hidden=(64,), width=48, depth=3),
        )

    def load_puzzles(self, config: TrainConfig) -> tuple[Any, Puzzles]:
        """Return the environment to train in, and its puzzles."""
        self._refuse(subset=(config.subset, "all"), success=(config.success, "auto"))
        if config.imitation.updates:
            raise ValueError(
                f"imitation.updates is {config.imitation.updates}, but {self.env_id} is learnt by"
                " PPO alone: it must be 0"
            )
        pack = load_host_pack(config.source, self.subset, config.split, capacity=config.capacity)
        reward = "progress_solved" if config.reward == "auto" else config.reward
        env, params = spatialjax.make(self.env_id, source=pack, reward=reward)
        return env, StoredPuzzles(pack.hash, params)

    def load_tables(self, config: TrainConfig) -> list[Table]:
        """Load the puzzles of the final tables."""
        sources = {"heldout": config.heldout}
        if config.eval == "auto" and PUBLISHED_SLIDING.exists() and self.subset == "geoms":
            sources["eval"] = os.path.relpath(PUBLISHED_SLIDING)
        elif config.eval not in ("auto", "none"):
            sources["eval"] = config.eval
        return [
            Table(name, source, load_host_pack(source, self.subset, "test"))
            for name, source in sources.items()
        ]

    def write_report(
        self, path: Path, config: TrainConfig, variables: Any, tables: list[Table]
    ) -> None:
        """Compare PPO with random and greedy; print the tables, write them and pictures."""
        learnt_from = load_host_pack(config.source, self.subset, config.split)
        evaluations = {}
        for table in tables:
            env, params = spatialjax.make(self.env_id, source=table.pack)
            network = make_network(env.observation_space(params), env.num_actions, config.network)
            agents: dict[str, tuple[Policy, Any]] = {
                "random": (RandomPolicy(), ()),
                "greedy": (GreedyPolicy(table.pack.side), ()),
                "ppo": (NetworkPolicy(network), variables),
            }
            if known := overlap(learnt_from, table.pack):
                print(f"note: {known} of the boards of {table.source} were among those learnt from")
            evaluations[table.name] = [
                evaluate(name, env, table.pack, policy, learnt, table.source, 1, config.seed)
                for name, (policy, learnt) in agents.items()
            ]
        sliding_report.write(path, tables, evaluations)

    def evaluate(self, config: EvaluateConfig) -> SlidingEvaluation:
        """Play every board of a source."""
        require_one_of("agent", config.agent, AGENTS)
        self._refuse(
            subset=(config.subset, "all"),
            success=(config.success, "rules"),
            views=(config.views, 1),
        )
        heatmap = output_file(config.heatmap) if config.heatmap else None
        if heatmap and heatmap.suffix.lower() != ".png":
            raise ValueError(f"--heatmap {config.heatmap} must end in .png")
        pack = load_host_pack(config.source, self.subset, config.split)
        limit = {} if config.max_steps is None else {"max_steps": config.max_steps}
        env, params = spatialjax.make(self.env_id, source=pack, **limit)
        policy, learnt = self._policy(config, env, params, pack.side)
        evaluation = evaluate(
            config.agent, env, pack, policy, learnt, config.source, config.attempts, config.seed
        )
        if heatmap:
            sliding_report.draw_heatmaps(heatmap, evaluation)
        return evaluation

    def _policy(
        self, config: EvaluateConfig, env: Any, params: Any, side: int
    ) -> tuple[Policy | None, Any]:
        """Return the agent and what it has learnt; None plays shortest solutions."""
        if config.agent == "ppo":
            path = Path(config.checkpoint)
            trained = read_config(path, TrainConfig)
            check_trained(path, trained, config.env)
            # Neither cells nor slots have weights of their own: boards may be larger than those
            # trained on.
            network = make_network(env.observation_space(params), env.num_actions, trained.network)
            return NetworkPolicy(network, greedy=config.attempts == 1), restore_variables(path)
        policies: dict[str, Policy] = {
            "random": RandomPolicy(),
            "random_any": RandomAnyPolicy(),
            "greedy": GreedyPolicy(side),
        }
        return policies.get(config.agent), ()

    def _refuse(self, **options: tuple[Any, Any]) -> None:
        """Raise ValueError for an option of line puzzles alone, unless left at its default."""
        for name, (value, default) in options.items():
            if value != default:
                raise ValueError(f"{name} is {value!r}, but {self.env_id} has no choice of {name}")


def overlap(pack: HostPack, other: HostPack) -> int:
    """Return how many boards of `other` are in `pack`, whatever their geoms are called."""

    def arrangements(boards: HostPack) -> list[tuple]:
        each = [boards.board(i) for i in range(len(boards))]
        return [
            (board.size, *sorted(zip(board.positions, board.goals, strict=True))) for board in each
        ]

    known = set(arrangements(pack))
    return sum(arrangement in known for arrangement in arrangements(other))

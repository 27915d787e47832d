"""What training and evaluation are asked for; the fields are the flags of the programs."""

import dataclasses
from typing import Literal

from agents.evaluation import check_seed
from agents.imitation import ImitationConfig
from agents.networks import NetworkConfig
from agents.ppo import PPOConfig

Reward = Literal["auto", "outcome", "spatial_gym", "prefix", "progress", "progress_solved"]
EnvId = Literal["Witness-v0", "SlidingGeom-v0", "SlidingTile-v0"]


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """Learn a family of puzzles by PPO and compare with agents that learn nothing, on puzzles never
    seen.

    The defaults depend on --env, and take at most 10 minutes on two processor cores.
    """

    env: EnvId = "Witness-v0"
    name: str = ""  # of the run folder; empty takes the date and time
    runs: str = "runs"  # folder of the run folders
    resume: str = ""  # run folder to continue; takes its config and no other flag
    seed: int = 0
    devices: Literal["one", "all"] = "all"  # split the lanes over all local devices?
    checkpoint_every: int = 20  # updates
    source: str = "embedded"  # puzzles to learn from; "generated" makes line puzzles as it goes
    subset: str = "all"
    split: str = "train"
    fresh_every: int = 10  # updates after which generated puzzles are replaced
    generated: int = 4096  # how many of them there are at a time
    heldout: str = "embedded"  # puzzles for the final table, split "test"
    eval: str = "auto"  # second table: a source, "none", or those published, if ../shared has them
    # Largest board: height and width in cells of line puzzles, side and number of geoms of sliding
    # puzzles.
    capacity: tuple[int, int] = (6, 6)
    # In training; tables go by the rules. "auto" is solutions and prefix, but rules and outcome for
    # generated puzzles, as nobody lists their solutions; and progress_solved for sliding puzzles.
    success: Literal["auto", "rules", "solutions"] = "auto"
    reward: Reward = "auto"
    imitation: ImitationConfig = ImitationConfig(updates=180)
    ppo: PPOConfig = PPOConfig(
        updates=12,
        value_updates=4,
        num_steps=16,
        num_epochs=2,
        num_minibatches=4,
        learning_rate=1e-4,
        entropy_weight=0.003,
    )
    network: NetworkConfig = NetworkConfig()

    def __post_init__(self):
        check_seed(self.seed)


@dataclasses.dataclass(frozen=True)
class EvaluateConfig:
    """Play every puzzle of a source once an attempt and count what was solved."""

    agent: Literal["random", "random_any", "greedy", "astar", "optimal", "ppo"]
    env: EnvId = "Witness-v0"
    source: str = "embedded"  # "embedded", a file, or the name of a data set
    subset: str = "all"
    split: str = "test"
    attempts: int = 1  # of every puzzle; of ppo, more than one draws its actions at random
    views: Literal[1, 8] = 1  # of a line puzzle, which ppo averages over for its likeliest action
    seed: int = 0
    max_steps: int | None = None  # of an episode; None is the environment's own limit
    checkpoint: str = ""  # run folder of ppo
    json: str = ""  # file for the results
    heatmap: str = ""  # PNG file for results by length and number of geoms, of sliding puzzles
    success: Literal["rules", "solutions"] = "rules"  # of line puzzles

    def __post_init__(self):
        if self.attempts < 1:
            raise ValueError(f"attempts is {self.attempts}; it must be at least 1")
        if self.views > 1 and (self.agent != "ppo" or self.attempts > 1):
            raise ValueError("--views 8 is for --agent ppo with one attempt")
        check_seed(self.seed)

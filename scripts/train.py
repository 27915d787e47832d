"""Train PPO on puzzles and compare it with other agents; `--help` lists the flags."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import jax  # noqa: E402

from agents.cli import main  # noqa: E402

if __name__ == "__main__":
    # A processor becomes a power of two of devices, which split the lanes evenly and keep its cores
    # busy in small operations too, which XLA runs on one core.
    jax.config.update("jax_num_cpu_devices", 1 << ((os.cpu_count() or 1).bit_length() - 1))
    main("agents.train", "TrainConfig", "train", "defaults")

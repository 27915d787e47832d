"""Measure how fast environments and rules run; `--help` lists the flags."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import jax  # noqa: E402

from agents.cli import main  # noqa: E402

if __name__ == "__main__":
    # One device a core: lanes on different cores then don't wait for each other at every operation.
    jax.config.update("jax_num_cpu_devices", (os.cpu_count() or 1))
    main("agents.benchmark", "BenchmarkConfig", "run")

"""Evaluate one agent on one source of puzzles; `--help` lists the flags."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.cli import main

if __name__ == "__main__":
    main("agents.evaluate", "EvaluateConfig", "run")

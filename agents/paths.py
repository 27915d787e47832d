"""Where the checkout is, and the published puzzles beside it."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The checkout."""

PUBLISHED = ROOT.parent / "shared" / "data" / "sparc" / "test.jsonl"
"""The 500 published line puzzles for testing, if someone put them there."""

PUBLISHED_SLIDING = ROOT.parent / "shared" / "data" / "ivispar"
"""The folder of the published sliding puzzles, likewise."""

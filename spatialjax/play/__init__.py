"""Puzzles for a person at a terminal: `scripts/play.py`."""

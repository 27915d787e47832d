"""Puzzle records: reading and checking them, and those shipped with the package."""

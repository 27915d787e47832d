"""Puzzle records: reading, checking and packing them."""

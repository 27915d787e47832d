"""Agents for the environments of `spatialjax`: used from a checkout, not part of the wheel."""

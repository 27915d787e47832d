"""Colours of the pictures of sliding puzzles."""

from collections.abc import Mapping
from types import MappingProxyType

from spatialjax.core.picture import RGB

STATES: Mapping[str, RGB] = MappingProxyType(
    {
        "active": (82, 138, 174),
        "goal": (100, 191, 106),
        "past": (141, 153, 174),
        "start": (141, 153, 174),
        "unproductive": (255, 165, 0),
        "wrong": (242, 92, 84),
    }
)
"""What a picture shows -> the colour that it is laid over."""

GEOM_COLORS: Mapping[str, RGB] = MappingProxyType(
    {
        "red": (255, 0, 0),
        "green": (0, 128, 0),
        "blue": (0, 0, 255),
        "yellow": (255, 255, 0),
        "purple": (128, 0, 128),
        # Darker than the orange of HTML, which is that of a state, and farther from yellow.
        "orange": (255, 128, 0),
    }
)
"""Colour name of a geom -> its colour."""

"""Colours of the pictures of sliding puzzles."""

from collections.abc import Mapping
from types import MappingProxyType

from spatialjax.core.picture import RGB

BLACK: RGB = (0, 0, 0)
WHITE: RGB = (255, 255, 255)

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


def readable_on(color: RGB) -> RGB:
    """Return black or white, whichever stands out more from a colour."""
    red, green, blue = color
    return BLACK if 0.299 * red + 0.587 * green + 0.114 * blue > 128 else WHITE

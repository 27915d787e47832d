"""How a picture of a line puzzle looks: one frozen value per named style."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from spatialjax.core.picture import RGB

# Bright and dark enough to stand out from each other and, white and black too, from a middle grey.
SYMBOL_COLORS: Mapping[str, RGB] = MappingProxyType(
    {
        "R": (204, 24, 36),
        "B": (28, 72, 220),
        "G": (0, 128, 52),
        "Y": (255, 226, 0),
        "W": (255, 255, 255),
        "O": (255, 132, 0),
        "P": (140, 30, 178),
        "K": (8, 8, 10),
    }
)


@dataclass(frozen=True)
class Style:
    """The colours of a picture, as red, green, blue 0 to 255.

    Attributes:
        background: the panel, cells included.
        grid: grid lines, start disc and end nub.
        line, head: the line, and the middle of its head where it stops short of the end.
        dot, dot_edge: a dot and its rim.
        broken, broken_halo: marks of broken points, and their rim.
        broken_cell: the inside of a broken cell.
        symbols: colour letter of a symbol -> its colour.
    """

    background: RGB = (150, 156, 164)
    grid: RGB = (62, 68, 80)
    line: RGB = (92, 236, 240)
    head: RGB = (62, 68, 80)
    dot: RGB = (250, 246, 232)
    dot_edge: RGB = (8, 8, 10)
    broken: RGB = (236, 0, 72)
    broken_halo: RGB = (255, 255, 255)
    broken_cell: RGB = (206, 160, 166)
    symbols: Mapping[str, RGB] = field(default_factory=lambda: SYMBOL_COLORS)


STYLES: Mapping[str, Style] = MappingProxyType({"original": Style()})
"""Name -> style, the choices of `render`."""

"""How a picture of a line puzzle looks: one frozen value per named style."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

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


NAMES = (
    "original",
    "start_end_marked",
    "coordinate_grid",
    "coordinate_grid_and_start_end_marked",
    "path_cell_annotated",
    "text",
    "black_frame",
    "black_frame_and_path_cell_annotated",
    "low_contrast",
    "low_contrast_and_path_cell_annotated",
    "low_resolution",
    "low_resolution_and_path_cell_annotated",
    "rotated",
    "rotated_and_path_cell_annotated",
)
"""The styles that SPaRC's visual experiments use, under its names."""


@dataclass(frozen=True)
class Style:
    """The colours of a picture, as red, green, blue 0 to 255, and what it shows beside the board.

    Lengths are in lattice steps.

    Attributes:
        background: the panel, cells included.
        grid: grid lines, start disc and end nub.
        line, head: the line, and the middle of its head where it stops short of the end.
        dot, dot_edge: a dot and its rim; what words say is written in the colour of the rim.
        broken, broken_halo: marks of broken points, and their rim.
        broken_cell: the inside of a broken cell.
        writing: letters, coordinates and axes.
        symbols: colour letter of a symbol -> its colour.
        grid_width: width of the grid lines.
        symbol_scale: size of the symbols; 1 is the largest that a thin grid leaves room for.
        has_letters: whether S and E stand on start and end.
        has_axes: whether x and y are numbered at the top and the left.
        has_coordinates: whether `x,y` stands on every point of the grid.
        in_words: whether the symbols are named rather than drawn; shapes are drawn below the name.
        frame: width of a black frame.
        coarseness: side in pixels of the squares of one colour that the picture is made of.
        angle: degrees by which the board is turned, anticlockwise.
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
    writing: RGB = (255, 255, 255)
    symbols: Mapping[str, RGB] = field(default_factory=lambda: SYMBOL_COLORS)
    grid_width: float = 0.32
    symbol_scale: float = 1.0
    has_letters: bool = False
    has_axes: bool = False
    has_coordinates: bool = False
    in_words: bool = False
    frame: float = 0.0
    coarseness: int = 1
    angle: float = 0.0


def _faded(style: Style) -> dict[str, Any]:
    """Return all colours of a style, half way to the grey that is as bright."""
    colors = {
        name: _half_grey(color) for name, color in vars(style).items() if isinstance(color, tuple)
    }
    symbols = {letter: _half_grey(color) for letter, color in style.symbols.items()}
    return {**colors, "symbols": MappingProxyType(symbols)}


def _half_grey(color: RGB) -> RGB:
    red, green, blue = color
    grey = 0.299 * red + 0.587 * green + 0.114 * blue
    return round((red + grey) / 2), round((green + grey) / 2), round((blue + grey) / 2)


# Coordinates need a broad grid, so that they don't run into the symbols.
_COORDINATES = {"has_coordinates": True, "grid_width": 0.72, "symbol_scale": 0.85}
_CHANGES: Mapping[str, Callable[[Style], Mapping[str, Any]]] = {
    "original": lambda _: {},
    "start_end_marked": lambda _: {"has_letters": True},
    "coordinate_grid": lambda _: {"has_axes": True},
    "path_cell_annotated": lambda _: _COORDINATES,
    "text": lambda _: _COORDINATES | {"in_words": True},
    "black_frame": lambda _: {"frame": 0.4},
    "low_contrast": _faded,
    "low_resolution": lambda _: {"coarseness": 2},
    "rotated": lambda _: {"angle": 15.0},
}


def _make_style(name: str) -> Style:
    style = Style()
    for part in name.split("_and_"):
        style = replace(style, **_CHANGES[part](style))
    return style


STYLES: Mapping[str, Style] = MappingProxyType({name: _make_style(name) for name in NAMES})
"""Name -> style, the choices of `render`."""

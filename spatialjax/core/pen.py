"""A drawing surface with smooth edges, on Pillow; importing this module imports Pillow.

Everything is drawn four times too large in flat colours and averaged down, so edges are smooth and
the middle of every shape keeps its exact colour.
"""

import math
from collections.abc import Iterable, Sequence

from PIL import Image, ImageDraw, ImageFont

from spatialjax.core.picture import RGB

OVERSAMPLE = 4
BOLD = 0.02  # by which letters grow on every side, and
HALO = 0.13  # the width of a rim around them, as parts of their height


class Pen:
    """A drawing surface measured in a unit of its own; x to the right and y downwards."""

    def __init__(
        self,
        pixels: tuple[int, int],
        background: RGB,
        unit: float,
        left: float = 0.0,
        top: float = 0.0,
    ):
        """Make a surface of width x height pixels.

        Args:
            unit: pixels of a unit of length.
            left, top: units between the corner of the picture and the point (0, 0).
        """
        width, height = pixels
        self.pixel = 1 / unit
        """Units of length in a pixel of the finished picture."""
        self._scale = OVERSAMPLE * unit
        self._left, self._top = left, top
        self._background = background
        self._image = Image.new("RGB", (width * OVERSAMPLE, height * OVERSAMPLE), background)
        self._draw = ImageDraw.Draw(self._image)

    def finish(self) -> Image.Image:
        """Return the smooth picture at its real size."""
        return self._image.reduce(OVERSAMPLE)

    def finish_turned(self, angle: float, pixels: tuple[int, int]) -> Image.Image:
        """Return it turned anticlockwise, in the middle of a picture of width x height pixels."""
        width, height = (side * OVERSAMPLE for side in pixels)
        canvas = Image.new("RGB", (width, height), self._background)
        corner = (width - self._image.width) // 2, (height - self._image.height) // 2
        canvas.paste(self._image, corner)
        smooth = Image.Resampling.BICUBIC
        return canvas.rotate(angle, smooth, fillcolor=self._background).reduce(OVERSAMPLE)

    def disc(self, x: float, y: float, radius: float, color: RGB) -> None:
        """Fill a disc."""
        self._draw.ellipse(self._box(x - radius, y - radius, x + radius, y + radius), fill=color)

    def box(
        self, x: float, y: float, width: float, height: float, color: RGB, round_by: float = 0.0
    ) -> None:
        """Fill a box around a middle, its corners rounded by a radius."""
        corners = self._box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        self._draw.rounded_rectangle(corners, radius=round_by * self._scale, fill=color)

    def polygon(self, points: Iterable[tuple[float, float]], color: RGB) -> None:
        """Fill a polygon."""
        self._draw.polygon([self._pixel(x, y) for x, y in points], fill=color)

    def stroke(self, points: Sequence[tuple[float, float]], width: float, color: RGB) -> None:
        """Draw a line of straight pieces with round joins and round ends."""
        for x, y in points:
            self.disc(x, y, width / 2, color)
        for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
            self.bar(x0, y0, x1, y1, width, color)

    def bar(self, x0: float, y0: float, x1: float, y1: float, width: float, color: RGB) -> None:
        """Draw a straight piece with square ends."""
        length = math.hypot(x1 - x0, y1 - y0)
        if length == 0:
            return
        dx, dy = (y1 - y0) / length * width / 2, (x0 - x1) / length * width / 2
        corners = [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)]
        self.polygon(corners, color)

    def text(
        self, x: float, y: float, text: str, height: float, color: RGB, halo: RGB | None = None
    ) -> None:
        """Write text of a font height, its capitals around a middle, maybe with a rim."""
        font = self._font(height)
        across, down = self._pixel(x, y)
        _, capital_top, _, _ = font.getbbox("H", anchor="ls")
        at = across, down - capital_top / 2
        # Thickened a little: thin white strokes fade on a bright ground in a small picture.
        bold = round(font.size * BOLD)
        if halo is not None:
            rim = bold + max(1, round(font.size * HALO))
            self._draw.text(at, text, halo, font, anchor="ms", stroke_width=rim)
        self._draw.text(at, text, color, font, anchor="ms", stroke_width=bold)

    def text_width(self, text: str, height: float) -> float:
        """Return the width of text of a font height."""
        return self._font(height).getlength(text) / self._scale

    def _font(self, height: float) -> ImageFont.FreeTypeFont:
        font = ImageFont.load_default(height * self._scale)
        assert isinstance(font, ImageFont.FreeTypeFont)  # as it is wherever a size is given
        return font

    def _pixel(self, x: float, y: float) -> tuple[float, float]:
        # Pillow counts pixel middles, so a shape symmetric about a point needs half a pixel off.
        return (x + self._left) * self._scale - 0.5, (y + self._top) * self._scale - 0.5

    def _box(self, left: float, top: float, right: float, bottom: float) -> list[float]:
        return [*self._pixel(left, top), *self._pixel(right, bottom)]

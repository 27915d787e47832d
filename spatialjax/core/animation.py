"""Pictures that follow each other: a GIF, an animated PNG, or inline in a notebook."""

import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spatialjax.data.atomic import replacing

if TYPE_CHECKING:
    from PIL import Image

FORMATS = {".gif": "GIF", ".png": "PNG"}
LAST_SECONDS = 1.5


class Animation:
    """Pictures of one size, shown one after another, over and over; a notebook plays it inline.

    The last picture stays for at least `LAST_SECONDS`.
    """

    def __init__(self, frames: "Iterable[Image.Image]", seconds: float) -> None:
        """Keep pictures, of which each is shown for `seconds`, 0.02 to 60.

        Raises:
          ValueError: if there is no picture, or the time is no number in that range.
        """
        self.frames = list(frames)
        if not self.frames:
            raise ValueError("an animation needs at least one picture")
        if not isinstance(seconds, int | float) or not 0.02 <= seconds <= 60:
            raise ValueError(f"seconds is {seconds!r}; it must be a number from 0.02 to 60")
        self._seconds = seconds

    def __len__(self) -> int:
        return len(self.frames)

    def save(self, path: str | os.PathLike) -> None:
        """Write a `.gif`, of 256 colours a picture, or an animated `.png`: whole or not at all.

        Raises:
          ValueError: if the name ends in something else.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in FORMATS:
            raise ValueError(f"path is {str(path)!r}; its name must end in .gif or .png")
        with replacing(path, suffix) as scratch:
            self._write(scratch, FORMATS[suffix])

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self._write(buffer, "PNG")
        return buffer.getvalue()

    def _write(self, target: Any, form: str) -> None:
        times = [self._seconds] * (len(self) - 1) + [max(self._seconds, LAST_SECONDS)]
        frames = self.frames
        if form == "GIF":
            from PIL import Image  # here: the pictures are Pillow's, so it is installed

            # Without dithering, which would make flat colours flicker.
            frames = [frame.quantize(256, dither=Image.Dither.NONE) for frame in frames]
        frames[0].save(
            target,
            form,
            save_all=True,
            append_images=frames[1:],
            duration=[round(1000 * time) for time in times],
            loop=0,
        )

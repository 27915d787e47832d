"""A line puzzle being played: the line grows move by move."""

from collections.abc import Iterable, Mapping
from typing import Any

from spatialjax.core.animation import Animation
from spatialjax.witness.render import DEFAULT_SIZE, render
from spatialjax.witness.scene import Broken, Point, build_scene


def animate(
    record: Mapping[str, Any],
    path: Iterable[Point],
    broken: Broken | None = None,
    style: str = "original",
    size: int = DEFAULT_SIZE,
    seconds: float = 0.15,
) -> Animation:
    """Show the board, then the line after each move, then where it breaks a rule.

        animate(record, path, check_path(record, path).broken).save("line.gif")

    Arguments and errors as `render`; each picture is shown for `seconds`, 0.02 to 60.
    """
    scene = build_scene(record, path, broken)
    marks = [(spot.x, spot.y) for spot in scene.spots if spot.broken]
    lines = [scene.path[:length] for length in range(len(scene.path) + 1)]
    frames = [render(record, line, style=style, size=size) for line in lines]
    if marks:
        frames.append(render(record, scene.path, marks, style, size))
    return Animation(frames, seconds)

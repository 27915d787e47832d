"""Episodes as GIF and animated PNG: what each picture shows, and for how long."""

import io
from dataclasses import replace

import numpy as np
import pytest
from boards import draw

from spatialjax.core.animation import Animation
from spatialjax.data.sliding import board_config, solution_commands
from spatialjax.sliding.animation import animate as animate_sliding
from spatialjax.sliding.board import Board
from spatialjax.sliding.render import render as render_sliding
from spatialjax.sliding.types import Direction
from spatialjax.witness.animation import animate
from spatialjax.witness.render import render

Image = pytest.importorskip("PIL.Image", reason="needs the extra 'render'")

RECORD = draw("S + . + +\n+ N + N +\n+ + + + +\n+ N + N +\n+ + + + E", {})
PATH = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]


def read(source):
    """Return the pictures of a file as arrays, their seconds, and how often it plays; 0 is ever."""
    with Image.open(source) as file:
        frames, times = [], []
        for index in range(getattr(file, "n_frames", 1)):
            file.seek(index)
            frames.append(np.asarray(file.convert("RGB")).astype(int))
            times.append(file.info["duration"] / 1000)
        return frames, times, file.info["loop"]


@pytest.mark.parametrize(("name", "error"), [("line.gif", 16), ("LINE.PNG", 0)])
def test_the_line_grows_move_by_move(tmp_path, name, error):
    animation = animate(RECORD, PATH, broken=[(4, 4)], size=120, seconds=0.2)
    animation.save(tmp_path / name)
    frames, times, loop = read(tmp_path / name)
    expected = [render(RECORD, PATH[:n], size=120) for n in range(len(PATH) + 1)]
    expected.append(render(RECORD, PATH, [(4, 4)], size=120))
    assert len(animation) == len(frames) == len(expected) == 7
    for frame, picture in zip(frames, expected, strict=True):
        assert np.abs(frame - np.asarray(picture)).max() <= error
    assert times == [0.2] * 6 + [1.5] and loop == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_without_marks_there_is_no_picture_of_them():
    assert len(animate(RECORD, PATH, broken={"dots": []}, size=64)) == len(PATH) + 1


def test_a_notebook_shows_an_animated_png():
    frames, _, _ = read(io.BytesIO(animate(RECORD, PATH, size=64)._repr_png_()))
    assert len(frames) == len(PATH) + 1


def test_the_board_after_each_command_or_action():
    start, goal = ((0, 0), (2, 2)), ((1, 1), (2, 2))
    board = Board(3, ("cube", "sphere"), ("red", "blue"), start, goal)
    commands = ["move red cube right", "move red cube up"]
    moves = [*commands, "move nothing", np.int32(4 + Direction.RIGHT)]
    frames = animate_sliding(board, moves, size=160).frames
    positions = [(0, 0), (1, 0), (1, 1), (1, 1), (1, 1)]
    assert len(frames) == len(positions)
    for frame, cell in zip(frames, positions, strict=True):
        shown = replace(board, positions=(cell, (2, 2)))
        assert frame.tobytes() == render_sliding(shown, marking="none", size=160).tobytes()
    config = board_config(board, commands, "test")
    from_config = animate_sliding(config, solution_commands(config), size=160)
    assert [f.tobytes() for f in from_config.frames] == [f.tobytes() for f in frames[:3]]
    with pytest.raises(ValueError, match=r"moves\[0\] is 8; .* action 0 to 7"):
        animate_sliding(board, [8], size=160)


@pytest.mark.parametrize("name", ["line.jpg", "line"])
def test_another_kind_of_file_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="must end in .gif or .png"):
        animate(RECORD, PATH, size=64).save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("seconds", [0, 61, "fast"])
def test_times_out_of_range_are_refused(seconds):
    with pytest.raises(ValueError, match="must be a number from 0.02 to 60"):
        animate(RECORD, PATH, size=64, seconds=seconds)


def test_no_picture_is_no_animation():
    with pytest.raises(ValueError, match="at least one picture"):
        Animation([], 1.0)

"""Pictures of sliding puzzles: what is drawn, where, in which colour, and what is refused."""

import copy
import itertools
import random
import re
import subprocess
import sys

import pytest
from sliding_boards import EXAMPLE, changed, make_config, random_config, with_geom

from spatialjax.core.picture import BLACK, WHITE
from spatialjax.data.sliding import config_board
from spatialjax.errors import PuzzleError
from spatialjax.sliding.board import Board
from spatialjax.sliding.render import MARKINGS, render, render_text
from spatialjax.sliding.styles import GEOM_COLORS, STATES
from spatialjax.sliding.types import COLORS, SHAPES

pytest.importorskip("PIL.Image", reason="needs the extra 'render'")
from PIL import ImageChops  # noqa: E402

from spatialjax.core.pen import Pen  # noqa: E402

LEFT, TOP, SIDE = 140, 54, 740  # the cells in a picture of 1200 x 900
FRAME = 12
IDENTITIES = list(itertools.product(SHAPES, COLORS))
ACTIVE, GOAL = STATES["active"], STATES["goal"]


def make_board(n, geoms):
    """A board of {cell: (shape, color)} that is solved."""
    shapes, colors = zip(*geoms.values(), strict=True)
    return Board(n, shapes, colors, tuple(geoms), tuple(geoms))


def cells_of(n):
    return [(x, y) for y in range(n) for x in range(n)]


def full_board(n, seed=0):
    """A board with as many geoms as there are, on random cells."""
    rng = random.Random(seed)
    count = min(n * n - 1, len(IDENTITIES))
    places = rng.sample(cells_of(n), count)
    return make_board(n, dict(zip(places, rng.sample(IDENTITIES, count), strict=True)))


def tiles(n, color="green"):
    places = sorted(cells_of(n)[:-1])
    return make_board(n, {place: ("tile", color) for place in places})


def middle(n, cell, scale=1.0):
    """Pixel in the middle of a cell."""
    side = SIDE / n
    x, y = LEFT + (cell[0] + 0.5) * side, TOP + (n - cell[1] - 0.5) * side
    return int(x * scale), int(y * scale)


def cut(image, n, cell, scale=1.0):
    """Cut out one cell without its grid lines."""
    x, y = middle(n, cell, scale)
    half = int(scale * (SIDE / n / 2 - 4))
    return image.crop((x - half, y - half, x + half, y + half))


def colors_in(image):
    return {color: count for count, color in image.getcolors(image.width * image.height)}


def white_box(image):
    """Box around the white pixels of an image, or None."""
    return image.convert("L").point(lambda value: 255 * (value > 250)).getbbox()


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (32, (32, 24)),
        (401, (401, 301)),
        ((500, 300), (500, 300)),
        ([64, 200], (64, 200)),
        ((32, 32), (32, 32)),
    ],
)
def test_picture_has_the_size_asked_for(size, expected):
    image = render(full_board(8), size=size)
    assert image.size == expected
    assert image.mode == "RGB"


def test_default_size():
    assert render(EXAMPLE).size == (1200, 900)


def test_same_arguments_give_the_same_picture_and_change_nothing():
    config = copy.deepcopy(EXAMPLE)
    assert render(config, size=200).tobytes() == render(config, size=200).tobytes()
    assert config == EXAMPLE


def test_every_geom_has_its_colour_and_no_two_look_alike():
    board = make_board(6, dict(zip(cells_of(6), IDENTITIES, strict=True)))
    image = render(board)
    pictures = {}
    for cell, (shape, color) in zip(board.positions, IDENTITIES, strict=True):
        assert image.getpixel(middle(6, cell)) == GEOM_COLORS[color]
        pictures[shape, color] = cut(image, 6, cell)
        found = colors_in(pictures[shape, color])
        area = pictures[shape, color].width ** 2
        assert 0.3 < found[GEOM_COLORS[color]] / area < 0.9
        assert found[BLACK] / area > 0.03
        assert found[ACTIVE] / area > 0.05
    for (one, first), (other, second) in itertools.combinations(pictures.items(), 2):
        alike = ImageChops.difference(first, second).convert("L").histogram()[0]
        assert alike < 0.9 * first.width**2, (one, other)


@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_shapes_differ_on_the_largest_board(scale):
    board = make_board(8, {(i, 3): (shape, "blue") for i, shape in enumerate(SHAPES)})
    image = render(board, size=int(1200 * scale))
    pictures = [cut(image, 8, cell, scale) for cell in board.positions]
    for first, second in itertools.combinations(pictures, 2):
        alike = ImageChops.difference(first, second).convert("L").histogram()[0]
        assert alike < 0.9 * first.width**2


def test_shapes_are_upright_as_their_words_say():
    board = make_board(3, {(i % 3, i // 3): (shape, "red") for i, shape in enumerate(SHAPES)})
    image = render(board)
    area = {}
    for shape, cell in zip(SHAPES, board.positions, strict=True):
        picture = cut(image, 3, cell)
        width, height = picture.size
        top, bottom = (
            colors_in(picture.crop((0, upper, width, upper + height // 2)))[GEOM_COLORS["red"]]
            for upper in (0, height // 2)
        )
        area[shape] = (top + bottom) / width**2
        if shape == "pyramid":
            assert bottom > 2 * top
        elif shape == "cone":
            assert top > 2 * bottom
        else:
            assert abs(top - bottom) < 0.02 * (top + bottom)
    assert area["cube"] > area["sphere"] > area["cylinder"] > area["prism"]


@pytest.mark.parametrize("n", range(2, 9))
def test_every_cell_holds_its_geom_or_its_name(n):
    board = full_board(n, seed=n)
    half = len(board) // 2 + 1
    board = Board(n, *(field[:half] for field in (board.shapes, board.colors)),
                  *(field[:half] for field in (board.positions, board.goals)))  # fmt: skip
    image = render(board)
    color_at = dict(zip(board.positions, board.colors, strict=True))
    names = []
    for cell in cells_of(n):
        picture = cut(image, n, cell)
        box = white_box(picture)
        if cell in color_at:
            assert image.getpixel(middle(n, cell)) == GEOM_COLORS[color_at[cell]]
            assert box is None
        else:
            left, top, right, bottom = box
            assert abs(left + right - picture.width) < 0.2 * picture.width
            assert abs(top + bottom - picture.height) < 0.1 * picture.height
            assert bottom - top >= 0.2 * picture.height
            assert set(colors_in(picture)) >= {ACTIVE, WHITE}
            names.append(picture.tobytes())
    assert len(set(names)) == len(names) == n * n - half


def test_texts_name_the_empty_cells_columns_and_rows(monkeypatch):
    texts = []
    monkeypatch.setattr(Pen, "text", lambda pen, x, y, text, *_: texts.append((x, y, text)))
    for n in (2, 4, 8):
        texts.clear()
        board = make_board(n, {(0, 0): ("cube", "red"), (1, n - 1): ("cone", "red")})
        render(board, marking="color")
        names = {middle(n, (x, y)): f"{'ABCDEFGH'[x]}{y + 1}" for x, y in cells_of(n)}
        del names[middle(n, (0, 0))], names[middle(n, (1, n - 1))]
        inside = {(int(x), int(y)): text for x, y, text in texts if len(text) == 2}
        assert inside == names
        below = [(int(x), text) for x, y, text in texts if y > TOP + SIDE]
        assert below == [(middle(n, (i, 0))[0], "ABCDEFGH"[i]) for i in range(n)]
        beside = [(int(y), text) for x, y, text in texts if x < LEFT]
        assert beside == [(middle(n, (0, i))[1], str(i + 1)) for i in range(n)]
        assert len(texts) == n * n - 2 + 2 * n


@pytest.mark.parametrize("n", [2, 5, 8])
def test_letters_stand_below_the_columns_and_numbers_left_of_the_rows(n):
    image = render(make_board(n, {(0, 0): ("cube", "red")}))
    letters, numbers = [], []
    for i in range(n):
        x, y = middle(n, (i, i))
        letters.append(image.crop((x - 40, TOP + SIDE + FRAME, x + 40, 900)))
        numbers.append(image.crop((40, y - 40, LEFT - FRAME, y + 40)))
    for texts in (letters, numbers):
        assert all(white_box(text) for text in texts)
        assert len({text.tobytes() for text in texts}) == n
    left, _, right, _ = white_box(letters[0])
    assert abs(left + right - 80) < 8
    _, top, _, bottom = white_box(numbers[-1])
    assert abs(top + bottom - 80) < 4


@pytest.mark.parametrize("n", [2, 8])
def test_grid_lines_and_frame(n):
    image = render(make_board(n, {(0, 0): ("cube", "red")}))
    for line in range(n + 1):
        at = round(SIDE * line / n)
        assert image.getpixel((LEFT + at, TOP + SIDE // n // 8)) == BLACK
        assert image.getpixel((LEFT + SIDE // n // 8, TOP + at)) == BLACK
    frame = [image.getpixel((x, 400)) for x in range(LEFT - 30, LEFT + 30)]
    assert FRAME <= frame.count(BLACK) < FRAME + 4


@pytest.mark.parametrize("n", [2, 3, 8])
def test_tiles_show_their_numbers(n):
    board = tiles(n)
    image = render(board)
    pictures = [cut(image, n, cell) for cell in board.positions]
    assert len({picture.tobytes() for picture in pictures}) == n * n - 1
    for picture in pictures:
        found = colors_in(picture)
        assert found[GEOM_COLORS["green"]] > 0.3 * picture.width**2
        left, top, right, bottom = white_box(picture)
        assert bottom - top > 0.3 * picture.height
        assert abs(left + right - picture.width) < 0.2 * picture.width


@pytest.mark.parametrize("color", COLORS)
def test_number_of_a_tile_stands_out_from_its_colour(color):
    picture = cut(render(tiles(2, color)), 2, (0, 0))
    inner = picture.crop((70, 70, picture.width - 70, picture.height - 70))
    ink = WHITE if color in ("red", "green", "blue", "purple") else BLACK
    assert colors_in(inner)[ink] > 200


def test_tiles_keep_the_colours_of_their_config():
    colors = [("green", "tile", (x, y), ((x + 1) % 3, y)) for x in range(3) for y in range(2)]
    colors[3] = ("red", *colors[3][1:])
    image = render(make_config(3, colors))
    corners = [image.getpixel((x - 90, y - 90)) for x, y in (middle(3, (1, 1)), middle(3, (1, 0)))]
    assert corners == [GEOM_COLORS["red"], GEOM_COLORS["green"]]


def test_colours_stand_out_from_each_other_and_from_the_states():
    grounds = [STATES[state] for state in ("active", "goal", "past")]
    pairs = [*itertools.combinations(GEOM_COLORS.values(), 2)]
    pairs += itertools.product(GEOM_COLORS.values(), grounds)
    for first, second in pairs:
        assert sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) >= 100**2


def test_states_have_the_colours_of_ivispar():
    assert STATES == {
        "active": (82, 138, 174),
        "goal": (100, 191, 106),
        "past": (141, 153, 174),
        "start": (141, 153, 174),
        "unproductive": (255, 165, 0),
        "wrong": (242, 92, 84),
    }


@pytest.mark.parametrize("state", STATES)
def test_marking_shows_the_state_by_colour_label_both_or_not(state):
    board = full_board(4)
    pictures = {marking: render(board, state, marking) for marking in MARKINGS}
    grounds = {marking: picture.getpixel((3, 3)) for marking, picture in pictures.items()}
    assert grounds == {
        "color": STATES[state], "label": ACTIVE, "both": STATES[state], "none": ACTIVE
    }  # fmt: skip
    for labelled, plain in (("both", "color"), ("label", "none")):
        box = ImageChops.difference(pictures[labelled], pictures[plain]).getbbox()
        assert box[0] > LEFT + SIDE + FRAME
        assert abs(box[1] - 50) <= 1
        assert abs(box[2] - 1150) <= 1
        assert box[3] < 120
        inside = pictures[labelled].getpixel((box[0] + 10, 80))
        assert inside == tuple((part + 255) // 2 for part in grounds[labelled])
        assert pictures[labelled].getpixel((1149, 80)) == BLACK
    assert render(board, "active", "none").tobytes() == pictures["none"].tobytes()
    assert render(board, state).tobytes() == pictures["both"].tobytes()


def test_labels_differ():
    board = full_board(4)
    labels = [render(board, state, "label").crop((900, 40, 1160, 130)) for state in STATES]
    assert len({label.tobytes() for label in labels}) == len(STATES)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("size", [64, 400, (300, 300), (600, 200), (150, 400)])
def test_label_hides_nothing(state, size):
    board = make_board(8, {(0, 0): ("cube", "red")})
    labelled, plain = render(board, state, "both", size), render(board, state, "color", size)
    width, height = plain.size
    scale = min(width / 1200, height / 900)
    left, _, right, _ = ImageChops.difference(labelled, plain).getbbox()
    assert left > (width - 1200 * scale) / 2 + scale * (LEFT + SIDE + FRAME - 2)
    assert abs(width - right - 50 * scale) <= 1


def test_a_config_shows_its_start_and_for_the_goal_its_goals():
    board = config_board(EXAMPLE)
    red, blue = GEOM_COLORS["red"], GEOM_COLORS["blue"]
    start, goal = render(EXAMPLE), render(EXAMPLE, "goal")
    assert [start.getpixel(middle(4, cell)) for cell in ((0, 0), (1, 0))] == [red, blue]
    assert [goal.getpixel(middle(4, cell)) for cell in ((2, 0), (1, 1))] == [red, blue]
    assert start.tobytes() == render(board).tobytes()
    assert goal.tobytes() == render(board, "goal").tobytes()
    assert goal.tobytes() == render(board.at_goal(), "goal").tobytes()
    shown = render(EXAMPLE, "past", "none")
    assert shown.tobytes() == render(EXAMPLE, "active", "none").tobytes()


def test_random_configs_show_every_geom():
    rng = random.Random(3)
    for n in range(2, 9):
        config = random_config(rng, n, min(n * n - 2, 9))
        for state, field in (("active", "start_coordinate"), ("goal", "goal_coordinate")):
            image = render(config, state, size=600)
            for geom in config["landmarks"]:
                assert image.getpixel(middle(n, geom[field], 0.5)) == GEOM_COLORS[geom["color"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"state": "gaol"}, "state is 'gaol'; did you mean 'goal'"),
        ({"state": None}, "state is None; it must be one of .'active', 'goal'"),
        ({"marking": "all"}, "marking is 'all'; it must be one of .'color', 'label'"),
        ({"size": 31}, "size = 31 is out of range; it must be an integer from 32 to 4096"),
        ({"size": 40.5}, "size = 40.5 is not an integer"),
        ({"size": (100, 5000)}, r"size\[1\] = 5000 is out of range.*pixels of the height"),
        ({"size": (1, 2, 3)}, r"size is \(1, 2, 3\); it must be \(width, height\)"),
    ],
)
def test_bad_arguments_are_refused_in_one_clear_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        render(EXAMPLE, **arguments)


@pytest.mark.parametrize("draw", [render, render_text])
def test_bad_puzzles_are_refused_in_one_clear_sentence(draw):
    with pytest.raises(PuzzleError, match="grid_size is 9"):
        draw(changed(grid_size=9))
    with pytest.raises(PuzzleError, match="landmarks.0..color is 'pink'"):
        draw(with_geom(0, color="pink"))
    with pytest.raises(ValueError, match="puzzle is 'board'; it must be a config or a Board"):
        draw("board")
    for geoms in (
        {(0, 0): ("cube", "pink")},
        {(0, 0): ("ball", "red")},
        {(0, 3): ("cube", "red")},
    ):
        with pytest.raises(ValueError, match="geom 0 of the board is .*; it must be a colour of"):
            draw(make_board(3, geoms))
    twice = Board(3, ("cube",) * 2, ("red", "blue"), ((0, 0),) * 2, ((0, 0), (1, 0)))
    with pytest.raises(ValueError, match="geom 1 of the board is .* a cell of its own among 3x3"):
        draw(twice)
    draw(twice.at_goal())
    with pytest.raises(ValueError, match="board.size is 9; it must be 2 to 8"):
        draw(make_board(9, {(0, 0): ("cube", "red")}))


def test_missing_pillow_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    for module in ("spatialjax.sliding.drawing", "spatialjax.core.pen"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ImportError, match=r"Pillow.*pip install 'spatialjax\[render\]'"):
        render(EXAMPLE)
    assert render_text(EXAMPLE)


def test_import_leaves_pillow_alone():
    code = "import sys, spatialjax.sliding.render; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_text_form():
    assert render_text(EXAMPLE).split("\n") == [
        "  ┌─────┬─────┬─────┬─────┐",
        "4 │     │     │     │     │",
        "  ├─────┼─────┼─────┼─────┤",
        "3 │     │     │     │     │",
        "  ├─────┼─────┼─────┼─────┤",
        "2 │     │     │     │     │",
        "  ├─────┼─────┼─────┼─────┤",
        "1 │ Rcu │ Bsp │     │     │",
        "  └─────┴─────┴─────┴─────┘",
        "     A     B     C     D",
    ]
    assert render_text(EXAMPLE, "goal").split("\n")[5:8] == [
        "2 │     │ Bsp │     │     │",
        "  ├─────┼─────┼─────┼─────┤",
        "1 │     │     │ Rcu │     │",
    ]


def test_text_form_of_tiles():
    assert render_text(tiles(4)).split("\n")[1:8:2] == [
        "4 │  4  │  8  │ 12  │     │",
        "3 │  3  │  7  │ 11  │ 15  │",
        "2 │  2  │  6  │ 10  │ 14  │",
        "1 │  1  │  5  │  9  │ 13  │",
    ]


def test_text_form_names_every_geom_differently():
    board = make_board(6, dict(zip(cells_of(6), IDENTITIES, strict=True)))
    assert len(set(re.findall("[A-Z][a-z]{2}", render_text(board)))) == len(IDENTITIES)


def test_coloured_text_form_is_the_plain_one_with_escape_sequences():
    board = make_board(6, dict(zip(cells_of(6), IDENTITIES, strict=True)))
    colored = render_text(board, color=True)
    assert re.sub("\x1b\\[[0-9;]*m", "", colored) == render_text(board)
    styles = re.findall("\x1b\\[48;5;([0-9]+);38;5;([0-9]+)m ([A-Z])", colored)
    assert dict((letter, (ground, ink)) for ground, ink, letter in styles) == {
        "R": ("196", "231"),
        "G": ("28", "231"),
        "B": ("21", "231"),
        "Y": ("226", "16"),
        "P": ("90", "231"),
        "O": ("208", "16"),
    }

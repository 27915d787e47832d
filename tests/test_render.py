"""Pictures of line puzzles: what is drawn, where, in which colour, and what is refused."""

import json
import re
import subprocess
import sys

import pytest

from spatialjax.core.picture import PLAIN, on_ground
from spatialjax.errors import PuzzleError
from spatialjax.witness.render import LINE_INK, render, render_text
from spatialjax.witness.styles import STYLES, SYMBOL_COLORS

Image = pytest.importorskip("PIL.Image", reason="needs the extra 'render'")
from PIL import ImageChops  # noqa: E402

STYLE = STYLES["original"]
STEP = 40  # pixels of a lattice step in the pictures of these tests
SHAPES = {
    "1": ["1000", "0000", "0000", "0000"],
    "2": ["1100", "1000", "0000", "0000"],
    "3": ["1010", "0100", "1010", "0000"],
    "4": ["1111", "1111", "1111", "1111"],
}


def make_record(width, height, cells=None, points=None):
    """Return a record from tokens: `cells` by (column, row) of cells, `points` by lattice point."""
    rows = [
        ["N" if x % 2 and y % 2 else "+" for x in range(2 * width + 1)]
        for y in range(2 * height + 1)
    ]
    for (x, y), token in (cells or {}).items():
        rows[2 * y + 1][2 * x + 1] = token
    for (x, y), token in {(0, 2 * height): "S", (2 * width, 0): "E", **(points or {})}.items():
        rows[y][x] = token
    shapes = {key: [[int(bit) for bit in row] for row in rows] for key, rows in SHAPES.items()}
    return {
        "id": "0123456789abcdef",
        "grid_size": {"width": width, "height": height},
        "puzzle_array": rows,
        "polyshapes": json.dumps(shapes),
    }


def draw(record, *args, **kwargs):
    """Draw at `STEP` pixels a lattice step, with one step of margin around the board."""
    size = STEP * (2 * max(record["grid_size"].values()) + 2)
    return render(record, *args, size=size, **kwargs)


def color_at(image, x, y):
    """Return the colour in the middle of a lattice point, which may be fractional."""
    return image.getpixel((round((x + 1) * STEP), round((y + 1) * STEP)))


def cell_image(image, column=0, row=0):
    """Cut out one cell without its grid lines."""
    left, top = ((2 * cell + 1) * STEP + 8 for cell in (column, row))
    return image.crop((left, top, left + 2 * STEP - 16, top + 2 * STEP - 16))


def count_color(image, color):
    """Count the pixels of exactly this colour."""
    return dict((value, number) for number, value in image.getcolors(1 << 20)).get(color, 0)


@pytest.mark.parametrize(
    ("width", "height", "size", "expected"),
    [
        (2, 2, 120, (120, 120)),
        (6, 6, 400, (400, 400)),
        (6, 2, 280, (280, 120)),
        (2, 6, 280, (120, 280)),
        (3, 2, 33, (33, 25)),
        (8, 8, 32, (32, 32)),
    ],
)
def test_longer_side_has_the_size_asked_for(width, height, size, expected):
    image = render(make_record(width, height), size=size)
    assert image.size == expected
    assert image.mode == "RGB"


def test_default_size():
    assert render(make_record(2, 2)).size == (512, 512)


def test_same_arguments_give_the_same_picture_and_change_nothing():
    record = make_record(2, 2, {(0, 0): "P-R-2"}, {(2, 2): "."})
    before = json.dumps(record)
    path, broken = [(0, 4), (0, 3)], {"all_dots_collected": [(2, 2)]}
    first, second = draw(record, path, broken), draw(record, path, broken)
    assert first.tobytes() == second.tobytes()
    assert json.dumps(record) == before
    assert (path, broken) == ([(0, 4), (0, 3)], {"all_dots_collected": [(2, 2)]})


@pytest.mark.parametrize("token", ["o-{}", "*-{}", "A-{}", "C-{}", "P-{}-1", "P-{}-3"])
def test_middle_of_a_symbol_has_its_colour(token):
    cells = {(i % 4, i // 4): token.format(letter) for i, letter in enumerate(SYMBOL_COLORS)}
    image = draw(make_record(4, 2, cells))
    for (x, y), letter in zip(cells, SYMBOL_COLORS, strict=True):
        assert color_at(image, 2 * x + 1, 2 * y + 1) == SYMBOL_COLORS[letter]


def test_colours_differ_from_each_other_and_from_the_background():
    colors = [*SYMBOL_COLORS.values(), STYLE.background, STYLE.grid, STYLE.line, STYLE.broken_cell]
    for i, first in enumerate(colors):
        for second in colors[:i]:
            assert sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) >= 50**2


def test_every_symbol_is_drawn_and_no_two_look_alike():
    tokens = ["N", "o-W", "*-W", "A-W", "B-W", "C-W", "D-W"]
    tokens += [f"{kind}-W-{shape}" for kind in "PY" for shape in SHAPES]
    cells = {(i % 4, i // 4): token for i, token in enumerate(tokens)}
    image = draw(make_record(4, 4, cells))
    pictures = {token: cell_image(image, *cell) for cell, token in cells.items()}
    assert len({picture.tobytes() for picture in pictures.values()}) == len(tokens)
    assert pictures["N"].getcolors() == [(pictures["N"].width ** 2, STYLE.background)]


@pytest.mark.parametrize("size", [280, 400])
def test_triangles_and_blocks_stay_apart_in_a_small_picture_of_a_large_board(size):
    tokens = {"A-K": 1, "B-K": 2, "C-K": 3, "D-K": 4, "P-K-2": 3, "Y-K-2": 3, "P-K-3": 5}
    cells = {(i % 6, i // 6): token for i, token in enumerate(tokens)}
    image = render(make_record(6, 6, cells), size=size)
    for (column, row), pieces in zip(cells, tokens.values(), strict=True):
        left, top = ((2 * cell + 1.3) * size / 14 for cell in (column, row))
        side = 1.4 * size / 14
        picture = image.crop((round(left), round(top), round(left + side), round(top + side)))
        assert count_pieces(picture) == pieces


def count_pieces(picture):
    """Count connected groups of dark pixels, sides only."""
    dark = {
        (x, y)
        for x in range(picture.width)
        for y in range(picture.height)
        if sum(picture.getpixel((x, y))) < 200
    }
    pieces = 0
    while dark:
        pieces += 1
        group = [dark.pop()]
        while group:
            x, y = group.pop()
            near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & dark
            dark -= near
            group.extend(near)
    return pieces


def test_ylop_is_hollow_where_a_polyomino_is_filled():
    image = draw(make_record(2, 2, {(0, 0): "P-R-1", (1, 0): "Y-R-1"}))
    poly, ylop = (count_color(cell_image(image, column), SYMBOL_COLORS["R"]) for column in (0, 1))
    assert color_at(image, 3, 1) == STYLE.background
    assert 0.5 < ylop / poly < 0.9


def test_shape_is_drawn_upright_and_in_place():
    image = draw(make_record(2, 2, {(0, 0): "P-B-2"}))
    blocks = {(0.79, 0.79): True, (1.21, 0.79): True, (0.79, 1.21): True, (1.21, 1.21): False}
    for (x, y), filled in blocks.items():
        assert (color_at(image, x, y) == SYMBOL_COLORS["B"]) == filled


def test_grid_dot_and_gap():
    image = draw(make_record(2, 2, points={(2, 2): ".", (1, 2): ".", (2, 1): "G", (1, 0): "G"}))
    assert color_at(image, 2, 2) == color_at(image, 1, 2) == STYLE.dot
    assert color_at(image, 2, 1) == color_at(image, 1, 0) == STYLE.background
    assert color_at(image, 2, 0.45) == color_at(image, 2, 1.55) == STYLE.grid
    assert color_at(image, 3, 2) == color_at(image, 3, 0) == STYLE.grid


def test_dot_under_the_start_is_drawn():
    record = make_record(2, 2)
    record["text_visualization"] = (
        "puzzle:\n  dimensions:\n    width: 2\n    height: 2\n  start:\n    x: 0\n    y: 4\n"
        "  end:\n    x: 4\n    y: 0\n  cells:\n    - position:\n        x: 0\n        y: 4\n"
        "      properties:\n        dot: 1\n"
    )
    assert color_at(draw(record), 0, 4) == STYLE.dot


@pytest.mark.parametrize(
    ("end", "tip"),
    [
        ((4, 2), (4.55, 2)),
        ((4, 1), (4.55, 1)),
        ((0, 1), (-0.55, 1)),
        ((1, 0), (1, -0.55)),
        ((3, 4), (3, 4.55)),
        ((4, 4), (4.4, 4.4)),
    ],
)
def test_end_is_a_nub_that_leads_off_the_board(end, tip):
    record = make_record(2, 2, points={(4, 0): "+", end: "E"})
    image = draw(record)
    assert color_at(image, *tip) == STYLE.grid
    assert color_at(image, -0.55, 0) == STYLE.background


def test_end_inside_the_board_is_a_ring():
    image = draw(make_record(2, 2, points={(4, 0): "+", (2, 2): "E"}))
    assert color_at(image, 2, 2) == STYLE.background
    assert color_at(image, 2.29, 2) == STYLE.grid


def test_start_is_wider_than_the_grid():
    image = draw(make_record(2, 2, points={(0, 4): "+", (2, 4): "S"}))
    assert color_at(image, 2, 4.28) == STYLE.grid
    assert color_at(image, 3, 4.28) == STYLE.background


PATH = [(0, 4), (0, 3), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (3, 0), (4, 0)]


def test_line_is_drawn_on_its_points_only():
    image = draw(make_record(2, 2), PATH)
    for y in range(5):
        for x in range(5):
            color = color_at(image, x, y)
            assert (color == STYLE.line) == ((x, y) in PATH), (x, y)


def test_finished_line_fills_the_nub():
    assert color_at(draw(make_record(2, 2), PATH), 4.4, -0.4) == STYLE.line
    assert color_at(draw(make_record(2, 2), PATH[:-1]), 4.4, -0.4) == STYLE.grid


def test_unfinished_line_ends_in_a_head():
    image = draw(make_record(2, 2), PATH[:4])
    assert color_at(image, 1, 2) == STYLE.head
    assert color_at(image, 1, 2.17) == STYLE.line
    assert color_at(image, 0.5, 2.17) != STYLE.line


def test_joins_are_round():
    image = draw(make_record(2, 2), PATH)
    # At the turn at (0, 2) the line reaches its half width along an axis, less on the slant.
    assert color_at(image, -0.08, 2) == STYLE.line
    assert color_at(image, -0.1, 1.9) != STYLE.line


def test_line_of_one_point_and_no_line():
    record = make_record(2, 2)
    assert color_at(draw(record, [(0, 4)]), 0.2, 4) == STYLE.line
    assert draw(record, []).tobytes() == draw(record).tobytes()


def test_wrong_lines_are_drawn_too():
    record = make_record(2, 2, {(0, 0): "o-R"}, {(1, 2): "G"})
    crossing = [(0, 2), (1, 2), (2, 2), (2, 1), (1, 1), (0, 1), (0, 2), (0, 3)]
    image = draw(record, crossing)
    assert color_at(image, 1, 2) == color_at(image, 0.4, 1) == STYLE.line
    assert color_at(image, 1, 1) == SYMBOL_COLORS["R"]


def test_broken_cell_and_points_are_marked():
    record = make_record(2, 2, {(0, 0): "o-R", (1, 1): "o-B"}, {(2, 2): "."})
    broken = {"square_color_separation": [(1, 1)], "all_dots_collected": [(2, 2)], "other": []}
    plain, image = draw(record), draw(record, broken=broken)
    assert color_at(image, 1, 1) == SYMBOL_COLORS["R"]
    assert color_at(image, 2, 2) == STYLE.dot
    assert count_color(cell_image(image), STYLE.broken_cell) > 800
    assert count_color(cell_image(image), STYLE.broken) > 300
    assert color_at(image, 2.33, 2) == STYLE.broken
    assert count_color(plain, STYLE.broken) == 0
    assert draw(record, broken=[(1, 1), (2, 2)]).tobytes() == image.tobytes()


def test_marks_do_not_touch_far_cells_nor_hide_the_line():
    record = make_record(2, 2)
    image = draw(record, PATH, [(2, 2), (0, 4), (4, 0)])
    changed = ImageChops.difference(draw(record, PATH), image).crop((5, 5, STEP + 20, STEP + 20))
    assert changed.getbbox() is None
    assert all(color_at(image, *point) != STYLE.broken for point in PATH[:-1])


def test_numpy_points_are_accepted():
    numpy = pytest.importorskip("numpy")
    record = make_record(2, 2)
    assert draw(record, numpy.array(PATH)).tobytes() == draw(record, PATH).tobytes()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("board", [(2, 2), (3, 2), (1, 6)])
def test_every_style_has_the_size_asked_for_and_looks_different(style, board):
    record = make_record(*board, {(0, 0): "o-R", (0, 1): "Y-B-2"}, {(0, 2): "."})
    image = render(record, style=style, size=200)
    assert image.mode == "RGB" and max(image.size) == 200
    others = [render(record, style=name, size=200).tobytes() for name in STYLES if name != style]
    assert image.tobytes() not in others


def test_the_styles_are_the_published_ones():
    single = "original start_end_marked coordinate_grid path_cell_annotated text".split()
    changed = "black_frame low_contrast low_resolution rotated".split()
    annotated = [f"{name}_and_path_cell_annotated" for name in changed]
    both = "coordinate_grid_and_start_end_marked"
    assert set(STYLES) == {*single, *changed, *annotated, both}


@pytest.mark.parametrize("style", sorted(STYLES))
def test_a_style_draws_line_symbols_and_marks(style):
    """Each adds at least a blob of its colour, also where the words stand for the symbols."""
    record, look = make_record(2, 2, {(0, 0): "*-R"}), STYLES[style]
    plain, image = (draw(record, *args, style=style) for args in ((), (PATH, [(3, 3)])))
    assert count_color(image, look.line) > count_color(plain, look.line) + 600
    assert count_color(image, look.broken_cell) > count_color(plain, look.broken_cell) + 600
    empty = draw(make_record(2, 2), style=style)
    seen = look.dot_edge if style == "text" else look.symbols["R"]
    assert count_color(plain, seen) > count_color(empty, seen) + 50


def test_low_contrast_mutes_colours_and_keeps_them_apart():
    muted = STYLES["low_contrast"].symbols
    for letter, color in SYMBOL_COLORS.items():
        assert max(muted[letter]) - min(muted[letter]) <= (max(color) - min(color)) / 2 + 1
    assert len(set(muted.values())) == len(SYMBOL_COLORS)


def test_low_resolution_is_made_of_squares():
    image = draw(make_record(2, 2, {(0, 0): "*-R"}), PATH, style="low_resolution")
    small = image.resize((image.width // 2, image.height // 2), Image.Resampling.NEAREST)
    assert small.resize(image.size, Image.Resampling.NEAREST).tobytes() == image.tobytes()
    sharp = draw(make_record(2, 2, {(0, 0): "*-R"}), PATH)
    assert ImageChops.difference(image, sharp).getbbox() is not None


def test_black_frame_is_around_the_picture():
    image = render(make_record(2, 2), style="black_frame", size=400)
    black = [image.getpixel(point) for point in ((0, 0), (399, 200), (200, 20), (10, 399))]
    assert set(black) == {(0, 0, 0)}
    assert image.getpixel((40, 40)) == STYLE.background


def test_rotated_board_stands_as_the_plain_one_does_when_turned_back():
    record = make_record(3, 2, {(0, 0): "o-R", (2, 1): "o-B"})
    image = render(record, PATH, style="rotated", size=400)
    assert image.size == (400, 339)
    step = image.width / (8 * 0.9659 + 6 * 0.2588)
    back = image.rotate(-15, fillcolor=STYLE.background)
    for (x, y), color in (((1, 1), "R"), ((5, 3), "B")):
        at = image.width / 2 + (x - 3) * step, image.height / 2 + (y - 2) * step
        assert back.getpixel((round(at[0]), round(at[1]))) == SYMBOL_COLORS[color]


def test_letters_and_coordinates_are_written_on_their_points():
    record = make_record(2, 2, points={(2, 1): "G", (2, 2): "."})
    written = {}
    for style in ("start_end_marked", "path_cell_annotated", "text"):
        image = draw(record, style=style)
        written[style] = {
            (x, y)
            for x in range(5)
            for y in range(5)
            if count_color(point_image(image, x, y), STYLE.writing) > 10
        }
    assert written["start_end_marked"] == {(0, 4), (4, 0)}
    grid = {(x, y) for x in range(5) for y in range(5) if x % 2 == 0 or y % 2 == 0}
    assert written["path_cell_annotated"] == grid - {(2, 2)}
    assert written["text"] == grid


def point_image(image, x, y):
    """Cut out the surroundings of a lattice point."""
    left, top = (round((at + 0.6) * STEP) for at in (x, y))
    return image.crop((left, top, left + round(0.8 * STEP), top + round(0.8 * STEP)))


def test_words_tell_kind_colour_count_and_sign_apart():
    tokens = ["o-R", "*-R", "A-R", "B-R", "C-R", "D-R", "P-R-2", "Y-R-2", "o-B", "P-R-3"]
    cells = {(i % 4, i // 4): token for i, token in enumerate(tokens)}
    image = draw(make_record(4, 4, cells), style="text")
    assert len({cell_image(image, *cell).tobytes() for cell in cells}) == len(tokens)
    assert count_color(image, SYMBOL_COLORS["R"]) == count_color(image, SYMBOL_COLORS["B"]) == 0


def test_axes_number_columns_at_the_top_and_rows_at_the_left():
    image = render(make_record(3, 2), style="coordinate_grid", size=500)
    step = 500 / (6 + 2.8)
    for x, y in [(x, -1.15) for x in range(7)] + [(-1.15, y) for y in range(5)]:
        left, top = (x + 1.8) * step, (y + 1.8) * step
        number = image.crop((round(left - 14), round(top - 14), round(left + 14), round(top + 14)))
        assert count_color(number, STYLE.writing) > 10, (x, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"style": "oil"}, "style = 'oil' is unknown; it must be one of 'original'"),
        ({"size": 31}, "size = 31 is out of range; it must be an integer from 32 to 4096"),
        ({"size": 99999}, "size = 99999 is out of range"),
        ({"size": 40.5}, "size = 40.5 is not an integer"),
        ({"path": 3}, "path = 3 is not a list of points"),
        ({"path": "up"}, r"path\[0\] = 'u' is not a point; it must be a pair of integers \(x, y\)"),
        ({"path": [(0, 4), (0.0, 3)]}, r"path\[1\] = \(0.0, 3\) is not a point"),
        ({"path": [(0, 4, 0)]}, r"path\[0\] = \(0, 4, 0\) is not a point"),
        ({"path": [(0, 4), (0, 5)]}, r"path\[1\] = \(0, 5\) is off the board; x must be 0 to 4"),
        ({"path": [(0, 4), (2, 4)]}, r"valid next points are \(1, 4\), \(0, 3\)\."),
        ({"path": [(0, 4), (0, 4)]}, "is not one lattice step from"),
        ({"broken": [(-1, 0)]}, r"broken\[0\] = \(-1, 0\) is off the board"),
        ({"broken": {"dots": [(0, 9)]}}, r"broken\['dots'\]\[0\] = \(0, 9\) is off the board"),
    ],
)
def test_bad_arguments_are_refused_in_one_clear_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        render(make_record(2, 2), **arguments)


def test_bad_record_is_a_puzzle_error():
    record = make_record(2, 2)
    record["puzzle_array"][0][0] = "?"
    with pytest.raises(PuzzleError):
        render(record)
    with pytest.raises(PuzzleError):
        render_text(record)


def test_missing_pillow_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.delitem(sys.modules, "spatialjax.witness.drawing", raising=False)
    with pytest.raises(ImportError, match=r"Pillow.*pip install 'spatialjax\[render\]'"):
        render(make_record(2, 2))
    assert render_text(make_record(2, 2))


def test_import_leaves_pillow_alone():
    code = "import sys, spatialjax.witness.render; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_text_form():
    record = make_record(
        2,
        2,
        {(0, 0): "o-R", (1, 0): "P-B-3", (0, 1): "C-Y", (1, 1): "Y-K-3"},
        {(2, 1): "G", (4, 2): ".", (2, 3): "."},
    )
    assert render_text(record).split("\n") == [
        "┌───────┬───────E",
        "│       │       │",
        "│  o-R  × P-B-1 │",
        "│       │       │",
        "├───────┼───────●",
        "│       │       │",
        "│  C-Y  ● Y-K-1 │",
        "│       │       │",
        "S───────┴───────┘",
        "",
        "1: #.#",
        "   .#.",
        "   #.#",
    ]


def test_text_form_of_a_line():
    assert render_text(make_record(2, 2), PATH[:-2]).split("\n") == [
        "┌───────@───────E",
        "│       ┃       │",
        "│       ┃       │",
        "│       ┃       │",
        "┏━━━━━━━┛───────┤",
        "┃       │       │",
        "┃       │       │",
        "┃       │       │",
        "S───────┴───────┘",
    ]


def test_text_form_of_a_line_that_stops_half_way_or_crosses_a_cell():
    lines = render_text(make_record(2, 2), [(0, 2), (0, 1), (1, 1), (2, 1), (2, 2), (3, 2)])
    assert lines.split("\n")[2:5] == [
        "┏   ━   ┓       │",
        "┃       ┃       │",
        "╹───────┗━━━@───┤",
    ]


def test_text_form_refuses_a_bad_line():
    with pytest.raises(ValueError, match="off the board"):
        render_text(make_record(2, 2), [(9, 9)])


def strip_escapes(text):
    return re.sub("\x1b\\[[0-9;]*m", "", text)


def test_coloured_text_is_the_plain_text_with_colours():
    cells = {(0, 0): "o-R", (1, 0): "P-B-3", (0, 1): "C-Y", (1, 1): "Y-K-3"}
    record = make_record(2, 2, cells, {(4, 2): ".", (2, 3): "."})
    broken = {"dots": [(4, 2)], "squares": [(1, 1), (3, 3)]}
    text = render_text(record, PATH, broken, color=True)
    assert strip_escapes(text) == render_text(record, PATH, broken) == render_text(record, PATH)
    for part, color in (("o-R", SYMBOL_COLORS["R"]), ("C-Y", SYMBOL_COLORS["Y"])):
        assert on_ground(color) + part + PLAIN in text
    mark = on_ground(STYLE.broken)
    assert f"{mark}●{PLAIN}" in text and f"{mark} {PLAIN}" + on_ground(SYMBOL_COLORS["R"]) in text
    assert f"{LINE_INK}┏{PLAIN}" in text and f"{LINE_INK}S{PLAIN}" in text
    assert "\x1b" not in render_text(record, PATH, broken)

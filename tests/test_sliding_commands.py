"""Commands and texts: the grammar, replies of language models, play against the slow oracle."""

import random

import oracle_sliding as oracle
import pytest
from sliding_boards import EPISODE, EXAMPLE, random_config, solved_config

from spatialjax.data.sliding import config_board, solution_commands
from spatialjax.errors import PuzzleError
from spatialjax.sliding.board import slide
from spatialjax.sliding.commands import (
    Command,
    action_command,
    command_in_reply,
    parse_command,
    play_command,
)
from spatialjax.sliding.names import SYNONYMS, cell_name, read_cell
from spatialjax.sliding.text import board_text, read_line, read_text
from spatialjax.sliding.types import COLORS, DIRECTION_STEPS, SHAPES, Direction, Result

LEFT, RIGHT, DOWN, UP = Direction


# ------------------------------------------------------------------------------------- grammar


@pytest.mark.parametrize(
    ("text", "geom", "direction"),
    [
        ("move red cube left", "red cube", LEFT),
        ("  Move  RED\tCube   RIGHT  ", "red cube", RIGHT),
        ("move orange prism down.", "orange prism", DOWN),
        ("move orange prism up . ", "orange prism", UP),
        ("move red cube left\n", "red cube", LEFT),
        ("move blue circle up", "blue sphere", UP),
        ("move blue SQUARE up", "blue cube", UP),
        ("move blue triangle up", "blue pyramid", UP),
        ("move blue hexagon up", "blue cylinder", UP),
        ("move tile 1 up", "tile 1", UP),
        ("move tile 15 up", "tile 15", UP),
        ("move TILE 007 up.", "tile 7", UP),
    ],
)
def test_moves(text, geom, direction):
    command = Command("move", geom, direction)
    assert parse_command(text, 4) == command
    assert parse_command(str(command), 4) == command


def test_other_verbs():
    for text in ("start", " START. "):
        assert parse_command(text, 4) == Command("start")
    assert parse_command("Done.", 4) == Command("done")
    assert [str(Command("start")), str(Command("done"))] == ["start", "done"]


@pytest.mark.parametrize(
    "text",
    [
        "", " ", ".", "move", "move red", "move red cube", "red cube left", "go red cube",
        "move cube red left", "move red cube left left", "move red cube left 2",
        "move red cube left, move red cube up", "move red cube left; done", "move red cube left..",
        "move red cube left!", "move the red cube left", "please move red cube left",
        "move red cube left please", "move red cube to the left", "moved red cube left",
        "move red-cube left", "move red_cube left", "move redcube left", "move red cube leftwards",
        "move red\ncube left", "move red cube\nleft", "move red cube left\ndone",
        "move red\u00a0cube left", "move red cube north", "move magenta cube left",
        "move red ball left", "move red box left", "move red tile left", "move 7 tile left",
        "move tile left", "move tile 0 up", "move tile 00 up", "move tile 16 up",
        "move tile 100 up", "move tile -1 up", "move tile +1 up", "move tile 1.0 up",
        "move tile one up", "move tile \u0663 up", "move tile \u00b2 up",
        "move tile " + "9" * 5000 + " up", "start done", "started", "reset", "exit", "done done",
        "move move red cube left",
    ],
)  # fmt: skip
def test_what_does_not_fit_the_grammar(text):
    assert parse_command(text, 4) is None
    board = config_board(EXAMPLE)
    assert play_command(board, text) == (Result.ILLEGAL_COMMAND, board)


def test_the_highest_tile_follows_the_board():
    for size in range(2, 9):
        assert parse_command(f"move tile {size * size - 1} up", size)
        assert parse_command(f"move tile {size * size} up", size) is None


def test_every_name_parses_and_comes_back():
    for color in COLORS:
        for shape in (*SHAPES, *SYNONYMS):
            command = parse_command(f"move {color} {shape} up", 4)
            assert command == Command("move", f"{color} {SYNONYMS.get(shape, shape)}", UP)


# --------------------------------------------------------------------------------- LLM replies


@pytest.mark.parametrize(
    ("reply", "command"),
    [
        ("action: move red cube left", "move red cube left"),
        ("I think.\n**Action:** Move Red Cube LEFT\nThat is it.", "move red cube left"),
        ("### ACTION: `move red cube left`.", "move red cube left."),
        ("action: move red cube up\nNo, wait.\naction: move red cube left", "move red cube left"),
        ("action: move red cube up action: move red cube left", "move red cube left"),
        ("Action:move red cube left\r\nbye", "move red cube left"),
        ("action: move red cube left, then up", "move red cube left, then up"),
        ("action:\nmove red cube left", ""),
        ("action:", ""),
        ("move red cube left", ""),
        ("", ""),
    ],
)
def test_the_command_in_a_reply(reply, command):
    assert command_in_reply(reply) == command
    expected = "move red cube left" if command.rstrip(".") == "move red cube left" else None
    found = parse_command(command_in_reply(reply), 4)
    assert (str(found) if found else None) == expected


# ---------------------------------------------------------------------------------------- play


def test_the_worked_example():
    board = config_board(EXAMPLE)
    assert oracle.distance(4, board.positions, board.goals) == 3
    for text, outcome, distance, _ in EPISODE:
        assert not board.solved
        result, board = play_command(board, text)
        assert result.name == outcome
        assert oracle.distance(4, board.positions, board.goals) == distance
    assert board.solved


def test_done_and_start():
    board = config_board(EXAMPLE)
    assert play_command(board, "done") == (Result.DONE_WRONG, board)
    assert play_command(board, "start") == (Result.ILLEGAL_COMMAND, board)
    solved = board.at_goal()
    assert play_command(solved, "Done.") == (Result.DONE_RIGHT, solved)


def test_the_order_of_checks():
    """A geom that is not there counts before its target; words out of the tables before both."""
    board = config_board(EXAMPLE)
    for text, expected in [
        ("move magenta cube left", Result.ILLEGAL_COMMAND),
        ("move green cube left", Result.NO_SUCH_GEOM),
        ("move tile 1 left", Result.NO_SUCH_GEOM),
        ("move tile 16 left", Result.ILLEGAL_COMMAND),
        ("move red cube down", Result.OUT_OF_BOUNDS),
        ("move red cube right", Result.OCCUPIED),
        ("move red cube up", Result.MOVED),
    ]:
        assert play_command(board, text)[0] == expected


def random_text(rng, board):
    geom = rng.choice([geom["name"] for geom in board["geoms"]])
    other = rng.choice([f"{rng.choice(COLORS)} {rng.choice([*SHAPES, *SYNONYMS])}", "tile 3"])
    words = ["move", *rng.choice([geom, geom, geom, other]).split(), rng.choice([*oracle.WAYS])]
    if rng.random() < 0.1:
        words[rng.randrange(4)] = rng.choice(["red", "cube", "up", "move", "tile", "9", "done", ""])
    text = rng.choice([" ", " ", "  ", "\t"]).join(words)
    text += rng.choice(["", "", ".", " ", ". "])
    return rng.choice([text, text, text.upper(), "done"]) if rng.random() < 0.3 else text


def test_play_agrees_with_the_oracle():
    rng = random.Random(1)
    seen = set()
    for n, g, tiles in [(2, 2, False), (3, 8, True), (3, 4, False), (4, 11, False), (5, 6, True)]:
        for _ in range(8):
            config = random_config(rng, n, g, tiles)
            board, other = config_board(config), oracle.read_config(config)
            for _ in range(60):
                text = random_text(rng, other)
                before, positions = board, board.positions
                result, board = play_command(board, text)
                assert result.name == oracle.play(other, text), text
                assert board.positions == oracle.arrangement(other)
                assert before.positions == positions  # boards are values
                seen.add(result)
    assert len(seen) >= 6


def test_the_actions_of_a_board_are_its_commands():
    rng = random.Random(2)
    for n, g, tiles in [(3, 4, False), (3, 8, True)]:
        board = config_board(random_config(rng, n, g, tiles))
        for action in range(4 * g):
            slot, direction = divmod(action, 4)
            played = play_command(board, action_command(board, action))
            assert played == slide(board, slot, Direction(direction))
            if played[0] == Result.MOVED:
                (x, y), (dx, dy) = board.positions[slot], DIRECTION_STEPS[direction]
                assert played[1].positions[slot] == (x + dx, y + dy)


def test_a_stored_solution_plays_to_the_goal():
    config = solved_config(random.Random(3), 3, 5)
    board = config_board(config)
    for text in solution_commands(config):
        assert not board.solved
        result, board = play_command(board, text)
        assert result == Result.MOVED
    assert board.solved


# ---------------------------------------------------------------------------------------- text


def test_cells_have_names():
    cells = {"A1": (0, 0), "D1": (3, 0), "A4": (0, 3), "D4": (3, 3), "C2": (2, 1)}
    for name, cell in cells.items():
        assert cell_name(cell) == name and read_cell(name.lower(), 4) == cell
    assert {read_cell(word, 4) for word in ("e1", "a5", "a0", "a01", "1a", "a", "", "aa1")} == {
        None
    }
    assert read_cell("e1", 5) == (4, 0) and read_cell("h8", 8) == (7, 7)


def test_the_text_of_the_example():
    board = config_board(EXAMPLE)
    assert board_text(board) == "A1 red cube\nB1 blue sphere"
    assert board_text(board.at_goal()) == "B2 blue sphere\nC1 red cube"


def test_texts_are_read_as_they_are_written():
    rng = random.Random(4)
    for n in range(2, 9):
        for tiles in (False, True):
            for _ in range(6):
                g = rng.randint(1, min(n * n - 1, 63 if tiles else 36))
                config = random_config(rng, n, g, tiles)
                board = config_board(config)
                text = board_text(board)
                assert text.split("\n") == oracle.lines(oracle.read_config(config))
                placed = dict(zip(board.names, board.positions, strict=True))
                assert read_text(text, n) == placed
                assert read_text("\n" + text.upper() + "\n \n", n) == placed


def test_lines_of_text():
    assert read_line(" b4  Red CIRCLE ", 4) == ("red sphere", (1, 3))
    assert read_line("B4 tile 7", 4) == ("tile 7", (1, 3))
    for line in (
        "", "B4", "B4 red", "B4 red cube.", "B4: red cube", "E4 red cube", "B5 red cube",
        "B4 red ball", "B4 cube red", "red cube B4", "B4 tile 16", "B4 red cube up",
    ):  # fmt: skip
        assert read_line(line, 4) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "A1 red cube\nB5 blue sphere",
            "text: line 2 is 'B5 blue sphere'; it must be a cell of",
        ),
        ("A1 red cube\nA1 blue sphere", "line 2 is 'A1 blue sphere'; it must be a geom and a cell"),
        ("A1 red cube\nB1 red square", "line 2 is 'B1 red square'; it must be a geom and a cell"),
        ("board:\nA1 red cube", "line 1 is 'board:'"),
    ],
)
def test_malformed_text(text, expected):
    with pytest.raises(PuzzleError) as caught:
        read_text(text, 4)
    assert expected in str(caught.value)

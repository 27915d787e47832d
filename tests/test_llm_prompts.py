"""Prompts: the same rules in every mode, answers that are read back, templates, hashes."""

import base64
import io
import json
import random

import pytest
from sample import RECORD
from sliding_boards import random_config

from spatialjax import check_path, solve
from spatialjax.llm.episodes import LineEpisode, SlidingEpisode, replay
from spatialjax.llm.extract import extract_action, extract_path
from spatialjax.llm.prompts import LinePrompts, SlidingPrompts, line_prompts, sliding_prompts
from spatialjax.llm.prompts.grids import GRIDS
from spatialjax.llm.prompts.line_examples import LINE_EXAMPLES
from spatialjax.llm.prompts.line_texts import RULES
from spatialjax.llm.prompts.lines import LINE_MODES
from spatialjax.llm.prompts.message import VERSION
from spatialjax.llm.prompts.sliding import SLIDING_EXAMPLES, SLIDING_MODES
from spatialjax.solvers.sliding_astar import solve_position

# Of every text of a version. A change of words raises VERSION and gets hashes of its own.
HASHES = {
    1: {
        "one_shot": "269f0ab94226",
        "step": "1874f160c5cf",
        "step_traceback": "4cff23cab522",
        "one_shot_visual": "4495d0ed6d24",
        "step_visual": "7ddcc5925e01",
        "text": "f0d556bc8b80",
        "picture": "74dc17b43be7",
    }
}
EPISODE = LineEpisode(RECORD)
SLIDING = SlidingEpisode(SLIDING_EXAMPLES[0].board)


def words(messages):
    """All text of a conversation."""
    texts = []
    for message in messages:
        content = message["content"]
        parts = [{"text": content}] if isinstance(content, str) else content
        texts += [part["text"] for part in parts if "text" in part]
    return "\n".join(texts)


def pictures(message):
    from PIL import Image

    urls = [part["image_url"]["url"] for part in message["content"] if "image_url" in part]
    heads, bodies = zip(*(url.split(",") for url in urls), strict=True)
    assert set(heads) == {"data:image/png;base64"}
    return [Image.open(io.BytesIO(base64.b64decode(body))) for body in bodies]


@pytest.mark.parametrize("example", LINE_EXAMPLES)
def test_worked_examples_of_lines_are_what_our_solver_finds(example):
    assert check_path(example.record, example.path).solved
    assert example.path == min(solve(example.record), key=len)


def test_worked_examples_show_every_kind_of_symbol():
    tokens = {
        token.split("-")[0]
        for one in LINE_EXAMPLES
        for row in one.record["puzzle_array"]
        for token in row
    }
    assert {"o", "*", "P", "Y", ".", "G"} <= tokens and tokens & set("ABCD")


@pytest.mark.parametrize("example", SLIDING_EXAMPLES)
def test_worked_examples_of_sliding_puzzles_are_shortest_solutions(example):
    replies = [f"action: {command}" for command in example.commands]
    episode = replay(SlidingEpisode(example.board), replies)
    assert episode.is_solved
    assert len(example.commands) == len(solve_position(example.board).actions)


@pytest.mark.parametrize("mode", LINE_MODES)
def test_every_mode_has_every_rule_in_the_same_words(mode):
    text = words(LinePrompts(mode).messages(EPISODE))
    for rule in RULES.values():
        assert text.count(rule) == 1
    assert ("Final:" in text) == mode.startswith("step")
    assert ("####" in text) == mode.startswith("one_shot")
    assert "takes the last step of the line away" not in text
    back = words(LinePrompts(mode).messages(LineEpisode(RECORD, traceback=True)))
    assert ("takes the last step of the line away" in back) == mode.startswith("step")


@pytest.mark.parametrize("mode", LINE_MODES)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_worked_examples_answer_as_they_ask_for(mode, count):
    messages = LinePrompts(mode, examples=count).messages(EPISODE)
    system = messages[0]["content"]
    for number, example in enumerate(LINE_EXAMPLES, start=1):
        assert (example.reasons in system) == (number <= count)
        if number > count:
            continue
        shown = system.split(f"Example {number}.")[1].split(f"Example {number + 1}.")[0]
        if mode.startswith("step"):
            assert extract_action(shown, "published") == example.actions[0]
        else:
            board = LineEpisode(example.record).board
            assert extract_path(shown, board, "published") == example.path


def test_a_step_prompt_tells_where_the_line_stands():
    episode = LineEpisode(RECORD, max_steps=30)
    for action in (0, 0, 3):
        episode.step(action)
    _, user = LinePrompts("step").messages(episode)
    for line in (
        '["V", "V", "V", "+", ".", "+", "+"]',
        '["+", "o-R", "L", "*-R", "+", "C-B", "+"]',
        "There is a dot under the start.",
        "Turn 4 of at most 30. The line so far: (0, 0), (1, 0), (2, 0), (2, 1)",
        "It stands at (2, 1). Moves that are possible: 3 down",
    ):
        assert line in user["content"].splitlines()


def test_forms_of_the_grid_hold_the_same_tokens():
    rows = RECORD["puzzle_array"]
    texts = {name: write(rows) for name, write in GRIDS.items()}
    assert [json.loads(line) for line in texts["array"].splitlines()] == rows
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in texts["markdown"].splitlines()
    ]
    assert cells[2:] == rows and set(cells[0]) == {""} and set(cells[1]) == {"---"}
    table = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in texts["table"].splitlines()
    ]
    assert table[0] == ["y \\ x", *map(str, range(len(rows[0])))]
    assert [[str(y), *row] for y, row in enumerate(rows)] == table[2:]
    for name, text in texts.items():
        assert text in words(LinePrompts("one_shot", grid=name).messages(EPISODE))


def test_visual_prompts_carry_pictures_and_no_tokens():
    for mode in ("one_shot_visual", "step_visual"):
        *_, user = LinePrompts(mode, examples=2, size=256).messages(EPISODE)
        found = pictures(user)
        assert len(found) == 3 and all(max(one.size) == 256 for one in found)
        assert user["content"][-1]["type"] == "text"
        assert "P-G-17" not in words([user])
    drawn = LineEpisode(RECORD)
    before = pictures(LinePrompts("step_visual", size=256).messages(drawn)[-1])[0]
    drawn.step(0)
    after = pictures(LinePrompts("step_visual", size=256).messages(drawn)[-1])[0]
    assert before.tobytes() != after.tobytes()


@pytest.mark.parametrize("mode", SLIDING_MODES)
def test_sliding_prompts_show_the_last_two_states(mode):
    episode = SlidingEpisode(SLIDING_EXAMPLES[0].board)
    prompts = SlidingPrompts(mode, size=200)
    assert [one["role"] for one in prompts.messages(episode)] == ["system", "user"]
    for reply in ("action: move red cube up", "action: move red cube down", "well"):
        episode.reply(reply)
    messages = prompts.messages(episode)
    roles = ["system", "user", "assistant", "user", "assistant", "user"]
    assert [one["role"] for one in messages] == roles
    said = [one["content"] for one in messages if one["role"] == "assistant"]
    assert said == ["action: move red cube down", "action: (none)"]
    if mode == "text":
        assert messages[1]["content"] == "Past state 1 of 2:\nA2 red cube\nB1 blue sphere"
        goal = "Goal state:\nB2 blue sphere\nC1 red cube\n\n"
        active = "Active state:\nA1 red cube\nB1 blue sphere\n\n"
        turn = "Turn 4 of at most 20. What is your move?"
        assert messages[-1]["content"] == goal + active + turn
    else:
        assert [len(pictures(messages[i])) for i in (1, 3, 5)] == [1, 1, 2]
        assert "red cube" not in words([messages[1], messages[-1]])
    assert len(SlidingPrompts(mode, history=0, size=200).messages(episode)) == 2


def test_sliding_prompts_of_tiles_name_tiles():
    config = random_config(random.Random(0), 3, 8, tiles=True)
    text = words(sliding_prompts("text", examples=2).messages(SlidingEpisode(config)))
    assert "8 numbered tiles" in text and "action: move tile 1 left" in text
    assert "A to C" in text and "1 to 3" in text


def test_a_template_of_ones_own(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("Be brief {{so}}.\n=== user ===\n{width}x{height} {start}-{end}\n{grid}\n")
    prompts = LinePrompts("one_shot", grid="markdown", template=file)
    system, user = prompts.messages(EPISODE)
    assert system == {"role": "system", "content": "Be brief {so}."}
    assert user["content"].startswith("3x2 (0, 0)-(6, 4)\n|  |  |")
    assert prompts.identity()["name"] == "one_shot:template"
    file.write_text("Only this: {moves}")
    (only,) = LinePrompts("step", template=file).messages(EPISODE)
    assert only == {"role": "user", "content": "Only this: 0 right, 3 down"}


@pytest.mark.parametrize(
    "text, fault",
    [
        ("{gird}", r"mine.txt: field \{gird\} is unknown; did you mean \{grid\}\?"),
        ("{grid.x}", r"field \{grid.x\} is unknown; did you mean \{grid\}\?"),
        ("{grid!r:>3}", r"field \{grid!r:>3\} is unknown; did you mean \{grid\}\?"),
        ("{}", r"field \{\} is unknown; there are \{answer\}, \{board\}, "),
        ('{"path": 1', r"mine.txt: a brace belongs to no field \(.*\); write \{\{ or \}\} for"),
        ("a }", r"mine.txt: a brace belongs to no field"),
        ("=== user ===\n=== user ===", "mine.txt: '=== user ===' comes 2 times; it parts"),
    ],
)
def test_faults_of_a_template_are_told_in_a_sentence(tmp_path, text, fault):
    file = tmp_path / "mine.txt"
    file.write_text(text)
    with pytest.raises(ValueError, match=fault) as caught:
        LinePrompts("one_shot", template=file)
    assert "\n" not in str(caught.value)


def test_hashes_belong_to_this_version():
    found = {mode: LinePrompts(mode, examples=2).identity() for mode in LINE_MODES}
    found |= {mode: SlidingPrompts(mode, examples=2).identity() for mode in SLIDING_MODES}
    assert {one["version"] for one in found.values()} == {VERSION}
    assert {mode: one["hash"][:12] for mode, one in found.items()} == HASHES[VERSION]


def test_every_option_changes_the_hash(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("{rules}")
    lines = [
        *({"mode": mode} for mode in LINE_MODES),
        {"examples": 1},
        {"examples": 2},
        {"grid": "table"},
        {"grid": "markdown"},
        {"template": file},
        {"mode": "step", "template": file},
        {"mode": "step_visual", "style": "rotated"},
        {"mode": "step_visual", "size": 300},
    ]
    sliding = [
        {},
        {"mode": "picture"},
        {"examples": 1},
        {"history": 1},
        {"mode": "picture", "marking": "none"},
        {"mode": "picture", "size": 300},
    ]
    hashes = [LinePrompts(**options).identity()["hash"] for options in lines]
    hashes += [SlidingPrompts(**options).identity()["hash"] for options in sliding]
    assert len(set(hashes)) == len(hashes)
    assert LinePrompts().identity() == LinePrompts().identity()


@pytest.mark.parametrize(
    "make, fault",
    [
        (lambda: line_prompts("oneshot"), "mode is 'oneshot'; did you mean 'one_shot'?"),
        (lambda: LinePrompts(examples=3), "examples is 3; it must be 0 to 2"),
        (lambda: LinePrompts(grid="html"), "grid is 'html'; it must be one of"),
        (lambda: LinePrompts("step_visual", style="cubist"), "style is 'cubist'"),
        (lambda: sliding_prompts("3d"), "mode is '3d'; it must be one of"),
        (lambda: SlidingPrompts(history=-1), "history is -1; it must be 0 to 20"),
        (lambda: SlidingPrompts(marking="bold"), "marking is 'bold'"),
    ],
)
def test_bad_options_are_errors(make, fault):
    with pytest.raises(ValueError, match=fault):
        make()

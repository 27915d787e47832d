"""What is read out of replies: lines and moves, in both modes."""

import json
from itertools import pairwise

import pytest
from answers import answers
from sample import RECORD, base_records

from spatialjax.data.board import STEPS, parse_board
from spatialjax.data.records import solution_paths
from spatialjax.llm.extract import DIRECTIONS, extract_action, extract_path, without_thinking
from spatialjax.llm.faults import line_faults

BOARD = parse_board(RECORD)
PATH = solution_paths(RECORD)[0]  # from (0, 0) to (6, 4)
MOVES = [STEPS.index((c - a, d - b)) for (a, b), (c, d) in pairwise(PATH)]
WORDS = [DIRECTIONS[move] for move in MOVES]
CORNERS = [
    point
    for number, point in enumerate(PATH)
    if number in (0, len(MOVES)) or MOVES[number - 1] != MOVES[number]
]
ROUND = ", ".join(f"({x}, {y})" for x, y in PATH)
LISTS = json.dumps([list(point) for point in PATH])
RUNS = ["right 6", "down 2", "left 4", "down 2", "right 4"]

TOLERATED = {
    "square brackets": f"#### {LISTS}",
    "JSON in a fence": f"####\n```json\n{json.dumps({'path': PATH}, indent=2)}\n```",
    "objects": "#### " + json.dumps([{"x": x, "y": y} for x, y in PATH]),
    "objects, y first": "#### " + json.dumps([{"y": y, "x": x} for x, y in PATH]),
    "named": "#### " + ", ".join(f"(x={x}, y={y})" for x, y in PATH),
    "angles": "#### " + " ".join(f"<{x},{y}>" for x, y in PATH),
    "no brackets": "#### " + " -> ".join(f"{x},{y}" for x, y in PATH),
    "blank before the comma": "#### " + " ".join(f"({x} , {y})" for x, y in PATH),
    "full width": "#### " + "、".join(f"\uff08{x}\uff0c{y}\uff09" for x, y in PATH),
    "bold": "#### " + " → ".join(f"**({x}, {y})**" for x, y in PATH) + " **done**",
    "LaTeX": r"\boxed{" + r" \rightarrow ".join(rf"\left({x}, {y}\right)" for x, y in PATH) + "}",
    "answer in a tag": f"It may start with (2, 2).\n<answer>{LISTS}</answer>",
    "numbered": "#### \n" + "\n".join(f"{n}. [{x}, {y}]" for n, (x, y) in enumerate(PATH, 1)),
    "corners": "#### " + ", ".join(f"({x}, {y})" for x, y in CORNERS),
    "corners in JSON": "#### " + json.dumps(CORNERS),
    "segments": "#### " + "; ".join(f"{a} to {b}" for a, b in pairwise(CORNERS)),
    "marker behind": f"{LISTS} ####",
    "marker on both sides": f"#### {LISTS} ####",
    "marker as a heading": f"#### Answer\n{LISTS}\n#### Check\nIt meets the dot at [4, 0].",
    "note behind": f"#### {', '.join(map(str, CORNERS))}\nThe dot at (4, 0) is met.",
    "note before": f"#### The star at (3, 1) has the square at (1, 1).\n{LISTS}",
    "thinking": f"<think>#### {ROUND[:-20]} no</think>\n#### {LISTS}",
    "thinking not opened": f"so [0, 0] first, #### [6, 4]</think>{LISTS}",
    "channels": f"<|channel|>analysis<|message|>[0, 0]<|end|><|channel|>final<|message|>{LISTS}",
    "no marker": f"The dot at (4, 0) comes first. So the path is {LISTS}. It keeps all rules.",
    "no marker, second thoughts": f"Try [0, 0], [0, 1], [0, 2]. No.\nRather {LISTS}.",
    "words": "#### " + ", ".join(WORDS),
    "words in JSON": f"####\n{json.dumps({'moves': [word.upper() for word in WORDS]})}",
    "words, no marker": f"From the start I go {', then '.join(WORDS)}.",
    "words, listed": "####\n" + "\n".join(f"{n}. {word}" for n, word in enumerate(WORDS, 1)),
    "counts behind": f"#### {', '.join(RUNS)}",
    "counts with a cross": "#### " + ", ".join(run.replace(" ", " x") for run in RUNS),
    "counts before": "#### " + " ".join(f"{run[-1]} {run[:-2]}" for run in RUNS),
    "counts in steps": "#### " + ", ".join(f"{run[-1]} steps {run[:-2]}" for run in RUNS),
    "letters": "#### " + "".join(word[0].upper() for word in WORDS),
    "letters apart": "#### " + " ".join(word[0].upper() for word in WORDS),
    "letters with counts": "#### " + " ".join(f"{run[0].upper()}{run[-1]}" for run in RUNS),
    "arrows": "#### " + "".join("→↑←↓"[move] for move in MOVES),
}


@pytest.mark.parametrize("reply", TOLERATED.values(), ids=TOLERATED.keys())
def test_tolerant_reads_this_answer_too(reply):
    assert extract_path(reply, BOARD) == PATH


def test_published_reads_round_brackets_after_the_last_marker_up_to_the_end():
    behind = "(6, 4) and then (0, 0)"
    for reply in (f"#### {ROUND}", ROUND, f"(9,9) #### (1,1) ####{ROUND} {behind}"):
        assert extract_path(reply, BOARD, "published") == PATH
    assert extract_path(f"(9,9) #### {LISTS}", BOARD, "published") is None
    assert extract_path("#### (1,\n 2)(3,4", BOARD, "published") == [(1, 2)]
    assert extract_path("(" + "9" * 5000 + ",0)", BOARD, "published") is None


def test_a_wrong_answer_is_read_as_it_stands():
    for written in ("(0, 0), (1, 0), (0, 2)", "[0, 0], [1, 0], [0, 2]"):
        assert extract_path(f"#### {written}", BOARD) == [(0, 0), (1, 0), (0, 2)]
    assert extract_path("#### [0, 0], [-1, 0]", BOARD) == [(0, 0), (-1, 0)]
    assert extract_path("#### right, right, up", BOARD) == [(0, 0), (1, 0), (2, 0), (2, -1)]
    # Corners are filled in only where every step goes along a row or a column.
    skewed = [(0, 0), (2, 0), (3, 1), (6, 4)]
    assert extract_path(f"#### {skewed}", BOARD) == skewed


@pytest.mark.parametrize(
    "reply", ["", "####", "I give up.", "It can't go right or up here.", "<think>[0, 0], [1, 0]"]
)
def test_no_line_in_a_reply_without_one(reply):
    assert extract_path(reply, BOARD) is None


def test_thinking_is_left_out():
    for reply, said in {
        "a<think>b</think>c<Thinking>d</Thinking>e": "ace",
        "b</think>c": "c",
        "b</think>c</think>d": "d",
        "a<think>b": "a",
        "a<think>b<think>c</think>d": "ad",
        "<|channel|>analysis<|message|>b<|end|><|channel|>final<|message|>c": "c",
        "a < think > b": "a < think > b",
    }.items():
        assert without_thinking(reply) == said


def test_both_modes_agree_wherever_the_published_one_finds_a_legal_line():
    legal = {"published": 0, "tolerant": 0}
    for record, reply in answers(3, 3000, base_records()):
        board = parse_board(record)
        lines = {mode: extract_path(reply, board, mode) for mode in legal}
        for mode, line in lines.items():
            legal[mode] += line is not None and not line_faults(board, line)
        if lines["published"] and not line_faults(board, lines["published"]):
            assert lines["tolerant"] == lines["published"]
    assert 300 < legal["published"] < legal["tolerant"] - 300


MOVES_READ = {
    "Final: 2": (2, 2),
    "final:LEFT": (2, 2),
    "I think.\nFinal: 3=DOWN": (3, 3),
    "Final: 1? No.\nFinal: 0": (1, 0),
    "Final: up, not Final: 0": (0, 0),
    "Up seems best: 1": (1, 1),
    "I go down": (3, 3),
    "I go down.": (None, 3),
    "**Final:** `1`": (None, 1),
    "**Final: down**": (3, 3),
    "Final: **down**": (None, 3),
    "Final: <2>": (None, 2),
    "Final answer: right": (0, 0),
    "Action: 0 (RIGHT)": (None, 0),
    '{"action": "up"}': (None, 1),
    "<think>Final: 1</think>Final: 2": (2, 2),
    "Final: 4": (None, None),
    "Final: 12": (None, None),
    "left or right, who knows": (None, None),
    "": (None, None),
    "Final: r\u0131ght": (None, None),
}


@pytest.mark.parametrize("reply", MOVES_READ)
def test_moves(reply):
    read = extract_action(reply, "published"), extract_action(reply, "tolerant")
    assert read == MOVES_READ[reply]


def test_an_unknown_mode_is_an_error():
    for call in (lambda: extract_path("", BOARD, "strict"), lambda: extract_action("", "strict")):
        with pytest.raises(ValueError, match="mode is 'strict'; it must be one of"):
            call()

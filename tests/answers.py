"""Answers of language models to line puzzles as they come: right, wrong, and mangled, by a seed."""

import json
import random

from oracle import read_board
from walks import free_neighbours, mutate_path, random_path

from spatialjax.data.records import solution_paths

WRAPPINGS = (
    "####{}",
    "#### {}",
    "I go round the star.\n\n####\n{}",
    "{}",
    "The path is {}, which keeps all rules.",
    "####\n```\n{}\n```",
    "<think>perhaps {}</think>\n#### {}",
    "First try: #### (0,0), (0,1)\nBetter:\n#### {}",
    "#### {}\nIt passes (1, 0) and (2, 2).",
    "{} ####",
    "##### {}",
    "#### Answer\nThe star at (1,1) needs a partner.\n{}",
    "Final: right\n#### {}\nFinal: 2",
)
WRITINGS = (
    lambda path: ", ".join(f"({x},{y})" for x, y in path),
    lambda path: ", ".join(f"({x}, {y})" for x, y in path),
    lambda path: " -> ".join(f"({x},{y})" for x, y in path),
    lambda path: "\n".join(f"{n}. ({x},\n{y})" for n, (x, y) in enumerate(path, start=1)),
    lambda path: str([tuple(point) for point in path]),
    lambda path: json.dumps([list(point) for point in path]),
    lambda path: json.dumps({"path": [{"x": x, "y": y} for x, y in path]}),
    lambda path: ", ".join(f"( {x} ,{y} )" for x, y in path),
    lambda path: " ".join(f"{x},{y}" for x, y in path),
)
PIECES = (
    "", "(", ")", ",", "#", "####", " ", "\n", "-", "0", "(3,3)", "(12, 0)", "[1, 2]", "\u0663",
    "\uff08", "</think>", "<think>", "Final: up", "Final: 3", "right", "9" * 30, "\u2028",
)  # fmt: skip


def answers(seed, count, records):
    """Pairs of a record and an answer to it, `count` of them."""
    rng = random.Random(seed)
    around = {id(record): ways(record) for record in records}
    for _ in range(count):
        record = rng.choice(records)
        path = drawn_path(rng, record, around[id(record)])
        written = rng.choice(WRITINGS)(path)
        text = rng.choice(WRAPPINGS).replace("{}", written)
        for _ in range(rng.choice((0, 0, 1, 2, 5))):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(PIECES) + text[at + rng.choice((0, 1, 1, 3)) :]
        yield record, text


def ways(record):
    """Neighbours of each point the line may pass, as the board has it and as if without gaps."""
    rows = [["+" if token == "G" else token for token in row] for row in record["puzzle_array"]]
    boards = record, record | {"puzzle_array": rows, "text_visualization": ""}
    return tuple(free_neighbours(read_board(board)) for board in boards)


def drawn_path(rng, record, ways):
    """A listed solution, a random line, finished or not, one through gaps, or one with a fault."""
    kind = rng.choice(("listed", "listed", "finished", "unfinished", "faulty", "faulty", "through"))
    around = ways[kind == "through"]
    if kind in ("listed", "faulty") and record.get("solutions"):
        path = rng.choice(solution_paths(record))
    else:
        path = random_path(rng, record, kind != "unfinished", around)
    return mutate_path(rng, path, record) if kind == "faulty" else path

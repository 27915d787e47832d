"""A small board and lines over it, drawn by hand, and what the oracle says of a line."""

from building import draw, with_solutions
from oracle import MOVES, RULES, check, solve


def walk(start, moves):
    """The path from ``start`` by r, u, l, d; a capital letter makes two steps, node to node."""
    path = [start]
    for letter in moves:
        dx, dy = MOVES["ruld".index(letter.lower())]
        for _ in range(2 if letter.isupper() else 1):
            path.append((path[-1][0] + dx, path[-1][1] + dy))
    return path


def broken(record, path):
    """The rules a path breaks, each with its points; {} when it solves the puzzle."""
    verdict = check(record, path)
    assert verdict["solved"] == all(verdict[rule] for rule in RULES)
    assert all(verdict[rule] == (not verdict["broken"][rule]) for rule in RULES)
    return {rule: points for rule, points in verdict["broken"].items() if points}


def shape(*rows):
    """A 4x4 matrix from at most four rows of # and other marks."""
    return [[int(row[x : x + 1] == "#") for x in range(4)] for row in (*rows, "", "", "")[:4]]


def solved_record(picture, record_id):
    """The record that ``draw`` makes, with all its solutions."""
    record = draw(picture) | {"id": record_id}
    return with_solutions(record, solve(record))


EMPTY = draw("""
    S + + + +
    + N + N +
    + + + + +
    + N + N +
    + + + + E
""")
ROUND = walk((0, 0), "RRDD")  # along the border: one region
ACROSS = walk((0, 0), "DRRD")  # along the middle row: two cells above, two below

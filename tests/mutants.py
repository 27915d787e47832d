"""Records with faults of every kind, by the thousand, from a seed."""

import copy
import json
import math
import random

import numpy as np
from boards import mutate_path
from sample import base_records

from spatialjax.data.records import solution_paths


class Unshowable:
    """A value whose repr fails, as foreign objects' may."""

    def __repr__(self):
        raise RuntimeError("no repr")


def nested(depth):
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


JUNK = [
    None, True, False, 0, 1, -1, 2, 3, 9, 17, 2**31, 2**63, 10**400, 10**5000, 0.5, 1.0, -0.0,
    math.nan, math.inf, -math.inf, 1e308, "", " ", "+", "N", "S", "E", ".", "G", "o-R", "A-K",
    "P-R-17", "Y-B-70000", "P-R-" + "9" * 30, "x", "0", "\ud800", "\0", "é" * 300, "{}", "[]",
    "puzzle:", [], {}, [[]], [None], {"x": 0, "y": 0}, {"path": []}, (), b"bytes", 1j, object(),
    Unshowable(), nested(5000), np.int64(2), np.uint8(1), np.float32(1.5), np.float64("nan"),
    np.bool_(True), np.str_("S"), np.zeros(()), np.zeros(3), np.array([["+"]]), {1: 2}, {5},
]  # fmt: skip
ALL_TOKENS = ["+", "N", "S", "E", ".", "G", "o-R", "*-K", "A-B", "D-W", "P-G-17", "Y-W-70000"]


def places(value, depth=0):
    """Every (container, key) of a nested value, down to where junk may be nested very deep."""
    keys = range(len(value)) if isinstance(value, list) else list(value)
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list) and depth < 8:
            yield from places(value[key], depth + 1)


def put_junk(rng, record):
    container, key = rng.choice(list(places(record)))
    container[key] = copy.copy(rng.choice(JUNK))  # the next mutation may change it


def remove(rng, record):
    container, key = rng.choice(list(places(record)))
    del container[key]


def repeat(rng, record):
    lists = [c[k] for c, k in places(record) if isinstance(c[k], list) and c[k]]
    if lists:
        chosen = rng.choice(lists)
        chosen.insert(rng.randrange(len(chosen)), rng.choice(chosen))


def nudge_number(rng, record):
    spots = [(c, k) for c, k in places(record) if type(c[k]) in (int, float)]
    if spots:
        container, key = rng.choice(spots)
        container[key] += rng.choice([-2, -1, 1, 2, 0.0, 2**40])


def replace_token(rng, record):
    rows = record.get("puzzle_array")
    if isinstance(rows, list) and rows and isinstance(rows[0], list):
        row = rng.choice(rows)
        if isinstance(row, list) and row:
            row[rng.randrange(len(row))] = rng.choice(ALL_TOKENS)


def swap_tokens(rng, record):
    rows = record.get("puzzle_array")
    rows = rows if isinstance(rows, list) else []
    spots = [(c, k) for c, k in places(rows) if isinstance(c[k], str)]
    if len(spots) > 1:
        (a, i), (b, j) = rng.sample(spots, 2)
        a[i], b[j] = b[j], a[i]


def edit_text(rng, record):
    key = rng.choice(["polyshapes", "text_visualization"])
    text = record.get(key)
    if isinstance(text, str) and text:
        at = rng.randrange(len(text))
        piece = rng.choice(["", rng.choice('0123456789 -:"[]{},\n\txye\u2028é'), text[:at]])
        record[key] = text[:at] + piece + text[at + rng.choice([0, 1, 1, 2, 30]) :]


def edit_lines(rng, record):
    text = record.get("text_visualization")
    if isinstance(text, str):
        lines = text.split("\n")
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[i], lines[j] = rng.choice([(lines[j], lines[i]), (lines[i], lines[i])])
        record["text_visualization"] = "\n".join(lines)


def edit_shapes(rng, record):
    try:
        shapes = json.loads(record["polyshapes"])
        rng.choice([put_junk, remove, repeat, nudge_number])(rng, shapes)
        record["polyshapes"] = json.dumps(shapes)
    except (KeyError, TypeError, ValueError, IndexError, RecursionError):
        return  # an earlier mutation or this one left nothing that JSON can hold


def edit_path(rng, record):
    solutions = record.get("solutions")
    if isinstance(solutions, list) and solutions and isinstance(solutions[0], dict):
        try:
            path = solution_paths(record)[0]
            moved = mutate_path(rng, path, record)
        except (KeyError, TypeError, ValueError, IndexError):
            return  # an earlier mutation broke the record
        solutions[0]["path"] = [{"x": x, "y": y} for x, y in moved]
        if rng.random() < 0.8:
            solutions[0]["pathLength"] = len(moved)


def drop_text(rng, record):
    record["text_visualization"] = ""


def drop_solutions(rng, record):
    record.pop("solutions", None)
    record.pop("solution_count", None)


MUTATIONS = [
    put_junk, put_junk, remove, repeat, nudge_number, replace_token, swap_tokens, edit_text,
    edit_lines, edit_shapes, edit_path, drop_text, drop_solutions,
]  # fmt: skip


def mutants(seed, count):
    return mutated(seed, count, base_records(), [6, 3, 3, 3, 1], MUTATIONS)


def mutated(seed, count, bases, weights, mutations):
    """Copies of base records, drawn by weight, after one to three mutations each."""
    rng = random.Random(seed)
    texts = [json.dumps(record) for record in bases]
    for _ in range(count):
        record = json.loads(rng.choices(texts, weights)[0])
        for _ in range(rng.choice([1, 1, 2, 3])):
            rng.choice(mutations)(rng, record)
            if not record:
                break
        yield record

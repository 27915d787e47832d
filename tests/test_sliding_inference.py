"""Board-state inference: examples by hand, and the matching against every matching there is."""

import random

import oracle_sliding as oracle
import pytest
from sliding_boards import make_config, random_config

from spatialjax.data.sliding import config_board
from spatialjax.sliding.inference import (
    InferenceScore,
    pair_up,
    read_description,
    score_description,
)
from spatialjax.sliding.names import SYNONYMS, cell_name
from spatialjax.sliding.text import board_text

TRUTH = config_board(
    make_config(4, [("red", "cube", (0, 0), (2, 0)), ("blue", "sphere", (1, 1), (3, 3))])
)


def score(text, board=TRUTH, **counts):
    """Compare a score with the counts given; all others must be 0."""
    names = InferenceScore.__dataclass_fields__
    assert score_description(text, board) == InferenceScore(**(dict.fromkeys(names, 0) | counts))


# ------------------------------------------------------------------------------------ examples


def test_all_right():
    score("A1 red cube\nB2 blue sphere", correct=2)
    score(" b2 BLUE circle \n\n\nA1 red  square", correct=2)


def test_a_wrong_cell():
    score("A1 red cube\nB3 blue sphere", correct=1, coordinate=1, mismatched=1)


def test_wrong_shapes_are_not_paired_crosswise():
    score("A1 red sphere\nB2 blue cube", shape=2, mismatched=2)


def test_neither_colour_nor_shape_is_no_pair():
    score("A1 green pyramid", missed=2, hallucinated=1)


def test_two_mismatches_in_a_pair():
    score("A2 red cone", coordinate=1, shape=1, mismatched=1, missed=1)
    score("A2 green cube", coordinate=1, color=1, mismatched=1, missed=1)
    score("A1 green cube", color=1, mismatched=1, missed=1)


def test_nothing_and_nonsense():
    score("", missed=2)
    score("The board is empty.\n\nA1: red cube", missed=2, format_errors=2)
    score("A1 red cube\nA1 red cube\nA1 red cube", correct=1, hallucinated=2, missed=1)


def test_more_pairs_come_before_better_pairs():
    """The exact red cube goes to the geom that nothing else fits."""
    truth = make_config(4, [("red", "cube", (0, 0), (1, 0)), ("red", "sphere", (0, 1), (1, 1))])
    score(
        "A1 red cube\nD4 blue cube",
        config_board(truth),
        coordinate=2,
        color=1,
        shape=1,
        mismatched=2,
    )


def test_tiles_are_refused():
    board = config_board(random_config(random.Random(1), 3, 8, tiles=True))
    with pytest.raises(ValueError, match="tiles have no colour and shape"):
        score_description("A1 tile 1", board)


# ------------------------------------------------------------------------------------- parsing


@pytest.mark.parametrize(
    ("text", "size", "predictions", "format_errors"),
    [
        ("A1 red cube", 4, [("red", "cube", (0, 0))], 0),
        ('"B4 red cube",\n"C1 blue circle"', 4,
         [("red", "cube", (1, 3)), ("blue", "sphere", (2, 0))], 0),
        ("- B4 red cube\n* B4 red cube\n\u2022 'B4 red cube',", 4,
         [("red", "cube", (1, 3))] * 3, 0),
        ("- \n\"\"\n ,", 4, [], 0),
        ("F6 orange prism", 6, [("orange", "prism", (5, 5))], 0),
        ("F6 orange prism", 5, [], 1),
        ("A1 tile 7", 4, [], 1),
        ("A1 red ball\nA1 pink cube\nA1 red\n1A red cube\nA1 red cube.\nA1, red cube", 4, [], 6),
        ("A1 red cube\nDescription:\nB1 red cube", 4, [("red", "cube", (1, 0))], 0),
        ("description: x\nDESCRIPTION: B1 red cube\nhm", 4, [("red", "cube", (1, 0))], 1),
    ],
)  # fmt: skip
def test_descriptions(text, size, predictions, format_errors):
    assert read_description(text, size) == (predictions, format_errors)


def test_the_text_of_a_board_is_its_best_description():
    rng = random.Random(2)
    for n, g in [(2, 3), (4, 11), (6, 30), (8, 36)]:
        board = config_board(random_config(rng, n, g))
        score(board_text(board), board, correct=g)


# ------------------------------------------------------------------------------------ matching


def random_placed(rng, colors, shapes, n):
    cell = rng.randrange(n), rng.randrange(n)
    return rng.choice(colors), rng.choice(shapes), cell


def matchings(predictions, truth):
    """Every way to pair predictions with geoms that share colour or shape, as a list of indices."""
    if not predictions:
        yield []
        return
    for rest in matchings(predictions[:-1], truth):
        yield [*rest, None]
        for j, geom in enumerate(truth):
            fits = predictions[-1][0] == geom[0] or predictions[-1][1] == geom[1]
            if j not in rest and fits:
                yield [*rest, j]


def worth(matching, predictions, truth):
    """What makes one matching better than another; the least is the best."""
    pairs = [(predictions[i], truth[j]) for i, j in enumerate(matching) if j is not None]
    mismatches = sum(one != other for p, q in pairs for one, other in zip(p, q, strict=True))
    same = sum(p[:2] == q[:2] for p, q in pairs)
    apart = sum(oracle.total_manhattan([p[2]], [q[2]]) for p, q in pairs)
    order = [len(truth) if j is None else j for j in matching]
    return -len(pairs), mismatches, -same, apart, order


def test_the_matching_is_the_best_of_all():
    rng = random.Random(3)
    colors, shapes = oracle.COLORS[:3], oracle.SHAPES[:3]
    for _ in range(400):
        n = rng.choice([2, 3, 4])
        pairs = rng.sample([(c, s) for c in colors for s in shapes], rng.randint(1, 4))
        truth = [(*pair, random_placed(rng, colors, shapes, n)[2]) for pair in pairs]
        predictions = [random_placed(rng, colors, shapes, n) for _ in range(rng.randint(0, 5))]
        best = min(matchings(predictions, truth), key=lambda m: worth(m, predictions, truth))
        expected = [(i, j) for i, j in enumerate(best) if j is not None]
        assert pair_up(predictions, truth) == expected


def test_counts_add_up():
    rng = random.Random(4)
    for _ in range(150):
        n, g = rng.choice([(3, 5), (4, 11), (5, 20), (8, 36)])
        board = config_board(random_config(rng, n, g))
        lines = []
        for line in board_text(board).split("\n"):
            words = line.split()
            if rng.random() < 0.3:
                words[0] = cell_name((rng.randrange(n), rng.randrange(n)))
            if rng.random() < 0.3:
                words[1] = rng.choice(oracle.COLORS)
            if rng.random() < 0.3:
                words[2] = rng.choice([*oracle.SHAPES, *SYNONYMS])
            lines += [" ".join(words)] * rng.choice([0, 1, 1, 1, 1, 2])
        lines += ["nonsense"] * rng.choice([0, 0, 3])
        rng.shuffle(lines)
        found = score_description("\n".join(lines), board)
        pairs = found.correct + found.mismatched
        assert pairs + found.missed == g
        assert pairs + found.hallucinated + found.format_errors == len(lines)
        assert found.format_errors == lines.count("nonsense")
        mismatches = found.coordinate + found.color + found.shape
        assert found.mismatched <= mismatches <= 2 * found.mismatched
        assert found.color + found.shape <= found.mismatched

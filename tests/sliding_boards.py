"""Sliding puzzles for the tests: drawn at random, made by hand, published."""

import copy
import random

import oracle_sliding as oracle
import pytest

from agents.paths import PUBLISHED_SLIDING


def published_files():
    """Paths of the published configs; skips the test where they are not at hand."""
    files = sorted(PUBLISHED_SLIDING.glob("*/*.json"))
    if not files:
        pytest.skip("the published configs (../shared/data/ivispar) are not here")
    return files


def make_config(n, geoms, **fields):
    """A config of geoms (color, body, start, goal)."""
    landmarks = [
        {
            "geom_nr": number,
            "body": body,
            "color": color,
            "start_coordinate": list(start),
            "goal_coordinate": list(goal),
        }
        for number, (color, body, start, goal) in enumerate(geoms, start=1)
    ]
    config = {
        "config_instance_id": "own",
        "experiment_type": "SlidingGeomPuzzle",
        "grid_size": n,
        "landmarks": landmarks,
    }
    return {**config, **fields}


# 4x4: red cube A1 -> C1, blue sphere B1 -> B2; three moves.
EXAMPLE = make_config(
    4,
    [("red", "cube", (0, 0), (2, 0)), ("blue", "sphere", (1, 0), (1, 1))],
    complexity_c1=3,
    complexity_c2=0,
    shortest_move_sequence=[
        "start", "move blue sphere up", "move red cube right", "move red cube right", "done"
    ],
)  # fmt: skip

# An episode on it: command, outcome, distance and regret after it.
EPISODE = [
    ("move blue sphere right", "MOVED", 4, 2),
    ("Move  BLUE circle left", "MOVED", 3, 2),
    ("move red cube left", "OUT_OF_BOUNDS", 3, 3),
    ("move red cube right", "OCCUPIED", 3, 4),
    ("move green cube up", "NO_SUCH_GEOM", 3, 5),
    ("go red cube", "ILLEGAL_COMMAND", 3, 6),
    ("move blue sphere up", "MOVED", 2, 6),
    ("move red cube right", "MOVED", 1, 6),
    ("move red cube right", "MOVED", 0, 6),
]


def changed(config=EXAMPLE, **fields):
    """A copy of a config with other fields; a field set to KeyError is removed."""
    config = copy.deepcopy(config) | fields
    return {key: value for key, value in config.items() if value is not KeyError}


def with_geom(place, config=EXAMPLE, **fields):
    """A copy without lengths and solution, with other fields in a landmark."""
    config = changed(
        config, complexity_c1=KeyError, complexity_c2=KeyError, shortest_move_sequence=KeyError
    )
    config["landmarks"][place] = changed(config["landmarks"][place], **fields)
    return config


def random_config(rng, n, g, tiles=False, walk=0):
    """Geoms on random cells, with their goals a random walk away, or anywhere if `walk` is 0."""
    cells = [(x, y) for x in range(n) for y in range(n)]
    goal = tuple(rng.sample(cells, g))
    start = tuple(rng.sample(cells, g))
    if walk or g == n * n - 1:
        start = goal
        while start == goal:
            for _ in range(walk or 100):
                start = rng.choice(list(oracle.moves(n, start).values()))
    pairs = rng.sample([(c, s) for c in oracle.COLORS for s in oracle.SHAPES], min(g, 36))
    if tiles:
        pairs = [("green", "tile")] * g
    geoms = [(c, s, at, to) for (c, s), at, to in zip(pairs, start, goal, strict=True)]
    config = make_config(n, geoms, config_instance_id=f"own {rng.randrange(10**9)}")
    return config if start != goal else random_config(rng, n, g, tiles, walk)


def solved_config(rng, n, g, tiles=False, walk=12):
    """A random config with a shortest solution, c1 and c2, by breadth-first search."""
    config = random_config(rng, n, g, tiles, walk)
    board = oracle.read_config(config)
    goal, at = oracle.arrangement(board, "goal"), oracle.arrangement(board)
    total = oracle.total_manhattan(at, goal)
    rings = [{goal}]
    while at not in rings[-1]:
        rings.append({s for c in rings[-1] for s in oracle.moves(n, c).values()})
    texts = []
    for ring in rings[-2::-1]:
        (i, way), at = next((k, s) for k, s in oracle.moves(n, at).items() if s in ring)
        texts.append(f"move {board['geoms'][i]['name']} {way}")
    lengths = {"complexity_c1": len(texts), "complexity_c2": (len(texts) - total) // 2}
    config |= lengths | {"shortest_move_sequence": ["start", *texts]}
    return changed(config, complexity_c2=KeyError) if tiles else config


def base_configs():
    """A few different configs, for mutations."""
    rng = random.Random(5)
    return [
        EXAMPLE,
        solved_config(rng, 3, 4),
        solved_config(rng, 2, 3, tiles=True, walk=6),
        solved_config(rng, 3, 8, tiles=True, walk=9),
        solved_config(rng, 3, 8, walk=7) | {"use_rendering": True, "grid_label": "both"},
        random_config(rng, 5, 12),
        random_config(rng, 8, 3),
    ]

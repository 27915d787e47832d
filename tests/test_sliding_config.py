"""Configs of sliding puzzles: each check by its message, the published files, and mutants."""

import itertools
import json
import math
import random

import numpy as np
import oracle_sliding as oracle
import pytest
from mutants import JUNK, mutated, nudge_number, places, put_junk, remove, repeat
from sample import plain_types
from sliding_boards import (
    EXAMPLE,
    base_configs,
    changed,
    make_config,
    published_files,
    random_config,
    solved_config,
    with_geom,
)

from spatialjax.data.sliding import (
    board_config,
    config_board,
    solution_commands,
    validate_config,
)
from spatialjax.errors import PuzzleError
from spatialjax.sliding.board import Board, is_reachable, manhattan


def message(config, **kwargs):
    with pytest.raises(PuzzleError) as caught:
        validate_config(config, **kwargs)
    return str(caught.value)


def bare(**fields):
    """EXAMPLE without lengths and solution, with other fields."""
    gone = dict.fromkeys(("complexity_c1", "complexity_c2", "shortest_move_sequence"), KeyError)
    return changed(**(gone | fields))


def played(*commands, **fields):
    return changed(shortest_move_sequence=list(commands), **fields)


UP, RIGHT, LEFT = "move blue sphere up", "move red cube right", "move red cube left"
DOWN = "move blue sphere down"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ([], "config: the config is []; it must be an object with the fields of a config"),
        (None, "config: the config is None"),
        ({}, "config: grid_size is None; it must be a whole number from 2 to 8"),
        (changed(grid_size=1), "grid_size is 1"),
        (changed(grid_size=9), "grid_size is 9"),
        (changed(grid_size="4"), "grid_size is '4'"),
        (changed(grid_size=4.5), "grid_size is 4.5"),
        (changed(grid_size=True), "grid_size is True"),
        (changed(config_instance_id=""), "config_instance_id is ''; it must be non-empty printabl"),
        (changed(config_instance_id=7), "config_instance_id is 7"),
        (changed(experiment_type="SGP"), "experiment_type is 'SGP'; it must be one of SlidingGeom"),
        (changed(use_rendering=1), "use_rendering is 1; it must be true or false"),
        (changed(auto_done_check="yes"), "auto_done_check is 'yes'"),
        (changed(grid_label="all"), "grid_label is 'all'; it must be one of edge, cell, both, non"),
        (changed(more={1, 2}), "more is {1, 2}; it must be a value that JSON can hold"),
        (changed(more=[math.nan]), "more is [nan]; it must be a value that JSON can hold"),
        (changed(random_valid_move_sequence="start"), "random_valid_move_sequence is 'start'; it"),
        (changed(random_invalid_move_sequence=[1]), "random_invalid_move_sequence[0] is 1; it mus"),
        (changed(landmarks=KeyError), "landmarks is None; it must be a list of 1 to 15 geoms"),
        (changed(landmarks=[]), "landmarks is '0 geoms'; it must be a list of 1 to 15 geoms, as a"),
        (changed(landmarks=[{}] * 16), "landmarks is '16 geoms'"),
        (changed(landmarks=[5]), "landmarks[0] is 5; it must be an object with body, color, start"),
        (with_geom(1, geom_nr=0), "landmarks[1].geom_nr is 0; it must be a whole number from 1 to"),
        (with_geom(1, geom_nr=3), "landmarks[1].geom_nr is 3"),
        (with_geom(1, geom_nr="3"), "landmarks[1].geom_nr is 3"),
        (with_geom(1, geom_nr="-1"), "landmarks[1].geom_nr is '-1'"),
        (with_geom(1, geom_nr="\u0662"), "landmarks[1].geom_nr is '\u0662'"),
        (with_geom(1, geom_nr=1), "landmarks[1].geom_nr is 1; it must be a number of its own, and"),
        (with_geom(0, geom_nr="2"), "landmarks[1].geom_nr is 2; it must be a number of its own, a"),
        (with_geom(1, body="ball"), "landmarks[1].body is 'ball'; it must be one of cube, sphere,"),
        (with_geom(1, body=KeyError), "landmarks[1].body is None"),
        (with_geom(1, body="tile"), "landmarks[1].body is 'tile'; it must be a tile like all othe"),
        (with_geom(0, body="tile"), "landmarks[1].body is 'sphere'; it must be a tile like all ot"),
        (with_geom(1, color="magenta"), "landmarks[1].color is 'magenta'; it must be one of red,"),
        (with_geom(1, color=["blue"]), "landmarks[1].color is ['blue']"),
        (with_geom(1, color="red", body="cube"), "landmarks[1]'s color and body is 'red cube'; it"),
        (with_geom(0, start_coordinate=[4, 0]), "landmarks[0].start_coordinate[0] is 4; it must b"),
        (with_geom(0, goal_coordinate=[0, -1]), "landmarks[0].goal_coordinate[1] is -1; it must b"),
        (with_geom(0, start_coordinate=[0.5, 0]), "landmarks[0].start_coordinate[0] is 0.5"),
        (with_geom(0, start_coordinate=[0, True]), "landmarks[0].start_coordinate[1] is True"),
        (with_geom(0, start_coordinate=[0]), "landmarks[0].start_coordinate is [0]; it must be a"),
        (with_geom(0, start_coordinate="00"), "landmarks[0].start_coordinate is '00'; it must be"),
        (with_geom(0, start_coordinate=KeyError), "landmarks[0].start_coordinate is None"),
        (with_geom(1, start_coordinate=[0, 0]), "landmarks[1]'s start_coordinate is (0, 0); it mu"),
        (with_geom(1, start_coordinate=[0, 0]), "a cell of its own, and landmarks[0] has the same"),
        (with_geom(1, goal_coordinate=[2, 0]), "landmarks[1]'s goal_coordinate is (2, 0)"),
        (bare(complexity_c1=1), "complexity_c1 is 1; it must be at least 3, the Manhattan distanc"),
        (bare(complexity_c1=4), "complexity_c1 is 4; it must be odd as the Manhattan distance 3 i"),
        (bare(complexity_c1="3"), "complexity_c1 is '3'"),
        (bare(complexity_c1=-3), "complexity_c1 is -3"),
        (bare(complexity_c1=5, complexity_c2=0), "complexity_c2 is 0; it must be 1, half of lengt"),
        (changed(complexity_c2=1), "complexity_c2 is 1; it must be 0, half of length 3 less Manha"),
        (changed(complexity_c1=KeyError, complexity_c2=1), "complexity_c2 is 1; it must be 0"),
        (changed(complexity_c2=-1), "complexity_c2 is -1"),
        (played(), "shortest_move_sequence is '0 moves that do not reach the goal'; it must be a"),
        (played(UP, RIGHT), "shortest_move_sequence is '2 moves that do not reach the goal'"),
        (played(RIGHT), "shortest_move_sequence[0] is 'move red cube right'; it must be a legal m"),
        (played(RIGHT), "and its target is occupied"),
        (played("start", LEFT), "shortest_move_sequence[1] is 'move red cube left'; it must be a"),
        (played(LEFT), "and its target is outside the board"),
        (played("start", "start", UP), "shortest_move_sequence[1] is 'start'; it must be a move s"),
        (played(UP, "done", RIGHT, RIGHT), "shortest_move_sequence[1] is 'done'; it must be a mov"),
        (played(UP, "go"), "shortest_move_sequence[1] is 'go'; it must be a move such as"),
        (played(UP, "move red cone up"), "'move red cone up'; it must be a move of a geom on the"),
        (played(UP, 5), "shortest_move_sequence[1] is 5; it must be a string"),
        (played(UP, RIGHT, RIGHT, RIGHT), "shortest_move_sequence[3] is 'move red cube right'; it"),
        (played(UP, RIGHT, RIGHT, RIGHT), "it must be absent, as the goal is reached before it"),
        (played(UP, DOWN, UP, RIGHT, RIGHT), "shortest_move_sequence is '5 moves'; it must be 3 m"),
    ],
)  # fmt: skip
def test_malformed_config(config, expected):
    assert expected in message(config)


def test_a_board_solved_from_the_start_is_refused():
    config = make_config(4, [("red", "cube", (1, 1), (1, 1))])
    assert "landmarks is 'at the goal from the start'; it must be a geom away" in message(config)


def test_message_names_source_index_and_id():
    text = message(changed(complexity_c1=9), source="configs.json record", index=3)
    assert text.startswith("configs.json record 3 (id 'own'): shortest_move_sequence is '3 moves'")
    assert message(changed(config_instance_id=KeyError, grid_size=9)).startswith("config: grid_siz")


# -------------------------------------------------------------------------------- what is fine


def test_base_configs_come_back_equal():
    for config in base_configs():
        clean = validate_config(config)
        assert clean == config
        assert json.dumps(clean) == json.dumps(config)  # in the same order, too
        assert oracle.faults(config) == []


@pytest.mark.parametrize("config", base_configs())
def test_every_optional_field_may_be_absent(config):
    required = {"grid_size", "landmarks"}
    for field in config.keys() - required:
        expected = {key: value for key, value in config.items() if key != field}
        assert validate_config(config | {field: None}) == validate_config(expected) == expected
    expected = {key: config[key] for key in config if key in required}
    assert validate_config(expected) == expected
    landmarks = [{k: v for k, v in item.items() if k != "geom_nr"} for item in config["landmarks"]]
    unnumbered = config | {"landmarks": landmarks}
    assert validate_config(unnumbered) == unnumbered
    assert config_board(unnumbered) == config_board(config)


def test_other_ways_to_write_numbers_are_read():
    loose = changed(grid_size=4.0, complexity_c1=3.0, complexity_c2=np.float32(0))
    for landmark in loose["landmarks"]:
        landmark["geom_nr"] = str(landmark["geom_nr"])
        x, y = landmark["start_coordinate"]
        landmark["start_coordinate"] = [float(x), float(y)]
        landmark["goal_coordinate"] = np.array(landmark["goal_coordinate"])
    clean = validate_config(loose)
    assert clean == EXAMPLE
    assert plain_types(clean) == {dict, list, str, int}


def test_start_and_done_are_optional_and_stay_as_they_are():
    moves = [UP, RIGHT, RIGHT]
    for head, tail in itertools.product([[], ["start"], ["Start."]], [[], ["done"], ["DONE"]]):
        config = played(*head, *moves, *tail)
        assert validate_config(config) == config
        assert solution_commands(config) == moves
    assert solution_commands(bare()) == []


def test_a_config_with_c2_and_a_detour_is_read():
    geoms = [("red", "cube", (0, 0), (1, 0)), ("blue", "sphere", (1, 0), (0, 0))]
    moves = ["move blue sphere up", "move red cube right", "move blue sphere left"]
    moves += ["move blue sphere down"]
    config = make_config(4, geoms, complexity_c1=4, complexity_c2=1, shortest_move_sequence=moves)
    assert validate_config(config) == config


def test_fields_beyond_the_format_are_kept():
    more = {"camera_offset": [0, 5.57, -3.68], "screenshot_alpha": 0.0, "note": {"a": [None, "b"]}}
    config = changed(**more)
    config["landmarks"][0]["note"] = "c"
    assert validate_config(config) == config


def test_slots_follow_the_numbers():
    config = bare(landmarks=EXAMPLE["landmarks"][::-1])
    assert validate_config(config) == config
    assert config_board(config) == config_board(EXAMPLE)
    landmarks = random_config(random.Random(1), 3, 8, tiles=True)["landmarks"]
    board = config_board({"grid_size": 3, "landmarks": landmarks})
    assert config_board({"grid_size": 3, "landmarks": landmarks[::-1]}) == board
    assert board.names == tuple(f"tile {t}" for t in range(1, 9))


def test_the_board_of_a_config():
    assert config_board(EXAMPLE) == Board(
        size=4,
        shapes=("cube", "sphere"),
        colors=("red", "blue"),
        positions=((0, 0), (1, 0)),
        goals=((2, 0), (1, 1)),
    )


def test_published_files_keep_every_field():
    files = published_files()
    assert len(files) == 83
    for path in files:
        text = path.read_text(encoding="utf-8")
        config = json.loads(text)
        clean = validate_config(config)
        assert json.dumps(clean, indent=4) == text
        assert path.name == f"config_{clean['config_instance_id']}.json"
        assert oracle.faults(clean) == []
        assert len(solution_commands(clean)) == clean["complexity_c1"]


def test_a_written_board_is_read_again():
    rng = random.Random(2)
    for n, g, tiles in [(3, 3, False), (3, 8, True), (4, 2, False), (2, 3, True)] * 4:
        config = solved_config(rng, n, g, tiles, walk=6)
        board, commands = config_board(config), solution_commands(config)
        written = board_config(board, commands, "OWN", 7)
        assert validate_config(written) == written
        assert config_board(written) == board and solution_commands(written) == commands
        c1, c2 = config["complexity_c1"], config.get("complexity_c2")
        assert (written["complexity_c1"], written.get("complexity_c2")) == (c1, c2)
        rest = "" if tiles else f"_c2_{c2}"
        assert written["config_instance_id"] == f"OWN_b_{n}_g_{g}_c1_{c1}{rest}_i_7"
        assert json.loads(json.dumps(written)) == written


# ------------------------------------------------------------------------------- reachability


def test_a_full_board_must_be_reachable():
    # Each one on, round the ring of four cells.
    starts, goals = [(0, 0), (0, 1), (1, 1)], [(0, 1), (1, 1), (1, 0)]
    geoms = [("green", "tile", *cells) for cells in zip(starts, goals, strict=True)]
    config = make_config(2, geoms)
    assert validate_config(config) == config
    swapped = [("green", "tile", *cells) for cells in zip(starts, goals[::-1], strict=True)]
    text = message(make_config(2, swapped))
    assert "landmarks is '3 geoms with a goal that no moves reach'; it must be" in text
    two = make_config(2, swapped[:2])
    assert validate_config(two) == two


@pytest.mark.parametrize(("n", "g"), [(2, 1), (2, 2), (2, 3), (3, 6)])
def test_reachability_agrees_with_search(n, g):
    rng = random.Random(n * g)
    cells = [(x, y) for x in range(n) for y in range(n)]
    goal = tuple(rng.sample(cells, g))
    within_reach = oracle.distances_to(n, goal)
    for start in itertools.permutations(cells, g):
        assert is_reachable(n, start, goal) == (start in within_reach)


def test_half_of_all_full_3x3_boards_are_reachable():
    cells = [(x, y) for x in range(3) for y in range(3)]
    goal = tuple((t % 3, 2 - t // 3) for t in range(8))
    within_reach = oracle.distances_to(3, goal)
    assert len(within_reach) == 181_440 and max(within_reach.values()) == 31
    rng = random.Random(4)
    for _ in range(10_000):
        start = tuple(rng.sample(cells, 8))
        assert is_reachable(3, start, goal) == (start in within_reach)


def test_walks_stay_within_reach_and_swaps_do_not():
    rng = random.Random(6)
    for n in (4, 5, 8):
        config = random_config(rng, n, n * n - 1, tiles=True, walk=150)
        board = config_board(config)
        assert is_reachable(n, board.positions, board.goals)
        a, b, *rest = board.positions
        assert not is_reachable(n, (b, a, *rest), board.goals)


def test_manhattan():
    assert manhattan((1, 2), (1, 2)) == 0 and manhattan((3, 0), (0, 1)) == 4


# ------------------------------------------------------------------------------------ the fuzz


def swap_cells(rng, config):
    spots = [(c, k) for c, k in places(config) if k in ("start_coordinate", "goal_coordinate")]
    if len(spots) > 1:
        (a, i), (b, j) = rng.sample(spots, 2)
        a[i], b[j] = b[j], a[i]


def rename(rng, config):
    spots = [(c, k) for c, k in places(config) if k in ("body", "color")]
    if spots:
        container, key = rng.choice(spots)
        container[key] = rng.choice([*oracle.SHAPES, *oracle.COLORS, "tile", "ball", "Red", ""])


def loosen(rng, config):
    """Write a number in another way that stands for the same."""
    spots = [(c, k) for c, k in places(config) if type(c[k]) is int]
    if spots:
        container, key = rng.choice(spots)
        if abs(container[key]) < 2**53:
            as_text = key == "geom_nr" and rng.random() < 0.7
            container[key] = str(container[key]) if as_text else float(container[key])


def edit_sequence(rng, config):
    texts = config.get("shortest_move_sequence")
    if isinstance(texts, list) and texts:
        at = rng.randrange(len(texts) + 1)
        word = rng.choice([*texts, "start", "done", "move red cube up", "Done. ", "move tile 1 up"])
        texts[at : at + rng.choice([0, 1, 1])] = [word]


def drop_lengths(rng, config):
    for field in ("complexity_c1", "complexity_c2", "shortest_move_sequence"):
        config.pop(field, None)


MUTATIONS = [
    put_junk, put_junk, remove, repeat, nudge_number, swap_cells, rename, loosen, loosen,
    edit_sequence, drop_lengths,
]  # fmt: skip


def test_ten_thousand_mutants_load_or_raise_puzzle_error():
    loaded = 0
    for config in mutated(1, 10_000, base_configs(), [3, 3, 2, 2, 2, 1, 1], MUTATIONS):
        try:
            clean = validate_config(config)
        except PuzzleError as error:
            assert "config" in str(error) and "\n" not in str(error)
            continue
        loaded += 1
        assert validate_config(clean) == clean
        assert plain_types(clean) <= {dict, list, str, int, float, bool, type(None)}
        assert oracle.faults(clean) == []
        board, other = config_board(clean), oracle.read_config(clean)
        assert board.size == other["n"] and board.positions == oracle.arrangement(other)
        assert board.goals == oracle.arrangement(other, "goal")
        assert list(board.names) == [geom["name"] for geom in other["geoms"]]
    assert 500 < loaded < 6000  # neither everything nor nothing is refused


def test_junk_in_any_single_field_is_refused_or_read():
    for config in base_configs()[:3]:
        for (_, key), junk in itertools.product(places(config), JUNK):
            copied = json.loads(json.dumps(config))
            spots = [(c, k) for c, k in places(copied) if k == key]
            spots[0][0][key] = junk
            try:
                assert validate_config(copied)["grid_size"] in range(2, 9)
            except PuzzleError as error:
                assert "config" in str(error)

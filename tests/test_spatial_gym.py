"""The drop-in for Spatial-Gym, beside the installed package and beside plain Python."""

import copy
import json
import random
import subprocess
import sys
import warnings
from collections import Counter

import gymnasium
import numpy as np
import pytest
from boards import random_record, solvable_record, with_solutions
from building import draw
from drawn import EMPTY, ROUND
from gymnasium.utils.env_checker import check_env
from oracle import RULES, check
from oracle_env import SpatialGymOracle
from reference_gym import (
    CANCELLED,
    ERASED,
    EXTRA_PLANE,
    GAP_WALLS,
    TRANSPOSED,
    Reference,
    begins_with_gap,
    choose,
    compare_episode,
    reference_module,
)

import spatialjax.wrappers.gymnasium  # noqa: F401  registers the ids
from spatialjax import PuzzleError, load_records
from spatialjax.data.board import parse_board
from spatialjax.data.records import solution_paths
from spatialjax.wrappers.rule_status import RuleStatus
from spatialjax.wrappers.spatial_gym import SpatialGym

CORNER = draw("""
    S + + . +
    + N + N +
    + + + + +
    + N + N +
    + + + + E
""")
EVENTS = ("solved", "failed", "truncated", "illegal", "steps back")
COUNTS = {*EVENTS, "episodes", "steps", "states", "states with another report"}
FAULTS = {f"{one} in a report" for one in (TRANSPOSED, GAP_WALLS, CANCELLED, EXTRA_PLANE)}
FAULTS |= {f"{one} in an observation" for one in (ERASED, EXTRA_PLANE)}
FORMS = [(form, traceback) for form in ("new", "SPaRC") for traceback in (False, True)]


@pytest.fixture(scope="module")
def spatial_gym():
    """The installed package, or skip."""
    try:
        return reference_module()
    except ImportError:
        pytest.skip("Spatial-Gym is not installed: pip install spatial-gym==0.1.5")


@pytest.fixture(scope="module")
def embedded():
    """The embedded test puzzles from the first on that the reference can begin with."""
    records = load_records("embedded", split="test")
    return records[[begins_with_gap(record) for record in records].index(False) :]


@pytest.fixture(scope="module")
def own_records():
    """Boards of many kinds with every solution listed."""
    rng = random.Random(3)
    records = [EMPTY | {"id": "empty"}]
    records = [with_solutions(records[0], [ROUND])]
    for i, size in enumerate([(2, 2), (3, 2), (2, 3), (3, 3), (1, 2), (3, 3)] * 2):
        if i % 3 == 2:
            record = random_record(rng, *size, density=0.8, list_solutions=True)
        else:
            record = solvable_record(rng, *size, list_solutions=True)[0]
        if record["solutions"]:
            records.append(record)
    return records


def compare(records, form, traceback, seed, stride=1, max_steps=60):
    options = {"observation": form, "traceback": traceback, "max_steps": max_steps}
    reference, ours = Reference(records, **options), SpatialGym(records, **options)
    rng, seen = random.Random(seed), Counter()
    for index in range(0, len(records), stride):
        follow = rng.choice((0.0, 0.0, 0.5, 0.98))
        seen += compare_episode(reference, ours, index, records[index], rng, follow)
    return seen


def test_equals_the_package_but_for_its_faults(spatial_gym, embedded):
    records = embedded[:300]
    total = Counter()
    for seed, (form, traceback) in enumerate(FORMS):
        total += compare(records, form, traceback, seed, stride=20)
    for event in EVENTS:
        assert total[event], event
    assert total[f"{TRANSPOSED} in a report"] and total[f"{ERASED} in an observation"]


@pytest.mark.integration
def test_equals_the_package_over_all_published_puzzles(spatial_gym, published_raw):
    total = Counter()
    for seed, (form, traceback) in enumerate(FORMS):
        seen = compare(published_raw, form, traceback, seed)
        print(f"\n{form}, traceback={traceback}: {dict(seen)}")
        total += seen
    print(f"\nall: {dict(total)}")
    assert total["steps"] >= 50_000
    for event in EVENTS:
        assert total[event] > 100, event
    assert set(total) - COUNTS == FAULTS


def test_resets_choose_the_puzzles_of_the_package(spatial_gym, embedded):
    records = embedded[:30]
    reference, ours = Reference(records).fresh(0), SpatialGym(records)
    assert ours.current_puzzle_index == 0
    calls = [{}, {}, {"seed": 5}, {}, {"seed": 6}, {"options": {"puzzle_id": records[28]["id"]}}]
    calls += [{}, {}, {}, {"options": {}}, {"seed": 7, "options": {}}, {}, {"seed": 5}, {"seed": 5}]
    for call in calls:
        reference.reset(**call)
        _, info = ours.reset(**call)
        assert ours.current_puzzle_index == reference.current_puzzle_index, call
        assert info["puzzle_id"] == records[ours.current_puzzle_index]["id"]
    state = reference.np_random.bit_generator.state
    assert ours.np_random.bit_generator.state == state


def test_pays_as_the_package_where_no_solution_is_stored(spatial_gym):
    record = with_solutions(CORNER, [])
    seen = compare([record], "new", False, 0)
    assert seen["steps"]
    env = SpatialGym([record])
    assert env.step(0)[1] == 0 and env._info()["optimality"] == 0.0


def test_begins_with_any_record(spatial_gym, embedded):
    first = next(record for record in embedded if begins_with_gap(record))
    with pytest.raises(UnboundLocalError):
        Reference([first])
    observation, _ = SpatialGym([first]).reset()
    assert all(plane.any() for plane in observation["base"].values())


def test_mends_the_leak_of_the_package(spatial_gym, embedded):
    reference, ours = Reference(embedded[:2]).fresh(0), SpatialGym(embedded[:2])
    for env in (reference, ours):
        choice = {"puzzle_id": embedded[0]["id"]}
        first, info = env.reset(options=choice)
        env.step(info["legal_actions"][0])
        second, _ = env.reset(options=choice)
        is_clean = np.array_equal(first["base"]["visited"], second["base"]["visited"])
        assert is_clean == (env is ours)


@pytest.mark.parametrize("traceback", [False, True])
def test_equals_plain_python(own_records, traceback):
    rng, seen = random.Random(7), Counter()
    env = SpatialGym(own_records, traceback=traceback, max_steps=30)
    for _ in range(6):
        for record in own_records:
            oracle = SpatialGymOracle(record, traceback, 30)
            wanted = oracle.reset()
            observation, info = env.reset(options={"puzzle_id": record["id"]})
            while not oracle.done:
                assert_shows(observation, record, oracle.path)
                assert info["legal_actions"] == wanted["legal_actions"]
                assert env.path == oracle.path == [tuple(p) for p in wanted["path"]]
                action = choose(rng, record, oracle.path, wanted["legal_actions"], 0.7)
                reward, terminated, truncated, wanted = oracle.step(action)
                observation, *outcome, info = env.step(action)
                assert outcome == [reward, terminated, truncated]
                assert info["Rewards"]["outcome_reward"] == wanted["outcome_reward"]
                assert info["current_step"] == info["steps"] == wanted["current_step"]
                assert tuple(info["agent_location"]) == wanted["agent_location"]
                assert_keeps_the_rules(info["rule_status"], record, oracle.path, terminated)
            failed = terminated and reward < 0
            seen.update(solved=reward == 1, failed=failed, truncated=truncated)
    assert min(seen["solved"], seen["failed"], seen["truncated"]) > 0


def assert_shows(observation, record, path):
    assert [tuple(p) for p in np.argwhere(observation["base"]["visited"])] == sorted(path)
    assert [tuple(p) for p in np.argwhere(observation["base"]["agent_location"])] == [path[-1]]
    for x, y in np.argwhere(observation["base"]["gaps"]):
        assert (x % 2 and y % 2) or record["puzzle_array"][y][x] == "G"
    kinds = {"o": "square", "*": "star", "P": "poly", "Y": "ylop"}
    kinds |= dict.fromkeys("ABCD", "triangle")
    for y, row in enumerate(record["puzzle_array"]):
        for x, token in enumerate(row):
            if "-" in token:
                letter, _, *shape = token.split("-")
                number = int(shape[0]) if shape else "ABCD".find(letter) + 1
                assert observation["base"][kinds[letter]][x, y]
                assert observation["additional_info"][x, y] == number
                assert observation["color"][x, y] > 0
            else:
                assert observation["color"][x, y] == observation["additional_info"][x, y] == 0


def assert_keeps_the_rules(report, record, path, is_finished):
    """The verdicts are the oracle's; on an unfinished line the reference has its own regions."""
    verdict = check(record, path)
    of_lines = {*RULES[:4], "triangles_edge_count"}
    for rule in RULES if is_finished else of_lines:
        assert report[rule]["passed"] == verdict[rule], rule
    if is_finished:
        assert report["all_rules_satisfied"]["passed"] == verdict["solved"]


def test_reports_that_every_published_solution_keeps_all_rules(published):
    for record in published:
        rules = RuleStatus(parse_board(record))
        for path in solution_paths(record):
            assert rules.report(path)["all_rules_satisfied"]["passed"], record["id"]


def test_stepping_back_restores_the_text():
    env = SpatialGym([CORNER], observation="SPaRC", traceback=True)
    first = json.loads(env.reset()[0])
    for action in (0, 0, 0):
        text, *_ = env.step(action)
    assert json.loads(text)[0] == ["V", "V", "V", "L", "+"]
    for action in (2, 2, 2):
        text, *_ = env.step(action)
    assert json.loads(text)[0] == ["L", "+", "+", ".", "+"] and json.loads(text)[1:] == first[1:]
    assert first == CORNER["puzzle_array"]


def test_regions_flow_round_an_end_on_an_edge():
    """An unfinished line divides a region only once it has reached the point past the edge."""
    record = draw("""
        + + + + +
        + o-R + o-B +
        + + + + +
        + o-R + o-B +
        + + S + E
    """)
    env = SpatialGym([record])
    sizes = []
    for action in (1, 1, 1, 1):
        report = env.step(action)[4]["rule_status"]
        sizes.append(sorted(region["area"] for region in report["_regions"].values()))
    assert sizes == [[4], [4], [4], [2, 2]]
    assert report["square_color_separation"]["passed"]


def test_infos_and_observations_are_never_shared(embedded):
    env = SpatialGym(embedded[:2])
    observation, info = env.reset()
    kept = copy.deepcopy((observation, info["rule_status"], info["legal_actions"]))
    for plane in (*observation["base"].values(), observation["color"], info["agent_location"]):
        plane += 1
    info["legal_actions"].clear()
    info["rule_status"]["_regions"].clear()
    info["rule_status"]["all_rules_satisfied"]["detail"].clear()
    again, info = env.reset(options={})
    np.testing.assert_equal((again, info["rule_status"], info["legal_actions"]), kept)
    json.dumps(info["rule_status"])


def test_counts_what_the_readme_of_the_package_promises():
    env = SpatialGym([with_solutions(EMPTY, [ROUND])], traceback=True)
    for action in (0, 0, 1, 2, 7, 0):
        info = env.step(action)[4]
    assert info["invalid_actions"] == 2 and info["steps"] == 6 and info["path_length"] == 2
    assert info["optimality"] == 2 / 8 and not info["success"]
    assert info["action_mask"].dtype == np.int8
    np.testing.assert_array_equal(env.action_masks(), info["action_mask"] == 1)
    assert env.action_masks().dtype == bool
    for action in (0, 0, 3, 3, 3, 3):
        _, reward, terminated, _, info = env.step(action)
    assert (reward, terminated, info["success"], info["optimality"]) == (1, True, True, 1.0)


def test_refuses_what_it_does_not_know(embedded, tmp_path):
    env = SpatialGym(embedded[:2])
    with pytest.raises(ValueError, match="puzzle_id is 'nope', which none of the 2 puzzles has"):
        env.reset(options={"puzzle_id": "nope"})
    wrong = {"render_mode": "vr", "observation": "sparc", "max_steps": 0}
    for option, value in wrong.items():
        with pytest.raises(ValueError, match=f"{option} is {value!r}"):
            SpatialGym(embedded[:2], **{option: value})
    with pytest.raises(PuzzleError, match="no such file"):
        SpatialGym(str(tmp_path / "absent.jsonl"))


def make(records, **options):
    """Make it by its id; the puzzle of `check_env`'s resets must not end at the first step."""
    return gymnasium.make("spatialjax/SpatialGym-v0", df_name=records, **options)


def test_takes_every_source(embedded, tmp_path):
    path = tmp_path / "puzzles.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in embedded[:3]))
    for source in (str(path), path, embedded[:3]):
        _, info = make(source, df_split="all", df_set="test").reset()
        assert info["puzzle_id"] == embedded[1]["id"]
    _, info = make("embedded", df_split="stars", df_set="test", max_steps=9).reset()
    assert info["difficulty"] in range(1, 6)


@pytest.mark.parametrize("form", ["new", "SPaRC"])
@pytest.mark.parametrize("fixed_space", [False, True])
def test_passes_the_checker(embedded, form, fixed_space, monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = make(embedded[:20], observation=form, fixed_space=fixed_space)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("form", ["new", "SPaRC"])
def test_one_space_for_all_puzzles(embedded, form):
    env = SpatialGym(embedded, observation=form, fixed_space=True)
    space = env.observation_space
    plain = SpatialGym(embedded, observation=form)
    for record in embedded[::60]:
        choice = {"puzzle_id": record["id"]}
        observation, info = env.reset(options=choice)
        bare, _ = plain.reset(options=choice)
        assert env.observation_space is space and space.contains(observation)
        if form == "SPaRC":
            assert observation == bare
            continue
        width, height = info["grid_x_size"], info["grid_y_size"]
        for name, plane in observation["base"].items():
            inside = plane[:width, :height]
            np.testing.assert_array_equal(inside, bare["base"].get(name, np.zeros_like(inside)))
            assert plane.sum() - inside.sum() == (name == "gaps") * (plane.size - inside.size)
        for name in ("color", "additional_info"):
            np.testing.assert_array_equal(observation[name][:width, :height], bare[name])
            assert observation[name].sum() == bare[name].sum()


def test_vector_environments(embedded):
    envs = gymnasium.make_vec(
        "spatialjax/SpatialGym-v0",
        num_envs=3,
        vectorization_mode="sync",
        df_name=embedded[:9],
        fixed_space=True,
        max_steps=5,
    )
    observation, info = envs.reset(seed=[1, 2, 3])
    assert observation["base"]["visited"].sum(axis=(1, 2)).tolist() == [1, 1, 1]
    ended = 0
    for _ in range(12):
        actions = info["action_mask"].argmax(axis=1)
        observation, _, terminated, truncated, info = envs.step(actions)
        assert envs.observation_space.contains(observation)
        ended += int((terminated | truncated).sum())
    assert ended >= 3
    envs.close()


def test_texts_and_pictures(embedded):
    frames = {}
    for mode in (None, "ansi", "llm", "rgb_array"):
        env = make(embedded[:2], render_mode=mode, observation="SPaRC")
        observation, info = env.reset()
        before = env.render()
        observation, *_ = env.step(info["legal_actions"][0])
        after = env.render()
        frames[mode] = after
        if mode is None:
            assert after is None
        elif mode == "rgb_array":
            assert after.dtype == np.uint8 and after.shape[2] == 3 and after.flags.writeable
            assert not np.array_equal(before, after)
        else:
            assert isinstance(after, str) and before != after
    assert frames["llm"] == observation
    assert "S" in frames["ansi"] and "E" in frames["ansi"] and "@" in frames["ansi"]


def test_window_opens_and_closes(embedded, monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = make(embedded[:4], render_mode="human")
    env.reset()
    picture = pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)
    still = make(embedded[:4], render_mode="rgb_array")
    still.reset()
    np.testing.assert_array_equal(picture, still.render())
    _, info = env.reset()
    env.step(info["legal_actions"][0])
    assert env.render() is None
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    with pytest.raises(SystemExit):
        env.step(0)
    assert not pygame.display.get_init()
    env.reset()
    assert pygame.display.get_init()
    env.close()
    env.close()
    assert not pygame.display.get_init()


def test_window_says_what_is_missing(embedded, monkeypatch):
    env = SpatialGym(embedded[:2], render_mode="human")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pygame", None)
        with pytest.raises(ImportError, match="needs pygame, which is missing"):
            env.reset()
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "no-such-driver")
    with pytest.raises(RuntimeError, match="needs a display"):
        env.reset()
    env.close()


def test_importing_registers_without_the_optional_packages():
    code = (
        "import sys, spatialjax.wrappers.gymnasium, gymnasium;"
        "assert 'spatialjax/SpatialGym-v0' in gymnasium.registry;"
        "print(sorted({'PIL', 'pygame', 'jax', 'datasets'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

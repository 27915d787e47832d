"""Puzzles as Gymnasium environments: alone, beside the environment in JAX, and in lanes.

`make test-integrations` runs this file with other versions of Gymnasium too.
"""

import warnings
from collections import Counter

import gymnasium
import jax
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import spatialjax
import spatialjax.wrappers.gymnasium  # noqa: F401  registers the ids
from spatialjax import PuzzleError, load_records
from spatialjax.wrappers import gym_lanes
from spatialjax.wrappers.gym_env import PuzzleEnv
from spatialjax.wrappers.gym_vector import PuzzleVectorEnv

IDS = ("Witness-v0", "SlidingGeom-v0", "SlidingTile-v0")
LANES = 5


@pytest.fixture(scope="module")
def records():
    """A few puzzles of different sizes."""
    return load_records("embedded", split="test")[:20]


def options_of(env_id, records):
    """Options that make episodes end often, in every way there is, and compile fast."""
    if env_id == "Witness-v0":
        forms = {"observation": "vector", "success": "solutions", "reward": "spatial_gym"}
        return {"source": records, "max_steps": 9} | forms
    return {"split": "test", "max_steps": 4, "reward": "progress_solved"}


def assert_same(one, other, where="result"):
    """Whether two results have the same structure, dtypes and values."""
    assert type(one) is type(other), (where, type(one), type(other))
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for name in one:
            assert_same(one[name], other[name], f"{where}[{name!r}]")
    elif isinstance(one, tuple | list):
        assert len(one) == len(other), where
        for i, pair in enumerate(zip(one, other, strict=True)):
            assert_same(*pair, f"{where}[{i}]")
    elif isinstance(one, np.ndarray) and one.dtype == object:
        assert_same(one.tolist(), other.tolist(), where)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        np.testing.assert_array_equal(one, other, where)
    else:
        assert one == other, where


@pytest.mark.parametrize("env_id", IDS)
def test_passes_the_checks_of_gymnasium_without_a_warning(env_id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(f"spatialjax/{env_id}", split="test", render_mode="ansi")
        check_env(env.unwrapped)


def test_line_puzzles_have_a_space_for_every_observation(records):
    env, params = spatialjax.make("Witness-v0", source=records)
    planes = np.array(env.reset(jax.random.key(3), params)[0])
    for form in ("dict", "planes", "vector"):
        made = PuzzleEnv("Witness-v0", source=records, observation=form)
        observation, _ = made.reset(seed=3)
        assert made.observation_space.contains(observation)
        if form == "planes":
            np.testing.assert_array_equal(observation, planes)
        if form == "dict":
            np.testing.assert_array_equal(observation["usable"], planes[..., 2])
            np.testing.assert_array_equal(observation["shape_top"], planes[..., 11])
            for name, space in made.observation_space.items():
                assert space.high.max() < 255 or name.startswith("shape"), name


@pytest.mark.parametrize("env_id", IDS)
def test_plays_as_the_environment_in_jax(env_id, records):
    options = options_of(env_id, records)
    env, params = spatialjax.make(env_id, **options)
    reset, step_env = jax.jit(env.reset), jax.jit(env.step_env)
    made, rng, ends = PuzzleEnv(env_id, **options), np.random.default_rng(0), set()
    for seed in range(12):
        shown, info = made.reset(seed=seed)
        wanted, episode = reset(jax.random.key(seed), params)
        assert info["steps"] == 0 and info["solved"] is False
        over = False
        while not over:
            mask = np.asarray(env.action_mask(episode, params))
            np.testing.assert_array_equal(info["action_mask"], mask)
            np.testing.assert_array_equal(made.action_masks(), mask)
            for one, other in zip(jax.tree.leaves(shown), jax.tree.leaves(wanted), strict=True):
                np.testing.assert_array_equal(one, np.atleast_1d(other))
                assert one.flags.writeable
            action = int(rng.choice(np.flatnonzero(mask) if seed % 3 else len(mask)))
            wanted, episode, gain, ended, native = step_env(
                jax.random.key(0), episode, action, params
            )
            shown, reward, terminated, truncated, info = made.step(action)
            assert (reward, terminated, truncated) == (
                float(gain), bool(ended), bool(episode.truncated)
            )  # fmt: skip
            assert {name: info[name] for name in native} == {n: v.item() for n, v in native.items()}
            over = terminated or truncated
        ends.add((terminated, truncated))
    assert (False, True) in ends and (env_id != "Witness-v0" or (True, False) in ends)


def test_resets_choose_a_puzzle_or_draw_one(records):
    env = PuzzleEnv("Witness-v0", **options_of("Witness-v0", records))
    ids = [record["id"] for record in records]
    assert env.reset(options={"puzzle_id": ids[7]})[1]["puzzle_index"] == 7
    _, info = env.reset(options={"puzzle_index": 4})
    assert info["puzzle_id"] == ids[4]
    drawn = [env.reset(seed=2)[1]["puzzle_index"], *(env.reset()[1]["puzzle_index"] for _ in ids)]
    assert len(set(drawn)) > len(ids) / 3
    # A chosen puzzle leaves the stream of those drawn as it is.
    env.reset(seed=2, options={"puzzle_index": 4})
    assert [env.reset()[1]["puzzle_index"] for _ in ids] == drawn[1:]
    # Without a seed, other puzzles in every object.
    other = [PuzzleEnv("Witness-v0", **options_of("Witness-v0", records)) for _ in range(6)]
    assert len({made.reset()[1]["puzzle_index"] for made in other}) > 1


def test_one_compilation_serves_all_puzzles_and_objects(records, monkeypatch):
    traces = Counter()

    def counted(name):
        method = getattr(gym_lanes.Lane, name)

        def call(*args):
            traces[name] += 1
            return method(*args)

        return call

    for name in ("begin", "step"):
        monkeypatch.setattr(gym_lanes.Lane, name, counted(name))
    for _ in range(2):
        env = PuzzleEnv("Witness-v0", **options_of("Witness-v0", records) | {"max_steps": 77})
        for index in range(len(records)):
            env.reset(options={"puzzle_index": index})
            for action in (0, 3, 1):
                env.step(action)
        env.reset(seed=1)
    assert traces == {"begin": 1, "step": 1}


def test_draws_what_it_shows(records):
    options = options_of("Witness-v0", records)
    lines = PuzzleEnv("Witness-v0", "ansi", **options)
    _, info = lines.reset(options={"puzzle_index": 0})
    before = lines.render()
    lines.step(int(info["action_mask"].argmax()))
    assert "@" not in before and "@" in lines.render()
    picture = PuzzleEnv("SlidingTile-v0", "rgb_array", split="test")
    picture.reset(seed=0)
    assert picture.render().dtype == np.uint8 and picture.render().shape[-1] == 3
    assert PuzzleEnv("SlidingTile-v0", split="test").render_mode is None
    lanes = PuzzleVectorEnv("Witness-v0", 2, render_mode="ansi", **options)
    lanes.reset(options={"puzzle_index": [0, 1]})
    assert lanes.render()[0] == before and lanes.render()[1] != before


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        ({"observation": "plane"}, {}, "observation is 'plane'; did you mean 'planes'?"),
        ({"sorce": "x"}, {}, "option is 'sorce'; did you mean 'source'?"),
        ({"render_mode": "rgb_aray"}, {}, "render_mode is 'rgb_aray'; did you mean 'rgb_array'?"),
        ({"max_steps": 0}, {}, "max_steps is 0; it must be a whole number from 1"),
        ({}, {"puzzle": 1}, "reset option is 'puzzle'; did you mean 'puzzle_id'?"),
        ({}, {"puzzle_id": "no"}, "puzzle_id is 'no', which none of the 300 puzzles has"),
        ({}, {"puzzle_index": 300}, "puzzle_index is 300; it must be a whole number from 0 to 299"),
        ({}, {"puzzle_index": True}, "puzzle_index is True; it must be a whole number"),
        ({}, {"puzzle_index": 1, "puzzle_id": "x"}, "give one of them"),
    ],
)
def test_says_what_is_wrong(make, options, message):
    for kind in (PuzzleEnv, PuzzleVectorEnv):
        with pytest.raises(ValueError, match=message.replace("?", r"\?")):
            kind("SlidingGeom-v0", **{"split": "test"} | make).reset(options=options)


def test_says_what_is_wrong_with_steps_and_sources():
    with pytest.raises(PuzzleError, match="no such file"):
        gymnasium.make("spatialjax/Witness-v0", source="./missing.jsonl")
    with pytest.raises(ValueError, match="option is 'subset'"):
        PuzzleEnv("SlidingGeom-v0", subset="tiles")
    env = PuzzleEnv("SlidingTile-v0", split="test")
    for call in (lambda: env.step(0), env.render):
        with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
            call()
    env.reset(seed=0)
    with pytest.raises(TypeError):
        env.step(0.5)
    for action in (-1, 60, 2**32):
        info = env.step(action)[-1]
    assert info["steps"] == info["invalid_actions"] == 3


# ---- lanes ----


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("env_id", IDS[:2])
def test_lanes_equal_a_loop_over_single_environments(env_id, mode, records):
    options = options_of(env_id, records)
    lanes = PuzzleVectorEnv(env_id, LANES, mode, **options)
    loop = SyncVectorEnv([lambda: PuzzleEnv(env_id, **options)] * LANES, autoreset_mode=mode)
    assert lanes.observation_space == loop.observation_space
    assert lanes.action_space == loop.action_space
    assert lanes.metadata["autoreset_mode"] == loop.metadata["autoreset_mode"] == mode
    rng = np.random.default_rng(0)
    one, other = lanes.reset(seed=5), loop.reset(seed=5)
    assert_same(one, other)
    num_ended = 0
    for count in range(40):
        mask = lanes.action_masks()
        np.testing.assert_array_equal(mask, np.array(loop.call("action_masks")))
        legal = (mask * rng.random(mask.shape)).argmax(1)
        actions = np.where(rng.random(LANES) < 0.8, legal, rng.integers(mask.shape[1], size=LANES))
        one, other = lanes.step(actions), loop.step(actions)
        assert_same(one, other)
        assert lanes.observation_space.contains(one[0])
        ended = one[2] | one[3]
        num_ended += ended.sum()
        if mode == AutoresetMode.DISABLED and ended.any():
            with pytest.raises(ResetNeeded, match="have ended"):
                lanes.step(actions)
            # Lanes that run on may be reset too.
            again = {"reset_mask": ended | (np.arange(LANES) == count % LANES)}
            assert_same(lanes.reset(options=dict(again)), loop.reset(options=dict(again)))
    assert num_ended > 15
    seeds = [3, None, 8, None, 3]
    assert_same(lanes.reset(seed=seeds), loop.reset(seed=seeds))
    assert_same(lanes.reset(options={"puzzle_index": 2}), loop.reset(options={"puzzle_index": 2}))
    # Even in the middle of an episode a part alone can be reset, with seeds and a puzzle.
    part = {"reset_mask": np.arange(LANES) < 2, "puzzle_index": 3}
    assert_same(lanes.reset(seed=9, options=dict(part)), loop.reset(seed=9, options=dict(part)))
    assert_same(lanes.step(actions), loop.step(actions))


def test_each_lane_takes_a_puzzle_of_its_own(records):
    lanes = PuzzleVectorEnv("Witness-v0", LANES, **options_of("Witness-v0", records))
    ids = [record["id"] for record in records]
    _, infos = lanes.reset(options={"puzzle_id": ids[3 : 3 + LANES]})
    assert infos["puzzle_index"].tolist() == list(range(3, 3 + LANES))
    assert infos["puzzle_id"].tolist() == ids[3 : 3 + LANES]
    drawn = lanes.reset(seed=1)[1]["puzzle_index"]
    _, infos = lanes.reset(seed=1, options={"puzzle_index": [0, None, 2, None, 4]})
    assert infos["puzzle_index"].tolist() == [0, drawn[1], 2, drawn[3], 4]
    _, infos = lanes.reset(
        options={"puzzle_index": range(LANES), "reset_mask": np.arange(LANES) == 3}
    )
    assert infos["_puzzle_index"].tolist() == [False] * 3 + [True, False]
    assert infos["puzzle_index"][3] == 3
    with pytest.raises(ValueError, match="puzzle_id is 'x', which none of the 20"):
        lanes.reset(options={"puzzle_id": ["x", *ids[:4]]})
    with pytest.raises(ValueError, match="puzzle_index holds 2 values"):
        lanes.reset(options={"puzzle_index": [1, 2]})
    with pytest.raises(ValueError, match="seed holds 2 values"):
        lanes.reset(seed=[1, 2])


def test_made_by_id_and_used_by_the_wrappers_of_gymnasium(records):
    lanes = gymnasium.make_vec(
        "spatialjax/Witness-v0",
        num_envs=LANES,
        vectorization_mode="vector_entry_point",
        autoreset_mode="NextStep",
        **options_of("Witness-v0", records),
    )
    lanes = RecordEpisodeStatistics(lanes)
    observations, _ = lanes.reset(seed=0)
    assert lanes.observation_space.contains(observations)
    for _ in range(30):
        *_, infos = lanes.step(np.zeros(LANES, np.int64))
        if "episode" in infos:
            ended = infos["_episode"]
            np.testing.assert_array_equal(infos["episode"]["l"][ended], infos["steps"][ended])
    assert lanes.episode_count >= 2 * LANES
    lanes.close()
    assert lanes.unwrapped.closed
    for mode in ("sync", "vector_entry_point"):
        made = gymnasium.make_vec(
            "spatialjax/SlidingTile-v0", 2, vectorization_mode=mode, split="test"
        )
        assert made.reset(seed=0)[1]["puzzle_index"].shape == (2,)
    assert made.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP


def test_lanes_say_what_is_wrong(records):
    with pytest.raises(ValueError, match="num_envs is 0"):
        PuzzleVectorEnv("Witness-v0", 0)
    with pytest.raises(ValueError, match="autoreset_mode is 'same'"):
        PuzzleVectorEnv("Witness-v0", 1, "same")
    options = options_of("Witness-v0", records)
    lanes = PuzzleVectorEnv("Witness-v0", LANES, "Disabled", **options)
    assert lanes.metadata["autoreset_mode"] == AutoresetMode.DISABLED
    part = {"reset_mask": np.arange(LANES) < 2}
    with pytest.raises(ResetNeeded, match="no episode yet"):
        lanes.reset(options=part)
    with pytest.raises(ResetNeeded, match=r"call reset\(\) before step"):
        lanes.step(np.zeros(LANES, int))
    lanes.reset(seed=0)
    for actions in (np.zeros(LANES), np.zeros(2, int), 0):
        with pytest.raises(ValueError, match="whole numbers of shape"):
            lanes.step(actions)
    for mask in (np.zeros(LANES, bool), np.ones(2, bool), np.ones(LANES)):
        with pytest.raises(ValueError, match="reset_mask has dtype"):
            lanes.reset(options={"reset_mask": mask})
    *_, infos = lanes.step(np.full(LANES, 2**32))
    assert infos["invalid_actions"].tolist() == [1] * LANES

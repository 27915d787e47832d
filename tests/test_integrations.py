"""Learners of Stable-Baselines3 on our environments; torch is large: `make test-integrations`."""

import gymnasium
import numpy as np
import pytest

import spatialjax.wrappers.gymnasium  # noqa: F401  registers the ids
from spatialjax import load_records

pytestmark = pytest.mark.integration

sb3 = pytest.importorskip("stable_baselines3", reason="pip install stable-baselines3")
contrib = pytest.importorskip("sb3_contrib", reason="pip install sb3-contrib")
from spatialjax.wrappers.sb3 import PuzzleVecEnv  # noqa: E402

IDS = ("Witness-v0", "SlidingGeom-v0", "SlidingTile-v0")
LEARNERS = {"PPO": sb3.PPO, "MaskablePPO": contrib.MaskablePPO}
SMALL = {"n_steps": 100, "batch_size": 100, "n_epochs": 2, "seed": 0}


@pytest.fixture(scope="module")
def records():
    """A few puzzles of different sizes."""
    return load_records("embedded", split="test")[:20]


def make_lanes(env_id, num_envs, **options):
    made = gymnasium.make_vec(
        f"spatialjax/{env_id}",
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        **{"split": "test"} | options,
    )
    return PuzzleVecEnv(made)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("env_id", IDS)
def test_learns_on_single_environments_and_on_lanes(env_id, learner):
    single = gymnasium.make(f"spatialjax/{env_id}", split="test")
    lanes = make_lanes(env_id, 4)
    for env in (single, lanes):
        model = LEARNERS[learner]("MultiInputPolicy", env, **SMALL)
        before = model.policy.action_net.weight.detach().clone()
        model.learn(2000)
        assert model.num_timesteps >= 2000
        assert not (model.policy.action_net.weight == before).all()
        assert model.ep_info_buffer
        if learner == "MaskablePPO" and env is lanes:
            # No step was wasted on an action that is not legal.
            assert all(row["invalid_actions"] == 0 for row in lanes.step(first_legal(lanes))[3])


def first_legal(lanes):
    return np.stack(lanes.env_method("action_masks")).argmax(1)


@pytest.mark.parametrize("observation", ["vector", "planes"])
def test_learns_from_arrays(records, observation):
    lanes = make_lanes("Witness-v0", 4, source=records, observation=observation)
    model = sb3.PPO("MlpPolicy", lanes, policy_kwargs={"normalize_images": False}, **SMALL)
    assert model.learn(400).num_timesteps >= 400


def test_lanes_equal_a_loop_over_single_environments(records):
    options = {"source": records, "max_steps": 8, "reward": "spatial_gym"}

    def make():
        return sb3.common.monitor.Monitor(gymnasium.make("spatialjax/Witness-v0", **options))

    lanes, loop = make_lanes("Witness-v0", 3, **options), sb3.common.vec_env.DummyVecEnv([make] * 3)
    assert lanes.observation_space == loop.observation_space
    assert lanes.action_space == loop.action_space
    for env in (lanes, loop):
        env.seed(5)
        env.set_options([{"puzzle_index": 2}, {}, {"puzzle_index": 7}])
    assert_same(lanes.reset(), loop.reset())
    assert [info["puzzle_index"] for info in lanes.reset_infos][::2] == [2, 7]
    rng, num_ended = np.random.default_rng(0), 0
    for _ in range(60):
        mask = np.stack(lanes.env_method("action_masks"))
        np.testing.assert_array_equal(mask, np.stack(loop.env_method("action_masks")))
        actions = (mask * rng.random(mask.shape)).argmax(1)
        (*one, rows), (*other, others) = lanes.step(actions), loop.step(actions)
        for part, its_twin in zip(one, other, strict=True):
            assert_same(part, its_twin)
        for row, its_twin in zip(rows, others, strict=True):
            for info in (row, its_twin):
                info.get("episode", {}).pop("t", None)
            assert_same(row, its_twin)
            num_ended += "episode" in row
        for info, its_twin in zip(lanes.reset_infos, loop.reset_infos, strict=True):
            assert_same(info, its_twin)
    assert num_ended > 15
    _, length = sb3.common.evaluation.evaluate_policy(
        sb3.PPO("MultiInputPolicy", lanes, **SMALL), lanes, 5, return_episode_rewards=True
    )
    assert all(1 <= steps <= 8 for steps in length)


def assert_same(one, other):
    """Whether arrays, numbers, and dicts of them are equal, in dtype too."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            assert_same(one[name], other[name])
    else:
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(one, other)


def test_lanes_have_what_learners_ask_for():
    lanes = make_lanes("SlidingTile-v0", 3, render_mode="rgb_array")
    lanes.reset()
    assert lanes.has_attr("action_masks") and not lanes.has_attr("no_such_thing")
    assert lanes.get_attr("render_mode", indices=[0, 2]) == ["rgb_array"] * 2
    assert lanes.render("rgb_array").shape[-1] == 3
    assert lanes.env_method("render", indices=1)[0].dtype == np.uint8
    lanes.set_attr("label", "x")
    assert lanes.get_attr("label") == ["x"] * 3
    with pytest.raises(ValueError, match="label is shared"):
        lanes.set_attr("label", "y", indices=[0])
    with pytest.raises(ValueError, match="no method 'close' of their own"):
        lanes.env_method("close")
    lanes.close()
    assert lanes.envs.closed


def test_says_which_lanes_it_takes():
    sync = gymnasium.make_vec("CartPole-v1", 1, vectorization_mode="sync")
    with pytest.raises(ValueError, match="made by gymnasium.make_vec from an id of spatialjax"):
        PuzzleVecEnv(sync)
    with pytest.raises(ValueError, match="autoreset_mode is 'NextStep'"):
        make_lanes("SlidingTile-v0", 1, autoreset_mode="NextStep")

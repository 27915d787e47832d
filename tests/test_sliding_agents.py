"""Agents on the embedded benchmark boards, against what was measured on the published ones."""

import functools

import jax
import numpy as np
import oracle_sliding as oracle
import pytest

import spatialjax
from agents.random import RandomPolicy
from agents.sliding_evaluation import episode_records, play_episodes
from agents.sliding_network import SlidingNetwork
from agents.sliding_policies import GreedyPolicy, OptimalPolicy, RandomAnyPolicy
from spatialjax.sliding.generate import generate_sliding
from spatialjax.sliding.metrics import summarize
from spatialjax.sliding.sources import load_host_pack
from spatialjax.solvers.sliding_distances import exact_distances

SIDE = 4


@functools.cache
def made():
    return spatialjax.make("SlidingGeom-v0", split="test")


def played(policy):
    env, params = made()
    episodes = play_episodes(env, policy, params, (), jax.random.key(0))
    records = [record for record in episode_records(params, episodes) if record]
    assert len(records) == 300
    return {name: value.mean for name, value in summarize(records).items()}


def test_the_optimal_agent_has_no_regret():
    means = played(OptimalPolicy(SIDE))
    assert means["solved_optimally"] == 100 and means["step_deviation"] == 0
    assert means["effective"] == 6.5  # the mean of 2 to 11 moves


def test_random_agents_do_as_on_the_published_boards():
    """The specification's bands; one pass over 300 boards, so solved has some room."""
    valid, any_ = played(RandomPolicy()), played(RandomAnyPolicy())
    assert 0 <= valid["solved"] < 4 and 7.0 < valid["step_deviation"] < 8.1
    assert valid["occupied"] == valid["out_of_bounds"] == valid["no_such_geom"] == 0
    assert 0 <= any_["solved"] < 4 and 6.4 < any_["step_deviation"] < 7.2
    assert any_["occupied"] > 3 and any_["out_of_bounds"] > 3 and any_["no_such_geom"] == 0


def test_greed_is_better_than_chance_but_not_optimal():
    means = played(GreedyPolicy(SIDE))
    assert 60 < means["solved"] < 100


def test_exact_distances_of_visited_boards():
    configs = generate_sliding(1, seed=2, sizes=(3,), geoms=(2, 3), moves=(2, 3))
    env, params = spatialjax.make("SlidingGeom-v0", source=configs, capacity=(4, 5))
    episodes = jax.device_get(play_episodes(env, RandomPolicy(), params, (), jax.random.key(1)))
    for i, config in enumerate(configs):
        board = oracle.read_config(config)
        truth = oracle.distances_to(board["n"], oracle.arrangement(board, "goal"))
        visited = episodes.position[i, : episodes.length[i] + 1]
        found = exact_distances(params, np.full(len(visited), i, np.int32), visited)
        for position, distance in zip(visited, found, strict=True):
            points = tuple((int(c) % 4, int(c) // 4) for c in position if c >= 0)
            assert truth[points] == distance


@pytest.fixture(scope="module")
def network():
    env, params = made()
    network = SlidingNetwork(side=SIDE, width=8, depth=1, hidden=8)
    observation, episode = env.reset_to(200, params)
    mask = env.action_mask(episode, params)
    return network, network.init(jax.random.key(0), observation, mask), observation, mask


def test_the_network_does_not_care_for_slots(network):
    module, variables, observation, mask = network
    order = np.random.default_rng(0).permutation(len(observation["mask"]))
    shuffled = {name: x[order] if np.ndim(x) else x for name, x in observation.items()}
    logits, value = module.apply(variables, observation, mask)
    turned, same = module.apply(variables, shuffled, mask.reshape(-1, 4)[order].reshape(-1))
    np.testing.assert_allclose(logits.reshape(-1, 4)[order].reshape(-1), turned, atol=1e-5)
    np.testing.assert_allclose(value, same, atol=1e-5)


def test_the_network_does_not_care_for_padding(network):
    module, variables, observation, mask = network
    pack = load_host_pack("embedded", "geoms", "test", capacity=(5, 13))
    env, params = spatialjax.make("SlidingGeom-v0", source=pack)
    padded, episode = env.reset_to(200, params)
    wide = SlidingNetwork(side=5, width=8, depth=1, hidden=8)
    logits, value = module.apply(variables, observation, mask)
    found, same = wide.apply(variables, padded, env.action_mask(episode, params))
    assert found.shape == (52,)
    np.testing.assert_allclose(found[:44], logits, atol=1e-5)
    np.testing.assert_allclose(value, same, atol=1e-5)

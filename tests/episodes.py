"""Line-puzzle episodes, played in one batch and compared step by step with plain Python."""

import functools
import random
from collections import Counter

import chex
import jax
import jax.numpy as jnp
import numpy as np
from boards import random_record, solvable_record, transform
from oracle import MOVES
from oracle_env import SpatialGymOracle

from spatialjax.witness.lattice import unpack_path

NOT_ACTIONS = (-5, -1, 4, 99)


@functools.cache
def symmetric_records(count=10, seed=0):
    """Small boards with every solution listed, some of them none; row `k * count + i` is board `i`
    under symmetry `k`.
    """
    rng = random.Random(seed)
    sizes = [(2, 2), (3, 2), (2, 3), (3, 3), (1, 2)]
    records = []
    for i in range(count):
        if i % 5 == 4:
            record = random_record(rng, *sizes[i % 5], density=0.8, list_solutions=True)
        else:
            record = solvable_record(rng, *sizes[i % 5], list_solutions=True)[0]
        records.append(record)
    return [transform(record, k) for k in range(8) for record in records]


@functools.cache
def batched(env):
    """Return `reset_to`, `step_env` and `action_mask` of an environment over lanes, jitted."""
    return (
        jax.jit(jax.vmap(env.reset_to, (0, None))),
        jax.jit(jax.vmap(env.step_env, (None, 0, 0, None))),
        jax.jit(jax.vmap(env.action_mask, (0, None))),
    )


def play(envs, params, records, rows, seed, follow=0.95):
    """Play an episode a lane against the oracle, in all environments; return what happened.

    The environments pay as Spatial-Gym and differ in `success` alone. Every other lane keeps to a
    stored solution with probability `follow` at each step. One action in ten is drawn from all
    four and from `NOT_ACTIONS`.
    """
    env, rng, key = envs[0], random.Random(seed), jax.random.key(0)
    reset_to, step_env, action_mask = batched(env)
    oracles = [SpatialGymOracle(records[i], env.traceback, env.max_steps, True) for i in rows]
    shortest = [min(map(len, one.solutions), default=1) - 1 for one in oracles]
    invalid = np.zeros(len(rows), int)
    seen = Counter()
    _, episode = reset_to(jnp.array(rows, jnp.int32), params)
    over = [(False, False)] * len(rows)
    while not all(one.done for one in oracles):
        live = [not one.done for one in oracles]
        _compare_masks(np.asarray(action_mask(episode, params)), oracles)
        actions = [
            _choose(rng, one, follow if lane % 2 else 0.0) if live[lane] else rng.randrange(4)
            for lane, one in enumerate(oracles)
        ]
        chosen = jnp.array(actions, jnp.int32)
        out = step_env(key, episode, chosen, params)
        for other in envs[1:]:
            chex.assert_trees_all_equal(out, batched(other)[1](key, episode, chosen, params))
        _, episode, reward, terminated, info = jax.device_get(out)
        for lane, (one, action) in enumerate(zip(oracles, actions, strict=True)):
            name = records[rows[lane]]["id"]
            found = (reward[lane], terminated[lane], episode.truncated[lane])
            if not live[lane]:
                assert found == (0.0, *over[lane]), name
                continue
            is_legal = action in one.legal_actions()
            expected = one.step(action)[:3]
            assert found == (np.float32(expected[0]), *expected[1:]), name
            invalid[lane] += not is_legal
            seen["illegal"] += not is_legal
            if one.done:
                at_end, is_stored = one.path[-1] == one.board.end, one.path in one.solutions
                is_stuck = expected[1] and not at_end
                seen.update(solved=is_stored, failed=at_end and not is_stored)
                seen.update(stuck=is_stuck, late=expected[2])
                # Who may step back has a way on, except from a start without any.
                assert not (is_stuck and env.traceback) or len(one.path) == 1
        over = list(zip(terminated, episode.truncated, strict=True))
        solved = [one.path in one.solutions for one in oracles]
        np.testing.assert_array_equal(info["solved"], solved)
        np.testing.assert_array_equal(info["puzzle_index"], rows)
        np.testing.assert_array_equal(info["steps"], [one.steps for one in oracles])
        np.testing.assert_array_equal(info["path_length"], [len(one.path) - 1 for one in oracles])
        np.testing.assert_array_equal(info["optimal_length"], shortest)
        np.testing.assert_array_equal(info["invalid_actions"], invalid)
        assert not info["undecided"].any()
    for lane, one in enumerate(oracles):
        length = int(episode.state.length[lane])
        moves = [MOVES[action] for action in unpack_path(episode.state.path[lane], length)]
        assert moves == _steps(one.path)
    return seen


def _compare_masks(mask, oracles):
    assert mask.any(axis=1).all()
    for row, one in zip(mask, oracles, strict=True):
        if not one.done:
            assert np.flatnonzero(row).tolist() == (one.legal_actions() or [0, 1, 2, 3])


def _choose(rng, oracle, follow):
    """Return a stored solution's next action with probability `follow`, else a random one."""
    legal = oracle.legal_actions()
    if not legal or rng.random() < 0.1:
        return rng.choice((0, 1, 2, 3, *NOT_ACTIONS))
    length = len(oracle.path)
    continued = [one for one in oracle.solutions if one[:length] == oracle.path]
    if continued and rng.random() < follow:
        (x, y), (to_x, to_y) = oracle.path[-1], continued[0][length]
        return MOVES.index((to_x - x, to_y - y))
    return rng.choice(legal)


def _steps(path):
    return [(b[0] - a[0], b[1] - a[1]) for a, b in zip(path, path[1:], strict=False)]

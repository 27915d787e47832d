"""Demonstrations and the line network's flood fills, against plain Python."""

import random
from collections import deque

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pytest
from boards import solvable_record
from oracle import MOVES
from oracle_env import SpatialGymOracle

pytest.importorskip("flax", reason="needs the agents extra")

from agents.imitation import NEVER, draw, find_demonstrations
from agents.line_network import LineNetwork, move_features, reachable
from agents.networks import SymmetricPolicy
from spatialjax.witness import views
from spatialjax.witness.observations import Channel
from spatialjax.witness.pack import build_pack
from spatialjax.witness.symmetry import NUM_SYMMETRIES, transform


@pytest.fixture(scope="module")
def records():
    rng = random.Random(5)
    sizes = [(2, 2), (3, 2), (2, 3), (3, 3)] * 3
    return [solvable_record(rng, *size, interior=0.0, list_solutions=True)[0] for size in sizes]


@pytest.fixture(scope="module")
def data(records):
    pack = build_pack(records, (3, 3))
    params = pack.params("planes")
    return pack, params, find_demonstrations(pack, params)


def moves_of(path):
    return [MOVES.index((b[0] - a[0], b[1] - a[1])) for a, b in zip(path, path[1:], strict=False)]


def test_demonstrations_are_the_choices_on_stored_solutions(records, data):
    _, _, found = data
    expected = {}
    for index, record in enumerate(records):
        lines = [tuple(moves_of(path)) for path in oracle.stored_solutions(record)]
        for line in lines:
            env = SpatialGymOracle(record, traceback=False, max_steps=1000)
            for step, move in enumerate(line):
                legal = env.legal_actions()
                if len(legal) > 1:
                    good = {other[step] for other in lines if other[:step] == line[:step]}
                    expected[index, line, step] = (set(legal), good)
                env.step(move)
    seen = {}
    lines = {}
    for i in range(found.time.shape[0]):
        times = np.asarray(found.time[i])
        points = sorted((t, x, y) for (y, x), t in np.ndenumerate(times) if t != NEVER)
        lines[i] = tuple(moves_of([(x, y) for _, x, y in points]))
    for i, step in zip(found.solution.tolist(), found.step.tolist(), strict=True):
        sets = (set(np.flatnonzero(each[i, step]).tolist()) for each in (found.legal, found.good))
        seen[int(found.owner[i]), lines[i], step] = tuple(sets)
    assert seen == expected


def test_puzzles_are_drawn_equally_often(data):
    pack, _, found = data
    share = np.diff(np.asarray(found.share), prepend=0.0)
    of_puzzle = np.bincount(np.asarray(found.owner)[np.asarray(found.solution)], share, len(pack))
    np.testing.assert_allclose(of_puzzle[of_puzzle > 0], 1 / (of_puzzle > 0).sum(), rtol=1e-4)


def test_a_draw_is_a_state_on_a_solution_of_a_turned_board(records, data):
    """Its legal moves are those its planes show, its good moves those of that board's solutions."""
    _, params, found = data
    turned = build_pack(
        [transform(record, k) for record in records for k in range(NUM_SYMMETRIES)], (3, 3)
    )
    expected = {}
    for i, planes in enumerate(np.asarray(turned.params("planes").base_observation)):
        for moves in turned.solutions[i]:
            ((row, col),) = np.argwhere(planes[..., Channel.START]).tolist()
            line = {(row, col)}
            for move in moves.tolist():
                expected.setdefault(position(planes, line), set()).add(move)
                row, col = row + MOVES[move][1], col + MOVES[move][0]
                line.add((row, col))

    keys = jax.random.split(jax.random.key(0), 300)
    drawn = jax.jit(jax.vmap(draw, (0, None, None)))(keys, params, found)
    for planes, legal, good in zip(*map(np.asarray, drawn), strict=True):
        ((row, col),) = np.argwhere(planes[..., Channel.HEAD])
        usable = np.pad(planes[..., Channel.USABLE], 1)
        shown = [usable[1 + row + dy, 1 + col + dx] == 1 for dx, dy in MOVES]
        np.testing.assert_array_equal(legal, shown)
        line = set(map(tuple, np.argwhere(planes[..., Channel.LINE]).tolist()))
        assert set(np.flatnonzero(good).tolist()) == expected[position(planes, line)]


def position(planes, line):
    """Return what tells a line on a board from others, whatever the colours are called."""
    changing = (Channel.LINE, Channel.HEAD, Channel.USABLE, Channel.COLOR)
    return np.delete(planes, changing, axis=-1).tobytes(), frozenset(line)


def test_flood_fills(data):
    _, params, found = data
    keys = jax.random.split(jax.random.key(1), 100)
    planes = jax.jit(jax.vmap(draw, (0, None, None)))(keys, params, found)[0]
    fill, facts = np.asarray(reachable(planes)), np.asarray(move_features(planes))
    for planes_, fill_, facts_ in zip(np.asarray(planes), fill, facts, strict=True):
        everything = set()
        ((row, col),) = np.argwhere(planes_[..., Channel.HEAD]).tolist()
        missed = planes_[..., Channel.DOT].astype(bool) & (planes_[..., Channel.LINE] == 0)
        for action, (dx, dy) in enumerate(MOVES):
            reached = flood(planes_, (row + dy, col + dx))
            everything |= reached
            ends = {tuple(point) for point in np.argwhere(planes_[..., Channel.END]).tolist()}
            dots = {tuple(point) for point in np.argwhere(missed).tolist()}
            assert facts_[action] == bool(reached & ends)
            assert facts_[4 + action] == (dots - ends <= reached)
        assert {tuple(point) for point in np.argwhere(fill_).tolist()} == everything


def flood(planes, start):
    """Return the free points that can be reached from a free point without passing the end."""
    free = planes[..., Channel.USABLE]
    rows, cols = free.shape
    reached, queue = set(), deque([start])
    while queue:
        row, col = queue.popleft()
        inside = 0 <= row < rows and 0 <= col < cols
        if not inside or not free[row, col] or (row, col) in reached:
            continue
        reached.add((row, col))
        if not planes[row, col, Channel.END]:
            queue.extend((row + dy, col + dx) for dx, dy in MOVES)
    return reached


def test_symmetric_policy_turns_with_the_board(data):
    _, params, found = data
    network = LineNetwork(num_actions=4, width=8, depth=1, hidden=16)
    planes, legal, _ = draw(jax.random.key(3), params, found)
    variables = network.init(jax.random.key(0), planes, legal)
    # Larger weights, so that actions differ by more than rounding.
    variables = jax.tree.map(lambda p: 3.0 * p, variables)
    act = jax.jit(SymmetricPolicy(network).act)
    for seed in range(4):
        planes, legal, _ = draw(jax.random.key(seed), params, found)
        chosen = act(variables, planes, legal, jax.random.key(0))
        assert legal[chosen]
        for k in range(NUM_SYMMETRIES):
            names = views.turn_actions(jnp.int32(k))
            turned = views.turn_planes(planes, jnp.int32(k))
            turned_legal = jnp.zeros(4, bool).at[names].set(legal)
            assert act(variables, turned, turned_legal, jax.random.key(0)) == names[chosen]

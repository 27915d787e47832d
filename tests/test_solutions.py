"""The forest of stored solutions against plain dictionaries and lists."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from spatialjax.witness.solutions import advance, build_trie, is_stored, retreat
from spatialjax.witness.types import Trie

HAND_MADE = {
    "no puzzle": [],
    "one puzzle without solutions": [[]],
    "only puzzles without solutions": [[], [], []],
    "one move": [[[2]]],
    "a line of no move": [[[]], [[], [1]]],
    "one line a prefix of another": [[[0, 1, 2], [0, 1], [0, 1, 2, 3]]],
    "duplicates": [[[3, 3], [3, 3], [3]], [[3, 3], [3, 3]]],
    "equal lines of neighbours": [[[0, 0, 1]], [[0, 0, 1]], [], [[0, 0, 1]]],
    "no shared prefix": [[[0, 1], [1, 1], [2, 1], [3, 1]]],
    "not sorted": [[[3, 0], [0, 3], [3, 0, 0], [0]]],
}


def random_solutions(rng):
    """Lists over few letters, so that many begin alike."""
    return [
        [
            [rng.randrange(rng.randint(1, 4)) for _ in range(rng.randint(0, 12))]
            for _ in range(rng.choice((0, 1, 2, 20)))
        ]
        for _ in range(rng.randint(1, 8))
    ]


def as_arrays(solutions):
    return [[np.array(moves, np.int8) for moves in paths] for paths in solutions]


def plain_trie(paths):
    """Return a dictionary per node: action -> node, and None -> None where a path ends."""
    root = {}
    for moves in paths:
        node = root
        for action in moves:
            node = node.setdefault(action, {})
        node[None] = None
    return root


def assert_same(trie, node, plain):
    """Compare two tries below a node; return how many nodes they have."""
    assert trie.complete[node] == (None in plain)
    count = 1
    for action in range(4):
        child = int(trie.child[node, action])
        assert (child >= 0) == (action in plain)
        if child >= 0:
            assert trie.parent[child] == node
            count += assert_same(trie, child, plain[action])
    return count


def assert_right(solutions):
    trie = build_trie(as_arrays(solutions))
    count = 0
    for root, paths in zip(trie.root, solutions, strict=True):
        assert (root >= 0) == bool(paths)
        if paths:
            assert trie.parent[root] == -1
            count += assert_same(trie, int(root), plain_trie(paths))
    assert len(trie.parent) == len(trie.child) == len(trie.complete) == max(1, count)
    assert trie.root.dtype == trie.child.dtype == trie.parent.dtype == np.int32
    assert trie.complete.dtype == bool


@pytest.mark.parametrize("name", HAND_MADE)
def test_hand_made_tries(name):
    assert_right(HAND_MADE[name])


def test_random_tries():
    rng = random.Random(0)
    for _ in range(150):
        assert_right(random_solutions(rng))


def test_the_order_of_the_solutions_does_not_matter():
    rng = random.Random(1)
    for _ in range(20):
        solutions = random_solutions(rng)
        shuffled = [rng.sample(paths, len(paths)) for paths in solutions]
        for one, other in zip(
            jax.tree.leaves(build_trie(as_arrays(solutions))),
            jax.tree.leaves(build_trie(as_arrays(shuffled))),
            strict=True,
        ):
            np.testing.assert_array_equal(one, other)


@jax.jit
def walk(trie, node, astray, action, back):
    """Take one move forward or back in each lane; return node, astray and whether it is stored."""

    def one(node, astray, action, back):
        forward, backward = advance(trie, node, astray, action), retreat(trie, node, astray)
        node, astray = (jnp.where(back, b, f) for b, f in zip(backward, forward, strict=True))
        return node, astray, is_stored(trie, node, astray)

    return jax.vmap(one)(node, astray, action, back)


def test_walking_equals_reading_the_lists():
    """Random walks, mostly along a solution, forward and back; a fourth without solutions."""
    rng = random.Random(2)
    solutions = [
        [[rng.randrange(3) for _ in range(rng.randint(1, 20))] for _ in range(3 * (i % 4))]
        for i in range(40)
    ]
    trie = build_trie(as_arrays(solutions))
    on_device = jax.tree.map(jnp.asarray, trie)
    lines = [[] for _ in solutions]
    node, astray = trie.root, np.zeros(len(lines), np.int32)
    stored = 0
    for _ in range(250):
        backs = [bool(line) and rng.random() < 0.4 for line in lines]
        actions = [next_move(rng, *pair) for pair in zip(lines, solutions, strict=True)]
        for line, back, action in zip(lines, backs, actions, strict=True):
            line.pop() if back else line.append(action)
        node, astray, complete = jax.device_get(
            walk(on_device, node, astray, np.array(actions, np.int32), np.array(backs))
        )
        for lane, (line, paths) in enumerate(zip(lines, solutions, strict=True)):
            assert bool(complete[lane]) == (line in paths)
            stored += line in paths
            if not paths:
                assert node[lane] == -1 and astray[lane] == len(line)
                continue
            common = max(common_prefix(line, moves) for moves in paths)
            assert astray[lane] == len(line) - common
            assert node[lane] == node_of(trie, trie.root[lane], line[:common])
    assert stored > 50


def next_move(rng, line, paths):
    """Return the move after `line` in a solution that begins with it, or in one case of six any."""
    ahead = [moves[len(line)] for moves in paths if moves[: len(line)] == line != moves]
    return rng.choice(ahead) if ahead and rng.random() < 5 / 6 else rng.randrange(4)


def common_prefix(line, moves):
    pairs = zip(line, moves, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(line), len(moves)))


def node_of(trie, node, moves):
    for action in moves:
        node = trie.child[node, action]
    return node


@pytest.mark.parametrize("step", ["advance", "retreat", "is_stored"])
def test_a_step_costs_the_same_in_any_trie(step):
    """Nothing but the trie itself is as large as the trie, and nothing loops."""

    def operations(num_nodes):
        trie = Trie(
            root=jnp.zeros(5, jnp.int32),
            child=jnp.zeros((num_nodes, 4), jnp.int32),
            parent=jnp.zeros(num_nodes, jnp.int32),
            complete=jnp.zeros(num_nodes, bool),
        )
        zero = jnp.int32(0)
        functions = {
            "advance": lambda trie: advance(trie, zero, zero, zero),
            "retreat": lambda trie: retreat(trie, zero, zero),
            "is_stored": lambda trie: is_stored(trie, zero, zero),
        }
        jaxpr = jax.make_jaxpr(functions[step])(trie)
        assert all(var.aval.size <= 4 for eqn in jaxpr.eqns for var in eqn.outvars)
        names = [eqn.primitive.name for eqn in jaxpr.eqns]
        assert not {"while", "scan"} & set(names)
        return names

    assert operations(10) == operations(100_000)

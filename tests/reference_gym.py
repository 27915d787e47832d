"""Spatial-Gym as installed, played beside our drop-in, and every difference put to a known fault.

The rules are compared so: with all the repairs below, the reference must report exactly what ours
reports. Where it reports something else without them, each repair is left out in turn, and those
that were needed are the faults that this state shows.
"""

import copy
import importlib
import json
from collections import Counter
from dataclasses import replace

import numpy as np

TRANSPOSED = "polyomino matrices read transposed"
GAP_WALLS = "gaps as walls of regions"
CANCELLED = "ylops that cancel the polys refused"
EXTRA_PLANE = "an empty plane of a symbol of the record before"
REPAIRS = frozenset({TRANSPOSED, GAP_WALLS, CANCELLED, EXTRA_PLANE})
TOGETHER = "several of these faults together"
ERASED = "tokens erased by stepping back"

ADDED = {
    "puzzle_id",
    "success",
    "steps",
    "path_length",
    "optimality",
    "invalid_actions",
    "action_mask",
}
"""Keys of our infos that the reference does not have."""


def reference_module():
    """The module of the installed package; ImportError where it is absent."""
    return importlib.import_module("Spatial_Gym.Spatial_Gym")


class _Area(int):
    """An area that also equals 0, so that a region whose shapes cancel passes the count."""

    __hash__ = int.__hash__

    def __eq__(self, other):
        return int(self) == other or other == 0


class Reference:
    """The package over records at hand; `fresh` gives an instance that nobody has played on.

    The first record must not list a gap first: the package fails on that.
    """

    def __init__(self, records, **options):
        module = reference_module()

        class Repaired(module.Spatial_Gym):
            repairs = frozenset()

            def _extract_poly_instances(self):
                shapes = self.polyshapes
                if TRANSPOSED in self.repairs:
                    turned = {k: np.transpose(v).tolist() for k, v in shapes.items()}
                    self.polyshapes = turned
                return super()._extract_poly_instances()

            def _rule_poly_ylop_balance(self, regions):
                shapes = self.polyshapes
                if CANCELLED in self.repairs:
                    regions = [replace(region, area=_Area(region.area)) for region in regions]
                try:
                    return super()._rule_poly_ylop_balance(regions)
                finally:
                    self.polyshapes = shapes

            def _cell_index_grid2(self):
                if GAP_WALLS not in self.repairs:
                    return super()._cell_index_grid2()
                mask = self._cell_index_grid()
                for x, y in self.path:
                    mask[x, y] = True
                return mask

        load = module.load_dataset
        module.load_dataset = lambda *_, **__: _Loaded(records)
        try:
            self._whole = Repaired(**options)
        finally:
            module.load_dataset = load

    def fresh(self, index):
        """An instance whose next reset to puzzle `index` starts clean."""
        env = copy.copy(self._whole)
        env.puzzles = list(env.puzzles)
        env.puzzles[index] = env.puzzles[index] | {
            "obs_array": {k: v.copy() for k, v in env.puzzles[index]["obs_array"].items()}
        }
        return env


class _Loaded:
    def __init__(self, records):
        self.records = records

    def to_pandas(self):
        return importlib.import_module("pandas").DataFrame(self.records)


def compare_episode(reference, ours, index, record, rng, follow):
    """Play one episode in both; AssertionError where they differ for no known fault.

    One action in eight is any number; of the rest a share `follow` goes the way of a stored
    solution. Returns a counter: steps, ends, and the faults that came up.
    """
    theirs = reference.fresh(index)
    choice = {"puzzle_id": record["id"]}
    seen = Counter(episodes=1)
    observation, info = theirs.reset(options=choice)
    found, found_info = ours.reset(options=choice)
    left = set()
    _compare_spaces(theirs, ours, record)
    _compare_observations(observation, found, record, left, seen)
    _compare_infos(theirs, info, found_info, seen)
    done = False
    while not done:
        action = choose(rng, record, ours.path, info["legal_actions"], follow)
        before = list(theirs.path)
        observation, *outcome, info = theirs.step(action)
        found, *found_outcome, found_info = ours.step(action)
        assert outcome == found_outcome, record["id"]
        if len(theirs.path) < len(before):
            left.add(tuple(map(int, before[-1])))
            seen["steps back"] += 1
        _compare_observations(observation, found, record, left, seen)
        _compare_infos(theirs, info, found_info, seen)
        assert ours.observation_space.contains(found), record["id"]
        reward, terminated, truncated = outcome
        done = terminated or truncated
        seen.update(steps=1, solved=reward == 1, failed=terminated and reward == -1)
        seen.update(truncated=truncated, illegal=len(theirs.path) == len(before))
    assert found_info["success"] == (reward == 1)
    assert found_info["steps"] == found_info["current_step"]
    assert found_info["path_length"] == len(theirs.path) - 1
    assert found_info["puzzle_id"] == record["id"]
    return seen


def choose(rng, record, path, legal, follow):
    """An action as `compare_episode` plays them."""
    if not legal or rng.random() < 1 / 8:
        return rng.choice((0, 1, 2, 3, -1, 4, 99))
    if rng.random() < follow:
        length = len(path)
        for solution in record["solutions"]:
            points = [(point["x"], point["y"]) for point in solution["path"]]
            if points[:length] == path and len(points) > length:
                step = points[length][0] - path[-1][0], points[length][1] - path[-1][1]
                return ((1, 0), (0, -1), (-1, 0), (0, 1)).index(step)
    return rng.choice(legal)


def begins_with_gap(record):
    """Whether the first cell that the record's text lists is a gap."""
    text = record["text_visualization"]
    first = text.partition("properties:")[2].split()
    return first[:1] == ["gap:"]


def _compare_spaces(theirs, ours, record):
    assert theirs.action_space == ours.action_space
    space, own = theirs.observation_space, ours.observation_space
    if theirs.observation == "new" and set(space["base"]) != set(own["base"]):
        assert begins_with_gap(record) and len(set(space["base"]) - set(own["base"])) == 1
        assert all(space["base"][name] == own["base"][name] for name in own["base"])
        space, own = ({k: v for k, v in one.items() if k != "base"} for one in (space, own))
    assert space == own, record["id"]


def _compare_observations(theirs, ours, record, left, seen):
    if isinstance(theirs, str):
        wanted, found = json.loads(theirs), json.loads(ours)
        for x, y in left:
            token = record["puzzle_array"][y][x]
            if wanted[y][x] == "+" and token != "+":
                assert found[y][x] == token
                wanted[y][x] = token
                seen[f"{ERASED} in an observation"] += 1
        assert json.dumps(wanted, separators=(",", ":")) == ours, record["id"]
        return
    for key in ("color", "additional_info"):
        _assert_same(theirs[key], ours[key])
    extra = set(theirs["base"]) - set(ours["base"])
    if extra:
        (name,) = extra
        assert begins_with_gap(record) and not theirs["base"][name].any()
        seen[f"{EXTRA_PLANE} in an observation"] += 1
    assert set(theirs) == set(ours) and set(ours["base"]) <= set(theirs["base"])
    for name, plane in ours["base"].items():
        _assert_same(theirs["base"][name], plane)


def _assert_same(theirs, ours):
    assert theirs.dtype == ours.dtype
    np.testing.assert_array_equal(theirs, ours)


def _compare_infos(env, theirs, ours, seen):
    assert set(ours) == set(theirs) | ADDED
    _assert_same(theirs["agent_location"], ours["agent_location"])
    np.testing.assert_array_equal(np.flatnonzero(ours["action_mask"]), theirs["legal_actions"])
    for key in set(theirs) - {"agent_location", "rule_status"}:
        assert theirs[key] == ours[key], key
    report = ours["rule_status"]
    seen["states"] += 1
    if theirs["rule_status"] == report:
        return
    assert _status(env, REPAIRS) == report
    needed = [fault for fault in REPAIRS if _status(env, REPAIRS - {fault}) != report]
    seen.update(f"{fault} in a report" for fault in needed or [TOGETHER])
    seen["states with another report"] += 1


def _status(env, repairs):
    planes = env.obs_array
    if EXTRA_PLANE in repairs:
        env.obs_array = {name: one for name, one in planes.items() if one.any()}
    env.repairs = repairs
    try:
        return env._validate_rules()
    finally:
        env.repairs, env.obs_array = frozenset(), planes

"""The embedded packs: whole, checked, distinct, valid, and made again the same."""

import itertools
import json
import random
from importlib import resources

import oracle
import pytest

from spatialjax.data import embedded
from spatialjax.data.embedded import load_embedded, manifest, pack_records, unpack_records
from spatialjax.witness.pack import build_pack, load_pack
from spatialjax.witness.sources import load_host_pack

PACKS = sorted(manifest()["packs"])


@pytest.fixture(scope="module")
def packs():
    return {name: load_embedded(*name.split("/")) for name in PACKS}


def test_counts(packs):
    expected = {"all/train": 4000, "all/validation": 500, "all/test": 1000}
    mixes = ["dots", "gaps", "stones", "stars", "triangles", "polys", "polys_ylops"]
    mixes += ["stones_stars", "gaps_dots_triangles", "dots_stars_polys"]
    expected |= {f"{mix}/test": 200 for mix in mixes}
    assert {name: len(records) for name, records in packs.items()} == expected
    assert {name: pack["puzzles"] for name, pack in manifest()["packs"].items()} == expected


def test_wheel_share_is_small():
    files = [file for file in resources.files(embedded).iterdir() if file.is_file()]
    assert {f"{name.replace('/', '-')}.npz" for name in PACKS} <= {file.name for file in files}
    assert sum(len(file.read_bytes()) for file in files) < 6_000_000


def test_ids_and_boards_are_distinct_within_and_between_packs(packs):
    from spatialjax.witness.symmetry import canonical_key

    records = list(itertools.chain.from_iterable(packs.values()))
    ids = {record["id"] for record in records}
    assert len(ids) == len(records)
    rng = random.Random(0)
    sample = rng.sample(records, 1500)
    assert len({canonical_key(record) for record in sample}) == len(sample)


def test_stored_solutions_solve_and_scores_fit(packs):
    rng = random.Random(1)
    for name, records in packs.items():
        for record in rng.sample(records, 25):
            assert 1 <= record["solution_count"] == len(record["solutions"]) <= 50, name
            for path in oracle.stored_solutions(record)[:5]:
                assert oracle.check(record, path)["solved"], (name, record["id"])
            score, level = oracle.difficulty(record)
            assert record["difficulty_score"] == pytest.approx(score, abs=1e-9)
            assert record["difficulty_level"] == level


def test_small_boards_list_every_solution(packs):
    small = [r for r in packs["all/test"] if r["grid_size"]["width"] * r["grid_size"]["height"] < 9]
    for record in random.Random(2).sample(small, 40):
        assert oracle.stored_solutions(record) == oracle.solve(record)


def test_every_kind_is_met(packs):
    text = json.dumps([record["puzzle_array"] for record in packs["all/train"]])
    for token in ('"."', '"G"', '"o-', '"*-', '"A-', '"B-', '"C-', '"D-', '"P-', '"Y-'):
        assert text.count(token) > 20, token


def test_beginning_is_made_again_the_same(packs):
    pytest.importorskip("numba", reason="the generator needs the extra `solve`")
    from spatialjax.data.embedded.build import SEED
    from spatialjax.witness.generator import VERSION, generate

    assert manifest()["version"] == VERSION and manifest()["seed"] == SEED
    first = packs["all/train"][:40]
    assert pack_records(generate(40, seed=SEED)) == pack_records(first)
    assert unpack_records(pack_records(first)) == first
    for mix in ("stones", "triangles", "dots_stars_polys"):
        assert generate(3, seed=SEED, rules=mix) == packs[f"{mix}/test"][:3], mix


def test_build_leaves_whole_files_and_no_parts(monkeypatch, tmp_path, packs):
    pytest.importorskip("numba", reason="the generator needs the extra `solve`")
    from spatialjax.data.embedded import build

    monkeypatch.setattr(build, "SPLITS", {"train": 4, "test": 2})
    monkeypatch.setattr(build, "MIX_COUNT", 2)
    monkeypatch.setattr(build, "MIXES", ("all", "stones"))
    build.build_embedded(tmp_path, tmp_path / "parts")
    names = ["all-train", "all-test", "stones-test"]
    files = {f"{name}.{suffix}" for name in names for suffix in ("jsonl.xz", "npz")}
    assert {file.name for file in tmp_path.iterdir()} == files | {"manifest.json", "datasheet.md"}
    assert unpack_records((tmp_path / "all-train.jsonl.xz").read_bytes()) == packs["all/train"][:4]
    assert unpack_records((tmp_path / "all-test.jsonl.xz").read_bytes()) == packs["all/train"][4:6]
    assert load_pack(tmp_path / "stones-test.npz").hash == build_pack(packs["stones/test"][:2]).hash


@pytest.mark.parametrize(("subset", "split"), [("all", "dev"), ("nothing", "test")])
def test_unknown_pack_lists_what_there_is(subset, split):
    with pytest.raises(ValueError, match="all/train.*all/validation"):
        load_embedded(subset, split)


def test_damaged_file_is_refused(monkeypatch):
    packs = {name: pack | {"sha256": "0" * 64} for name, pack in manifest()["packs"].items()}
    monkeypatch.setattr(embedded, "manifest", lambda: {"packs": packs})
    with pytest.raises(ValueError, match="differs from its hash"):
        load_embedded("all", "validation")


def test_built_packs_are_those_of_the_records():
    """The `.npz` files hold what a pack of the shipped records would."""
    for name in ("all/validation", "polys_ylops/test", "dots/test"):
        subset, split = name.split("/")
        built = build_pack(load_embedded(subset, split))
        shipped = load_host_pack("embedded", subset, split)
        assert shipped.hash == built.hash
        assert load_host_pack("embedded", subset, split, capacity=(7, 8)).hash == built.hash

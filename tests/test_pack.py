"""Packs on the host: stacking, the content hash, files that are whole or refused."""

import dataclasses
import io
import json
import os
import random
import shutil
import stat
import zipfile

import jax
import numpy as np
import pytest
from boards import draw, perturb_record, random_record, solvable_record, with_solutions
from oracle import read_board, stored_solutions

import spatialjax
from spatialjax.data.npz import save_npz
from spatialjax.errors import PuzzleError
from spatialjax.witness.encode import encode_record
from spatialjax.witness.pack import FORMAT, HostPack, build_pack, load_pack
from spatialjax.witness.types import Puzzle


def some_records(seed=0):
    """Six records of different sizes, the first three with solutions."""
    rng = random.Random(seed)
    sizes = [(2, 2), (3, 1), (1, 3), (4, 3), (2, 5), (6, 6)]
    solvable = [solvable_record(rng, *size, list_solutions=True)[0] for size in sizes[:3]]
    return solvable + [random_record(rng, *size, density=0.7) for size in sizes[3:]]


@pytest.fixture(scope="module")
def records():
    return some_records()


@pytest.fixture(scope="module")
def pack(records):
    return build_pack(records)


@pytest.fixture
def saved(pack, tmp_path):
    pack.save(tmp_path / "pack.npz")
    return tmp_path / "pack.npz"


def assert_equal(one: HostPack, other: HostPack):
    assert one.ids == other.ids
    for field in dataclasses.fields(Puzzle):
        a, b = getattr(one.puzzles, field.name), getattr(other.puzzles, field.name)
        assert a.dtype == b.dtype, field.name
        np.testing.assert_array_equal(a, b, err_msg=field.name)
    assert [len(paths) for paths in one.solutions] == [len(paths) for paths in other.solutions]
    for a, b in zip(sum(one.solutions, ()), sum(other.solutions, ()), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


# ---- stacking ----


def test_mixed_sizes_are_padded_to_the_largest(records, pack):
    assert len(pack) == len(records) and pack.ids == tuple(r["id"] for r in records)
    height, width, num_shapes = pack.capacity
    assert (height, width) == (6, 6)
    assert num_shapes == max(
        sum(bool(s.shape) for s in read_board(r).symbols.values()) for r in records
    )
    for i, record in enumerate(records):
        alone = encode_record(record, pack.capacity)
        for field in dataclasses.fields(Puzzle):
            if field.name not in ("level", "optimal_length"):
                row = getattr(pack.puzzles, field.name)[i]
                np.testing.assert_array_equal(row, getattr(alone, field.name))
        lengths = [len(path) - 1 for path in stored_solutions(record)]
        assert pack.puzzles.level[i] == record["difficulty_level"]
        assert pack.puzzles.optimal_length[i] == min(lengths, default=0)
        assert sorted(map(len, pack.solutions[i])) == sorted(lengths)
    assert pack.unsolved() == [r["id"] for r in records if not r["solutions"]]


def test_optional_fields_may_be_absent(records):
    bare = {
        key: value
        for key, value in records[0].items()
        if key not in ("difficulty_level", "difficulty_score", "solutions", "solution_count")
    }
    pack = build_pack([bare])
    assert pack.puzzles.level[0] == 0 and pack.puzzles.optimal_length[0] == 0
    assert pack.unsolved() == [bare["id"]]


def test_a_given_capacity_pads_further(records):
    pack = build_pack(records[:2], capacity=(4, 7))
    assert pack.capacity[:2] == (4, 7)
    assert pack.puzzles.dot.shape == (2, 9, 15) and pack.puzzles.kind.shape == (2, 4, 7)


def test_what_does_not_fit_names_the_record(records):
    with pytest.raises(PuzzleError, match=f"record '{records[3]['id']}': .*4 x 3 cells"):
        build_pack(records, capacity=(3, 3))
    with pytest.raises(PuzzleError, match="capacity 9 x 6 cells is too large: at most 8 x 8"):
        build_pack(records, capacity=(6, 9))
    with pytest.raises(PuzzleError, match="at least one puzzle"):
        build_pack([])


@pytest.mark.parametrize("capacity", [5, (5,), (5, 0), (5, -1), (5, 2.0), "55", (True, 5), ()])
def test_a_capacity_is_a_pair_of_sides(records, pack, capacity):
    with pytest.raises(ValueError, match="it must be the height and width in cells"):
        build_pack(records, capacity=capacity)
    with pytest.raises(ValueError, match="it must be the height and width in cells"):
        spatialjax.make("Witness-v0", source=pack, capacity=capacity)


# ---- the content hash ----


def test_the_hash_does_not_see_padding(records):
    pack = build_pack(records[:3])
    assert build_pack(records[:3], capacity=(6, 8)).hash == pack.hash
    shapes = {
        field.name: getattr(pack.puzzles, field.name)
        for field in dataclasses.fields(Puzzle)
        if field.name.startswith("shape_")
    }
    padded = {
        name: np.pad(
            value,
            [(0, 0), (0, 3)] + [(0, 0)] * (value.ndim - 2),
            constant_values=-1 if name == "shape_cell" else 0,
        )
        for name, value in shapes.items()
    }
    more_slots = dataclasses.replace(pack, puzzles=pack.puzzles.replace(**padded))
    assert more_slots.capacity[2] == pack.capacity[2] + 3 and more_slots.hash == pack.hash


def test_the_hash_does_not_see_the_order_of_solutions(records):
    backwards = [with_solutions(r, stored_solutions(r)[::-1]) for r in records[:3]]
    assert any(len(r["solutions"]) > 1 for r in backwards)
    assert build_pack(backwards).hash == build_pack(records[:3]).hash


def test_the_hash_sees_every_change_of_content(records):
    rng = random.Random(1)
    first, *rest = sorted(records[:3], key=lambda record: -record["solution_count"])
    level = first["difficulty_level"] % 5 + 1
    variants = [
        [first, *rest],
        [*rest, first],
        [first],
        [first, *rest, rest[0]],
        [{**first, "id": "another"}, *rest],
        [{**first, "difficulty_level": level}, *rest],
        [with_solutions(first, []), *rest],
        [with_solutions(first, stored_solutions(first)[1:]), *rest],
    ]
    hashes = [build_pack(variant).hash for variant in variants]
    assert len(set(hashes)) == len(variants)
    for record in records:
        for _ in range(20):
            changed = perturb_record(rng, record)
            original = with_solutions(record, [])
            original |= {name: changed[name] for name in ("id", "difficulty_level")}
            is_same = read_board(changed) == read_board(original)
            assert (build_pack([changed]).hash == build_pack([original]).hash) == is_same


def test_the_hash_sees_hidden_dots_start_and_end():
    picture = "S + +\n+ N +\n+ + E"
    one = build_pack([draw(picture)])
    hidden = build_pack([draw(picture, hidden_dots=[(0, 0)])])
    swapped = build_pack([draw(picture.replace("S", "x").replace("E", "S").replace("x", "E"))])
    assert len({one.hash, hidden.hash, swapped.hash}) == 3


# ---- files ----


def test_a_file_brings_back_the_pack(pack, saved):
    loaded = load_pack(saved)
    assert_equal(loaded, pack)
    assert loaded.hash == pack.hash
    loaded.save(saved)
    assert_equal(load_pack(saved), pack)


def test_a_pack_without_solutions_or_shapes_survives(tmp_path):
    pack = build_pack([draw("S + +\n+ N +\n+ + E")] * 2)
    pack.save(tmp_path / "plain.npz")
    assert_equal(load_pack(tmp_path / "plain.npz"), pack)


def test_a_file_needs_no_pickle_and_has_plain_permissions(saved):
    with np.load(saved, allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)
    plain = saved.with_name("plain")
    plain.touch()
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_the_name_needs_no_suffix(pack, tmp_path):
    pack.save(str(tmp_path / "pack.bin"))
    assert [path.name for path in tmp_path.iterdir()] == ["pack.bin"]
    assert_equal(load_pack(str(tmp_path / "pack.bin")), pack)


@pytest.mark.parametrize("fault", ["while writing", "while moving"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(pack, saved, monkeypatch, fault):
    before = saved.read_bytes()

    def write_half(file, **arrays):
        with open(file, "wb") as opened:
            opened.write(b"half")
        raise OSError("no space left")

    def refuse(*paths):
        raise OSError("no space left")

    if fault == "while writing":
        monkeypatch.setattr(np, "savez_compressed", write_half)
    else:
        monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no space left"):
        pack.save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def refused_or_equal(path, pack):
    """Whether the file is refused; if not, it must hold the very pack."""
    try:
        assert_equal(load_pack(path), pack)
    except PuzzleError as error:
        assert str(path) in str(error)
        return True
    return False


def test_flipped_bits_are_refused(pack, saved):
    rng = random.Random(2)
    whole = saved.read_bytes()
    refused = 0
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(rng.choice((1, 1, 8))):
            damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        saved.write_bytes(damaged)
        refused += refused_or_equal(saved, pack)
    assert refused > 200


def test_truncated_files_are_refused(pack, saved):
    whole = saved.read_bytes()
    for length in range(0, len(whole), max(1, len(whole) // 80)):
        saved.write_bytes(whole[:length])
        assert refused_or_equal(saved, pack), length


def arrays_of(path):
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


def test_changed_arrays_are_refused(pack, saved):
    """Whole zip files that a program wrote, with one array changed, renamed, missing or added."""
    arrays = arrays_of(saved)
    for name, array in arrays.items():
        flat = array.reshape(-1).copy()
        flat[0] = "x" if array.dtype.kind == "U" else flat[0] ^ 1
        variants = [
            {**arrays, name: flat.reshape(array.shape)},
            {**arrays, name: array[None]},
            {**arrays, name: array.astype(object)},
            {**arrays, name: np.zeros(0)},
            {key: value for key, value in arrays.items() if key != name},
            {**arrays, f"{name}_more": array},
        ]
        for variant in variants:
            np.savez(saved, **variant)
            assert refused_or_equal(saved, pack), name


def as_npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def as_npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def as_zip():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("hello.txt", "hello")
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK",
        b"no pack at all",
        as_zip(),
        as_npy(np.arange(3)),
        as_npy(np.array([{}], object)),
        as_npz(),
        as_npz(a=np.arange(3)),
        as_npz(format=np.array(1)),
        as_npz(format=np.array([{}], object)),
        as_npz(format=np.array([1, 2])),
        as_npz(format=np.array("one")),
        json.dumps([draw("S + +\n+ N +\n+ + E")]).encode(),
    ],
)
def test_foreign_files_are_refused(tmp_path, content):
    path = tmp_path / "foreign.npz"
    path.write_bytes(content)
    with pytest.raises(PuzzleError, match="foreign.npz: not a readable pack file"):
        load_pack(path)


def test_another_format_is_named(saved):
    np.savez(saved, **(arrays_of(saved) | {"format": np.array(2)}))
    with pytest.raises(PuzzleError, match="pack format 2, expected 1"):
        load_pack(saved)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: {"ids": a["ids"][:-1]},
        lambda a: {"ids": np.arange(len(a["ids"]))},
        lambda a: {"puzzle_kind": a["puzzle_kind"].astype(np.float32)},
        lambda a: {"puzzle_dot": a["puzzle_dot"][:, :-1]},
        lambda a: {"puzzle_start": a["puzzle_start"][:, None]},
        lambda a: {"solution_counts": a["solution_counts"] + 1},
        lambda a: {"solution_lengths": a["solution_lengths"] + 1},
        lambda a: {"solution_moves": a["solution_moves"] + np.int8(4)},
        lambda a: {name: array[:0] for name, array in a.items() if array.ndim},
    ],
)
def test_arrays_that_make_no_pack_are_refused(saved, change):
    """Files whose checksum is right: whoever wrote them followed the format but in part."""
    arrays = arrays_of(saved)
    arrays = {n: a for n, a in arrays.items() if n not in ("format", "checksum")} | change(arrays)
    save_npz(saved, FORMAT, arrays)
    with pytest.raises(PuzzleError, match="not a readable pack file: ValueError: "):
        load_pack(saved)


def test_a_folder_or_nothing_is_refused(tmp_path):
    (tmp_path / "folder.npz").mkdir()
    for name in ("folder.npz", "missing.npz", "no/such/folder/pack.npz"):
        with pytest.raises(PuzzleError, match=name):
            load_pack(tmp_path / name)


# ---- from any source to params ----


def test_every_source_makes_the_same_params(tmp_path):
    """Records without solutions, as those of a file are judged, which takes a while."""
    records = [with_solutions(record, []) for record in some_records()]
    (tmp_path / "records.jsonl").write_text("\n".join(map(json.dumps, records)))
    pack = build_pack(records)
    pack.save(tmp_path / "pack.npz")
    sources = [
        records,
        tuple(records),
        pack,
        tmp_path / "pack.npz",
        str(tmp_path / "pack.npz"),
        shutil.copy(tmp_path / "pack.npz", tmp_path / "copy.NPZ"),
        tmp_path / "records.jsonl",
        str(tmp_path / "records.jsonl"),
    ]
    made = [spatialjax.make("Witness-v0", source=source) for source in sources]
    assert len({env for env, _ in made}) == 1
    for _, params in made[1:]:
        for one, other in zip(jax.tree.leaves(made[0][1]), jax.tree.leaves(params), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


def test_a_capacity_reaches_the_pack(records, pack, saved):
    _, params = spatialjax.make("Witness-v0", source=records, capacity=(7, 8))
    assert params.puzzles.kind.shape == (len(records), 7, 8)
    _, params = spatialjax.make("Witness-v0", source=pack, capacity=(6, 6))
    assert params.puzzles.kind.shape == (len(records), 6, 6)
    for source in (pack, saved):
        with pytest.raises(ValueError, match=r"capacity is \(7, 8\), but .* built for \(6, 6\)"):
            spatialjax.make("Witness-v0", source=source, capacity=(7, 8))


@pytest.mark.parametrize("source", [None, 3, b"embedded", draw("S + +\n+ N +\n+ + E")])
def test_what_is_no_source_is_refused(source):
    with pytest.raises(
        PuzzleError, match="record 0|source is .* it must be a name, a path, a list"
    ):
        spatialjax.make("Witness-v0", source=source)


def test_records_at_hand_have_ids_of_their_own(records):
    again = [*records, records[0]]
    with pytest.raises(
        PuzzleError, match=rf"record {len(records)}: id .* and record 0 has the sam"
    ):
        spatialjax.make("Witness-v0", source=again)


def test_packs_compare_and_hash_as_objects(records, pack):
    assert pack != build_pack(records) and pack == pack and {pack: 1}[pack] == 1


def test_a_missing_file_is_named(tmp_path):
    for name in ("missing.npz", "missing.jsonl"):
        with pytest.raises(PuzzleError, match=name):
            spatialjax.make("Witness-v0", source=tmp_path / name)

"""Sliding puzzles as arrays: encoding and back, packs, their hash, files and sources."""

import dataclasses
import json
import random

import jax
import numpy as np
import pytest
from sliding_boards import EXAMPLE, base_configs, changed, make_config, random_config

from spatialjax.data.sliding import config_board
from spatialjax.errors import PuzzleError
from spatialjax.sliding.encode import decode_board, encode_board
from spatialjax.sliding.pack import HostPack, build_pack, load_pack
from spatialjax.sliding.sources import load_host_pack
from spatialjax.sliding.types import COLORS, SHAPES, TILE, Puzzle
from spatialjax.witness.pack import load_pack as load_line_pack


def some_configs():
    return [c | {"config_instance_id": f"board {i}"} for i, c in enumerate(base_configs())]


@pytest.fixture(scope="module")
def configs():
    return some_configs()


@pytest.fixture(scope="module")
def pack(configs):
    return build_pack(configs)


def assert_equal(one: HostPack, other: HostPack):
    assert one.ids == other.ids and one.side == other.side
    for field in dataclasses.fields(Puzzle):
        a, b = getattr(one.puzzles, field.name), getattr(other.puzzles, field.name)
        assert a.dtype == b.dtype, field.name
        np.testing.assert_array_equal(a, b, err_msg=field.name)


# ---- encoding ----


def test_every_field_by_hand():
    puzzle = encode_board(config_board(EXAMPLE), 5, 3, optimal_length=3)
    expected = {
        "size": 4, "num_geoms": 2, "start": [0, 1, -1], "goal": [2, 6, -1],
        "shape": [SHAPES.index("cube"), SHAPES.index("sphere"), -1],
        "color": [COLORS.index("red"), COLORS.index("blue"), -1], "optimal_length": 3,
    }  # fmt: skip
    for name, value in expected.items():
        dtype = np.int8 if isinstance(value, list) else np.int32
        np.testing.assert_array_equal(getattr(puzzle, name), np.array(value, dtype), strict=True)


def test_tiles_have_a_code_of_their_own():
    board = config_board(random_config(random.Random(3), 8, 63, tiles=True))
    puzzle = encode_board(board, 8, 63)
    assert (puzzle.shape == TILE).all() and puzzle.start.max() == 63
    assert sorted({*range(64)} - {*puzzle.goal.tolist()}) == [
        x + 8 * y for x in range(8) for y in range(8) if (x, y) not in board.goals
    ]


def test_decoding_brings_back_the_board(configs, pack):
    for config in configs:
        board = config_board(config)
        for side, num_geoms in [(board.size, len(board)), (8, 40)]:
            puzzle = encode_board(board, side, num_geoms)
            assert decode_board(puzzle, side) == board
            assert decode_board(puzzle, side, puzzle.goal) == board.at_goal()
    on_device = jax.tree.map(lambda field: field[0], pack.params().puzzles)
    assert decode_board(on_device, pack.side) == config_board(configs[0])


# ---- stacking ----


def test_mixed_sizes_are_padded_to_the_largest(configs, pack):
    assert pack.ids == tuple(c["config_instance_id"] for c in configs) and len(pack) == len(configs)
    assert pack.capacity == (8, 12)
    for i, config in enumerate(configs):
        assert pack.board(i) == config_board(config)
        assert pack.puzzles.optimal_length[i] == config.get("complexity_c1", 0)


def test_a_length_comes_from_the_solution_if_need_be():
    assert build_pack([changed(complexity_c1=KeyError)]).puzzles.optimal_length[0] == 3


def test_params_number_the_cells_as_the_puzzles_do(pack):
    params = pack.params()
    assert params.cells.dtype == np.int8 and params.cells.shape == (8, 8)
    for i in range(len(pack)):
        for (x, y), cell in zip(pack.board(i).positions, params.puzzles.start[i], strict=False):
            assert params.cells[y, x] == cell
    for field in dataclasses.fields(Puzzle):
        one, other = getattr(params.puzzles, field.name), getattr(pack.puzzles, field.name)
        assert isinstance(one, jax.Array)
        np.testing.assert_array_equal(one, other, strict=True)


def test_what_does_not_fit_names_the_config(configs):
    with pytest.raises(PuzzleError, match=r"config 'board 5': a board of 5 x 5 cells with 12 geo"):
        build_pack(configs[4:6], capacity=(4, 12))
    with pytest.raises(PuzzleError, match=r"does not fit the capacity of 5 x 5 cells and 11 geoms"):
        build_pack(configs[4:6], capacity=(5, 11))
    with pytest.raises(PuzzleError, match="capacity 9 x 9 cells is too large: at most 8 x 8"):
        build_pack(configs, capacity=(9, 12))
    with pytest.raises(PuzzleError, match="at least one puzzle"):
        build_pack([])


@pytest.mark.parametrize("capacity", [5, (5,), (5, 0), (5, -1), (5, 2.0), "55", (True, 5), ()])
def test_a_capacity_is_a_pair(configs, pack, capacity):
    for source in (configs, pack):
        with pytest.raises(ValueError, match="it must be the cells along the side and the number"):
            load_host_pack(source, capacity=capacity)


# ---- the content hash ----


def test_the_hash_does_not_see_padding(configs):
    packs = [build_pack(configs[:3], capacity) for capacity in (None, (5, 9), (8, 63))]
    assert len({pack.hash for pack in packs}) == 1


def test_the_hash_sees_every_change_of_content(configs):
    first, *rest = configs[:3]
    geoms = [("red", "cube", (0, 0), (2, 0)), ("blue", "sphere", (1, 0), (1, 1))]
    variants = [
        [first, *rest],
        [*rest, first],
        [first],
        [first, *rest, first],
        [first | {"config_instance_id": "another"}, *rest],
        [changed(first, complexity_c1=KeyError, shortest_move_sequence=KeyError), *rest],
        *([make_config(4, geoms[::step])] for step in (1, -1)),
        [make_config(5, geoms)],
        [make_config(4, geoms[:1])],
        [make_config(4, [("red", "cube", (0, 1), (2, 0)), geoms[1]])],
        [make_config(4, [("red", "cube", (0, 0), (2, 1)), geoms[1]])],
        [make_config(4, [("red", "cone", (0, 0), (2, 0)), geoms[1]])],
        [make_config(4, [("green", "cube", (0, 0), (2, 0)), geoms[1]])],
        [make_config(4, [(color, "tile", *cells) for color, _, *cells in geoms])],
    ]
    assert len({build_pack(variant).hash for variant in variants}) == len(variants)


# ---- files and sources ----


def test_a_file_brings_back_the_pack(pack, tmp_path):
    path = tmp_path / "pack.npz"
    pack.save(path)
    loaded = load_pack(path)
    assert_equal(loaded, pack)
    assert loaded.hash == pack.hash
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)


def test_damaged_and_foreign_files_are_refused(pack, tmp_path):
    path = tmp_path / "pack.npz"
    pack.save(path)
    with np.load(path) as file:
        arrays = dict(file)
    for name, array in arrays.items():
        flat = array.reshape(-1).copy()
        flat[0] = "x" if array.dtype.kind == "U" else flat[0] ^ 1
        np.savez(path, **(arrays | {name: flat.reshape(array.shape)}))
        with pytest.raises(PuzzleError, match="pack.npz"):
            load_pack(path)
    whole = tmp_path / "whole.npz"
    pack.save(whole)
    with pytest.raises(PuzzleError, match="whole.npz: not a readable pack file"):
        load_line_pack(whole)
    whole.write_bytes(whole.read_bytes()[:500])
    with pytest.raises(PuzzleError, match="whole.npz: not a readable pack file"):
        load_pack(whole)
    with pytest.raises(PuzzleError, match="missing.npz: there is no such file"):
        load_pack(tmp_path / "missing.npz")


def test_every_source_makes_the_same_pack(configs, pack, tmp_path):
    for i, config in enumerate(configs):
        (tmp_path / f"{i}.json").write_text(json.dumps(config))
    pack.save(tmp_path / "pack.npz")
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "all.jsonl").write_text("\n".join(map(json.dumps, configs)))
    sources = [
        configs,
        tuple(configs),
        pack,
        tmp_path,
        str(tmp_path),
        tmp_path / "pack.npz",
        str(tmp_path / "pack.npz"),
        tmp_path / "all" / "all.jsonl",
    ]
    for source in sources:
        assert_equal(load_host_pack(source), pack)
    assert load_host_pack(configs, capacity=(8, 20)).capacity == (8, 20)
    assert load_host_pack(pack, capacity=(8, 12)) is pack
    for source in (pack, tmp_path / "pack.npz"):
        with pytest.raises(ValueError, match=r"capacity is \(8, 20\), but .* built for \(8, 12\)"):
            load_host_pack(source, capacity=(8, 20))


def test_configs_of_any_source_are_validated(tmp_path):
    with pytest.raises(PuzzleError, match="config 0 .*: grid_size is 9"):
        load_host_pack([changed(grid_size=9)])
    for name in ("missing.npz", "missing.json", "missing"):
        with pytest.raises(PuzzleError, match=name):
            load_host_pack(tmp_path / name)

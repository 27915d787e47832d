"""Config files of sliding puzzles: read from anywhere, written whole or not at all."""

import json
import os

import pytest
from sliding_boards import EXAMPLE, base_configs, changed, published_files

from spatialjax.data.sliding_files import load_configs, write_configs
from spatialjax.errors import PuzzleError


def named(*ids):
    return [changed(config_instance_id=name) for name in ids]


def refusal(source):
    with pytest.raises(PuzzleError) as caught:
        load_configs(source)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def written(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def ids(configs):
    return [config["config_instance_id"] for config in configs]


# ------------------------------------------------------------------------------------- reading


def test_a_file_a_list_in_a_file_lines_and_configs_at_hand(tmp_path):
    one = written(tmp_path / "one.json", EXAMPLE)
    assert load_configs(one) == load_configs(str(one)) == [EXAMPLE]
    configs = named("a", "b")
    assert load_configs(written(tmp_path / "two.json", configs)) == configs
    lines = "".join(json.dumps(config) + "\n" for config in configs)
    assert load_configs(written(tmp_path / "two.jsonl", lines)) == configs
    assert load_configs(configs) == load_configs(tuple(configs)) == configs


def test_a_folder_is_read_in_the_order_of_its_paths(tmp_path):
    for path in ("b/one.json", "a/two.json", "a.json", "c.json"):
        written(tmp_path / path, changed(config_instance_id=path))
    written(tmp_path / "a" / "readme.md", "no config")
    expected = ["a/two.json", "a.json", "b/one.json", "c.json"]
    assert ids(load_configs(tmp_path)) == expected


def test_a_config_without_an_id_is_named_after_its_file(tmp_path):
    bare = changed(config_instance_id=KeyError)
    assert ids(load_configs(written(tmp_path / "config_X_b_4_i_1.json", bare))) == ["X_b_4_i_1"]
    assert ids(load_configs(written(tmp_path / "y.json", bare))) == ["y"]
    assert ids(load_configs(tmp_path)) == ["X_b_4_i_1", "y"]
    assert ids(load_configs([bare, EXAMPLE, bare | {"config_instance_id": None}])) == [
        "0", "own", "2"
    ]  # fmt: skip


def test_faults_name_the_file(tmp_path):
    bad = written(tmp_path / "z" / "bad.json", changed(grid_size=9))
    written(tmp_path / "good.json", EXAMPLE)
    assert refusal(tmp_path).startswith(f"{bad} record 1 (id 'own'): grid_size is 9; it must be")
    assert refusal(bad).startswith(f"{bad} record 1 (id 'own'): grid_size is 9")
    assert refusal([EXAMPLE, 5]).startswith("config 1: the config is 5; it must be an object")
    bad.write_text("{")
    assert refusal(tmp_path).startswith(f"{bad}: the text is '{{'; it must be JSON")
    bad.write_bytes(b"\xff")
    assert refusal(tmp_path).startswith(f"{bad}: byte 0xff at position 0 is not UTF-8")


def test_an_id_that_comes_twice_names_both_places(tmp_path):
    one, two = (written(tmp_path / name, EXAMPLE) for name in ("one.json", "two.json"))
    expected = f"{two} record 1: config_instance_id is 'own'; it must be an id of its own, and "
    assert refusal(tmp_path) == f"{expected}{one} record 1 has the same"


def test_no_config_at_all(tmp_path):
    assert refusal(tmp_path) == (
        f"{tmp_path}: it holds no .json files; there must be at least one config"
    )
    missing = tmp_path / "missing.json"
    assert refusal(missing) == f"{missing}: there is no such file"
    assert "it holds no records" in refusal(written(tmp_path / "none.json", []))
    assert "it holds no records" in refusal([])
    other = written(tmp_path / "config.yaml", EXAMPLE)
    assert refusal(other).startswith(f"{other}: the suffix is '.yaml'; it must be one of .jsonl, ")


# ------------------------------------------------------------------------------------- writing


def test_what_is_written_is_read_again(tmp_path):
    configs = [
        config | {"config_instance_id": f"set_{i}"} for i, config in enumerate(base_configs())
    ]
    paths = write_configs(tmp_path / "new" / "set", configs)
    assert [path.name for path in paths] == [f"config_set_{i}.json" for i in range(len(configs))]
    assert load_configs(tmp_path) == configs
    write_configs(tmp_path / "new" / "set", configs)  # over the old ones
    assert load_configs(tmp_path) == configs


def test_published_files_are_written_byte_for_byte(tmp_path):
    files = published_files()
    configs = load_configs(files[0].parent.parent)
    assert len(configs) == len(files) == 83
    for original, copy in zip(files, write_configs(tmp_path, configs), strict=True):
        assert copy.name == original.name
        assert copy.read_bytes() == original.read_bytes()


@pytest.mark.parametrize(
    ("configs", "expected"),
    [
        (named("a", "b/c"), "config 1: config_instance_id is 'b/c'; it must be the name of a file"),
        (named("\\"), "config 0: config_instance_id is '\\\\'"),
        (named("é" * 130), "it must be the name of a file"),
        (named(KeyError), "config 0: config_instance_id is None; it must be the name of a file"),
        (named("a", "a"), "config 1: config_instance_id is 'a'; it must be an id of its own"),
        ([*named("a"), changed(grid_size=1)], "config 1 (id 'own'): grid_size is 1"),
    ],
)
def test_nothing_is_written_unless_all_is_well(tmp_path, configs, expected):
    with pytest.raises(PuzzleError) as caught:
        write_configs(tmp_path, configs)
    assert expected in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    (path,) = write_configs(tmp_path, [EXAMPLE])
    before = path.read_bytes()

    def refuse(*paths):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no space left"):
        write_configs(tmp_path, [changed(use_rendering=True)])
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]

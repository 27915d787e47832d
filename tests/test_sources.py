"""Reading records from files and folders, with one clear error for each thing wrong."""

import json
import os
import random
import sys

import oracle
import pytest
from boards import solvable_record
from mutants import mutants
from sample import RECORD, base_records

from spatialjax.data.records import solution_paths, validate_record
from spatialjax.data.sources import load_records, refuse_wrong_solutions
from spatialjax.errors import PuzzleError


def records_with_ids(*ids):
    return [RECORD | {"id": name} for name in ids]


def lines_of(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def load(path, **kwargs):
    return load_records(path, check_solutions=False, **kwargs)


def refusal(path, **kwargs):
    with pytest.raises(PuzzleError) as caught:
        load(path, **kwargs)
    return str(caught.value)


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# -------------------------------------------------------------------------------------- files


def test_json_lines(tmp_path):
    records = base_records()
    path = written(tmp_path, "a.jsonl", lines_of(records))
    assert load(path) == load(str(path)) == records


def test_json_lines_with_mark_and_blank_lines(tmp_path):
    text = "\ufeff" + "\r\n\n  \n".join(map(json.dumps, records_with_ids("a", "b\u2028".strip())))
    assert [record["id"] for record in load(written(tmp_path, "a.jsonl", text))] == ["a", "b"]


def test_json_list_and_single_record(tmp_path):
    records = base_records()
    assert load(written(tmp_path, "a.json", json.dumps(records, indent=1))) == records
    assert load(written(tmp_path, "b.JSON", json.dumps(RECORD))) == [RECORD]


def test_parquet_file(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    import pyarrow

    records = [*base_records(), {key: RECORD[key] for key in RECORD if key != "solutions"}]
    records[-1] |= {"id": "bare", "difficulty_score": 2}
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(records), path)
    assert load(path) == [validate_record(record) for record in records]
    whole = path.read_bytes()
    path.write_bytes(path.read_bytes()[:-100])
    assert f"{path}: this is no readable Parquet file: " in refusal(path)
    path.write_bytes(whole.replace(b"Arrow", b"\0rrow").replace(b"\x15", b"\xff"))
    assert "\n" not in refusal(path)


def test_parquet_column_that_is_there_twice(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    from pyarrow import parquet

    table = pyarrow.Table.from_pylist([RECORD])
    path = tmp_path / "a.parquet"
    parquet.write_table(table.append_column("id", pyarrow.array(["other"])), path)
    assert refusal(path) == f"{path}: the column is 'id'; it must be there at most once"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.jsonl", "", ": it holds no records; there must be at least one"),
        ("a.jsonl", "\n \n", ": it holds no records"),
        ("a.json", "[]", ": it holds no records"),
        ("a.json", "", ": the text is ''; it must be JSON; Expecting value at column 1"),
        ("a.json", '[\n{"id": }]', "it must be JSON; Expecting value at line 2 column 8"),
        ("a.json", '[5]', " record 1: the record is 5; it must be an object"),
        ("a.jsonl", "{}\n", " line 1: grid_size is None; it must be an object with width"),
        ("a.jsonl", lines_of([RECORD]) + "[1]\n", " line 2: the record is [1]; it must be an obj"),
        ("a.jsonl", lines_of([RECORD]) + "{\n", " line 2: the line is '{'; it must be one JSON o"),
        ("a.jsonl", '{"id": NaN}', " line 1: the line is 'NaN'; it must be one JSON object; JSON"),
        ("a.jsonl", '{"id": -Infinity}', " line 1: the line is '-Infinity'"),
        ("a.jsonl", '{"id": 1, "id": 2}', " line 1: the line key is 'id'; it must be there at mo"),
        ("a.jsonl", '{"id": ' + "1" * 5000 + "}", " line 1: the line is "),
        ("a.jsonl", "[" * 100_000, " line 1: the line is "),
        ("a.jsonl", b'{}\n{"id": "\xff"}', " line 1: grid_size"),
        ("a.jsonl", b'{"id": "\xff"}', " line 1: byte 0xff at position 8 is not UTF-8 text"),
        ("a.json", b'\xfe\xff', ": byte 0xfe at position 0 is not UTF-8 text; save it as UTF-8"),
        ("a.jsonl", lines_of(records_with_ids("p", "q", "p")), " line 3: id is 'p'; it must be an"),
        ("a.csv", "id\n", ": the suffix is '.csv'; it must be one of .jsonl, .json, .parquet"),
        ("plain", "id\n", ": the suffix is ''; it must be one of .jsonl, .json, .parquet"),
    ],
)  # fmt: skip
def test_malformed_file(tmp_path, name, content, expected):
    path = written(tmp_path, name, content)
    text = refusal(path)
    assert text.startswith(str(path)) and expected in text and "\n" not in text


def test_double_id_names_both_places(tmp_path):
    path = written(tmp_path, "a.json", json.dumps(records_with_ids("p", "q", "p")))
    assert refusal(path) == (
        f"{path} record 3: id is 'p'; it must be an id of its own, and {path} record 1 has the same"
    )


def test_fault_deep_in_a_file_names_line_and_id(tmp_path):
    bad = RECORD | {"id": "third", "difficulty_level": 9}
    path = written(tmp_path, "a.jsonl", lines_of([*records_with_ids("a", "b"), bad]))
    assert refusal(path).startswith(f"{path} line 3 (id 'third'): difficulty_level is 9; it must")


def test_missing_path(tmp_path):
    assert refusal(tmp_path / "no.jsonl") == f"{tmp_path}/no.jsonl: there is no such file"
    assert refusal(tmp_path / "no") == f"{tmp_path}/no: there is no such file or folder"


@pytest.mark.parametrize("name", ["x" * 5000, "x" * 5000 + ".jsonl", "~no such user/a.jsonl"])
def test_path_that_cannot_be_followed(name):
    assert refusal(name).startswith(f"{name}: the path cannot be followed: ")


def test_empty_source():
    assert refusal("") == "the source is ''; it must be the name of a file, folder or data set"


def test_unreadable_file(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    path = written(tmp_path, "a.jsonl", lines_of([RECORD]))
    path.chmod(0)
    assert refusal(path).startswith(f"{path}: the file cannot be read: ")


def mangled(rng, data):
    """Change a few bytes of a file: cut, repeat, insert or replace."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(len(data))
        end = at + rng.choice([0, 1, 1, 2, 10, 300])
        piece = rng.choice(
            [b"", bytes(data[at:end]) * 2, rng.choice(b'09"[]{},:\n\\ue.-').to_bytes()]
        )
        data[at:end] = rng.choice([piece, piece, rng.randbytes(1)])
    return bytes(data)


def test_mangled_files_load_or_raise_puzzle_error(tmp_path):
    rng = random.Random(3)
    whole = lines_of(base_records()[:4]).encode()
    short = json.dumps(records_with_ids("a", "b")).encode()
    loaded = 0
    for number in range(800):
        name, data = rng.choice([("a.jsonl", whole), ("a.json", short)])
        path = written(tmp_path, name, mangled(rng, data))
        try:
            records = load(path)
        except PuzzleError as error:
            assert str(path) in str(error), number
            continue
        loaded += 1
        assert [validate_record(record) for record in records] == records
    assert loaded > 10


def test_files_of_mutants_and_good_records(tmp_path):
    good = base_records()
    for number, mutant in enumerate(mutants(seed=11, count=200)):
        try:
            text = json.dumps(mutant, ensure_ascii=number % 2 == 0)
            path = written(tmp_path, "a.jsonl", lines_of(good[1:]) + text)
        except (TypeError, ValueError, RecursionError):
            continue  # not JSON
        try:
            assert load(path)[:-1] == good[1:]
        except PuzzleError as error:
            assert f"{path} line {len(good)}" in str(error)


# ---------------------------------------------------------------------------- wrong solutions


def wrong_lines(record):
    """Lines of the board from start to end that are no solutions, by the slow checker."""
    right = {tuple(path) for path in oracle.solve(record)}
    lines = oracle.all_paths(oracle.read_board(record))
    return [line for line in lines if tuple(line) not in right]


def test_right_solutions_are_accepted(tmp_path):
    records = base_records()
    path = written(tmp_path, "a.jsonl", lines_of(records))
    assert load_records(path) == records
    refuse_wrong_solutions([])
    refuse_wrong_solutions([RECORD | {"solutions": []}])


def test_solutions_that_break_a_rule_are_refused(tmp_path):
    rng = random.Random(8)
    drawn = [solvable_record(rng, 2, 2, list_solutions=True)[0] for _ in range(4)]
    for record in [RECORD, *drawn]:
        wrong = wrong_lines(record)
        for line in rng.sample(wrong, min(4, len(wrong))):
            path = [{"x": x, "y": y} for x, y in line]
            changed = record | {"solutions": [{"path": path}], "solution_count": 1}
            file = written(tmp_path, "a.json", json.dumps(changed))
            assert solution_paths(load(file)[0]) == [line]
            with pytest.raises(PuzzleError) as caught:
                load_records(file)
            rules = oracle.check(record, line)
            broken = [rule for rule, points in rules["broken"].items() if points]
            assert f"{file} (id {record['id']!r}): solutions[0].path is" in str(caught.value)
            assert str(caught.value).endswith(f"it breaks {', '.join(broken)}")


def test_no_verdict_is_a_puzzle_error(monkeypatch):
    def give_up(records, paths):
        raise RuntimeError("no verdict")

    monkeypatch.setattr("spatialjax.witness.check.check_paths", give_up)
    with pytest.raises(PuzzleError, match="not every solution can be judged: no verdict; pass"):
        refuse_wrong_solutions([RECORD], "a.jsonl")


def test_published_file_loads(published):
    assert len(published) == 500
    assert sum(len(record["solutions"]) for record in published) == 3218


def test_embedded_records_are_valid():
    records = load_records("embedded", split="test")
    for record in records[::4]:
        assert validate_record(record) == record
    assert len({record["id"] for record in records}) == len(records)


# ----------------------------------------------------------------------------------- data sets


def dataset_folder(folder, subsets):
    """Write {subset: {split: records}} as Parquet in the layout of a data set on the Hub."""
    datasets = pytest.importorskip("datasets", reason="data sets need the extra 'data'")
    point = {"x": datasets.Value("int64"), "y": datasets.Value("int64")}
    whole, text = datasets.Value("int64"), datasets.Value("string")
    features = datasets.Features(
        {
            "id": text,
            "difficulty_level": whole,
            "difficulty_score": datasets.Value("float64"),
            "grid_size": {"height": whole, "width": whole},
            "polyshapes": text,
            "puzzle_array": datasets.List(datasets.List(text)),
            "solution_count": whole,
            "solutions": datasets.List(
                {"index": whole, "path": datasets.List(point), "pathLength": whole}
            ),
            "text_visualization": text,
        }
    )
    lines = ["---", "configs:"]
    for subset, splits in subsets.items():
        (folder / subset).mkdir(parents=True)
        lines += [f"- config_name: {subset}", "  data_files:"]
        for split, records in splits.items():
            file = f"{subset}/{split}-00000-of-00001.parquet"
            table = datasets.Dataset.from_list(records, features=features)
            table.to_parquet(str(folder / file))
            lines += [f"  - split: {split}", f"    path: {subset}/{split}-*"]
    (folder / "README.md").write_text("\n".join([*lines, "---", ""]))
    return folder


@pytest.fixture
def cache(tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets", reason="data sets need the extra 'data'")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))


def test_folder_in_the_published_layout(tmp_path, cache, monkeypatch):
    records = base_records()
    subsets = {
        "all": {"train": records[:2], "test": records[2:]},
        "dots": {"test": records_with_ids("d")},
    }
    folder = dataset_folder(tmp_path / "own", subsets)
    assert load(folder) == records[2:]
    assert load(folder, split="train") == records[:2]
    assert load(str(folder), subset="dots") == records_with_ids("d")
    monkeypatch.chdir(folder)
    assert load(".") == records[2:]

    text = refusal(folder, subset="nope")
    assert text.startswith(f"{folder}: cannot load subset 'nope', split 'test': ")
    assert "'all', 'dots'" in text
    text = refusal(folder, split="nope")
    assert "split 'nope'" in text and "train" in text


def test_fault_in_a_data_set_names_subset_split_and_row(tmp_path, cache):
    bad = RECORD | {"id": "b", "difficulty_level": 9}
    folder = dataset_folder(tmp_path / "own", {"all": {"test": [RECORD, bad]}})
    assert refusal(folder).startswith(f"{folder} all/test row 2 (id 'b'): difficulty_level is 9;")


def test_folder_without_data(tmp_path, cache):
    (tmp_path / "empty").mkdir()
    assert refusal(tmp_path / "empty").startswith(f"{tmp_path}/empty: cannot load subset 'all'")


@pytest.mark.parametrize("library", ["datasets", "pyarrow"])
def test_missing_extra(tmp_path, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    path = written(tmp_path, "a.parquet", "") if library == "pyarrow" else tmp_path
    with pytest.raises(ImportError, match=rf'needs {library}: pip install "spatialjax\[data\]"'):
        load(path)
    if library == "datasets":
        with pytest.raises(ImportError, match="lkaesberg/SPaRC: reading a data set needs datasets"):
            load("lkaesberg/SPaRC")

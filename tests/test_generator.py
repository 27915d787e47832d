"""Generated puzzles: valid, complete, distinct, as asked for, and the same for the same seed."""

import json

import oracle
import pytest

pytest.importorskip("numba", reason="the generator needs the extra `solve`")

from spatialjax.data.board import parse_board
from spatialjax.solvers.exhaustive import solve
from spatialjax.witness import generator
from spatialjax.witness.comparison import compare
from spatialjax.witness.generate_file import generate_resumable, write_records
from spatialjax.witness.generator import MIXES, generate, make_settings
from spatialjax.witness.symmetry import canonical_key


@pytest.fixture(scope="module")
def records():
    return generate(120, seed=3)


def kinds_of(record):
    board = parse_board(record)
    kinds = {symbol.kind for symbol in board.symbols}
    return kinds | ({"dot"} if board.dots else set()) | ({"gap"} if board.gaps else set())


def test_every_solution_is_listed_and_solves(records):
    for record in records:
        paths = oracle.stored_solutions(record)
        assert 1 <= record["solution_count"] == len(paths) <= 50
        assert [s["pathLength"] for s in record["solutions"]] == [len(path) for path in paths]
        assert all(oracle.check(record, path)["solved"] for path in paths)
        if record["grid_size"]["width"] * record["grid_size"]["height"] <= 6:
            assert paths == oracle.solve(record)
        else:
            assert paths == solve(record)


def test_records_are_whole_and_distinct(records):
    assert len({canonical_key(record) for record in records}) == len(records)
    for record in records:
        assert len(record["id"]) == 16 and int(record["id"], 16) >= 0
        score, level = oracle.difficulty(record)
        assert record["difficulty_score"] == pytest.approx(score, abs=1e-9)
        assert record["difficulty_level"] == level
        board = parse_board(record)  # checks text_visualization against the tokens
        for x, y in (board.start, board.end):
            assert x in (0, board.columns - 1) or y in (0, board.rows - 1)
    assert set().union(*map(kinds_of, records)) == set(generator.KINDS)


def test_same_seed_same_bytes_and_longer_runs_begin_alike(records):
    assert json.dumps(generate(10, seed=3)) == json.dumps(records[:10])
    assert generate(3, seed=4) != records[:3]


@pytest.mark.parametrize("rules", [rules for rules in MIXES if rules != "all"])
def test_mix_holds_its_kinds(rules):
    for record in generate(3, seed=5, rules=rules):
        assert kinds_of(record) == set(MIXES[rules])


def test_sizes_level_scores_and_solutions_are_as_asked():
    for record in generate(4, seed=6, sizes=[(4, 3)], difficulty=3, max_solutions=2):
        assert record["grid_size"] == {"width": 4, "height": 3}
        assert record["difficulty_level"] == 3 and record["solution_count"] <= 2
    for record in generate(4, seed=7, difficulty=(1.0, 1.5)):
        assert 1.0 <= record["difficulty_score"] < 1.5


def test_ylops_reach_beyond_their_region_and_cancel():
    outside = cancelled = 0
    for record in generate(25, seed=8, rules="polys_ylops", sizes=[(3, 3), (4, 3)]):
        board = oracle.read_board(record)
        path = oracle.stored_solutions(record)[0]
        for region in oracle.regions(board, set(path)):
            found = [s for cell, s in board.symbols.items() if cell in region]
            area = sum(len(s.shape) * (1 if s.kind == "poly" else -1) for s in found)
            cancelled += bool(found) and area == 0
            outside += sum(len(s.shape) for s in found if s.kind == "poly") > len(region)
    assert outside and cancelled


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"rules": "pols"}, "polys_ylops"),
        ({"sizes": [(8, 2)]}, "8x2"),
        ({"sizes": []}, "sizes"),
        ({"difficulty": 6}, "1 to 5"),
        ({"max_solutions": 0}, "max_solutions"),
    ],
)
def test_bad_options_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        generate(1, **options)


def test_what_cannot_be_made_is_an_error(monkeypatch):
    monkeypatch.setattr(generator, "MAX_TRIES", 300)
    with pytest.raises(ValueError, match="no puzzle found"):
        generate(1, sizes=[(2, 2)], difficulty=(4.9, 5.0))


def test_killed_run_goes_on_to_the_same_puzzles(tmp_path, records):
    part = tmp_path / "a.part"
    settings = make_settings()

    def stop(done):
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_resumable(part, 12, 3, settings, progress=stop)
    part.write_text(part.read_text()[:-100])  # the last line half written
    assert generate_resumable(part, 12, 3, settings) == records[:12]
    with pytest.raises(ValueError, match="another seed"):
        generate_resumable(part, 12, 4, settings)


def test_processes_make_the_same_puzzles(tmp_path, records):
    made = generate_resumable(tmp_path / "b.part", 20, 3, make_settings(), workers=2)
    assert made == records[:20]


def test_files_load_again(tmp_path, records):
    from spatialjax import load_records

    suffixes = [".jsonl"]
    if has_pyarrow():
        suffixes.append(".parquet")
    for suffix in suffixes:
        path = tmp_path / f"puzzles{suffix}"
        write_records(path, records[:5])
        assert load_records(path) == records[:5]
    with pytest.raises(ValueError, match="does not end in"):
        write_records(tmp_path / "puzzles.csv", records[:5])


def has_pyarrow():
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def test_comparison_puts_both_sets_side_by_side(records):
    text = compare(records[:30], records[30:60], ("first set", "second set"))
    assert text.count("first set") == text.count("second set") == 16

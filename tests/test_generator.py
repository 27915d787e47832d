"""Generated puzzles: valid, complete, distinct, as asked for, and the same for the same seed."""

import json
import random
import runpy
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import oracle
import pytest
from building import draw

pytest.importorskip("numba", reason="the generator needs the extra `solve`")

from spatialjax import load_records
from spatialjax.data.board import STEPS, parse_board
from spatialjax.data.files import write_records
from spatialjax.solvers.exhaustive import Search, search, solve
from spatialjax.witness import generator
from spatialjax.witness.comparison import (
    compare,
    random_walk_chance,
    shortest_line_chance,
    statistics,
)
from spatialjax.witness.generate_file import generate_resumable
from spatialjax.witness.generator import generate, make_settings
from spatialjax.witness.random_path import Dice, random_path
from spatialjax.witness.sampling import KINDS, MIXES, draw_ends
from spatialjax.witness.symmetry import canonical_key

SCRIPT = Path(__file__).parents[1] / "scripts" / "generate.py"


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
    assert set().union(*map(kinds_of, records)) == set(KINDS)


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
        ({"difficulty": (2.0, 2.0)}, "low < high"),
        ({"max_solutions": 0}, "max_solutions"),
    ],
)
def test_bad_options_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        generate(1, **options)


def test_what_cannot_be_made_is_an_error(monkeypatch):
    monkeypatch.setattr(generator, "MAX_CHOICES", 30)
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
    with pytest.raises(ValueError, match="begun with other input, options or version"):
        generate_resumable(part, 12, 4, settings)


def test_processes_make_the_same_puzzles(tmp_path, records):
    made = generate_resumable(tmp_path / "b.part", 20, 3, make_settings(), workers=2)
    assert made == records[:20]


def test_script_stopped_by_ctrl_c_goes_on_to_the_same_bytes(tmp_path, records):
    out, part = tmp_path / "c.jsonl", tmp_path / "c.jsonl.part"
    command = [sys.executable, str(SCRIPT), str(out), "--seed", "3", "--workers", "2", "-n"]
    with subprocess.Popen([*command, "100000"], stderr=subprocess.PIPE, text=True) as run:
        while not part.exists() or part.read_text().count("\n") < 10:
            assert run.poll() is None, run.stderr.read()
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        text = run.communicate(timeout=240)[1]  # boards begun are finished
    assert run.returncode == 1 and "stopped; the same command goes on from here" in text
    assert "Traceback" not in text and not out.exists()
    subprocess.run([*command, "16"], check=True, capture_output=True)
    assert out.read_text().splitlines() == [
        json.dumps(record, separators=(",", ":"), sort_keys=True) for record in records[:16]
    ]
    assert not part.exists()


@pytest.mark.parametrize(
    ("flags", "match"),
    [
        (["a.csv"], "a.csv does not end in"),
        (["a.jsonl", "-n", "0"], "n is 0"),
        (["a.jsonl", "--difficulty", "3:2"], "is no range"),
        (["a.jsonl", "--compare", "missing.jsonl"], "missing.jsonl: there is no such file"),
        ([], "give a file to write"),
    ],
)
def test_script_refuses_in_one_sentence(monkeypatch, tmp_path, capsys, flags, match):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *flags])
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    assert match in f"{stop.value.code} {capsys.readouterr().err}"
    assert not list(tmp_path.glob("a.jsonl"))


def test_script_compares(monkeypatch, tmp_path, capsys, records):
    other = tmp_path / "other.jsonl"
    write_records(other, records[:10])
    monkeypatch.setattr(
        sys, "argv", [str(SCRIPT), "-n", "5", "--workers", "1", "--compare", str(other)]
    )
    runpy.run_path(str(SCRIPT), run_name="__main__")
    assert capsys.readouterr().out.count("generated") == 18


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_files_load_again(tmp_path, records, suffix):
    datasets = pytest.importorskip("datasets", reason="needs the extra `data`")
    whole = datasets.Value("int64")
    path = tmp_path / f"puzzles{suffix}"
    write_records(path, records[:20])
    assert load_records(path) == records[:20]
    builder = {".jsonl": "json", ".parquet": "parquet"}[suffix]
    rows = datasets.load_dataset(
        builder, data_files=str(path), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert rows.to_list() == records[:20]
    assert rows.features["solutions"] == datasets.List(
        {"index": whole, "path": datasets.List({"x": whole, "y": whole}), "pathLength": whole}
    )


def test_other_files_are_refused(tmp_path, records):
    with pytest.raises(ValueError, match="does not end in"):
        write_records(tmp_path / "puzzles.csv", records[:5])


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (7, 7)])
def test_random_lines_run_from_start_to_end(size):
    width, height = size
    for i in range(40):
        dice = Dice(11, i)
        start, end = draw_ends(dice, width, height)
        if start == end:
            continue
        line = random_path(dice, width, height, start, end, 0.8)
        assert line[0] == start and line[-1] == end and len(set(line)) == len(line)
        for (x, y), (next_x, next_y) in pairwise(line):
            assert abs(next_x - x) + abs(next_y - y) == 1
        for x, y in line:
            assert 0 <= x <= 2 * width and 0 <= y <= 2 * height and not x % 2 * (y % 2)


def test_large_boards_are_made_and_solved_within_bounds():
    (record,) = generate(1, seed=2, sizes=[(7, 7)])
    result = search(record, deadline=60)
    assert result.complete and result.paths == oracle.stored_solutions(record)
    board = parse_board(record)
    open_board = replace(board, dots=frozenset(), gaps=frozenset(), symbols=())
    stopped = Search(open_board)
    stopped.advance(deadline=0.02)
    assert stopped.found and not stopped.result().complete


def test_comparison_puts_both_sets_side_by_side(records):
    text = compare(records[:30], records[30:60], ("first set", "second set"))
    assert text.count("first set") == text.count("second set") == 18
    assert all(
        sum(shares) == pytest.approx(100) or not sum(shares)
        for title, shares in statistics(records).items()
        if title[0] != "s" or title.startswith(("symbols", "sides", "solutions"))
        if not title.startswith("points")
    )


def test_chances_of_random_agents_are_those_of_many_walks():
    record = draw("S + + + +\n+ N + N +\n+ + + + E")
    board = parse_board(record)
    lines = oracle.solve(record)
    rng = random.Random(4)
    walks = [tuple(random_walk(board, rng)) for _ in range(4000)]
    for chosen in (lines[:1], lines[1:3], lines):
        share = sum(walk in set(map(tuple, chosen)) for walk in walks) / len(walks)
        assert random_walk_chance(board, chosen) == pytest.approx(share, abs=0.03)
    shortest = [line for line in lines if len(line) == 7]
    assert len(shortest) == 3
    assert shortest_line_chance(board, shortest[:2]) == pytest.approx(2 / 3)
    assert shortest_line_chance(board, [line for line in lines if len(line) > 7]) == 0


def random_walk(board, rng):
    """Return a line of random legal moves, up to the end or a dead end."""
    path = [board.start]
    while path[-1] != board.end:
        x, y = path[-1]
        near = [(x + dx, y + dy) for dx, dy in STEPS]
        steps = [point for point in near if board.is_open(point) and point not in path]
        if not steps:
            break
        path.append(rng.choice(steps))
    return path

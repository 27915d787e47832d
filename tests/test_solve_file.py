"""Solving whole files: what is reported, verified, written, resumed and refused."""

import json
import subprocess
import sys
from pathlib import Path

import oracle
import pytest
from building import draw, with_solutions

pytest.importorskip("numba", reason="the solver needs the extra `solve`")

from spatialjax import load_records
from spatialjax.witness.solve_file import SolveConfig, solve_source

SCRIPT = Path(__file__).parents[1] / "scripts" / "solve.py"
PICTURES = {
    "free": "S + +\n+ N +\n+ + E",
    "dotted": "S + + + .\n+ N + B-R +\n+ + + + E",
    "stuck": "S G +\nG o-R +\n+ + E",
}


@pytest.fixture(scope="module")
def records():
    """Return three small puzzles with all their solutions listed: two, some, none."""
    drawn = [draw(picture) | {"id": name} for name, picture in PICTURES.items()]
    return [with_solutions(record, oracle.solve(record)) for record in drawn]


@pytest.fixture
def write(tmp_path):
    """Return a function that writes records to a file."""

    def write(records, name="puzzles.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


def empty_board(side):
    """Return the picture of a square board without symbols, with start and end in corners."""
    lines = [("+ " * (2 * side + 1)).split(), ("+ N " * side + "+").split()] * side
    lines = [list(line) for line in [*lines, lines[0]]]
    lines[0][0], lines[-1][-1] = "S", "E"
    return "\n".join(map(" ".join, lines))


def run(*flags):
    """Call the script; return its exit status and what it printed."""
    command = [sys.executable, str(SCRIPT), *map(str, flags)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_verified_set(records, write):
    report = solve_source(SolveConfig(str(write(records)), verify=True))
    assert report.ids == list(PICTURES) and report.differing == []
    for record, result in zip(records, report.results, strict=True):
        assert result.complete and result.seconds >= 0
        assert result.paths == oracle.stored_solutions(record)
    text = report.text()
    assert "3 puzzles" in text and "3 of 3 puzzles have exactly" in text and "slowest 3" in text
    assert "memory peak" in text or report.peak_bytes is None


def test_differences_are_named(records, write):
    paths = oracle.stored_solutions(records[0])
    short = with_solutions(records[0], paths[:1])
    bare = {k: v for k, v in records[1].items() if k not in ("solutions", "solution_count")}
    source = write([short, bare, records[2]])
    first, second = solve_source(SolveConfig(str(source), verify=True)).differing
    assert "'free'" in first and "1 of the 2 that there are aren't listed" in first
    assert "'dotted'" in second and "no solutions are listed" in second


def test_script_exits_by_the_verdict(records, write):
    status, text = run(write(records), "--verify")
    assert status == 0 and "3/3" in text and "slowest 3" in text
    wrong = with_solutions(records[0], oracle.stored_solutions(records[0])[:1])
    status, text = run(write([wrong, records[1]]), "--verify")
    assert status == 1 and "'free'" in text and "1 of 2 puzzles have exactly" in text


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_written_records_load_with_all_solutions(records, write, tmp_path, suffix):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"solved{suffix}"
    bare = [with_solutions(record, []) for record in records]
    solve_source(SolveConfig(str(write(bare)), out=out))
    assert load_records(out) == load_records(write(records, "whole.jsonl"))
    assert not list(tmp_path.glob("*.part")) and not list(tmp_path.glob("*.tmp"))


def test_stopped_searches_leave_no_solutions_behind(records, write, tmp_path):
    out = tmp_path / "solved.jsonl"
    report = solve_source(SolveConfig(str(write(records)), limit=1, out=out))
    assert [result.complete for result in report.results] == [False, False, True]
    assert "not exhausted, so maybe not all solutions: free, dotted\n" in report.text()
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [len(line["partial_solutions"]) for line in lines[:2]] == [1, 1]
    assert all("solutions" not in record for record in load_records(out)[:2])
    assert lines[2]["solutions"] == [] and lines[2]["solution_count"] == 0


def test_deadline_is_no_verdict(write, tmp_path):
    # A board of 7x7 cells without symbols: nobody lists its lines in time.
    source = write([draw(empty_board(7)) | {"id": "wide"}])
    report = solve_source(SolveConfig(str(source), verify=True, deadline=0.05))
    assert not report.results[0].complete
    assert report.differing == ["id 'wide': the search was stopped, so its solutions are not known"]


def test_stopped_run_goes_on(records, write, tmp_path):
    source, out = write(records), tmp_path / "solved.jsonl"
    config = SolveConfig(str(source), out=out, workers=1)

    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_source(config, stop)
    part = tmp_path / "solved.jsonl.part"
    noted = part.read_text()
    assert noted.count("\n") == 3 and not out.exists()
    part.write_text(noted[:-10])  # the last line half written
    report = solve_source(config)
    assert [result.paths for result in report.results] == [
        oracle.stored_solutions(record) for record in records
    ]
    assert load_records(out) == load_records(source)
    part.write_text(noted)
    with pytest.raises(ValueError, match="begun with other input"):
        solve_source(SolveConfig(str(write(records[:2], "other.jsonl")), out=out))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"limit": 0}, "limit is 0"),
        ({"limit": 2, "verify": True}, "leave out limit"),
        ({"deadline": 0.0}, "deadline is 0.0"),
        ({"workers": 0}, "workers is 0"),
        ({"out": Path("solved.csv")}, "solved.csv does not end in .jsonl or .parquet"),
    ],
)
def test_bad_options_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        SolveConfig("puzzles.jsonl", **options)


def test_script_reports_errors_in_one_sentence(write):
    source = write([draw(empty_board(8)) | {"id": "too-wide"}])
    for flags, wanted in (
        (["missing.jsonl"], "missing.jsonl: there is no such file"),
        ([source], "'too-wide'"),
    ):
        status, text = run(*flags)
        assert status == 1 and wanted in text
        assert text.strip().splitlines()[-1].startswith("error: ") and "Traceback" not in text

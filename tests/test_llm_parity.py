"""Reading and scoring beside the installed package sparc-puzzle, over mangled answers.

`extract_path` in mode "published", `is_stored` and `path_analysis` must give what its functions
`extract_solution_path`, `validate_solution` and `analyze_path` give, `extract_action` what its
`_parse_action` does. There are two differences, in replies that it fails on:

- a number of more than 4300 digits, which Python doesn't read: a ValueError there, no line here;
- a direction written with a dotless i, which its pattern takes and its table doesn't know: a
  KeyError there, no move here.

Between its verdict and ours there are two more, tested here as the only ones: a line through a gap
or over the border counts there as a valid path, here as illegal. Neither can be a solution.

The package is in the extra `integrations`; without it these tests are skipped.
"""

import importlib

import pytest
from answers import answers
from sample import base_records

from spatialjax.data.board import parse_board
from spatialjax.llm.extract import extract_action, extract_path
from spatialjax.llm.faults import Fault, line_faults
from spatialjax.llm.score import is_stored, path_analysis

BY_OURS_ALONE = {Fault.GAP, Fault.OFF_BOARD}


@pytest.fixture(scope="module")
def reference():
    return pytest.importorskip("sparc.validation", reason="sparc-puzzle is not installed")


@pytest.fixture(scope="module")
def records(request):
    """The published puzzles where they are at hand, for their gaps and sizes; else our own."""
    try:
        return request.getfixturevalue("published")
    except pytest.skip.Exception:
        return base_records()


@pytest.mark.parametrize("count", [1000, pytest.param(20_000, marks=pytest.mark.integration)])
def test_lines_are_read_and_scored_as_by_sparc_puzzle(reference, records, count):
    read = solved = valid = allowed = 0
    for record, reply in answers(count, count, records):
        board = parse_board(record)
        there = reference.extract_solution_path(reply, record)
        here = extract_path(reply, board, "published")
        assert here == (there and [(point["x"], point["y"]) for point in there])
        is_solved = reference.validate_solution(there, record)
        analysis = reference.analyze_path(there, record)
        assert is_stored(record, here) == is_solved
        assert path_analysis(board, here) == analysis

        faults = set(line_faults(board, here or ()))
        assert analysis["fully_valid_path"] == (not faults - BY_OURS_ALONE)
        assert not (is_solved and faults)
        if not faults:
            assert extract_path(reply, board, "tolerant") == here
        read += here is not None
        solved += is_solved
        valid += analysis["fully_valid_path"]
        allowed += analysis["fully_valid_path"] and bool(faults)
    print(f"{count} answers: {read} read, {valid} valid there, {allowed} of them not here")
    assert count / 3 < read < count and count / 20 < solved < valid < read


@pytest.mark.integration
def test_the_two_replies_that_it_fails_on(reference, records):
    record = records[0]
    reply = f"({'1' * 5000}, 0)"
    with pytest.raises(ValueError, match="4300 digits"):
        reference.extract_solution_path(reply, record)
    assert extract_path(reply, parse_board(record), "published") is None

    parse_action = parser()
    with pytest.raises(KeyError):
        parse_action("Final: r\u0131ght")
    assert extract_action("Final: r\u0131ght", "published") is None


@pytest.mark.parametrize("count", [1000, pytest.param(20_000, marks=pytest.mark.integration)])
def test_moves_are_read_as_by_sparc_puzzle(reference, records, count):
    parse_action = parser()
    found = [0, 0, 0, 0, 0]
    for _, text in answers(count + 1, count, records):
        for reply in (text, text[-12:], text.replace("####", "Final: up")):
            try:
                # The package cuts replies like this before it parses them.
                there = parse_action(reply.strip().split("</think>")[-1].strip())
            except ValueError:
                there = None
            assert extract_action(reply, "published") == there
            found[-1 if there is None else there] += 1
    assert min(found) > count / 100


def parser():
    """The function of the package; skips where what its module imports is absent."""
    try:
        return importlib.import_module("sparc.process_puzzle")._parse_action
    except ImportError as error:
        pytest.skip(f"sparc-puzzle can't be imported: {error}")

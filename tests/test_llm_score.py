"""Verdicts on answers, both scores, and the faults of lines against the first rules."""

import json
import random

import pytest
from answers import drawn_path, ways
from boards import build_record, solvable_record
from sample import RECORD, base_records

from spatialjax import check_path
from spatialjax.data.board import parse_board
from spatialjax.data.records import solution_paths
from spatialjax.llm.faults import Fault, line_faults
from spatialjax.llm.score import (
    Verdict,
    path_analysis,
    score_answer,
    score_from_json,
    score_path,
)
from spatialjax.witness.check import check_paths

PATH = solution_paths(RECORD)[0]
AROUND = [(0, y) for y in range(5)] + [(x, 4) for x in range(1, 7)]  # legal, breaks rules

FAULTY = {
    Fault.WRONG_START: PATH[1:],
    Fault.WRONG_END: PATH[:-1],
    Fault.DISCONNECTED: [*PATH[:4], *PATH[5:]],
    Fault.CROSSING: [*PATH[:2], *PATH],
    Fault.RULE_CELL: [(0, 0), (0, 1), (1, 1), (2, 1), (2, 0), *PATH[3:]],
    Fault.GAP: [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), *PATH[13:]],
    Fault.OFF_BOARD: [(0, 0), (0, -1), (1, -1), (1, 0), *PATH[2:]],
}


def written(path):
    return "#### " + ", ".join(f"({x}, {y})" for x, y in path)


@pytest.mark.parametrize("fault", FAULTY)
def test_each_fault_is_named(fault):
    path = FAULTY[fault]
    assert line_faults(parse_board(RECORD), path) == (fault,)
    score = score_path(RECORD, path)
    short = fault == Fault.WRONG_END
    assert score.verdict == (Verdict.INCOMPLETE if short else Verdict.ILLEGAL_PATH)
    assert (score.stored, score.rules, score.broken) == (False, False, ())
    assert score.path == tuple(path)


def test_solved_rule_broken_and_parse_failed():
    solved = score_answer(RECORD, written(PATH))
    assert (solved.verdict, solved.stored, solved.rules) == ("solved", True, True)
    assert solved.faults == solved.broken == ()

    broken = score_answer(RECORD, written(AROUND))
    kept = check_path(RECORD, AROUND).rules
    assert broken.verdict == "rule_broken" and not broken.rules and not broken.stored
    assert broken.broken == tuple(rule for rule in kept if not kept[rule]) != ()

    nothing = score_answer(RECORD, "no idea")
    assert (nothing.verdict, nothing.path) == ("parse_failed", None)
    assert not nothing.stored and not nothing.rules

    assert score_path(RECORD, []).verdict == "illegal_path"
    assert score_answer(RECORD, str([list(p) for p in PATH]), "published").path is None


def test_the_two_scores_are_apart_where_the_list_of_solutions_is_not_complete():
    record = RECORD | {"solutions": [], "solution_count": 0}
    score = score_path(record, PATH)
    assert (score.verdict, score.stored, score.rules) == ("solved", False, True)
    unlisted = {key: value for key, value in RECORD.items() if key != "solutions"}
    assert score_path(unlisted, PATH).rules and not score_path(unlisted, PATH).stored


def test_a_line_has_no_fault_exactly_when_it_keeps_the_first_three_rules():
    rng = random.Random(11)
    records = [*base_records(), *(solvable_record(rng, 3, 4)[0] for _ in range(4))]
    around = [ways(record) for record in records]
    picks = [rng.randrange(len(records)) for _ in range(1500)]
    paths = [drawn_path(rng, records[pick], around[pick]) for pick in picks]
    reports = check_paths([records[pick] for pick in picks], paths)
    legal = 0
    for pick, path, report in zip(picks, paths, reports, strict=True):
        faults = line_faults(parse_board(records[pick]), path)
        line_rules = ("reached_target", "path_not_crossing", "no_gap_violations")
        assert (not faults) == all(report.rules[rule] for rule in line_rules)
        assert (Fault.CROSSING in faults) == (not report.rules["path_not_crossing"])
        off_line = {Fault.RULE_CELL, Fault.GAP, Fault.OFF_BOARD}
        assert bool(off_line & set(faults)) == (not report.rules["no_gap_violations"])
        legal += not faults
    assert 300 < legal < 1200


def test_a_score_survives_json():
    for path in (None, PATH, AROUND, PATH[:5]):
        score = score_path(RECORD, path)
        assert score_from_json(json.loads(json.dumps(score.as_json()))) == score


def test_the_published_analysis_knows_no_gaps_and_no_borders():
    tokens = [str.split(row) for row in ("S G E", "+ N +", "+ + +")]
    record = build_record(tokens)
    through_gap, outside = [(0, 0), (1, 0), (2, 0)], [(0, 0), (0, -1), (1, -1), (2, -1), (2, 0)]
    for path, fault in ((through_gap, Fault.GAP), (outside, Fault.OFF_BOARD)):
        assert path_analysis(parse_board(record), path)["fully_valid_path"]
        assert line_faults(parse_board(record), path) == (fault,)
        assert not score_path(record, path).rules
    assert not any(path_analysis(parse_board(record), []).values())

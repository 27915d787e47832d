"""Solve a whole set of puzzles: on all cores, timed, compared with what the set itself lists."""

import hashlib
import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spatialjax.core.reports import peak_memory, some_of
from spatialjax.data.board import Board
from spatialjax.data.files import check_suffix, noted, part_of, resume, write_records
from spatialjax.data.records import solution_paths
from spatialjax.data.sources import load_records
from spatialjax.solvers.exhaustive import Search, SolveResult, listed_solutions, search_many

SLOWEST = 10  # puzzles listed by name

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class SolveConfig:
    """What to solve and how far; see `load_records` for sources and `search` for bounds."""

    source: str
    subset: str = "all"
    split: str = "test"
    verify: bool = False  # compare with the listed solutions, as sets
    limit: int | None = None  # solutions of each puzzle
    deadline: float | None = None  # seconds for each puzzle
    workers: int | None = None  # threads; None is one a core
    out: Path | None = None  # .jsonl or .parquet file for the records with their solutions

    def __post_init__(self):
        if self.verify and self.limit is not None:
            raise ValueError("verify needs every solution: leave out limit")
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"limit is {self.limit}: give a number of solutions from 1")
        if self.deadline is not None and not self.deadline > 0:
            raise ValueError(f"deadline is {self.deadline}: give seconds above 0")
        if self.workers is not None and self.workers < 1:
            raise ValueError(f"workers is {self.workers}: give a number of threads from 1")
        if self.out is not None:
            check_suffix(self.out)


@dataclass(frozen=True)
class SolveReport:
    """What solving a set found, and what it cost.

    Attributes:
        ids, results: of each puzzle, in the order of the set.
        differing: None unless verified; else one sentence for each puzzle whose solutions are
            not those listed, or that could not be compared as its search was not exhausted.
        load_s, warm_up_s, solve_s: seconds for reading, for compiling, for solving.
        peak_bytes: most memory that the process ever held; None where it isn't known.
    """

    ids: list[str]
    results: list[SolveResult]
    differing: list[str] | None
    load_s: float
    warm_up_s: float
    solve_s: float
    peak_bytes: int | None

    def text(self) -> str:
        """Return the report for people."""
        number = len(self.results)
        found = sum(len(result.paths) for result in self.results)
        moves = sum(result.moves for result in self.results)
        lines = [
            f"{number} puzzles, {found} solutions, {moves} moves in {self.solve_s:.2f} s"
            f" (reading {self.load_s:.2f} s, compiling {self.warm_up_s:.2f} s)"
        ]
        if self.peak_bytes is not None:
            lines.append(f"memory peak {self.peak_bytes / 2**20:.0f} MiB")
        open_ = [i for i, result in zip(self.ids, self.results, strict=True) if not result.complete]
        if open_:
            lines.append(f"not exhausted, so maybe not all solutions: {some_of(open_)}")
        pairs = zip(self.results, self.ids, strict=True)
        slowest = sorted(pairs, key=lambda pair: -pair[0].seconds)[:SLOWEST]
        lines.append(f"slowest {len(slowest)}:   seconds      moves  solutions  id")
        for result, name in slowest:
            lines.append(
                f"{'':10}{result.seconds:12.4f}{result.moves:11}{len(result.paths):11}  {name}"
            )
        if self.differing is not None:
            same = number - len(self.differing)
            lines.append(f"verified: {same} of {number} puzzles have exactly the listed solutions")
            lines += self.differing
        return "\n".join(lines)


def solve_source(config: SolveConfig, progress: Progress = lambda done, total: None) -> SolveReport:
    """Solve every record of a source and write them where `config.out` says.

    With `out`, results are noted beside it on the way, and a run that was stopped is continued.
    A search that a bound stopped leaves a record without `solutions`, so that nobody takes what was
    found for all; that goes into `partial_solutions`.
    """
    begin = time.monotonic()
    records = load_records(config.source, config.subset, config.split, check_solutions=False)
    loaded = time.monotonic()
    Search(Board(1, 1, (0, 0), (2, 2))).advance()  # compiles, or loads what was compiled before
    compiled = time.monotonic()
    results = []
    with closing(_results(config, records)) as stream:
        for result in stream:
            results.append(result)
            progress(len(results), len(records))
    solved = time.monotonic()
    if config.out is not None:
        write_records(config.out, [_with(r, s) for r, s in zip(records, results, strict=True)])
        part_of(config.out).unlink()
    return SolveReport(
        ids=[record["id"] for record in records],
        results=results,
        differing=_differing(records, results) if config.verify else None,
        load_s=loaded - begin,
        warm_up_s=compiled - loaded,
        solve_s=solved - compiled,
        peak_bytes=peak_memory(),
    )


def _results(
    config: SolveConfig, records: Sequence[Mapping[str, Any]]
) -> Generator[SolveResult, None, None]:
    """Yield the result of every record: those noted by an earlier run, then new ones."""
    bounds = {"limit": config.limit, "deadline": config.deadline}
    if config.out is None:
        yield from search_many(records, **bounds, workers=config.workers)
        return
    boards = [{k: v for k, v in record.items() if k != "solutions"} for record in records]
    digest = hashlib.sha256(json.dumps(boards).encode()).hexdigest()
    header = bounds | {"puzzles": digest}
    part = part_of(config.out)
    made = resume(part, header)
    for paths, *rest in made:
        yield SolveResult([[tuple(point) for point in path] for path in paths], *rest)
    fresh = search_many(records[len(made) :], **bounds, workers=config.workers)
    with closing(fresh):
        pieces = ([r.paths, r.complete, r.moves, r.seconds] for r in fresh)
        for paths, *rest in noted(part, pieces):
            yield SolveResult(paths, *rest)


def _differing(records: Sequence[Mapping[str, Any]], results: Sequence[SolveResult]) -> list[str]:
    """Return a sentence for each record that doesn't list exactly what was found."""
    sentences = []
    for record, result in zip(records, results, strict=True):
        found = {tuple(path) for path in result.paths}
        listed = {tuple(path) for path in solution_paths(record)}
        name = f"id {record['id']!r}"
        if not result.complete:
            sentences.append(f"{name}: the search was stopped, so its solutions are not known")
        elif "solutions" not in record:
            sentences.append(f"{name}: no solutions are listed, and there are {len(found)}")
        elif found != listed:
            sentences.append(
                f"{name}: {len(listed - found)} of the {len(listed)} listed solutions are none,"
                f" and {len(found - listed)} of the {len(found)} that there are aren't listed"
            )
    return sentences


def _with(record: Mapping[str, Any], result: SolveResult) -> dict[str, Any]:
    """Return the record with the solutions found in place of those listed."""
    bare = {k: v for k, v in record.items() if k not in ("solutions", "solution_count")}
    solutions = listed_solutions(result.paths)
    if not result.complete:
        return bare | {"partial_solutions": solutions}
    return bare | {"solution_count": len(solutions), "solutions": solutions}

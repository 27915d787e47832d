"""Solve a whole set of sliding puzzles: on the device and the host, timed, compared with the set.

    config -> load -> IDA* of many boards at once -> A* of those that ran out -> SolveReport

With `out` every result is noted on the way, and a run that was stopped is continued.
"""

import os
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spatialjax.core.options import require_one_of, require_positive
from spatialjax.core.reports import peak_memory, some_of
from spatialjax.data.files import noted, part_of, resume
from spatialjax.data.npz import is_npz
from spatialjax.data.sliding import ID, config_board, solution_fields, validate_config
from spatialjax.data.sliding_files import load_configs
from spatialjax.sliding.commands import action_command
from spatialjax.sliding.pack import HostPack, build_pack
from spatialjax.sliding.sources import check_target, load_host_pack, write_source
from spatialjax.solvers.sliding_astar import MAX_STATES, Status, solve_board, solve_position
from spatialjax.solvers.sliding_distances import BUDGET, LANES, search_arrangements

HARDEST = 10  # boards listed by name

SOLVERS = ("ida_star", "astar")

_SOLUTION = ("complexity_c1", "complexity_c2", "shortest_move_sequence")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class SolveConfig:
    """What to solve and how far; see `load_host_pack` for sources.

    Attributes:
      source: "embedded", a config file, a folder of them, or a `.npz` pack.
      subset, split: which of the embedded sets.
      solver: "ida_star" searches all boards at once and leaves to A* those that run out of their
        budget; "astar" leaves all to it.
      verify: compare with the lengths that the set states.
      budget: iterations of IDA* for each board.
      max_states: arrangements A* may keep for each board.
      workers: threads of A*; None is one a core.
      out: where to write the configs with their solutions, see `write_source`.
    """

    source: str
    subset: str = "geoms"
    split: str = "test"
    solver: str = "ida_star"
    verify: bool = False
    budget: int = BUDGET
    max_states: int = MAX_STATES
    workers: int | None = None
    out: Path | None = None

    def __post_init__(self) -> None:
        require_one_of("solver", self.solver, SOLVERS)
        require_positive("budget", self.budget)
        require_positive("max_states", self.max_states)
        require_positive("workers", 1 if self.workers is None else self.workers)
        if self.out is not None:
            check_target(self.out)


class Result(NamedTuple):
    """What came of one board.

    Attributes:
      status: how the search ended.
      actions: `4 * slot + direction` of each move of a shortest solution, [] if none was found.
      expanded: arrangements whose moves A* tried, or iterations of IDA*.
      seconds: of A*; None for IDA*, which does not time boards alone.
    """

    status: Status
    actions: list[int]
    expanded: int
    seconds: float | None


@dataclass
class Times:
    """Seconds that a run took.

    Attributes:
      reading: the source.
      compiling: both solvers, or loading what was compiled before.
      device, host: solving by IDA* and by A*.
    """

    reading: float = 0.0
    compiling: float = 0.0
    device: float = 0.0
    host: float = 0.0


@dataclass(frozen=True)
class SolveReport:
    """What solving a set found, and what it cost.

    Attributes:
      ids, results: of each board, in the order of the set.
      differing: None unless verified; else one sentence for each board whose length is not the one
        stated, or that could not be compared.
      times: without those of earlier runs that this one continued.
      peak_bytes: most memory that the process ever held; None where it isn't known.
    """

    ids: list[str]
    results: list[Result]
    differing: list[str] | None
    times: Times = field(default_factory=Times)
    peak_bytes: int | None = None

    def text(self) -> str:
        """Return the report for people."""
        number, times = len(self.results), self.times
        solved = [result for result in self.results if result.status == Status.SOLVED]
        lines = [
            f"{number} boards, {len(solved)} solved optimally in {times.device + times.host:.2f} s"
            f" (reading {times.reading:.2f} s, compiling {times.compiling:.2f} s)"
        ]
        if solved:
            lengths = [len(result.actions) for result in solved]
            mean = sum(lengths) / len(lengths)
            lines.append(f"moves: {mean:.1f} on average, at most {max(lengths)}")
        on_device = [result.expanded for result in self.results if result.seconds is None]
        on_host = [result.expanded for result in self.results if result.seconds is not None]
        lines.append(_work("IDA*", on_device, times.device, "iterations"))
        lines.append(_work("A*", on_host, times.host, "arrangements expanded"))
        if on_host:
            quick = sum(r.seconds is not None and r.seconds <= 1 for r in solved)
            lines[-1] += f"; {quick} ({100 * quick / len(on_host):.1f} %) solved within 1 s each"
        if self.peak_bytes is not None:
            lines.append(f"memory peak {self.peak_bytes / 2**20:.0f} MiB")
        pairs = list(zip(self.results, self.ids, strict=True))
        if open_ := [name for result, name in pairs if result.status != Status.SOLVED]:
            lines.append(f"given up, so their length is not known: {some_of(open_)}")
        hardest = sorted(pairs, key=lambda pair: (-(pair[0].seconds or 0), -pair[0].expanded))
        lines.append(f"hardest {min(HARDEST, number)}:    seconds   expanded  moves  id")
        for result, name in hardest[:HARDEST]:
            seconds = "-" if result.seconds is None else f"{result.seconds:.4f}"
            moves = len(result.actions) or "-"
            lines.append(f"{'':10}{seconds:>12}{result.expanded:11}{moves:>7}  {name}")
        if self.differing is not None:
            same = number - len(self.differing)
            lines.append(f"verified: {same} of {number} boards have exactly the length stated")
            lines += self.differing
        return "\n".join(lines)


def solve_source(config: SolveConfig, progress: Progress = lambda done, total: None) -> SolveReport:
    """Solve every board of a source and write the configs where `config.out` says.

    A board that was given up is written without a solution and lengths, so that nobody takes what
    it stated before for what was found.
    """
    times = Times()
    begin = time.monotonic()
    pack, configs = _load(config)
    times.reading = time.monotonic() - begin
    _compile(config, pack, times)
    results = []
    with closing(_resumed(config, pack, times)) as stream:
        for result in stream:
            results.append(result)
            progress(len(results), len(pack))
    if config.out is not None:
        write_source(config.out, [_with(c, r) for c, r in zip(configs, results, strict=True)])
        part_of(config.out).unlink()
    return SolveReport(
        ids=list(pack.ids),
        results=results,
        differing=_differing(pack, configs, results) if config.verify else None,
        times=times,
        peak_bytes=peak_memory(),
    )


def _load(config: SolveConfig) -> tuple[HostPack, list[dict[str, Any]]]:
    if config.source == "embedded" or is_npz(config.source):
        pack = load_host_pack(config.source, config.subset, config.split)
        return pack, pack.configs()
    configs = load_configs(config.source)
    return build_pack(configs), configs


def _compile(config: SolveConfig, pack: HostPack, times: Times) -> None:
    """Solve what needs no search, so that both solvers are compiled."""
    begin = time.monotonic()
    solve_board(2, [0], [1])
    if config.solver == "ida_star":
        search_arrangements(pack.params(), np.zeros(1, np.int32), np.array(pack.puzzles.goal)[:1])
    times.compiling = time.monotonic() - begin


def _resumed(config: SolveConfig, pack: HostPack, times: Times) -> Generator[Result, None, None]:
    """Yield the result of every board: those noted by an earlier run, then new ones."""
    if config.out is None:
        yield from _results(config, pack, 0, times)
        return
    header = {"boards": pack.hash, "solver": config.solver, "budget": config.budget}
    header |= {"max_states": config.max_states}
    part = part_of(config.out)
    made = resume(part, header)
    for status, *rest in made:
        yield Result(Status(status), *rest)
    with closing(_results(config, pack, len(made), times)) as fresh:
        yield from noted(part, fresh)


def _results(
    config: SolveConfig, pack: HostPack, first: int, times: Times
) -> Generator[Result, None, None]:
    """Yield the result of every board from the given one on, in order."""
    params = pack.params()
    for begin in range(first, len(pack), LANES):
        rows = np.arange(begin, min(begin + LANES, len(pack)), dtype=np.int32)
        found: dict[int, Result] = {}
        if config.solver == "ida_star":
            now = time.monotonic()
            starts = np.asarray(pack.puzzles.start)[rows]
            batch = search_arrangements(params, rows, starts, config.budget)
            times.device += time.monotonic() - now
            for i in np.flatnonzero(batch.exact).tolist():
                actions = np.asarray(batch.actions[i])[: int(batch.distance[i])].tolist()
                iterations = int(batch.iterations[i])
                found[begin + i] = Result(Status.SOLVED, actions, iterations, None)
        yield from _finished(config, pack, rows.tolist(), found, times)


def _finished(
    config: SolveConfig,
    pack: HostPack,
    rows: Sequence[int],
    found: dict[int, Result],
    times: Times,
) -> Generator[Result, None, None]:
    """Yield the results of some rows: those found, and those of A* for all others."""

    def solve(row: int) -> Result:
        begin = time.monotonic()
        solution = solve_position(pack.board(row), config.max_states)
        seconds = time.monotonic() - begin
        return Result(solution.status, solution.actions, solution.expanded, seconds)

    with ThreadPoolExecutor(config.workers or os.cpu_count()) as pool:
        pending = {row: pool.submit(solve, row) for row in rows if row not in found}
        begin = time.monotonic()
        try:
            for row in rows:
                yield found[row] if row in found else pending[row].result()
        finally:
            pool.shutdown(cancel_futures=True)
            times.host += time.monotonic() - begin if pending else 0


def _differing(
    pack: HostPack, configs: Iterable[dict[str, Any]], results: Iterable[Result]
) -> list[str]:
    """Return a sentence for each board whose length is not known to be the one stated.

    Every solution found is replayed.
    """
    sentences = []
    stated = pack.puzzles.optimal_length.tolist()
    for config, length, result in zip(configs, stated, results, strict=True):
        validate_config(_with(config, result))
        name, found = f"id {config[ID]!r}", len(result.actions)
        if result.status != Status.SOLVED:
            sentences.append(f"{name}: the search was given up, so its length is not known")
        elif not length:
            sentences.append(f"{name}: no length is stated, and it is {found}")
        elif found != length:
            sentences.append(f"{name}: c1 is stated as {length}, and it is {found}")
    return sentences


def _with(config: dict[str, Any], result: Result) -> dict[str, Any]:
    """Return the config with the solution found in place of what it states."""
    if result.status != Status.SOLVED:
        return {key: value for key, value in config.items() if key not in _SOLUTION}
    board = config_board(config)
    commands = [action_command(board, action) for action in result.actions]
    return config | solution_fields(board, commands)


def _work(name: str, expanded: Sequence[int], seconds: float, unit: str) -> str:
    text = f"{name}: {len(expanded)} boards in {seconds:.2f} s"
    return f"{text}, {sum(expanded)} {unit}, at most {max(expanded)}" if expanded else text

"""Playing by hand: both families by scripted keys, and the program in a pseudo-terminal."""

import json
import os
import pty
import select
import subprocess
import sys
import time

import pytest
from drawn import solved_record

from agents.paths import ROOT
from spatialjax.play.lines import LineGame
from spatialjax.play.session import Log, play
from spatialjax.play.sliding import SlidingGame, visible
from spatialjax.sliding.generate import generate_sliding
from spatialjax.solvers.sliding_astar import solve_sliding

# Start top left, end bottom right: right along the top and down the side passes the dot.
DOTTED = "S + + + .\n+ N + N +\n+ + + + E"
ARROWS = {"up": b"\x1b[A", "down": b"\x1b[B", "right": b"\x1b[C", "left": b"\x1b[D"}
GOOD = ["right", "right", "down"]
BAD = ["down", "right", "right"]


@pytest.fixture
def record():
    return solved_record(DOTTED, "dotted")


class Script:
    """Keys from a list; the screens that were shown."""

    def __init__(self, keys):
        self._keys = iter(keys)
        self.screens = []

    def show(self, text):
        self.screens.append(text)

    def read_key(self):
        key = next(self._keys)
        if key == "^C":
            raise KeyboardInterrupt
        return key


def session(game, *keys, log=None, player="ann"):
    """Play one game by keys; return the log and the screens."""
    log = log or Log(None)
    times = iter(range(1000))
    script = Script(keys)
    play([game], script, log, player, clock=lambda: float(next(times)))
    return log, script.screens


def test_a_line_is_drawn_from_node_to_node(record):
    log, screens = session(LineGame(record), *GOOD, "q")
    (row,) = log.rows
    started = row.pop("started")
    path = [{"x": x, "y": y} for x, y in [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (4, 1), (4, 2)]]
    assert row == {
        "puzzle_id": "dotted", "player": "ann", "attempt": 1, "outcome": "solved", "solved": True,
        "seconds": 1.0, "moves": 3, "undone": 0, "hints": 0, "path": path,
    }  # fmt: skip
    assert started.endswith("+00:00")
    assert "Solved." in screens[-1] and "1 of 1" in screens[0]


def test_a_wrong_line_is_told_what_it_breaks_and_may_be_drawn_again(record):
    log, screens = session(LineGame(record), *BAD, "up", "r", *GOOD, "n")
    assert [(row["attempt"], row["outcome"]) for row in log.rows] == [(1, "failed"), (2, "solved")]
    failed = next(screen for screen in screens if "breaks these rules" in screen)
    assert "all dots collected: broken at (4, 0)" in failed and "r try again" in failed
    assert log.rows[0]["moves"] == 3  # nothing moves after the end


def test_taking_back(record):
    game = LineGame(record)
    log, screens = session(game, "left", "right", "left", "down", "undo", "undo", *GOOD, "q")
    assert "the line can't go left from here" in screens[1]
    assert log.rows[0]["moves"] == 6 and log.rows[0]["undone"] == 1
    assert len(log.rows[0]["path"]) == 7


def test_hints_lead_to_a_solution(record):
    pytest.importorskip("numba", reason="needs the solve extra")
    game = LineGame(record)
    for _ in range(3):
        assert game.press(game.hint().removeprefix("go "))
    assert game.is_solved
    astray = LineGame(record)
    assert astray.press("right") and astray.press("down")
    assert astray.hint() == "no solution goes on from here: step back to the point (2, 0)"


def test_a_sliding_puzzle(record):
    pytest.importorskip("numba", reason="needs the solve extra")
    (config,) = generate_sliding(1, seed=3, sizes=(4,), geoms=(5,), moves=(4,))
    commands = [command.split() for command in solve_sliding(config) if "move" in command]
    game = SlidingGame(config)
    keys = []
    chosen, names = 0, game._board.names
    for _, color, shape, direction in commands:
        target = names.index(f"{color} {shape}")
        keys += ["next"] * ((target - chosen) % len(names)) + [direction]
        chosen = target
    log, screens = session(game, "previous", "next", "?", *keys, "q")
    (row,) = log.rows
    assert row["solved"] and row["hints"] == 1 and row["moves"] == 4
    assert [command.split() for command in row["commands"]] == commands
    assert "(4 moves to go)" in screens[3] and "Solved with 4 moves." in screens[-1]
    picture = screens[0].splitlines()[2:]
    assert len({visible(line) for line in picture[1:9]}) == 1  # both boards stand side by side


def test_illegal_slides_say_why():
    (config,) = generate_sliding(1, seed=3, sizes=(2,), geoms=(2,), moves=(1,))
    game = SlidingGame(config)
    said = []
    for direction in ("left", "right", "up", "down"):
        if not game.press(direction):
            said.append(game.message)
        game.restart()
    assert "the board ends there" in said


def test_attempts_are_noted_once_and_counted_over_sittings(record, tmp_path):
    file = tmp_path / "log.jsonl"
    session(LineGame(record), "r", "right", "r", "right", "q", log=Log(file))
    session(LineGame(record), "n", log=Log(file))
    with pytest.raises(KeyboardInterrupt):
        session(LineGame(record), "down", "^C", log=Log(file))
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(row["attempt"], row["outcome"]) for row in rows] == [
        (1, "restarted"), (2, "quit"), (3, "skipped"), (4, "quit"),
    ]  # fmt: skip
    session(LineGame(record), *GOOD, "q", log=Log(file), player="bob")
    assert json.loads(file.read_text().splitlines()[-1])["attempt"] == 1


def test_a_restart_hides_neither_hints_nor_time(record):
    """Without a move the same attempt goes on; with a hint it is noted."""
    log, _ = session(LineGame(record), "r", "r", *GOOD, "q")
    assert [row["outcome"] for row in log.rows] == ["solved"]
    game = LineGame(record)
    game.hint = lambda: "go right"
    log, _ = session(game, "?", "r", *GOOD, "q")
    assert [(row["outcome"], row["hints"]) for row in log.rows] == [("restarted", 1), ("solved", 0)]


def test_a_log_that_cannot_be_written_is_refused_at_once(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere" / "log"):
        with pytest.raises(ValueError, match="can't be written"):
            Log(path)


@pytest.mark.parametrize(
    ("text", "match"), [('{"a": 1}\n', "line 1 is no attempt"), ('{"pla', "middle of line 1")]
)
def test_a_damaged_log_is_refused(tmp_path, text, match):
    (tmp_path / "log").write_text(text)
    with pytest.raises(ValueError, match=match):
        Log(tmp_path / "log")


def run_in_terminal(arguments, keys):
    """Run `scripts/play.py` in a pseudo-terminal, each key once a screen is shown."""
    leader, follower = pty.openpty()
    command = [sys.executable, str(ROOT / "scripts" / "play.py"), *map(str, arguments)]
    job = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=subprocess.PIPE)
    os.close(follower)
    shown, keys, deadline = b"", list(keys), time.monotonic() + 120
    while job.poll() is None and time.monotonic() < deadline:
        ready, _, _ = select.select([leader], [], [], 0.3)
        if ready:
            try:
                shown += os.read(leader, 65536)
            except OSError:
                break
        elif b"\x1b[2J" in shown and keys:
            os.write(leader, keys.pop(0))
    job.wait(timeout=60)
    os.close(leader)
    return job.returncode, shown.decode(), job.stderr.read().decode()


def test_program_in_a_terminal(record, tmp_path):
    source, log = tmp_path / "one.jsonl", tmp_path / "log.jsonl"
    source.write_text(json.dumps(record) + "\n")
    keys = [b"x", ARROWS["right"] + b"d", b"\x1bOB", b"q"]  # one of them in pieces, others at once
    code, shown, errors = run_in_terminal([source, "--log", log, "--player", "ann"], keys)
    assert code == 0, errors
    assert "Solved." in shown and shown.endswith("\x1b[?25h\x1b[?1049l")
    assert json.loads(log.read_text())["solved"]
    code, _, errors = run_in_terminal([source, "--log", log, "--player", "ann"], [])
    assert code == 1 and "every puzzle" in errors and "\n" not in errors.strip()


def test_program_needs_a_terminal(record, tmp_path):
    source = tmp_path / "one.jsonl"
    source.write_text(json.dumps(record) + "\n")
    job = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "play.py"), str(source)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert job.returncode == 1
    assert job.stderr == "error: playing needs a terminal; input or output is a file or a pipe\n"

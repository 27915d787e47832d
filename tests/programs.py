"""Programs called as their scripts call them, within the test's own process."""

import sys

import pytest

from agents import cli


def exit_of(monkeypatch, program, *flags):
    """Call a program, given as module, config and function; return what it exits with."""
    monkeypatch.setattr(sys, "argv", [program[0], *map(str, flags)])
    with pytest.raises(SystemExit) as stop:
        cli.main(*program)
    return stop.value.code

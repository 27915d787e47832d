"""A terminal that shows screens of text and gives single keys; plain escape sequences, so that it
works over SSH."""

import os
import select
import sys
from typing import Any, Self

from spatialjax.play.session import CLEAR

KEYS = {
    b"\x1b[A": "up", b"\x1b[B": "down", b"\x1b[C": "right", b"\x1b[D": "left",
    b"\x1bOA": "up", b"\x1bOB": "down", b"\x1bOC": "right", b"\x1bOD": "left",
    b"w": "up", b"s": "down", b"d": "right", b"a": "left",
    b"\t": "next", b"\x1b[Z": "previous",
    b"u": "undo", b"\x7f": "undo", b"\x08": "undo",
}  # fmt: skip
"""What the terminal sends for keys; any other byte stands for itself."""

ESCAPE_SECONDS = 0.05
"""For which the rest of an escape sequence is waited."""


class Terminal:
    """Standard input and output, without echo and line by line reading while it is entered.

    Raises ValueError where they are no terminal.
    """

    def __enter__(self) -> Self:
        try:
            import termios
            import tty
        except ImportError:
            raise ValueError("playing needs a POSIX terminal, as on Linux and macOS") from None
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise ValueError("playing needs a terminal; input or output is a file or a pipe")
        self._input = sys.stdin.fileno()
        self._pending = b""
        self._old = termios.tcgetattr(self._input)
        tty.setcbreak(self._input)
        self._write("\x1b[?1049h\x1b[?25l")  # another screen, no cursor
        return self

    def __exit__(self, *_: Any) -> None:
        import termios

        self._write("\x1b[?25h\x1b[?1049l")
        termios.tcsetattr(self._input, termios.TCSADRAIN, self._old)

    def show(self, text: str) -> None:
        """Show a screen of text."""
        self._write(CLEAR + text + "\n")

    def read_key(self) -> str:
        """Wait for a key; see `session.Screen`. A closed terminal quits."""
        while not self._pending:
            try:
                self._pending = os.read(self._input, 1024)
            except OSError:  # the other end is gone
                return "q"
            if not self._pending:
                return "q"
        code = self._next_code()
        self._pending = self._pending[len(code) :]
        return KEYS.get(code) or code.decode("latin-1")

    def _next_code(self) -> bytes:
        """Return the bytes of the first pending key, waiting for the rest of a sequence."""
        if not self._pending.startswith(b"\x1b"):
            return self._pending[:1]
        while not any(self._pending.startswith(code) for code in KEYS if len(code) > 1):
            ready, _, _ = select.select([self._input], [], [], ESCAPE_SECONDS)
            read = os.read(self._input, 1024) if ready and len(self._pending) < 3 else b""
            if not read:
                return self._pending[:1]
            self._pending += read
        return self._pending[:3]

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

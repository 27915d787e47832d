"""Texts with named fields, ours and those that users bring.

    Solve this puzzle of {width} x {height} cells:
    {grid}
    {answer}

A field is a name in braces and nothing more; a brace itself is written twice. If a line reads
`=== user ===`, what stands before it is the system message.
"""

import difflib
import re
import string
from collections.abc import Collection, Mapping
from pathlib import Path

SEPARATOR = "=== user ==="


class Template:
    """A text with fields, checked once.

    Attributes:
      text: the text as it was given.
      fields: names of the fields it uses.
    """

    def __init__(self, text: str, allowed: Collection[str], name: str = "template") -> None:
        """Read a text.

        Args:
          allowed: fields that it may use.
          name: what error messages call it.

        Raises:
          ValueError: for an unknown field, a brace that belongs to none, or more than one line
            `=== user ===`.
        """
        self.text = text
        self._name = name
        self.fields = frozenset(self._read(allowed))
        parts = re.split(rf"(?m)^{SEPARATOR}$", text)
        if len(parts) > 2:
            raise ValueError(
                f"{name}: {SEPARATOR!r} comes {len(parts) - 1} times; it parts the system message "
                "from the rest, so it may come once"
            )
        self._system, self._user = ("", *parts)[-2:]

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """Return the system message, "" if there is none, and the user's message."""
        used = {field: values[field] for field in self.fields}
        return self._system.format(**used).strip("\n"), self._user.format(**used).strip("\n")

    def _read(self, allowed: Collection[str]) -> list[str]:
        try:
            parts = list(string.Formatter().parse(self.text))
        except ValueError as error:
            raise ValueError(
                f"{self._name}: a brace belongs to no field ({error}); write {{{{ or }}}} for a "
                "brace that is meant as such"
            ) from None
        fields = []
        for _, field, form, conversion in parts:
            if field is None:
                continue
            if field not in allowed or form or conversion:
                written = "{" + field + ("!" + conversion if conversion else "")
                written += (":" + form if form else "") + "}"
                close = difflib.get_close_matches(field, allowed, n=1)
                hint = (
                    f"did you mean {{{close[0]}}}?"
                    if close
                    else "there are " + ", ".join(f"{{{name}}}" for name in sorted(allowed))
                )
                raise ValueError(f"{self._name}: field {written} is unknown; {hint}")
            fields.append(field)
        return fields


def read_template(file: str | Path, allowed: Collection[str]) -> Template:
    """Read the template in a file, UTF-8; OSError if it can't be read, ValueError as `Template`."""
    return Template(Path(file).read_text("utf-8"), allowed, str(file))

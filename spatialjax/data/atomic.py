"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str], suffix: str = "") -> Iterator[Path]:
    """Yield a path to write to; the file there becomes `path` once the block ends without error.

    Args:
      suffix: what the name of the file written to ends in.
    """
    path = Path(path)
    # In a folder of its own the file gets the usual permissions, and goes if writing fails.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".new-") as folder:
        scratch = Path(folder) / f"new{suffix}"
        yield scratch
        os.replace(scratch, path)

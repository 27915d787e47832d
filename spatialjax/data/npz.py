"""Packs as `.npz` files: no pickle, a checksum, written whole or not at all; and content hashes."""

import hashlib
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from spatialjax.data.atomic import replacing
from spatialjax.errors import PuzzleError

T = TypeVar("T")


def is_npz(path: str | os.PathLike[str]) -> bool:
    """Whether a path is by its name that of a pack file."""
    return Path(path).suffix.lower() == ".npz"


def save_npz(path: str | os.PathLike[str], version: int, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays with the version of their format and a checksum."""
    content: dict[str, Any] = {**arrays, "format": np.array(version)}
    content["checksum"] = np.array(_checksum(content))
    with replacing(path, suffix=".npz") as scratch:
        np.savez_compressed(scratch, **content)


def load_npz(
    path: str | os.PathLike[str], version: int, build: Callable[[dict[str, np.ndarray]], T]
) -> T:
    """Return what `build` makes of the arrays that `save_npz` wrote.

    Raises:
      PuzzleError: if the file is missing, damaged, of another version, or `build` fails.
    """
    try:
        path = Path(path).expanduser()
        # Opened here, as NumPy would try other ways to read a file that is no archive.
        with zipfile.ZipFile(path) as archive:
            is_pack = {"format.npy", "checksum.npy"} <= set(archive.namelist())
        if not is_pack:
            raise PuzzleError(f"{path}: not a readable pack file: it was not written as a pack")
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        if int(arrays["format"]) != version:
            raise PuzzleError(f"{path}: pack format {arrays['format']}, expected {version}")
        found, expected = _checksum(arrays), str(arrays.pop("checksum"))
        if found != expected:
            raise PuzzleError(
                f"{path}: the content has checksum {found[:16]}, the file says {expected[:16]}"
            )
        return build(arrays)
    except PuzzleError:
        raise
    except FileNotFoundError:
        raise PuzzleError(f"{path}: there is no such file") from None
    except Exception as error:  # zipfile, zlib and NumPy raise a dozen types on damaged files
        fault = " ".join(f"{type(error).__name__}: {error}".split())
        raise PuzzleError(f"{path}: not a readable pack file: {fault}") from error


def content_hash(parts: Iterable[object]) -> str:
    """Return a SHA-256 over the reprs of plain Python values."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(repr(part).encode())
    return digest.hexdigest()


def _checksum(arrays: Mapping[str, np.ndarray]) -> str:
    """Return a SHA-256 over all arrays but the checksum itself, padding and dtypes included."""
    digest = hashlib.sha256()
    for name in sorted(arrays.keys() - {"checksum"}):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()

"""Start a program: parse its flags, call it, and turn expected errors into one sentence."""

import importlib
import sys

PACKAGES = ("flax", "optax", "orbax", "tyro", "tqdm", "tensorboardX", "matplotlib", "PIL")
"""Packages of the extras that agents use."""


def main(module: str, config: str, function: str) -> None:
    """Call `function(config)` of a module; the config's fields are the flags.

    Exits with one sentence on a bad flag value, a missing extra, malformed data, a file that cannot
    be read or written, and Ctrl-C.
    """
    try:
        program = importlib.import_module(module)
        import tyro
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in PACKAGES:
            raise
        sys.exit(f"{error.name} is missing: pip install -e '.[agents]'")
    arguments = tyro.cli(getattr(program, config))
    try:
        getattr(program, function)(arguments)
    except (ValueError, ImportError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("\nstopped")

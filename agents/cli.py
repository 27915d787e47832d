"""Start a program: parse its flags, call it, and turn expected errors into one sentence."""

import importlib
import sys

PACKAGES = ("flax", "optax", "orbax", "tyro", "tqdm", "tensorboardX", "matplotlib", "PIL")
"""Packages of the extras that agents use."""


def main(module: str, config: str, function: str, defaults: str = "") -> None:
    """Call `function(config)` of a module; the config's fields are the flags.

    `defaults` names a function of the module from the program's arguments to the config whose
    values are taken where no flag says otherwise.

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
    given = {"default": getattr(program, defaults)(sys.argv[1:])} if defaults else {}
    arguments = tyro.cli(getattr(program, config), **given)
    try:
        getattr(program, function)(arguments)
    except (ValueError, ImportError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("\nstopped")

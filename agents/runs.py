"""The folder of one training run: config, metrics, checkpoints; what a killed run continues from.

`config.json` is written first and whole. Metrics of an update reach `metrics.jsonl` before the
checkpoint that holds it, and resuming cuts the file back to the checkpoint: no row is lost or
doubled.
"""

import dataclasses
import json
import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self, TypeVar, get_type_hints

import jax
import orbax.checkpoint as ocp
from tensorboardX import SummaryWriter

from spatialjax.data.atomic import replacing

T = TypeVar("T")


class Run:
    """An open run folder.

    Attributes:
      path: the folder.
      update: the update that the newest checkpoint holds, 0 without one.
    """

    def __init__(self, path: Path):
        self.path = path.absolute()  # orbax refuses relative paths
        options = ocp.CheckpointManagerOptions(max_to_keep=2, enable_async_checkpointing=False)
        self._checkpoints = ocp.CheckpointManager(self.path / "checkpoints", options=options)
        self.update = self._checkpoints.latest_step() or 0
        rows = [row for row in read_metrics(self.path) if row["update"] <= self.update]
        write_whole(self.path / "metrics.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self._metrics = open(self.path / "metrics.jsonl", "a")
        self._board = SummaryWriter(str(self.path / "tensorboard"), purge_step=self.update + 1)

    @classmethod
    def create(cls, path: Path, config: Any, versions: dict[str, str]) -> Self:
        """Make a new folder; it must not exist."""
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            raise ValueError(
                f"run folder {path} exists; choose another --name, "
                f"or continue it with --resume {shlex.quote(str(path))}"
            ) from None
        content = {"config": dataclasses.asdict(config), "versions": versions}
        write_whole(path / "config.json", json.dumps(content, indent=2) + "\n")
        return cls(path)

    def log(self, row: dict[str, Any]) -> None:
        """Add one row of metrics; `update` numbers it, text goes to the file alone."""
        self._metrics.write(json.dumps(row) + "\n")
        for name, value in row.items():
            if isinstance(value, float):
                self._board.add_scalar(name, value, row["update"])

    def save(self, state: Any) -> None:
        """Write a checkpoint of a train state, after the metrics up to it."""
        self._metrics.flush()
        os.fsync(self._metrics.fileno())
        self.update = int(state.update)
        self._checkpoints.save(self.update, args=ocp.args.StandardSave(state))
        self._checkpoints.wait_until_finished()

    def restore(self, state: Any) -> Any:
        """Return the newest checkpoint; `state` gives shapes, dtypes and shardings."""
        return self._checkpoints.restore(self.update, args=ocp.args.StandardRestore(state))

    def close(self) -> None:
        """Close the files."""
        self._metrics.close()
        self._board.close()
        self._checkpoints.close()


def read_config(path: Path, config_type: type[T]) -> T:
    """Read the config that a run was started with."""
    file = path / "config.json"
    try:
        return from_json(config_type, json.loads(file.read_text())["config"])
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"{path} is no run folder: it holds no config.json") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is no config of this program ({error})") from None


def from_json(config_type: type[T], values: dict[str, Any]) -> T:
    """Rebuild a config dataclass, nested ones and tuples included, from what JSON kept of it."""
    types = get_type_hints(config_type)

    def rebuild(name, value):
        if dataclasses.is_dataclass(types[name]):
            return from_json(types[name], value)
        return tuple(value) if isinstance(value, list) else value

    return config_type(**{name: rebuild(name, value) for name, value in values.items()})


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Read the rows of `metrics.jsonl`; a last one cut short by a kill is left out."""
    file = path / "metrics.jsonl"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    return [json.loads(line) for line in whole_lines(lines)]


def whole_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines that end as a line does."""
    return [line for line in lines if line.endswith("\n")]


def check_trained(path: Path, config: Any, env: str) -> None:
    """Raise ValueError unless a run, by its config, learnt an environment."""
    if config.env != env:
        raise ValueError(f"{path} learnt {config.env}; give --env {config.env}, not {env}")


def restore_variables(path: Path) -> Any:
    """Return the network's variables in the newest checkpoint, on the first device; reads only."""
    # Not `read_only`, which warns of every option that it sets; a manager that doesn't save and
    # doesn't make the folder writes nothing.
    options = ocp.CheckpointManagerOptions(create=False)
    handler = ocp.PyTreeCheckpointHandler()
    with ocp.CheckpointManager(
        path.absolute() / "checkpoints", options=options, item_handlers=handler
    ) as checkpoints:
        step = checkpoints.latest_step()
        if step is None:
            raise ValueError(f"run {path} holds no checkpoint yet")
        sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
        # The rest of the train state has the shape of the puzzles it was trained on.
        wanted = {
            "params": jax.tree.map(
                lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding),
                checkpoints.item_metadata(step).tree["params"],
            )
        }
        arguments = ocp.checkpoint_utils.construct_restore_args(wanted)
        restore = ocp.args.PyTreeRestore(wanted, restore_args=arguments, partial_restore=True)
        return checkpoints.restore(step, args=restore)["params"]


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a kill leaves the old one or the new one."""
    with replacing(path) as scratch:
        scratch.write_text(text, encoding="utf-8")


def output_file(text: str) -> Path:
    """Return the path of a file to be written; ValueError, before the work, if it can't be."""
    path = Path(text).expanduser()
    if path.is_dir() or not path.name:
        raise ValueError(f"{text} is a folder; give the name of a file to write")
    if not path.parent.is_dir():
        raise ValueError(f"{text} can't be written: there is no folder {path.parent}")
    return path

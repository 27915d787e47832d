"""Records from the Hugging Face Hub, through a server on this machine that stands for it.

The Hub libraries read their settings when they are imported, so each case is a process.
"""

import http.server
import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from sample import base_records
from test_sources import dataset_folder, records_with_ids

from spatialjax.data.sources import SPARC, SPARC_REVISION

ROOT = Path(__file__).parents[1]
PROGRAM = """
import json, sys
from spatialjax.data.sources import load_records
for arguments in json.loads(sys.argv[1]):
    try:
        print(json.dumps(load_records(**arguments, check_solutions=False)))
    except ValueError as error:
        print(json.dumps(f"{type(error).__name__} {error}"))
import datasets, huggingface_hub
print(json.dumps([datasets.config.HF_HUB_OFFLINE, huggingface_hub.constants.HF_HUB_OFFLINE]))
"""


class Hub(http.server.BaseHTTPRequestHandler):
    """The few calls that `datasets` makes of the Hub, answered from a folder."""

    protocol_version = "HTTP/1.1"

    def __init__(self, folder, *args):
        self.folder = folder
        super().__init__(*args)

    def do_GET(self):
        path = self.path.split("?")[0].replace("%2F", "/")
        info = f"/api/datasets/{SPARC}/revision/{SPARC_REVISION}"
        tree = f"/api/datasets/{SPARC}/tree/{SPARC_REVISION}"
        files = f"/datasets/{SPARC}/resolve/{SPARC_REVISION}/"
        if path == info:
            names = [str(file.relative_to(self.folder)) for file in self.folder.rglob("*.*")]
            siblings = [{"rfilename": name} for name in names]
            self.answer({"id": SPARC, "sha": SPARC_REVISION, "siblings": siblings, "tags": []})
        elif path.startswith(tree):
            folder = self.folder / path.removeprefix(tree).lstrip("/")
            self.answer([self.entry(file) for file in folder.iterdir()])
        elif path.startswith(files) and (self.folder / path.removeprefix(files)).is_file():
            self.answer((self.folder / path.removeprefix(files)).read_bytes())
        else:
            self.answer({"error": "not found"}, 404, {"X-Error-Code": "EntryNotFound"})

    do_HEAD = do_GET  # noqa: N815  the name the server looks up

    def entry(self, file):
        name = str(file.relative_to(self.folder))
        kind = "directory" if file.is_dir() else "file"
        return {"type": kind, "path": name, "oid": name, "size": file.stat().st_size}

    def answer(self, content, status=200, headers=()):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        tags = {"ETag": f'"{abs(hash(body))}"', "X-Repo-Commit": SPARC_REVISION}
        for key, value in (tags | dict(headers) | {"Content-Length": str(len(body))}).items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *args):
        """Keep the test's output free of one line a request."""


@contextmanager
def hub(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Hub, folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def load_all(folder, port, *calls, offline="0"):
    """Make the calls of `load_records` in a process of its own; return results and seconds."""
    settings = {"HF_ENDPOINT": f"http://127.0.0.1:{port}", "HF_HOME": str(folder / "home")}
    settings |= {"HF_HUB_OFFLINE": offline, "PYTHONPATH": str(ROOT), "NO_PROXY": "*"}
    begin = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([{"source": SPARC, **call} for call in calls])],
        env={**os.environ, **settings},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert run.returncode == 0, run.stderr
    assert "Retrying" not in run.stderr
    *results, flags = map(json.loads, run.stdout.splitlines())
    assert flags == [offline == "1"] * 2  # the call leaves the settings as they were
    return results, time.monotonic() - begin


def test_hub_then_cache_then_nothing(tmp_path):
    pytest.importorskip("datasets", reason="data sets need the extra 'data'")
    records, dots = base_records(), records_with_ids("d")
    subsets = {"all": {"train": records[:2], "test": records[2:]}, "dots": {"test": dots}}
    calls = ({"split": "train"}, {"subset": "dots"}, {"subset": "squares"})
    with hub(dataset_folder(tmp_path / "repository", subsets)) as port:
        (train, found, refusal), _ = load_all(tmp_path, port, *calls)
        assert (train, found) == (records[:2], dots)
        assert "cannot load subset 'squares'" in refusal and "polys_ylops" in refusal
        (refusal,), _ = load_all(tmp_path, port, {"source": "someone/else"})
        assert refusal.startswith(
            "PuzzleError someone/else: cannot load subset 'all', split 'test'"
        )
    # Nothing listens on the port now, as on a machine without a network: the cache serves.
    (train, found, refusal), seconds = load_all(tmp_path, port, *calls)
    assert (train, found) == (records[:2], dots)
    assert "cannot load subset 'squares'" in refusal
    assert seconds < 60


@pytest.mark.parametrize("offline", ["0", "1"])
def test_offline_error_is_one_quick_sentence(tmp_path, offline):
    pytest.importorskip("datasets", reason="data sets need the extra 'data'")
    with hub(tmp_path) as port:
        pass  # a port that nothing listens on any more
    (refusal,), seconds = load_all(tmp_path, port, {}, offline=offline)
    assert refusal == (
        f"PuzzleError {SPARC}: there is no file or folder of this name, the Hugging Face Hub "
        "cannot be reached and no copy is cached; give source the path of a .jsonl, .json or "
        ".parquet file, or of a folder with the data set's files, downloaded where there is a "
        "network"
    )
    assert seconds < 60


def test_revision(monkeypatch):
    """The pinned revision of SPaRC is the default; others are passed on."""
    datasets = pytest.importorskip("datasets", reason="data sets need the extra 'data'")
    import huggingface_hub

    from spatialjax.data.sources import load_records

    asked = []

    def load_dataset(path, subset, *, split, revision):
        asked.append((path, revision))
        return datasets.Dataset.from_list(records_with_ids("a"))

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", lambda *args, **kwargs: None)
    for source, revision in ((SPARC, None), (SPARC, "main"), ("someone/else", None)):
        load_records(source, revision=revision, check_solutions=False)
    assert asked == [(SPARC, SPARC_REVISION), (SPARC, "main"), ("someone/else", None)]

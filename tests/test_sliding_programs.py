"""Generating and solving whole sets of sliding puzzles: reported, verified, written, resumed."""

import json
import runpy
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from sliding_boards import EXAMPLE, changed, published_files

from agents.paths import ROOT

pytest.importorskip("numba", reason="the solver needs the extra `solve`")

from spatialjax import PuzzleError
from spatialjax.data.embedded import sliding as embedded
from spatialjax.data.sliding_files import load_configs, write_configs
from spatialjax.sliding.generate import GeomSet, TileSet, UniformSet, generate_set
from spatialjax.sliding.generate_file import generate_file, generate_resumable
from spatialjax.sliding.solve_file import SolveConfig, solve_source
from spatialjax.sliding.sources import check_target, load_host_pack, write_source
from spatialjax.solvers.sliding_astar import Status

PLAIN = GeomSet(70, sizes=(3,), geoms=(2, 3), moves=(3, 4))
CROSSED = GeomSet(3, seed=1, sizes=(3,), geoms=None, moves=None, interference=(1, 2), num_shapes=3)
MIXED = GeomSet(2, seed=2, sizes=(3,), geoms=(5,), moves=(5, 6), interference=(0, 1))
TILES = TileSet(2, seed=3, sizes=(3, 2), moves=(2, 4))
UNIFORM = UniformSet(70, seed=4, sizes=(3, 4), geoms=(5,))
ID = "config_instance_id"


def by_id(configs):
    return {config[ID]: config for config in configs}


def call(monkeypatch, capsys, program, *flags):
    """Call a script in this process; return what it exits with, and what it printed."""
    path = str(ROOT / "scripts" / program)
    monkeypatch.setattr(sys, "argv", [path, *map(str, flags)])
    status = 0
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as stop:
        status = stop.code
    printed = capsys.readouterr()
    return status, printed.out + printed.err


# ---------------------------------------------------------------------------------- generating


@pytest.mark.parametrize("wanted", [PLAIN, CROSSED, MIXED, TILES, UNIFORM])
def test_a_stopped_run_goes_on_to_the_same_boards(tmp_path, wanted):
    part = tmp_path / "set.part"
    whole, missing = generate_resumable(wanted, tmp_path / "other.part")
    assert whole == generate_set(wanted) and not missing
    calls = []

    def stop(done, total):
        calls.append((done, total))
        raise KeyboardInterrupt

    for _ in range(2):
        if not calls or calls[-1][0] < calls[-1][1]:
            with pytest.raises(KeyboardInterrupt):
                generate_resumable(wanted, part, stop)
    part.write_text(part.read_text() + '[0,{"half')  # the last line half written
    assert generate_resumable(wanted, part)[0] == whole
    assert all(total == len(whole) for _, total in calls)
    with pytest.raises(ValueError, match="begun with other input, options or version"):
        generate_resumable(replace(wanted, seed=9), part)


@pytest.mark.parametrize("name", ["set", "set.json", "set.jsonl", "set.npz"])
def test_sets_are_written_as_a_folder_or_a_file(tmp_path, name):
    out = tmp_path / "new" / name
    assert generate_file(out, CROSSED) == (6, {})
    pack = load_host_pack(out)
    assert sorted(pack.ids) == sorted(config[ID] for config in generate_set(CROSSED))
    assert pack.puzzles.optimal_length.all()
    if name != "set.npz":
        assert by_id(load_configs(out)) == by_id(generate_set(CROSSED))
    assert [path.name for path in out.parent.iterdir()] == [name]


def test_bins_that_stay_empty_are_told_and_the_others_written(tmp_path):
    out = tmp_path / "set.jsonl"
    wanted = GeomSet(2, sizes=(2,), geoms=(1,), moves=(1, 9), attempts=100)
    number, missing = generate_file(out, wanted)
    assert number == 2 and {str(one): n for one, n in missing.items()} == {
        "2x2 cells, 1 geoms, c1 9, c2 0": 2
    }
    with pytest.raises(ValueError, match="no board was found"):
        generate_file(tmp_path / "none.jsonl", replace(wanted, moves=(9,)))
    assert list(tmp_path.iterdir()) == [out]


def test_uniform_boards_are_not_solved_and_can_be():
    configs = generate_set(UNIFORM)
    assert len({config[ID] for config in configs}) == len(configs) == 140
    assert configs[0][ID] == "SJX_UNIFORM_b_3_g_5_i_1"
    assert not any("complexity_c1" in config for config in configs)
    crowded = generate_set(UniformSet(20, sizes=(2,), geoms=(3,)))
    load_configs(configs + crowded)  # every goal is within reach


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (GeomSet, {"moves": (0,)}, "moves 0 is out of range: give 1 to 504"),
        (GeomSet, {"interference": (-1,)}, "interference -1"),
        (GeomSet, {"interference": ()}, "interference is empty"),
        (GeomSet, {"sizes": ()}, "size is empty"),
        (GeomSet, {"set_id": "a/b"}, "set_id is 'a/b'"),
        (GeomSet, {"set_id": "a" * 101}, "101 characters"),
        (GeomSet, {"seed": -1}, "seed is -1"),
        (GeomSet, {"attempts": 0}, "attempts is 0"),
        (TileSet, {"sizes": (1,)}, "size 1"),
        (TileSet, {"per_bin": 0}, "per_bin is 0"),
        (UniformSet, {"geoms": (17,)}, "17 geoms"),
    ],
)
def test_options_out_of_range_are_refused(kind, options, words):
    with pytest.raises(ValueError, match=words):
        kind(**({"per_bin": 1} | options))


def test_targets_that_cannot_be_written_are_refused_before_work(tmp_path):
    write_configs(tmp_path / "set", [EXAMPLE])
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.npz").mkdir()
    for name, words in (
        ("set", "holds .json files already"),
        ("set.csv", "does not end in .json, .jsonl, .npz"),
        ("file", "is a file"),
        ("folder.npz", "is a folder"),
    ):
        with pytest.raises(ValueError, match=words):
            check_target(tmp_path / name)
    with pytest.raises(PuzzleError, match=r"config 1 .*: grid_size is 1"):
        write_source(tmp_path / "bad.json", [EXAMPLE, changed(grid_size=1)])
    assert not (tmp_path / "bad.json").exists()


def test_embedded_tiles_are_made_again_the_same(tmp_path):
    parts = tmp_path / "parts"
    embedded.build_sets("tiles", tmp_path, parts)
    manifest = json.loads((tmp_path / embedded.MANIFEST).read_text())
    assert manifest == embedded.manifest() and not parts.exists()
    for split in ("test", "train"):
        pack = load_host_pack(tmp_path / f"sliding-tiles-{split}.npz")
        assert pack.hash == manifest[f"tiles/{split}"]["hash"]


def test_script_generates(monkeypatch, capsys, tmp_path):
    out = tmp_path / "set.jsonl"
    flags = "--family geoms --per-bin 1 --sizes 3 --geoms 2-3,5 --moves 2,4 --set-id X --seed 5"
    status, text = call(monkeypatch, capsys, "generate.py", out, *flags.split())
    wanted = GeomSet(1, seed=5, sizes=(3,), geoms=(2, 3, 5), moves=(2, 4), set_id="X")
    assert status == 0 and "6 puzzles in" in text and load_configs(out) == generate_set(wanted)
    flags = "--family geoms --per-bin 1 --sizes 3 --geoms any --moves any --interference 1"
    status, text = call(monkeypatch, capsys, "generate.py", out, *flags.split())
    assert status == 0 and [config["complexity_c2"] for config in load_configs(out)] == [1]
    flags = "--family tiles --per-bin 1 --sizes 2 --moves 1,3,13 --attempts 50"
    status, text = call(monkeypatch, capsys, "generate.py", out, *flags.split())
    assert status == 0 and "not filled: 2x2 cells, c1 13: 1 more" in text


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("--family geoms x --rules all", "--rules is a flag for --family lines, not for geoms"),
        ("--family tiles x --geoms=3", "--geoms is a flag for --family geoms, not for tiles"),
        ("x --per-bin 3", "--per-bin is a flag for --family geoms or tiles, not for lines"),
        ("--family geoms x --nothing", "not understood: --nothing"),
        ("--family cubes x", "invalid choice: 'cubes'"),
        ("--family geoms", "give a file or folder to write"),
        ("--family geoms x --uniform --moves 3", "--moves does not go with --uniform"),
        ("--family geoms x --moves 3-", "invalid numbers value: '3-'"),
        ("--family geoms x --geoms 40", "geoms 40 is out of range"),
        ("--family geoms x.csv", "x.csv does not end in"),
    ],
)
def test_script_refuses_in_one_sentence(monkeypatch, capsys, tmp_path, flags, words):
    monkeypatch.chdir(tmp_path)
    status, text = call(monkeypatch, capsys, "generate.py", *flags.split())
    assert words in f"{status} {text}" and "Traceback" not in text
    assert not list(tmp_path.iterdir())


def test_script_stopped_by_ctrl_c_goes_on_to_the_same_boards(tmp_path):
    out, part = tmp_path / "set", tmp_path / "set.part"
    flags = "--family geoms --sizes 3 --geoms 6 --moves any --interference 1,2 --per-bin 40"
    command = [sys.executable, str(ROOT / "scripts" / "generate.py"), str(out), *flags.split()]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        while not part.exists() or part.read_text().count("\n") < 4:
            assert run.poll() is None, run.stderr.read()
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        text = run.communicate(timeout=240)[1]
    assert run.returncode == 1 and "stopped; the same command goes on from here" in text
    assert "Traceback" not in text and not out.exists()
    subprocess.run(command, check=True, capture_output=True)
    wanted = GeomSet(40, sizes=(3,), geoms=(6,), moves=None, interference=(1, 2))
    assert by_id(load_configs(out)) == by_id(generate_set(wanted))
    assert not part.exists()


# ------------------------------------------------------------------------------------- solving


@pytest.fixture(scope="module")
def configs():
    return generate_set(MIXED) + generate_set(TILES)


@pytest.mark.parametrize("solver", ["ida_star", "astar"])
def test_verified_sets(solver, configs, tmp_path):
    write_configs(tmp_path, configs)
    report = solve_source(SolveConfig(str(tmp_path), solver=solver, verify=True))
    assert report.differing == [] and len(report.ids) == len(configs)
    results = dict(zip(report.ids, report.results, strict=True))
    for config in configs:
        assert len(results[config[ID]].actions) == config["complexity_c1"]
    on_host = [result.seconds is not None for result in report.results]
    assert not any(on_host) if solver == "ida_star" else all(on_host)
    text = report.text()
    assert f"{len(configs)} of {len(configs)} boards have exactly the length stated" in text
    assert f"{len(configs)} boards, {len(configs)} solved optimally" in text
    assert "memory peak" in text or report.peak_bytes is None


def test_published_configs_and_the_benchmark_set_are_reproduced():
    folder = published_files()[0].parents[1]
    for source in (str(folder), "embedded"):
        report = solve_source(SolveConfig(source, verify=True))
        assert report.differing == [] and len(report.ids) == (300 if source == "embedded" else 83)


def bare(config):
    lengths = ("complexity_c1", "complexity_c2", "shortest_move_sequence")
    return {key: value for key, value in config.items() if key not in lengths}


def test_differences_are_named(configs, tmp_path):
    wrong = bare(configs[0]) | {"complexity_c1": configs[0]["complexity_c1"] + 2}
    write_source(tmp_path / "set.jsonl", [wrong, bare(configs[1]), *configs[2:]])
    report = solve_source(SolveConfig(str(tmp_path / "set.jsonl"), verify=True))
    c1 = configs[0]["complexity_c1"]
    assert report.differing == [
        f"id {wrong[ID]!r}: c1 is stated as {c1 + 2}, and it is {c1}",
        f"id {configs[1][ID]!r}: no length is stated, and it is {configs[1]['complexity_c1']}",
    ]


def test_what_is_given_up_is_no_verdict_and_stays_unsolved(configs, tmp_path):
    out = tmp_path / "solved.jsonl"
    write_source(tmp_path / "set.jsonl", configs)
    bounds = {"budget": 1, "max_states": 2, "workers": 1}
    report = solve_source(SolveConfig(str(tmp_path / "set.jsonl"), verify=True, out=out, **bounds))
    assert {result.status for result in report.results} == {Status.GAVE_UP}
    assert report.differing[0] == (
        f"id {configs[0][ID]!r}: the search was given up, so its length is not known"
    )
    assert f"given up, so their length is not known: {configs[0][ID]}, " in report.text()
    assert load_configs(out) == [bare(config) for config in configs]


@pytest.mark.parametrize("name", ["solved", "solved.json", "solved.jsonl", "solved.npz"])
def test_written_configs_have_solutions_and_keep_their_fields(configs, tmp_path, name):
    source, out = tmp_path / "set.json", tmp_path / name
    write_source(source, [bare(config) | {"own": 5} for config in configs])
    solve_source(SolveConfig(str(source), out=out))
    pack = load_host_pack(out)
    lengths = dict(zip(pack.ids, pack.puzzles.optimal_length.tolist(), strict=True))
    assert lengths == {config[ID]: config["complexity_c1"] for config in configs}
    if name != "solved.npz":
        for config in load_configs(out):  # replays each solution
            assert config["own"] == 5 and "shortest_move_sequence" in config
            assert ("complexity_c2" in config) == config[ID].startswith("SJX_b")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["set.json", name])


def test_embedded_boards_are_written_as_configs(tmp_path):
    out = tmp_path / "tiles.jsonl"
    report = solve_source(SolveConfig("embedded", subset="tiles", verify=True, out=out))
    assert report.differing == [] and len(load_configs(out)) == len(report.ids) == 96


def test_a_stopped_solver_goes_on(configs, tmp_path):
    source, out, part = (tmp_path / name for name in ("set.json", "out.json", "out.json.part"))
    write_source(source, configs)
    config = SolveConfig(str(source), out=out)

    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_source(config, stop)
    noted = part.read_text()
    assert noted.count("\n") == 4 and not out.exists()
    part.write_text(noted[:-5])  # the last line half written
    report = solve_source(config)
    assert [r.status for r in report.results] == [Status.SOLVED] * len(configs)
    lengths = [config["complexity_c1"] for config in load_configs(out)]  # replays each solution
    assert lengths == [config["complexity_c1"] for config in configs]
    part.write_text(noted)
    with pytest.raises(ValueError, match="begun with other input"):
        solve_source(SolveConfig(str(source), out=out, budget=7))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"budget": 0}, "budget is 0"),
        ({"max_states": 0}, "max_states is 0"),
        ({"workers": 0}, "workers is 0"),
        ({"solver": "bfs"}, "solver is 'bfs'"),
    ],
)
def test_bad_options_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        SolveConfig("embedded", **options)


def test_script_exits_by_the_verdict(monkeypatch, capsys, configs, tmp_path):
    source = tmp_path / "set.jsonl"
    write_source(source, configs)
    flags = ["--family", "geoms", "--verify"]
    status, text = call(monkeypatch, capsys, "solve.py", source, *flags)
    assert status == 0 and f"{len(configs)}/{len(configs)}" in text and "hardest" in text
    write_source(source, [bare(config) for config in configs])
    status, text = call(monkeypatch, capsys, "solve.py", source, *flags)
    assert status == 1 and f"0 of {len(configs)} boards have exactly" in text
    for flags, words in (
        (["missing.json", "--family", "geoms"], "missing.json: there is no such file"),
        (
            [source, "--family", "geoms", "--deadline", "3"],
            "--deadline is a flag for --family line",
        ),
        (
            ["embedded", "--family", "tiles", "--split", "hard"],
            "no subset 'tiles' with split 'hard'",
        ),
    ):
        status, text = call(monkeypatch, capsys, "solve.py", *flags)
        assert status and words in f"{status} {text}" and "Traceback" not in text

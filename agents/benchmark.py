"""Speed of environments and rules: compile time apart from run time, medians of several repeats."""

import dataclasses
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import spatialjax
import spatialjax.wrappers.gymnasium  # registers the ids
from agents.devices import LANE_AXIS, make_mesh
from agents.evaluation import versions
from agents.paths import PUBLISHED, ROOT
from agents.runs import output_file, write_whole
from spatialjax.core import rollout
from spatialjax.core.environment import Environment
from spatialjax.sliding.generate import generate_sliding
from spatialjax.sliding.generator import draw_boards
from spatialjax.witness.device_generator import GeneratorConfig, generate_params
from spatialjax.witness.judge import validate
from spatialjax.witness.sources import load_host_pack
from spatialjax.witness.types import Pack

CASES = (
    ("none", "solutions"),
    ("vector", "solutions"),
    ("planes", "solutions"),
    ("pixels", "solutions"),
    ("none", "rules"),
)
"""Pairs of observation and success that are measured."""

VALIDATE = "witness/validate"
"""The benchmark that counts judged lines a second instead of steps."""

SLIDING_OBSERVATIONS = ("array", "planes")
"""Observations that sliding puzzles are measured with."""

SLIDING_WALK = {"side": 4, "max_geoms": 11, "max_moves": 11}
"""Sliding boards that are made and played: 4 x 4 cells, 11 geoms, 11 moves."""

SLIDING_GENERATE = "sliding/generate"
"""The benchmark that counts those made a second."""

GENERATED = {
    "witness/generate/4x4": GeneratorConfig(sizes=(((4, 4), 1.0),)),
    "witness/generate/mix": GeneratorConfig(),
}
"""Those that count boards made a second: of 4 x 4 cells, and of the published sizes."""

GYMNASIUM_LANES = 1024
GYMNASIUM_OBSERVATIONS = ("dict", "vector")
"""Lanes and observations that line puzzles are measured with through Gymnasium and NumPy."""

REFERENCE_SECONDS = 10.0
"""How long the reference environment plays."""


@dataclasses.dataclass(frozen=True)
class BenchmarkConfig:
    """Measure steps a second with a random legal policy and auto-reset on."""

    batch: int = 4096  # lanes, over all devices
    steps: int = 200  # of each lane in one repeat
    repeats: int = 9
    source: str = "auto"  # puzzles; "auto" takes ../shared/data/sparc/test.jsonl, else "embedded"
    devices: int = 0  # to split the lanes over; 0 takes all, and a processor is one a core
    only: str = ""  # just the benchmarks whose name holds this text
    json: str = ""  # file for the results

    def __post_init__(self):
        for name in ("batch", "steps", "repeats"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")


@dataclasses.dataclass(frozen=True)
class Measurement:
    """One row of the results; `steps_per_s` is a median, `min` and `max` are of the same."""

    name: str
    batch: int
    observation: str
    success: str
    steps_per_s: float
    min: float
    max: float
    compile_s: float
    device: str
    versions: dict[str, str]


def run(config: BenchmarkConfig) -> list[Measurement]:
    """Run the benchmarks, print a table, and write the results where asked."""
    results = output_file(config.json) if config.json else None
    available = len(jax.devices())
    if config.devices == 0:
        config = dataclasses.replace(config, devices=available)
    if not 0 < config.devices <= available or config.batch % config.devices:
        raise ValueError(
            f"devices is {config.devices} and batch {config.batch}: there are {available} devices, "
            "and the batch must split evenly over those used"
        )
    source = config.source
    if source == "auto":
        source = str(PUBLISHED) if PUBLISHED.exists() else "embedded"
    records = spatialjax.load_records(source, split="test")
    benchmarks: dict[str, Callable[[], Measurement]] = {}
    for observation, success in CASES:
        name = f"witness/{observation}/{success}"
        benchmarks[name] = lambda n=name, o=observation, s=success: steps(
            n, "Witness-v0", {"source": records, "observation": o, "success": s}, config
        )
    benchmarks[VALIDATE] = lambda: paths(VALIDATE, records, config)
    for name, made in GENERATED.items():
        benchmarks[name] = lambda n=name, m=made: boards(n, m, config)
    for observation in SLIDING_OBSERVATIONS:
        name = f"sliding/{observation}"
        benchmarks[name] = lambda n=name, o=observation: steps(
            n, "SlidingGeom-v0", {"source": crowded_boards(), "observation": o}, config
        )
    for observation in GYMNASIUM_OBSERVATIONS:
        name = f"gymnasium/{GYMNASIUM_LANES}/{observation}"
        benchmarks[name] = lambda n=name, o=observation: gymnasium_steps(n, o, records, config)
    benchmarks[SLIDING_GENERATE] = lambda: sliding_boards(SLIDING_GENERATE, config)
    print(f"{config.batch} lanes on {config.devices} x {device_name()}, puzzles: {source}")
    print(f"{'benchmark':28}{'median /s':>14}{'min':>14}{'max':>14}{'compile s':>11}")
    rows = []
    for name, measure in benchmarks.items():
        if config.only in name:
            row = measure()
            rows.append(row)
            print(
                f"{name:28}{row.steps_per_s:14,.0f}{row.min:14,.0f}{row.max:14,.0f}"
                f"{row.compile_s:11.1f}",
                flush=True,
            )
    if not config.only:
        compare_reference(records, rows)
        startup()
    if results:
        table = [dataclasses.asdict(row) for row in rows]
        write_whole(results, json.dumps(table, indent=2) + "\n")
    return rows


def steps(name: str, env_id: str, options: dict[str, Any], config: BenchmarkConfig) -> Measurement:
    """Measure environment steps a second; `options` are those of `make`."""
    env, params = spatialjax.make(env_id, **options)
    mesh = make_mesh(jax.devices()[: config.devices], config.batch)
    params = jax.device_put(params, NamedSharding(mesh, P()))
    lanes_each = config.batch // config.devices

    def shard(fn: Callable, in_specs: Any, out_specs: Any) -> Callable:
        return jax.jit(
            jax.shard_map(fn, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)
        )

    def begin(key, params):
        key = jax.random.fold_in(key, jax.lax.axis_index(LANE_AXIS))
        return rollout.start(env, params, key, lanes_each)

    def play(lanes, key, params):
        key = jax.random.fold_in(key, jax.lax.axis_index(LANE_AXIS))
        lanes, totals = rollout.play(env, params, rollout.random_legal, lanes, key, config.steps)
        return lanes, jax.lax.psum(totals, LANE_AXIS)

    lanes = shard(begin, (P(), P()), P(LANE_AXIS))(jax.random.key(0), params)
    step = shard(play, (P(LANE_AXIS), P(), P()), (P(LANE_AXIS), P()))
    compiled, compile_s = compile_timed(step, lanes, jax.random.key(1), params)
    seconds = []
    for repeat in range(config.repeats + 1):
        began = time.perf_counter()
        lanes, _ = jax.block_until_ready(compiled(lanes, jax.random.key(repeat), params))
        seconds.append(time.perf_counter() - began)
    success = options.get("success", "rules")
    count = config.batch * config.steps
    return summary(name, config, options["observation"], success, count, seconds[1:], compile_s)


def gymnasium_steps(
    name: str, observation: str, records: list[dict], config: BenchmarkConfig
) -> Measurement:
    """Measure steps a second through `gymnasium.make_vec`, policy and NumPy arrays included."""
    config = dataclasses.replace(config, batch=GYMNASIUM_LANES)
    envs: Any = gymnasium.make_vec(
        "spatialjax/Witness-v0",
        num_envs=GYMNASIUM_LANES,
        vectorization_mode="vector_entry_point",
        source=records,
        observation=observation,
    )
    rng = np.random.default_rng(0)

    def play(num_steps: int) -> float:
        """Return the seconds that random legal steps of all lanes take."""
        began = time.perf_counter()
        for _ in range(num_steps):
            mask = envs.action_masks()
            envs.step((mask * rng.random(mask.shape, np.float32)).argmax(1))
        return time.perf_counter() - began

    began = time.perf_counter()
    envs.reset(seed=0)
    play(1)
    compile_s = time.perf_counter() - began
    seconds = [play(config.steps) for _ in range(config.repeats + 1)]
    count = GYMNASIUM_LANES * config.steps
    return summary(name, config, observation, "rules", count, seconds[1:], compile_s)


def crowded_boards() -> list[dict]:
    """Return sliding boards with as many geoms as `SLIDING_WALK` has."""
    return generate_sliding(100, geoms=(SLIDING_WALK["max_geoms"],), moves=(8,))


def paths(name: str, records: list[dict], config: BenchmarkConfig) -> Measurement:
    """Measure lines judged by every rule a second, on boards without ylops: their random ends."""
    plain = [r for r in records if not any("Y-" in t for row in r["puzzle_array"] for t in row)]
    env, params = spatialjax.make("Witness-v0", source=plain, observation="none")
    finished = finished_lines(env, params, config.batch)

    def judge(params, index, visited, position):
        return jax.vmap(validate, (None, 0, 0, 0))(params, index, visited, position)

    mesh = make_mesh(jax.devices()[: config.devices], config.batch)
    lanes = P(LANE_AXIS)
    judge = jax.jit(
        jax.shard_map(
            judge, mesh=mesh, in_specs=(P(), lanes, lanes, lanes), out_specs=lanes, check_vma=False
        )
    )
    # Where they will be used, lest every call moves them there.
    params = jax.device_put(params, NamedSharding(mesh, P()))
    finished = jax.device_put(finished, NamedSharding(mesh, lanes))
    compiled, compile_s = compile_timed(judge, params, *finished)
    seconds = []
    for _ in range(config.repeats + 1):
        began = time.perf_counter()
        jax.block_until_ready(compiled(params, *finished))
        seconds.append(time.perf_counter() - began)
    return summary(name, config, "none", "rules", config.batch, seconds[1:], compile_s)


def boards(name: str, made: GeneratorConfig, config: BenchmarkConfig) -> Measurement:
    """Measure line puzzles made on the device a second, ready to be played."""

    def make(key, count):
        params = generate_params(key, count, made)
        return params.puzzles, params.base_observation

    return generated(name, make, "planes", config)


def sliding_boards(name: str, config: BenchmarkConfig) -> Measurement:
    """Measure sliding boards without interference made a second."""

    def make(key, count):
        size, geoms, moves = (
            jnp.full(count, SLIDING_WALK[field], jnp.int32)
            for field in ("side", "max_geoms", "max_moves")
        )
        return draw_boards(jax.random.split(key, count), size, geoms, moves, **SLIDING_WALK)

    return generated(name, make, "none", config)


def generated(
    name: str, make: Callable[[Any, int], Any], observation: str, config: BenchmarkConfig
) -> Measurement:
    """Measure what `make(key, count)` makes on every device, a second."""
    mesh = make_mesh(jax.devices()[: config.devices], config.batch)

    def shard(key):
        key = jax.random.fold_in(key, jax.lax.axis_index(LANE_AXIS))
        return make(key, config.batch // config.devices)

    step = jax.jit(
        jax.shard_map(shard, mesh=mesh, in_specs=P(), out_specs=P(LANE_AXIS), check_vma=False)
    )
    compiled, compile_s = compile_timed(step, jax.random.key(0))
    seconds = []
    for repeat in range(config.repeats + 1):
        began = time.perf_counter()
        jax.block_until_ready(compiled(jax.random.key(repeat)))
        seconds.append(time.perf_counter() - began)
    return summary(name, config, observation, "rules", config.batch, seconds[1:], compile_s)


def finished_lines(env: Environment, params: Pack, count: int) -> tuple[Any, Any, Any]:
    """Return puzzle, visited points and head of random legal lines that reached the end."""

    @jax.jit
    def play(key):
        lanes = rollout.start(env, params, key, count)

        def step(lanes, key):
            mask = jax.vmap(env.action_mask, (0, None))(lanes.episode, params)
            action = rollout.random_legal(key, lanes.observation, mask)
            observation, episode, *_ = jax.vmap(env.step_env, (None, 0, 0, None))(
                key, lanes.episode, action, params
            )
            return rollout.Lanes(episode, observation), None

        return jax.lax.scan(step, lanes, jax.random.split(key, 120))[0].episode.state

    found: list[Any] = []
    while sum(len(state.position) for state in found) < count:
        state = jax.device_get(play(jax.random.key(len(found))))
        at_end = state.position == np.asarray(params.puzzles.end)[state.puzzle_index]
        found.append(jax.tree.map(lambda x, keep=at_end: x[keep], state))
    state = jax.tree.map(lambda *parts: jnp.asarray(np.concatenate(parts)[:count]), *found)
    return state.puzzle_index, state.visited, state.position


def compile_timed(fn: Any, *args: Any) -> tuple[Any, float]:
    """Compile a jitted function for these arguments; return it and the seconds it took."""
    began = time.perf_counter()
    return fn.lower(*args).compile(), time.perf_counter() - began


def summary(
    name: str,
    config: BenchmarkConfig,
    observation: str,
    success: str,
    count: int,
    seconds: list[float],
    compile_s: float,
) -> Measurement:
    """Turn the seconds of the repeats, without the warm-up, into a row."""
    rates = [count / s for s in seconds]
    return Measurement(
        name=name,
        batch=config.batch,
        observation=observation,
        success=success,
        steps_per_s=statistics.median(rates),
        min=min(rates),
        max=max(rates),
        compile_s=compile_s,
        device=device_name(),
        versions=versions(),
    )


def device_name() -> str:
    """Name the device kind as JAX does."""
    return jax.devices()[0].device_kind


def compare_reference(records: list[dict], rows: list[Measurement]) -> None:
    """Print the ratio to the reference environment where `spatial-gym` is installed."""
    try:
        datasets = importlib.import_module("datasets")
        reference = importlib.import_module("Spatial_Gym.Spatial_Gym")
    except ImportError:
        print("ratio to the reference: spatial-gym is not installed")
        return
    # The reference loads its puzzles itself, from the Hub: it gets ours instead.
    vars(reference)["load_dataset"] = lambda *_, **__: datasets.Dataset.from_list(records)
    env = reference.Spatial_Gym()
    rng = np.random.default_rng(0)
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < REFERENCE_SECONDS:
        _, info = env.reset()
        over = False
        while not over:
            legal = info["legal_actions"]
            action = int(rng.choice(legal)) if len(legal) else 0
            _, _, terminated, truncated, info = env.step(action)
            over, count = terminated or truncated, count + 1
    rate = count / (time.perf_counter() - began)
    print(f"reference environment (one lane): {rate:,.0f} steps/s")
    for row in rows:
        if row.name.startswith("witness") and row.name not in (VALIDATE, *GENERATED):  # steps
            print(f"  {row.name}: {row.steps_per_s / rate:,.0f} x")


def startup(repeats: int = 5) -> None:
    """Print times of imports, from a cold start to the first step, and of loading a pack."""
    imports = {module: [] for module in ("jax", "spatialjax")}
    for _ in range(repeats):
        for module, seconds in imports.items():
            seconds.append(timed_python(f"import {module}"))
    jax_s, ours = (statistics.median(seconds) for seconds in imports.values())
    print(f"import jax {jax_s:.2f} s, import spatialjax {ours:.2f} s: ratio {ours / jax_s:.2f}")
    for success in ("rules", "solutions"):
        first = timed_python(
            "import jax, spatialjax\n"
            f"env, params = spatialjax.make('Witness-v0', success={success!r})\n"
            "obs, episode = jax.jit(env.reset)(jax.random.key(0), params)\n"
            "jax.block_until_ready(jax.jit(env.step)(jax.random.key(1), episode, 0, params))\n"
        )
        print(f"import to first jitted step, nothing cached, {success}: {first:.1f} s")
    loads = []
    for _ in range(repeats):
        began = time.perf_counter()
        jax.block_until_ready(load_host_pack("embedded", split="train").params("planes"))
        loads.append(time.perf_counter() - began)
    then = statistics.median(loads[1:])
    print(f"embedded train pack to arrays on the device: {loads[0]:.2f} s, then {then:.2f} s")


def timed_python(code: str) -> float:
    """Return the seconds a fresh interpreter takes for some code, without compilation cache."""
    environment = {k: v for k, v in os.environ.items() if k != "JAX_COMPILATION_CACHE_DIR"}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env=environment)
    return time.perf_counter() - began

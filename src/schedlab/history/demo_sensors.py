"""Sensor data of the miniature site: nodes and GPUs, by default once a minute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedlab.sim import Schedule

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]

STEP_S = 60
PEAK_FLOP_PER_S, MEMORY_BYTE_PER_S = 1.2e12, 2.0e11
"""The peak speed of a node, and the bandwidth of its memory."""

_IDLE_W, _CPU_W, _IDLE_GPU_W, _GPU_W = 110.0, 250.0, 25.0, 200.0
_MEMORY_BYTES = 64 * 2**30
_DAY_S = 86_400
_EPOCH_STEPS = 20
"""A training reads data at the end of each epoch, and its GPUs wait."""


@dataclass(frozen=True)
class _Loads:
    """The load of nodes as shares of what they have, by node and step."""

    cpu: Floats
    gpu: Floats
    memory: Floats
    intensity: Floats
    """Floating-point operations for each byte that is moved."""


def demo_sensors(
    schedule: Schedule,
    nodes: Sequence[Sequence[int]],
    gpus: int,
    epoch_s: int,
    seed: int,
    *,
    step_s: int = STEP_S,
    is_wasteful: bool = False,
    until_s: int | None = None,
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the tables ``nodes`` and ``gpus`` of a cluster on which the jobs ran.

    Args:
        schedule: schedule of the jobs.
        nodes: nodes on which each job ran.
        gpus: number of GPUs of each node.
        epoch_s: when the schedule begins.
        seed: seed of the noise.
        step_s: seconds from one measurement to the next.
        is_wasteful: whether some jobs leave memory and a GPU idle.
        until_s: when the last measurement was made; the counters of operations then failed a day
            before it.
    """
    import polars as pl

    count = schedule.platform.nodes
    last_s = schedule.horizon_s()[1] + step_s if until_s is None else until_s
    time = np.arange(0, last_s, step_s)
    loads = _loads(schedule, nodes, time, np.random.default_rng(seed))
    is_idle = np.zeros(loads.gpu.shape, dtype=bool)
    if is_wasteful:
        _waste(loads, is_idle, schedule, nodes, time)
    counts = 1.0 if until_s is None else np.where(time < until_s - _DAY_S, 1.0, np.nan)
    names = np.repeat([node_name(node) for node in range(count)], len(time))
    places = {"time": np.tile(time + epoch_s, count), "host": names}
    gpu_w = _IDLE_GPU_W + _GPU_W * loads.gpu.ravel()
    other_w = np.where(is_idle.ravel(), _IDLE_GPU_W, gpu_w)
    moved = np.minimum(1.0, loads.cpu * PEAK_FLOP_PER_S / loads.intensity / MEMORY_BYTE_PER_S)
    moved *= MEMORY_BYTE_PER_S
    yield (
        "nodes",
        pl.DataFrame(
            {
                **places,
                "power": _IDLE_W + _CPU_W * loads.cpu.ravel() + gpu_w + (gpus - 1) * other_w,
                "cpu": 100 * loads.cpu.ravel(),
                "memory": _MEMORY_BYTES * loads.memory.ravel(),
                "flops": (moved * loads.intensity * counts).ravel(),
                "moved": moved.ravel(),
            }
        ),
    )
    devices = pl.DataFrame({**places, "utilization": 100 * loads.gpu.ravel(), "power": gpu_w})
    # The second GPU does a little less, since it waits for the first.
    named = [
        devices.with_columns(
            pl.col("utilization") * (0.93**gpu if gpu == 0 else 0.93**gpu * ~is_idle.ravel()),
            power=gpu_w if gpu == 0 else other_w,
            gpu=pl.lit(str(gpu)),
        )
        for gpu in range(gpus)
    ]
    yield "gpus", pl.concat(named)


def _waste(
    loads: _Loads,
    is_idle: NDArray[np.bool_],
    schedule: Schedule,
    nodes: Sequence[Sequence[int]],
    time: NDArray[np.int64],
) -> None:
    """Let every fourth job need little of its memory, and every eleventh only its first GPU.

    The job that has run longest at the last measurement also needs only its first GPU.
    """
    runs = np.flatnonzero((schedule.start_s <= time[-1]) & (schedule.end_s > time[-1]))
    longest = min(runs, key=lambda job: schedule.start_s[job], default=None)
    for job, hosts in enumerate(nodes):
        ran = (time >= schedule.start_s[job]) & (time < schedule.end_s[job])
        where = np.ix_(hosts, ran)
        if job % 4 == 3:
            loads.memory[where] *= 0.06
        if job % 11 == 1 or job == longest:
            is_idle[where] = True


def node_name(node: int) -> str:
    """Name a node: ``n01`` for the first."""
    return f"n{node + 1:02}"


def _loads(
    schedule: Schedule,
    nodes: Sequence[Sequence[int]],
    time: NDArray[np.int64],
    random: np.random.Generator,
) -> _Loads:
    """Let every third job compute on CPUs only; the others train on GPUs."""
    shape = (schedule.platform.nodes, len(time))
    cpu, gpu, memory, intensity = (np.full(shape, idle) for idle in (0.01, 0.0, 0.03, 1.0))
    for job, hosts in enumerate(nodes):
        ran = (time >= schedule.start_s[job]) & (time < schedule.end_s[job])
        minute = np.arange(ran.sum())
        begun = 1.0 - 0.7 * np.exp(-minute / 8.0)
        level = random.uniform(0.4, 0.95)
        trains = np.where(minute % _EPOCH_STEPS < 2, 0.15, 1.0)
        where = np.ix_(hosts, ran)
        is_training = job % 3 != 0
        cpu[where] = (0.35 if is_training else level) * begun
        gpu[where] = level * begun * trains if is_training else 0.01
        memory[where] = random.uniform(0.2, 0.8) * begun
        intensity[where] = 2.0 ** random.uniform(-2.0, 4.0) * random.normal(
            1.0, 0.05, cpu[where].shape
        )
    cpu, gpu = (np.clip(each * random.normal(1.0, 0.04, shape), 0.0, 1.0) for each in (cpu, gpu))
    return _Loads(cpu, gpu, memory, np.maximum(0.05, intensity))

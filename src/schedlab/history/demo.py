"""A miniature site for trying things out: a day of jobs, and sensors in files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.atomic import replacing
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.sim import Schedule, simulate
from schedlab.workload import apply, generate

if TYPE_CHECKING:
    import polars as pl

NODES, GPUS, CPUS, JOBS = 8, 2, 16, 80
STEP_S = 60
EPOCH_S = 1_767_571_200
"""5 January 2026, 00:00 UTC: a Monday."""

USERS = ("ada", "boole", "curry", "dirac")
_IDLE_W, _IDLE_GPU_W = 110.0, 25.0

_SITE = f"""\
# A site without a single server: what its scheduler and its sensors said lies in files.
[site]
name = "demo"

[[cluster]]
name = "mini"

[[cluster.nodes]]
hosts = "n[01-{NODES:02}]"
cpus = {CPUS}
memory = "64GiB"
accelerators = {GPUS}
accelerator_type = "gpu"

[[job_source]]
kind = "standard"
name = "scheduler"
file = "jobs.jsonl"

[[sensor_source]]
kind = "parquet"
name = "node sensors"
files = "nodes.parquet"
host_column = "host"

[[sensor_source.item]]
name = "power_watt"
column = "power"
unit = "W"

[[sensor_source.item]]
name = "used_cpu_percent"
column = "cpu"
unit = "%"

[[sensor_source]]
kind = "parquet"
name = "gpu sensors"
files = "gpus.parquet"
host_column = "host"
device_column = "gpu"

[[sensor_source.item]]
name = "accelerator.utilization_percent"
column = "utilization"
unit = "%"

[[sensor_source.item]]
name = "accelerator.power_watt"
column = "power"
unit = "W"

[store]
url = "history.db"
"""


def make_demo(folder: Path, *, seed: int = 1) -> Path:
    """Write the site file, its jobs and what its sensors saw; returns the site file."""
    schedule = _schedule(seed)
    ranges = schedule.named_nodes()
    nodes = [_numbers(ranges.of(job)) for job in range(len(schedule))]
    random = np.random.default_rng(seed)
    with replacing(folder / "jobs.jsonl") as path, path.open("w") as stream:
        for record in _records(schedule, nodes):
            stream.write(record.model_dump_json(exclude_none=True) + "\n")
    for name, frame in _sensors(schedule, nodes, random):
        with replacing(folder / f"{name}.parquet") as path:
            frame.write_parquet(path)
    with replacing(folder / "site.toml") as path:
        path.write_text(_SITE)
    return folder / "site.toml"


def _schedule(seed: int) -> Schedule:
    """Jobs of the Lublin-Feitelson model, as EASY would have run them."""
    drawn = generate(f"lublin:nodes={NODES}", JOBS, seed=seed)
    workload = apply(drawn, ["wra=random:0.5", f"load=0.8:{NODES}"], seed=seed)
    return simulate(workload, NODES, "easy", seed=seed)


def _numbers(ranges: list[tuple[int, int]]) -> list[int]:
    return [node for first, last in ranges for node in range(first, last + 1)]


def _records(schedule: Schedule, nodes: list[list[int]]) -> Iterator[JobRecord]:
    jobs = schedule.workload
    for job, hosts in enumerate(nodes):
        document: dict[str, Any] = {
            "cluster": "mini",
            "jobid": str(1000 + job),
            "queue_time": from_epoch(EPOCH_S + int(jobs["submit_s"][job])),
            "start_time": from_epoch(EPOCH_S + int(schedule.start_s[job])),
            "end_time": from_epoch(EPOCH_S + int(schedule.end_s[job])),
            "req_walltime_sec": int(jobs["request_s"][job]),
            "resource_req": {
                "num_host": len(hosts),
                "num_cpu_perhost": CPUS,
                "accelerator": {"type": "gpu", "num_perhost": GPUS},
            },
            "per_host": [{"node_id": _name(node)} for node in hosts],
            "state": "completed",
            "exit_status": 0,
            "exclusive": True,
            "job_type": "batch",
            "partition": "all",
            "user_identifier": USERS[job % len(USERS)],
            "accounting_group": f"group{job % 2 + 1}",
            "job_name": f"model {job}",
        }
        yield JobRecord.model_validate(document)


def _name(node: int) -> str:
    return f"n{node + 1:02}"


def _sensors(
    schedule: Schedule, nodes: list[list[int]], random: np.random.Generator
) -> Iterator[tuple[str, pl.DataFrame]]:
    """What was seen once a minute, on every node and on every GPU."""
    import polars as pl

    time = np.arange(0, schedule.horizon_s()[1] + STEP_S, STEP_S)
    busy = np.zeros((NODES, len(time)))
    for job, hosts in enumerate(nodes):
        ran = (time >= schedule.start_s[job]) & (time < schedule.end_s[job])
        busy[np.ix_(hosts, ran)] = random.uniform(0.3, 1.0)
    busy = np.clip(busy * random.normal(1.0, 0.05, busy.shape), 0.0, 1.0)
    names = np.repeat([_name(node) for node in range(NODES)], len(time))
    clock = np.tile(time + EPOCH_S, NODES)
    watts = _IDLE_W + 250.0 * busy.ravel() + GPUS * (_IDLE_GPU_W + 200.0 * busy.ravel())
    yield (
        "nodes",
        pl.DataFrame({"time": clock, "host": names, "power": watts, "cpu": 100 * busy.ravel()}),
    )
    devices = pl.DataFrame(
        {
            "time": clock,
            "host": names,
            "utilization": 100 * busy.ravel(),
            "power": _IDLE_GPU_W + 200.0 * busy.ravel(),
        }
    )
    named = [devices.with_columns(gpu=pl.lit(str(gpu))) for gpu in range(GPUS)]
    yield "gpus", pl.concat(named)

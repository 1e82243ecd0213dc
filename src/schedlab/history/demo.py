"""A miniature site for trying things out: days or a month of jobs, and sensors in files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schedlab.atomic import atomic_write
from schedlab.errors import OutputError
from schedlab.history.demo_queue import jobs_that_wait
from schedlab.history.demo_sensors import (
    MEMORY_BYTE_PER_S,
    PEAK_FLOP_PER_S,
    demo_sensors,
    node_name,
)
from schedlab.history.private import make_private_folder
from schedlab.history.pseudonyms import make_key
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.site import Site, read_site
from schedlab.sim import Schedule, simulate
from schedlab.workload import apply, generate

NODES, GPUS, CPUS = 8, 2, 16
EPOCH_S = 1_767_571_200
"""5 January 2026, 00:00 UTC: a Monday."""


@dataclass(frozen=True)
class DemoSize:
    """The size of the history to make.

    Args:
        jobs: number of jobs.
        load: load that the jobs offer to the nodes.
        step_s: seconds between two measurements of a sensor.
        begins_s: when the first job came.
        is_wasteful: whether some jobs ask for far more than they use or leave a GPU idle, and a
            second source of jobs has been silent for days.
        until_s: how long after the first job the site is looked at, while jobs still run and wait;
            None to look once all have ended.
    """

    jobs: int
    load: float
    step_s: int
    begins_s: int
    is_wasteful: bool = False
    until_s: int | None = None

    def ending_at(self, now_s: float) -> DemoSize:
        """Return the same size for a history that is looked at now."""
        return replace(self, begins_s=int(now_s) - (self.until_s or 0))


_DAY_S = 86_400
DAYS = DemoSize(100, 0.8, 60, EPOCH_S)
MONTH = DemoSize(1_000, 0.4, 300, EPOCH_S - 28 * _DAY_S, is_wasteful=True, until_s=30 * _DAY_S)

USERS = ("boole", "ada", "curry", "dirac")
_FAILING = 17
_NOTEBOOK_CPUS, _NOTEBOOK_S = 4, 3_600
"""What a notebook asks for; it runs beside a training job that leaves it these CPUs."""
_LONG_S = 4 * 3_600
_MEMORY_ASKED = 56 * 2**30

SECOND = "# second\n"
"""Marks the place in the site file for a second cluster and its jobs."""
_SECOND = """\
[[cluster]]
name = "old"

[[cluster.nodes]]
hosts = "o1"
cores = 8

[[job_source]]
kind = "standard"
name = "old scheduler"
file = "old-cluster.jsonl"

"""

_SITE = f"""\
# A site without a single server: what its scheduler and its sensors said lies in files.
[site]
name = "demo"

[[cluster]]
name = "mini"

[[cluster.nodes]]
hosts = "n[01-{NODES:02}]"
cores = {CPUS}
memory = "64GiB"
gpus = {{ gpu = {GPUS} }}
peak_flop_per_s = {PEAK_FLOP_PER_S:.1e}
memory_byte_per_s = {MEMORY_BYTE_PER_S:.1e}
power = {{ idle_w = 160, busy_w = 810 }}

[[cluster.partition]]
name = "all"
default = true

[[cluster.partition]]
name = "interactive"

[sharing]
share_by = "cpu"

[carbon]
gram_per_kwh = 350
source = "an example"

[[carbon.change]]
since = "2026-07-01"
gram_per_kwh = 330

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

[[sensor_source.item]]
name = "used_mem_bytes"
column = "memory"
unit = "B"

[[sensor_source.item]]
name = "flop_count"
column = "flops"
unit = "flop/s"

[[sensor_source.item]]
name = "memory_access_bytes"
column = "moved"
unit = "B/s"

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

{SECOND}[store]
url = "history.db"

[service]
public = true

[service.cost]
currency = "EUR"
node_hour = 0.35
gpu_hour = 0.6
kwh = 0.24

[service.alerts]
quiet = "22:00-06:00"

[service.reports]
folder = "reports"
"""


def make_demo(folder: Path, *, seed: int = 1, extent: DemoSize = DAYS) -> Path:
    """Write a site file, its jobs and its sensor data; return the path of the site file."""
    schedule = demo_schedule(seed, extent)
    ranges = schedule.named_nodes()
    nodes = [_numbers(ranges.of(job)) for job in range(len(schedule))]
    with atomic_write(folder / "jobs.jsonl") as path, path.open("w") as stream:
        for record in _records(schedule, nodes, extent):
            stream.write(record.model_dump_json(exclude_none=True) + "\n")
    if extent.is_wasteful:
        with atomic_write(folder / "old-cluster.jsonl") as path, path.open("w") as stream:
            for record in _old_jobs(extent):
                stream.write(record.model_dump_json(exclude_none=True) + "\n")
    measured = demo_sensors(
        schedule,
        nodes,
        GPUS,
        extent.begins_s,
        seed,
        step_s=extent.step_s,
        is_wasteful=extent.is_wasteful,
        until_s=extent.until_s,
    )
    for name, frame in measured:
        with atomic_write(folder / f"{name}.parquet") as path:
            frame.write_parquet(path)
    with atomic_write(folder / "site.toml") as path:
        path.write_text(_SITE.replace(SECOND, _SECOND if extent.is_wasteful else ""))
    if not (folder / "release.key").exists():
        make_key(folder / "release.key")
    return folder / "site.toml"


def store_demo(folder: Path, *, seed: int = 1, extent: DemoSize = DAYS) -> Site:
    """Make the demo site, store its jobs with their sensor data, and return the site."""
    from schedlab.history import pipeline
    from schedlab.history.sources import job_sources
    from schedlab.history.store import Store

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_private_folder(folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None
    site = read_site(make_demo(folder, seed=seed, extent=extent))
    with Store.make(site.store.located(folder)) as store:
        for each in job_sources(site):
            pipeline.ingest(store, each, site=site)
        pipeline.measure_due(store, site)
    return site


def demo_schedule(seed: int, extent: DemoSize) -> Schedule:
    """Return jobs of the Lublin-Feitelson model, as EASY would have run them."""
    drawn = generate(f"lublin:nodes={NODES}", extent.jobs, seed=seed)
    workload = apply(drawn, ["set_request=random:0.5", f"load={extent.load}:{NODES}"], seed=seed)
    return simulate(workload, NODES, "easy", seed=seed)


def _numbers(ranges: list[tuple[int, int]]) -> list[int]:
    return [node for first, last in ranges for node in range(first, last + 1)]


def _records(schedule: Schedule, nodes: list[list[int]], extent: DemoSize) -> Iterator[JobRecord]:
    """Yield the jobs, and notebooks beside some of them."""
    beside = [job for job, hosts in enumerate(nodes) if _leaves_cpus(schedule, job, hosts)]
    jobs = schedule.workload
    for job, hosts in enumerate(nodes):
        if extent.until_s is not None and jobs["submit_s"][job] > extent.until_s:
            continue
        is_shared = job in beside
        request_s = int(jobs["request_s"][job])
        document: dict[str, Any] = {
            "cluster": "mini",
            "jobid": str(1000 + job),
            "queue_time": from_epoch(extent.begins_s + int(jobs["submit_s"][job])),
            "start_time": from_epoch(extent.begins_s + int(schedule.start_s[job])),
            "end_time": from_epoch(extent.begins_s + int(schedule.end_s[job])),
            "req_walltime_sec": request_s,
            "resource_req": {
                "num_host": len(hosts),
                "num_cpu_perhost": CPUS - _NOTEBOOK_CPUS if is_shared else CPUS,
                "accelerator": {"type": "gpu", "num_perhost": GPUS},
                **({"mem_perhost_bytes": _MEMORY_ASKED} if extent.is_wasteful else {}),
            },
            "per_host": [{"node_id": node_name(node)} for node in hosts],
            **_ending(job, int(schedule.end_s[job] - schedule.start_s[job]), request_s),
            "exclusive": not is_shared,
            "job_type": "batch",
            "partition": "all",
            "user_identifier": USERS[job % len(USERS)],
            "accounting_group": f"group{job % 2 + 1}",
            "job_name": f"{'train' if job % 3 else 'solve'}-{job}",
        }
        yield _as_seen(document, extent)
    for number, job in enumerate(beside, len(nodes)):
        start_s = extent.begins_s + int(schedule.start_s[job])
        if extent.until_s is None or schedule.start_s[job] + _NOTEBOOK_S < extent.until_s:
            yield _notebook(number, job, node_name(nodes[job][0]), start_s)
    if extent.until_s is not None:
        yield from jobs_that_wait(extent.begins_s + extent.until_s, CPUS)


def _as_seen(document: dict[str, Any], extent: DemoSize) -> JobRecord:
    """Return the record as it is when the site is looked at, without later events."""
    if extent.until_s is not None:
        now = from_epoch(extent.begins_s + extent.until_s)
        unknown: tuple[str, ...] = ()
        if document["start_time"] > now:
            document["state"], unknown = "pending", ("start_time", "end_time", "per_host")
            document["wait_reason"] = "Resources"
        elif document["end_time"] > now:
            document["state"], unknown = "running", ("end_time",)
        for key in (*unknown, *(("exit_status", "exit_signal") if unknown else ())):
            document.pop(key, None)
    return JobRecord.model_validate(document)


def _old_jobs(extent: DemoSize) -> Iterator[JobRecord]:
    """Yield one job a day of a second cluster, which falls silent after two weeks."""
    for number in range(14):
        queue_s = extent.begins_s + number * 86_400
        document: dict[str, Any] = {
            "cluster": "old",
            "jobid": str(500 + number),
            "queue_time": from_epoch(queue_s),
            "start_time": from_epoch(queue_s + 60),
            "end_time": from_epoch(queue_s + 7_260),
            "req_walltime_sec": 10_800,
            "resource_req": {"num_host": 1, "num_cpu_perhost": 8},
            "per_host": [{"node_id": "o1"}],
            "state": "completed",
            "exit_status": 0,
            "user_identifier": USERS[number % len(USERS)],
            "accounting_group": "group1",
            "job_name": "render",
        }
        yield JobRecord.model_validate(document)


def _leaves_cpus(schedule: Schedule, job: int, hosts: list[int]) -> bool:
    """Return whether the job trains on few nodes, long enough to have a notebook beside it."""
    run_s = schedule.end_s[job] - schedule.start_s[job]
    return bool(job % 3 != 0 and len(hosts) <= 2 and run_s > _LONG_S)


def _notebook(number: int, job: int, host: str, start_s: int) -> JobRecord:
    """Return a notebook of another user, which runs half an hour on the node of the job."""
    queue_s = start_s + 1_200
    document: dict[str, Any] = {
        "cluster": "mini",
        "jobid": str(1000 + number),
        "queue_time": from_epoch(queue_s),
        "start_time": from_epoch(queue_s + 5),
        "end_time": from_epoch(queue_s + 1_805),
        "req_walltime_sec": _NOTEBOOK_S,
        "resource_req": {"num_host": 1, "num_cpu_perhost": _NOTEBOOK_CPUS},
        "per_host": [{"node_id": host}],
        "state": "completed",
        "exit_status": 0,
        "exclusive": False,
        "job_type": "interactive",
        "partition": "interactive",
        "user_identifier": USERS[(job + 1) % len(USERS)],
        "accounting_group": f"group{(job + 1) % 2 + 1}",
        "job_name": "notebook",
    }
    return JobRecord.model_validate(document)


def _ending(job: int, run_s: int, request_s: int) -> dict[str, Any]:
    """Return how the job ended: a few fail, and jobs with too short requests are killed."""
    if run_s >= request_s:
        return {"state": "timeout", "exit_signal": 15}
    if job % _FAILING == _FAILING - 1:
        return {"state": "failed", "exit_status": 1}
    return {"state": "completed", "exit_status": 0}

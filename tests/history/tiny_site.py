"""A site of two nodes whose scheduler and sensors are files of a few lines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.history.records import NOON_S, job

from schedlab.history.schema import JobRecord
from schedlab.history.site import Site, read_site

SITE = """\
[site]
name = "tiny"

[[cluster]]
name = "one"

[[cluster.nodes]]
hosts = "n[01-02]"
cores = 4

[[job_source]]
kind = "standard"
name = "scheduler"
file = "jobs.jsonl"

[[sensor_source]]
kind = "csv"
name = "meter"
files = "power.csv"
time_format = "epoch"
host_column = "host"

[[sensor_source.item]]
name = "power_watt"
column = "watt"
unit = "W"
"""


def write_jobs(folder: Path, records: Iterable[JobRecord]) -> None:
    """Write the jobs that the scheduler reports from now on."""
    lines = [record.model_dump_json(exclude_none=True) for record in records]
    (folder / "jobs.jsonl").write_text("\n".join(lines) + "\n")


def write_power(folder: Path, watts: dict[str, float], minutes: int = 10) -> None:
    """Write a constant power for each node, measured every ten seconds from noon."""
    rows = [
        f"{NOON_S + second},{host},{watt}"
        for host, watt in watts.items()
        for second in range(0, 60 * minutes, 10)
    ]
    (folder / "power.csv").write_text("\n".join(["time,host,watt", *rows]) + "\n")


def tiny_site(folder: Path, more: str = "") -> Site:
    """Return a site of three jobs on nodes of 100 W and 200 W; ``more`` holds further sections."""
    alone = job("1", per_host=[{"node_id": "n01"}])
    wide = job("2", queued_s=120, per_host=[{"node_id": "n01"}, {"node_id": "n02"}])
    write_jobs(folder, [alone, wide, job("3", queued_s=240, state="failed")])
    write_power(folder, {"n01": 100.0, "n02": 200.0})
    (folder / "site.toml").write_text(SITE + more)
    return read_site(folder / "site.toml")

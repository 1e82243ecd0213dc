"""The job archive of ClusterCockpit: a folder per job, with its metadata and statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pydantic_core import from_json, to_json

from schedlab.history.export.exporter import Exporter, Extent, Record, texts_in

_VERSION = "2\n"
_JOULES_PER_KWH = 3.6e6
_STATES = {
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "timeout": "timeout",
    "deadline": "timeout",
    "out_of_memory": "out_of_memory",
    "node_fail": "node_fail",
    "boot_fail": "node_fail",
    "preempted": "stopped",
    "requeued": "stopped",
}
_METRICS = {
    "used_cpu_percent": ("cpu_user", "%"),
    "used_mem_bytes": ("mem_used", "B"),
    "frequency_hz": ("clock", "Hz"),
    "power_watt": ("node_power", "W"),
    "communication_bytes": ("net_bw", "B/s"),
    "io_bytes": ("file_bw", "B/s"),
}
_DEVICE_METRICS = {
    "utilization_percent": ("acc_utilization", "%"),
    "usedmem_bytes": ("acc_mem_used", "B"),
    "power_watt": ("acc_power", "W"),
}


class ClusterCockpitExporter(Exporter):
    """Writes ``CLUSTER/ID div 1000/ID mod 1000/START/meta.json`` for every job that ran.

    The series themselves stay where they are: the archive holds their means and extremes.
    """

    is_folder = True

    def write(self, records: Iterable[Record], path: Path, extent: Extent) -> None:
        """Write a file per job."""
        path.mkdir()
        (path / "version.txt").write_text(_VERSION)
        for record in records:
            if record.get("start_time") is None or record.get("state") not in (None, *_STATES):
                continue
            meta = _meta(record, extent.name)
            number = meta["jobId"]
            folder = path / str(meta["cluster"]) / str(number // 1000) / f"{number % 1000:03d}"
            folder = folder / str(meta["startTime"])
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "meta.json").write_bytes(to_json(meta))

    def texts(self, path: Path) -> Iterator[str]:
        """Yield the values of every file, and the names of all folders."""
        for each in path.rglob("*"):
            yield each.name
            if each.name == "meta.json":
                yield from texts_in(from_json(each.read_bytes()))


def _meta(record: Record, cluster: str) -> dict[str, Any]:
    hosts = record.get("per_host") or []
    start_s, end_s = _epoch_s(record["start_time"]), _epoch_s(record["end_time"])
    asked = record["resource_req"]
    cores = asked.get("num_cpu_perhost")
    accelerators = sum(len(host.get("accelerator") or ()) for host in hosts)
    cluster = record.get("cluster") or cluster
    energy_j = (record.get("energy") or {}).get("total_joule")
    meta = {
        "jobId": _number(record["jobid"]),
        "user": record.get("user_identifier") or "unknown",
        "project": record.get("accounting_group") or "unknown",
        "cluster": cluster,
        "subCluster": cluster,
        "partition": record.get("partition"),
        "numNodes": len(hosts) or asked["num_host"],
        "numHwthreads": None if cores is None else int(cores * (len(hosts) or asked["num_host"])),
        "numAcc": accelerators or None,
        "exclusive": 1 if record.get("exclusive") else 0,
        "monitoringStatus": 1 if any(_statistics(hosts)) else 0,
        "walltime": record.get("req_walltime_sec"),
        "jobState": _STATES[record.get("state") or "completed"],
        "submitTime": _epoch_s(record["queue_time"]) if record.get("queue_time") else None,
        "startTime": start_s,
        "duration": end_s - start_s,
        "resources": [_resource(host) for host in hosts],
        "statistics": dict(_statistics(hosts)),
        "energy": None if energy_j is None else energy_j / _JOULES_PER_KWH,
        "metaData": {"jobName": record.get("job_name") or "", "jobid": record["jobid"]},
    }
    return {key: value for key, value in meta.items() if value is not None}


def _resource(host: Record) -> dict[str, Any]:
    devices = host.get("accelerator") or ()
    names = [each.get("uuid") or str(each.get("index", at)) for at, each in enumerate(devices)]
    resource = {
        "hostname": host["node_id"],
        "hwthreads": host.get("cpu_ids"),
        "accelerators": names,
    }
    return {key: value for key, value in resource.items() if value}


def _statistics(hosts: list[Record]) -> Iterator[tuple[str, dict[str, Any]]]:
    devices = [device for host in hosts for device in host.get("accelerator") or ()]
    for parts, metrics in ((hosts, _METRICS), (devices, _DEVICE_METRICS)):
        for item, (name, unit) in metrics.items():
            avg, low, high = (_values(parts, f"{item}_{each}") for each in ("avg", "min", "max"))
            if avg and low and high:
                mean = sum(avg) / len(avg)
                unit_of = {"base": unit}
                yield name, {"unit": unit_of, "avg": mean, "min": min(low), "max": max(high)}


def _values(parts: list[Record], item: str) -> list[float]:
    return [part[item] for part in parts if part.get(item) is not None]


def _number(jobid: str) -> int:
    """Return the job id if it is a number, which the archive requires, else a hash of it."""
    if jobid.isdecimal():
        return int(jobid)
    return int.from_bytes(blake2b(jobid.encode(), digest_size=6).digest(), "big")


def _epoch_s(time: str) -> int:
    return int(datetime.fromisoformat(time).timestamp())

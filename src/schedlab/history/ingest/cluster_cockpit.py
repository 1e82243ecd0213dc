"""ClusterCockpit's job archive: a folder of clusters with a ``meta.json`` for each job."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from schedlab.command_files import input_file
from schedlab.errors import InputError
from schedlab.history.ingest.records import made
from schedlab.history.ingest.source import Fault
from schedlab.history.schema.job import JobRecord, JobState
from schedlab.history.schema.times import from_epoch

_STATES = {state.value: state for state in JobState} | {"stopped": JobState.COMPLETED}
_JOULE_PER_KWH = 3.6e6


@dataclass
class ClusterCockpit:
    """Reads all changed files ``FOLDER/CLUSTER/JOBID/1000/JOBID%1000/START/meta.json``.

    Only newer releases of ClusterCockpit record the time of submission. Statistics are of the whole
    job, and are kept as the item ``statistics``.
    """

    name: str
    folder: str

    def __post_init__(self) -> None:
        self.cursor = ""

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Yield the jobs whose files were written since then; all without a cursor."""
        if since and not since.isdigit():
            raise InputError(f"the cursor {since!r} is not one of this source")
        newest = int(since or 0)
        self.cursor = str(newest)
        for written_ns, path in _files(self.folder):
            if written_ns >= int(since or 0):
                newest = max(newest, written_ns)
                yield from made(f"{path}", _records, path)
        self.cursor = str(newest)


def _files(folder: str) -> Iterator[tuple[int, Path]]:
    if not Path(folder).is_dir():
        raise InputError(f"{folder}: no such folder")
    for parent, folders, files in os.walk(folder):
        folders.sort()
        if "meta.json" in files:
            path = Path(parent, "meta.json")
            yield path.stat().st_mtime_ns, path


def _records(path: Path) -> list[JobRecord]:
    try:
        meta = from_json(input_file(path).read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}") from None
    if not isinstance(meta, dict):
        raise ValueError("must be a JSON object")
    return [JobRecord.model_validate(_document(meta))]


def _document(meta: dict[str, Any]) -> dict[str, Any]:
    start_s, extra = meta["startTime"], meta.get("metaData") or {}
    state = _state(meta["jobState"])
    array = meta.get("arrayJobId")
    document = {
        "jobid": str(meta["jobId"]),
        "cluster": meta["cluster"],
        "queue_time": from_epoch(meta["submitTime"]) if meta.get("submitTime") else None,
        "start_time": from_epoch(start_s),
        "end_time": from_epoch(start_s + meta["duration"]),
        "state": state,
        "req_walltime_sec": meta.get("walltime") or None,
        "resource_req": {"num_host": meta["numNodes"]},
        "resource_alloc": {
            "num_host": meta["numNodes"],
            "num_cpu": meta.get("numHwthreads"),
            "num_accelerator": meta.get("numAcc"),
        },
        "exclusive": _exclusive(meta),
        "per_host": [_host(each) for each in meta["resources"]],
        "user_identifier": meta["user"],
        "accounting_group": meta.get("project"),
        "partition": meta.get("partition"),
        "array_job_id": str(array) if array else None,
        "job_name": extra.get("jobName"),
        "tags": [f"{tag['type']}:{tag['name']}" for tag in meta.get("tags") or []] or None,
        "statistics": meta.get("statistics"),
        "sub_cluster": meta.get("subCluster"),
    }
    if energy_kwh := meta.get("energy"):
        joule = energy_kwh * _JOULE_PER_KWH
        document["energy"] = {"total_joule": joule, "source": "clustercockpit"}
    return document


def _state(name: str) -> JobState:
    if name not in _STATES:
        raise ValueError(f"$.jobState is {name!r}; must be one of {', '.join(_STATES)}")
    return _STATES[name]


def _exclusive(meta: dict[str, Any]) -> bool | None:
    """Read ``exclusive``, 1 for a job alone on its nodes; newer releases say ``shared`` instead."""
    if "shared" in meta:
        return bool(meta["shared"] == "none")
    return None if meta.get("exclusive") is None else bool(meta["exclusive"] == 1)


def _host(resource: dict[str, Any]) -> dict[str, Any]:
    threads, devices = resource.get("hwthreads"), resource.get("accelerators")
    host: dict[str, Any] = {"node_id": resource["hostname"]}
    if threads:
        host |= {"cpu_ids": threads, "num_cpu": len(threads)}
    if devices:
        host["accelerator"] = [{"uuid": device} for device in devices]
    return host

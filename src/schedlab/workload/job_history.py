"""Standard job records, with the items of Nomura et al., as columns of a workload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import numpy as np

from schedlab.errors import UnknownNameError
from schedlab.workload.dependencies import KINDS, Dependency, dependencies_text
from schedlab.workload.header import inferred
from schedlab.workload.workload import COLUMNS, Array

Record = Mapping[str, Any]

_CODED = {
    "user": "user_identifier",
    "group": "accounting_group",
    "queue": "queue",
    "partition": "partition",
    "application": "application",
    "account": "accounting_group",
    "qos": "qos",
    "job_name": "job_name",
    "constraint": "constraint",
}
_TEXTS = ("gpu_type", "licences", "dependencies")
"""Further coded columns, each made of more than one item."""
_STATUS = {"completed": 1, "cancelled": 5, "preempted": 2, "requeued": 2}
_KIB = 1024
_UNFINISHED = ("pending", "running", "suspended")


class HistoryTable:
    """Turns records into columns, portion by portion.

    Jobs are numbered from 1 in the order in which they come, names get codes in the order in which
    they appear, and time is counted from the first submission.

    Args:
        preceding: ids of jobs on which others depend, whose numbers are remembered; None if any
            job may be one.
    """

    def __init__(self, preceding: frozenset[str] | None = None) -> None:
        self.records = 0
        """The number of records so far, including those of jobs that have not ended."""
        self._preceding = preceding
        self._epoch_s: int | None = None
        self._jobs = 0
        self._numbers: dict[str, list[int]] = {}
        self._codes: dict[str, dict[str, int]] = {column: {} for column in (*_CODED, *_TEXTS)}
        self._arrays: dict[str, int] = {}
        self._limits: dict[str, int] = {}
        self._nodes: set[str] = set()

    def columns(self, records: Iterable[Record]) -> dict[str, Array]:
        """Return the columns of those jobs among the records that have ended."""
        rows = []
        for record in records:
            self.records += 1
            if record.get("state") not in _UNFINISHED:
                rows.append(self._row(record))
        return {
            name: np.array([row[name] for row in rows], dtype=COLUMNS[name].dtype)
            for name in (rows[0] if rows else ())
        }

    def labels(self) -> dict[str, list[str]]:
        """Return the names that the codes stand for, so far."""
        return {column: list(codes) for column, codes in self._codes.items() if codes}

    def header(self) -> dict[str, list[str]]:
        """Return SWF header lines: when time 0 is, and how many nodes were met so far."""
        start = {} if self._epoch_s is None else {"UnixStartTime": [str(self._epoch_s)]}
        return start | ({"MaxNodes": [inferred(len(self._nodes))]} if self._nodes else {})

    def _row(self, record: Record) -> dict[str, float]:
        self._jobs += 1
        hosts = record.get("per_host") or ()
        self._nodes.update(host["node_id"] for host in hosts)
        self._remember(str(record["jobid"]), record.get("array_job_id"))
        return {
            "job_id": self._jobs,
            **self._times(record),
            **_resources(record, len(hosts)),
            **{column: self._code(column, record.get(item)) for column, item in _CODED.items()},
            **self._array(record),
            "gpu_type": self._code("gpu_type", _gpu_type(record)),
            "licences": self._code("licences", _licences(record)),
            "exclusive": _flag(record.get("exclusive")),
            "preemptible": _flag(record.get("preemptible")),
            "priority": int(_known(record.get("native_priority"))),
            "status": _status(record),
            **self._dependencies(record),
            "think_time_s": int(_known(record.get("think_time_sec"))),
        }

    def _times(self, record: Record) -> dict[str, float]:
        start_s, end_s = _epoch_s(record.get("start_time")), _epoch_s(record.get("end_time"))
        queue_s = _epoch_s(record.get("queue_time"))
        known = [each for each in (queue_s, start_s, end_s) if each is not None]
        if not known:
            raise ValueError("it has no time at all")
        submit_s = known[0]
        if self._epoch_s is None:
            self._epoch_s = submit_s
        left_s = end_s if start_s is None else start_s
        run_s = -1 if start_s is None or end_s is None else end_s - start_s
        energy_j = (record.get("energy") or {}).get("total_joule")
        energy_j = float("nan") if energy_j is None else energy_j
        return {
            "submit_s": submit_s - self._epoch_s,
            "wait_s": -1 if queue_s is None or left_s is None else left_s - queue_s,
            "begin_after_s": _begin_after_s(record, queue_s),
            "run_s": run_s,
            "request_s": _known(record.get("req_walltime_sec")),
            "energy_j": energy_j,
            "power_w": energy_j / run_s if run_s > 0 else float("nan"),
        }

    def _remember(self, jobid: str, array: str | None) -> None:
        """Remember the job, as others may wait for it, or for all tasks of its array."""
        for name in (jobid, array):
            if name is not None and (self._preceding is None or name in self._preceding):
                self._numbers.setdefault(name, []).append(self._jobs)

    def _dependencies(self, record: Record) -> dict[str, float]:
        """Return the last of the jobs that the job waited for, as in SWF, and all if several.

        The item ``dependencies`` says what it waited for, or else ``dependency_kind``. Without
        either, it waited for their end.
        """
        names, kind = record.get("dependency") or (), record.get("dependency_kind") or "afterany"
        if kind not in KINDS:
            raise UnknownNameError("dependency_kind", kind, KINDS)
        if record.get("dependencies"):
            found = self._conditions(record["dependencies"])
        else:
            numbers = {number for each in names for number in self._numbers.get(each, ())}
            found = [Dependency(kind, number) for number in sorted(numbers)]
        plain = len(found) == 1 and found[0].kind == "afterany" and not found[0].delay_s
        several = dependencies_text(found) if found and not plain else None
        ended = [each.job_id for each in found if each.kind != "after"]
        return {
            "depends_on": max(ended, default=-1),
            "dependencies": self._code("dependencies", several),
        }

    def _conditions(self, text: str) -> list[Dependency]:
        """Return the conditions on jobs that are known, by their numbers here."""
        found = []
        for part in text.split(","):
            kind, *others = part.split(":")
            if kind not in KINDS:
                raise UnknownNameError("dependencies:", kind, KINDS)
            for other in others:
                name, _, minutes = other.partition("+")
                delay_s = 60 * int(minutes or 0)
                numbers = self._numbers.get(name, ())
                found += [Dependency(kind, number, delay_s) for number in numbers]
            if not others:
                found.append(Dependency(kind))
        return found

    def _array(self, record: Record) -> dict[str, float]:
        """Number arrays from 1 in the order in which they come."""
        name, index = record.get("array_job_id"), record.get("array_task_id")
        if name is None:
            return {"array": -1, "array_index": -1, "array_limit": -1}
        number = self._arrays.setdefault(name, len(self._arrays) + 1)
        # Some schedulers give the limit of an array with only one of its tasks.
        limit = int(record.get("array_limit") or self._limits.get(name, -1))
        self._limits[name] = limit
        return {"array": number, "array_index": int(_known(index)), "array_limit": limit}

    def _code(self, column: str, name: str | None) -> int:
        codes = self._codes[column]
        return -1 if name is None else codes.setdefault(name, len(codes))


def _resources(record: Record, hosts: int) -> dict[str, float]:
    asked, given = record["resource_req"], record.get("resource_alloc") or {}
    usage = record.get("usage") or {}
    nodes = hosts or int(given.get("num_host") or asked["num_host"])
    cores = _spread(asked.get("num_cpu_perhost"), int(asked["num_host"]), nodes)
    gpus = _spread((asked.get("accelerator") or {}).get("num_perhost"), asked["num_host"], nodes)
    per_node = max(cores, 1)
    procs = int(given.get("num_cpu") or nodes * per_node)
    by_core = asked.get("mem_percpu_bytes")
    by_node = asked.get("mem_perhost_bytes") if by_core is None else by_core * per_node
    return {
        "nodes": nodes,
        "cores_per_node": cores,
        "cores": int(given.get("num_cpu") or -1) if cores < 0 else -1,
        "gpus_per_node": gpus,
        "gpus": int(given.get("num_accelerator") or -1) if gpus < 0 else -1,
        "allocated_procs": -1 if record.get("start_time") is None else procs,
        "requested_procs": int(asked["num_host"])
        * max(int(_known(asked.get("num_cpu_perhost"))), 1),
        "memory_per_node_kb": _per(by_node, _KIB),
        "requested_memory_kb": _per(by_node, _KIB * per_node),
        "used_memory_kb": _per(usage.get("maxrss_bytes"), _KIB * procs),
        "cpu_time_s": _per(usage.get("cpu_sec"), procs),
    }


def _spread(per_host: float | None, hosts: int, nodes: int) -> int:
    """Return what a job has on each node that it got, from what it asked for on each host.

    A job that asks for 32 cores and leaves the hosts to the scheduler may get 8 nodes of 4.
    """
    if per_host is None or nodes <= hosts:
        return int(_known(per_host))
    return -(-int(per_host) * int(hosts) // nodes)


def _begin_after_s(record: Record, queue_s: int | None) -> int:
    """Return how long after submission the job may start; -1 if at once or due to another job."""
    eligible_s = _epoch_s(record.get("eligible_time"))
    if eligible_s is None or queue_s is None or record.get("dependency"):
        return -1
    return eligible_s - queue_s if eligible_s > queue_s else -1


def _licences(record: Record) -> str | None:
    """Return licences as workloads write them; schedulers use commas and leave out numbers of 1."""
    text = record.get("licences")
    parts = [part.strip() for part in text.replace("+", ",").split(",")] if text else []
    told = [part if ":" in part else f"{part}:1" for part in parts if part]
    return "+".join(told) or None


def _flag(value: bool | None) -> int:
    return -1 if value is None else int(value)


def _gpu_type(record: Record) -> str | None:
    asked = record["resource_req"].get("accelerator") or {}
    name: str | None = asked.get("type")
    return name


def _per(value: float | None, share: float) -> float:
    return -1.0 if value is None or not share else value / share


def _status(record: Record) -> int:
    state = record.get("state")
    if state is not None:
        return _STATUS.get(state, 0)
    exit_status = record.get("exit_status")
    return -1 if exit_status is None else int(exit_status == 0)


def _known(value: float | None) -> float:
    return -1 if value is None else value


def _epoch_s(time: str | None) -> int | None:
    return None if time is None else int(datetime.fromisoformat(time).timestamp())

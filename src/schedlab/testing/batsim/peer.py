"""A small Batsim: it keeps the clock, submits jobs and asks a scheduler over Batsim's protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from schedlab.errors import PolicyError
from schedlab.platform import Platform
from schedlab.sim import JobOutcome, NodeRanges, Schedule
from schedlab.testing.batsim.job import require_independent
from schedlab.workload import Workload

Ask = Callable[[bytes], bytes]


def play_batsim(workload: Workload, nodes: int, ask: Ask) -> Schedule:
    """Return the schedule that a scheduler makes of the jobs, asked once for each time of events.

    A message reports all events of one time: ends, then submissions, then calls. A rejected job
    has no start. A PolicyError says what the scheduler did that it may not do.

    Args:
        workload: the jobs, without dependencies.
        nodes: the size of the machine.
        ask: sends a message to the scheduler and returns its answer.
    """
    require_independent(workload)
    return _Batsim(workload, nodes, ask).play()


class _Batsim:
    def __init__(self, workload: Workload, nodes: int, ask: Ask) -> None:
        self._workload, self._ask = workload, ask
        self._free = set(range(nodes))
        self._platform = Platform.homogeneous(nodes)
        self._names = [f"w0!{job_id}" for job_id in workload["job_id"].tolist()]
        self._place = {name: place for place, name in enumerate(self._names)}
        self._next = 0
        self._calls: set[float] = set()
        self._alloc: dict[str, str] = {}
        self._end: dict[str, float] = {}
        self._start: dict[str, float] = {}
        self._nodes: dict[str, str] = {}
        self._rejected: set[str] = set()

    def play(self) -> Schedule:
        """Play everything, from the first message to the last."""
        now = 0.0
        self._send(now, [_begins(len(self._free))])
        while (next_time := self._next_time()) is not None:
            now = next_time
            self._send(now, self._happens(now))
        left = len(self._workload) - len(self._start) - len(self._rejected)
        if left:
            raise PolicyError(f"the scheduler leaves {left} jobs waiting for ever")
        self._send(now, [("SIMULATION_ENDS", {})])
        return self._schedule()

    def _next_time(self) -> float | None:
        submissions = self._workload["submit_s"][self._next : self._next + 1].tolist()
        running = (self._end[job] for job in self._alloc)
        return min(map(float, (*submissions, *running, *self._calls)), default=None)

    def _happens(self, now: float) -> list[tuple[str, dict[str, Any]]]:
        events = [self._ended(job) for job in list(self._alloc) if self._end[job] == now]
        submit_s = self._workload["submit_s"]
        while self._next < len(submit_s) and submit_s[self._next] == now:
            events.append(self._submitted(self._next))
            self._next += 1
            if self._next == len(submit_s):
                events.append(("NOTIFY", {"type": "no_more_static_job_to_submit"}))
        if now in self._calls:
            self._calls.remove(now)
            events.append(("REQUESTED_CALL", {}))
        return events

    def _submitted(self, job: int) -> tuple[str, dict[str, Any]]:
        described = {
            "id": self._names[job],
            "res": int(self._workload["nodes"][job]),
            "walltime": float(self._workload["request_s"][job]),
            "profile": f"delay_{self._workload['run_s'][job]}",
            "user": int(self._workload["user"][job]),
        }
        return "JOB_SUBMITTED", {"job_id": self._names[job], "job": described}

    def _ended(self, name: str) -> tuple[str, dict[str, Any]]:
        job = self._place[name]
        in_time = self._workload["run_s"][job] <= self._workload["request_s"][job]
        state = "COMPLETED_SUCCESSFULLY" if in_time else "COMPLETED_WALLTIME_REACHED"
        alloc = self._alloc.pop(name)
        self._free |= _resources(alloc)
        return "JOB_COMPLETED", {"job_id": name, "job_state": state, "alloc": alloc}

    def _send(self, now: float, events: list[tuple[str, dict[str, Any]]]) -> None:
        told = [{"timestamp": now, "type": kind, "data": data} for kind, data in events]
        reply = json.loads(self._ask(json.dumps({"now": now, "events": told}).encode()))
        for event in reply["events"]:
            self._obey(now, event["type"], event["data"])

    def _obey(self, now: float, kind: str, data: dict[str, Any]) -> None:
        if kind == "EXECUTE_JOB":
            self._execute(now, data["job_id"], data["alloc"])
        elif kind == "REJECT_JOB":
            self._rejected.add(data["job_id"])
        elif kind == "CALL_ME_LATER" and data["timestamp"] > now:
            self._calls.add(float(data["timestamp"]))
        else:
            raise PolicyError(f"the scheduler answers {kind} with {data} at {now}")

    def _execute(self, now: float, name: str, alloc: str) -> None:
        job, resources = self._place[name], _resources(alloc)
        if name in self._start or job >= self._next:
            raise PolicyError(f"job {name} is executed twice, or before it is submitted")
        if not resources <= self._free or len(resources) != self._workload["nodes"][job]:
            raise PolicyError(f"job {name} is executed on {alloc}, which is not free or too little")
        self._free -= resources
        self._alloc[name] = alloc
        self._nodes[name] = alloc.replace(" ", ",")
        self._start[name] = now
        run_s, request_s = self._workload["run_s"][job], self._workload["request_s"][job]
        self._end[name] = now + float(min(run_s, request_s))

    def _schedule(self) -> Schedule:
        start_s, end_s = (
            np.array([times.get(name, -1) for name in self._names], np.int64)
            for times in (self._start, self._end)
        )
        killed = self._workload["run_s"] > self._workload["request_s"]
        ended = np.where(killed, JobOutcome.KILLED, JobOutcome.COMPLETED)
        return Schedule(
            workload=self._workload,
            platform=self._platform,
            policy="batsim",
            start_s=start_s,
            end_s=end_s,
            eligible_s=self._workload["submit_s"],
            first_reserved_s=np.full(len(start_s), -1),
            state=np.where(start_s >= 0, ended, JobOutcome.CANCELLED).astype(np.int8),
            node_ranges=NodeRanges.parse([self._nodes.get(name, "") for name in self._names]),
        )


def _begins(nodes: int) -> tuple[str, dict[str, Any]]:
    resources = [{"id": node, "name": f"host{node}", "state": "idle"} for node in range(nodes)]
    return "SIMULATION_BEGINS", {
        "nb_resources": nodes,
        "nb_compute_resources": nodes,
        "nb_storage_resources": 0,
        "allow_compute_sharing": False,
        "allow_storage_sharing": True,
        "config": {"redis-enabled": False, "dynamic-jobs-enabled": False},
        "compute_resources": resources,
        "storage_resources": [],
        "workloads": {"w0": "w0.json"},
        "profiles": {"w0": {}},
    }


def _resources(alloc: str) -> set[int]:
    """Return the numbers in ``0-3 7``."""
    ends = ((int(end) for end in word.split("-")) for word in alloc.split())
    return {number for first, *last in ends for number in range(first, (last or [first])[0] + 1)}

"""Networks that order the queue, in plain Python."""

from __future__ import annotations

from math import log10
from typing import Any

from schedlab.policies.network import Network
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.lookahead import Memory
from schedlab.testing.reference.orders import Order
from schedlab.testing.reference.rounding import rounded_key
from schedlab.testing.reference.simulation import ReferenceSimulation

ANEW_S = 7200
SHORTEST_S = 10


class NetworkSimulation(ReferenceSimulation):
    """A simulation that learns from jobs that end, and looks at the whole queue before a pass."""

    def __init__(self, network: Network, *rest: Any) -> None:
        self.network, self.memory = network, Memory()
        self._run_s: dict[Job, tuple[int, float]] = {}  # when computed, and the expected run time
        super().__init__(*rest)

    def score(self, job: Job, now: int) -> float:
        """Return the output of the network: the job with the smallest goes first."""
        wait_s, run_s = now - job.eligible_s, self._told(job)
        inputs = {
            "log_request": log10(job.request_s / 3600),
            "log_run": log10(run_s / 3600),
            "log_share": log10(job.nodes / self.machine.nodes),
            "log_wait": log10(1 + wait_s / 60),
            "log_slowdown": log10(1 + wait_s / run_s),
            **self._queue_inputs,
        }
        total = sum(weight * inputs[name] for name, weight in self.network.linear.items())
        for unit in self.network.units:
            x = unit.bias + sum(weight * inputs[name] for name, weight in unit.weights.items())
            total += unit.out * x / (1 + abs(x))
        return rounded_key(total)

    def _told(self, job: Job) -> float:
        """Return the mean run time that past jobs suggest, recomputed every two hours."""
        since, run_s = self._run_s.get(job, (-ANEW_S, 0.0))
        if self.now >= since + ANEW_S:
            run_s = self.memory.mean(job.submitter.code, job.request_s, job.nodes)
            since, run_s = self.now, max(run_s, SHORTEST_S)
            self._run_s[job] = since, run_s
        return run_s

    def _sort(self, order: Order) -> None:
        nodes = self.machine.nodes
        work = sum(job.nodes * job.request_s for job in self.queue)
        self._queue_inputs = {
            "free": (nodes - sum(job.nodes for job in self.running)) / nodes,
            "log_demand": log10(1 + sum(job.nodes for job in self.queue) / nodes),
            "log_work": log10(1 + work / nodes / 3600),
        }
        super()._sort(order)

    def _end(self, ended: list[Job], ended_s: int | None = None) -> None:
        super()._end(ended, ended_s)
        for job in sorted(ended, key=lambda job: (job.end_s, job.position)):
            self.memory.note(job.submitter.code, job.request_s, job.nodes, job.done_s)

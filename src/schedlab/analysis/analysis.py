"""analyse(): describe a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from schedlab.analysis.arrivals import ArrivalPattern
from schedlab.analysis.clock import Clock
from schedlab.analysis.counted import CountedJobs
from schedlab.analysis.distributions import BoxPlot, Histogram
from schedlab.analysis.requests import HOUR_S, Requests
from schedlab.analysis.users import Users
from schedlab.metrics.accuracy import BETA, check_beta, wra
from schedlab.workload import Workload


@dataclass(frozen=True)
class CountingRule:
    """The jobs that count, and the weight of a user's past in the WRSA."""

    min_run_s: int
    statuses: tuple[int, ...]
    beta: float


@dataclass(frozen=True)
class Analysis:
    """The result of ``analyse``; a field is None where the trace lacks the data.

    Users and requests are those of the jobs that count by ``rule``; submissions, sizes and run
    times are those of all jobs.
    """

    name: str
    rule: CountingRule
    all_jobs: int
    jobs: int
    users: int | None
    requests: Requests | None
    accuracy_of_users: Users | None
    arrivals: ArrivalPattern | None
    nodes: BoxPlot
    nodes_histogram: Histogram
    run_s: BoxPlot
    run_s_histogram: Histogram
    notes: tuple[str, ...]

    def table_row(self) -> dict[str, Any]:
        """Return users, jobs, greatest request and mean WRA, rounded as papers print them.

        Requests from 10 h up are rounded to whole hours.
        """
        asked = self.requests
        hours = asked.max_request_s / HOUR_S if asked else None
        return {
            "users": self.users,
            "jobs": self.jobs,
            "max_request_h": hours and (round(hours) if hours >= 10 else round(hours, 2)),
            "mean_wra": asked and round(asked.mean_wra, 3),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "name": self.name,
            "rule": asdict(self.rule),
            "table_row": self.table_row(),
            "all_jobs": self.all_jobs,
            "requests": self.requests and self.requests.to_dict(),
            "accuracy_of_users": self.accuracy_of_users and self.accuracy_of_users.to_dict(),
            "arrivals": self.arrivals and asdict(self.arrivals),
            "nodes": {**asdict(self.nodes), "histogram": asdict(self.nodes_histogram)},
            "run_s": {**asdict(self.run_s), "histogram": asdict(self.run_s_histogram)},
            "notes": list(self.notes),
        }


def analyse(
    workload: Workload,
    *,
    min_run_s: int = 90,
    statuses: Sequence[int] = (1,),
    beta: float = BETA,
) -> Analysis:
    """Describe a trace: accuracy of requests, users, arrivals, sizes and run times.

    Args:
        workload: the jobs.
        min_run_s: jobs that ran for less time are taken for tests and do not count.
        statuses: statuses of the jobs that count; 1 is completed.
        beta: the weight of a user's past in the WRSA.
    """
    check_beta(beta)
    counted = CountedJobs.of(workload, min_run_s, statuses)
    notes = list(counted.notes)
    asked = counted.with_request
    requests = Requests.of(asked["request_s"], wra(asked)) if len(asked) else None
    if requests and requests.beyond_request:
        notes.append(
            f"jobs that ran longer than requested, with a WRA above 1: {requests.beyond_request:,}"
        )
    return Analysis(
        name=workload.name,
        rule=CountingRule(min_run_s, tuple(statuses), beta),
        all_jobs=len(workload),
        jobs=len(counted.jobs),
        users=_users(counted.jobs, notes),
        requests=requests,
        accuracy_of_users=_accuracy_of_users(asked, beta, notes),
        arrivals=_arrivals(workload, notes),
        nodes=BoxPlot.of(workload["nodes"]),
        nodes_histogram=Histogram.doubling(workload["nodes"]),
        run_s=BoxPlot.of(workload["run_s"]),
        run_s_histogram=Histogram.doubling(workload["run_s"]),
        notes=tuple(notes),
    )


def _users(jobs: Workload, notes: list[str]) -> int | None:
    known = jobs["user"] >= 0
    if not known.any():
        notes.append("the trace has no users: nothing can be said about them")
        return None
    if not known.all():
        notes.append(f"jobs without a user: {np.count_nonzero(~known):,}")
    return len(np.unique(jobs["user"][known]))


def _accuracy_of_users(asked: Workload, beta: float, notes: list[str]) -> Users | None:
    if not np.any(asked["user"] >= 0):
        return None
    if "wait_s" not in asked:
        notes.append("the trace has no waits: WRSA takes jobs as if they had started at once")
    return Users.of(asked, beta)


def _arrivals(workload: Workload, notes: list[str]) -> ArrivalPattern | None:
    clock = Clock.of(workload.header)
    if clock is None or clock.at(int(workload["submit_s"][-1])) is None:
        notes.append("the header has no valid UnixStartTime: times of day are not known")
        return None
    if not clock.zone_known:
        notes.append("the header names no known time zone: times of day are in UTC")
    return ArrivalPattern.of(workload["submit_s"], clock)

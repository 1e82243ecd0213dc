"""A job as the reference simulator sees it: what was asked, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Literal

from schedlab.errors import WorkloadError
from schedlab.platform import Platform
from schedlab.sim import JobState
from schedlab.testing.reference.attempts import Attempt
from schedlab.testing.reference.calendar import Block
from schedlab.testing.reference.machine import Held, Part
from schedlab.workload import Workload
from schedlab.workload.needs import parse_needs

ASKED = ("submit_s", "nodes", "request_s", "run_s", "think_time_s", "cancel_after_s")


@dataclass(slots=True)
class User:
    """Who submits jobs, and how accurate the requests have been so far (WRSA)."""

    code: int
    wrsa: float = 1.0


@dataclass(slots=True, eq=False)
class Job:
    """One rigid job; the simulation writes everything from ``eligible_s`` on."""

    position: int
    submit_s: int
    nodes: int
    request_s: int
    run_s: int
    think_time_s: int
    cancel_after_s: int
    demand: tuple[Part, ...] = ()
    submitter: User = field(default_factory=lambda: User(-1))
    depends: bool = False
    dependants: list[Job] = field(default_factory=list)
    predicted_s: int = -1
    estimate_s: int = -1  # the same, corrected since: how long plans expect it to run
    corrections: int = 0
    eligible_s: int = -1
    arrival: int = -1
    start_s: int = -1
    end_s: int = -1
    promised_s: int = -1
    state: JobState = JobState.WAITING
    held: list[Held] = field(default_factory=list)
    job_id: int = -1
    requeue: bool = True  # whether it runs again after an outage or a failure
    checkpoint_s: int = 0  # how often its work is saved; 0 for never
    tier: int = 0
    when_preempted: Literal["no", "cancel", "requeue", "suspend"] = "no"
    attempts: list[Attempt] = field(default_factory=list)
    done_s: int = 0  # its work when its last attempt ended
    saved_s: int = 0  # of this, what its next attempt need not repeat
    asked: tuple[Part, ...] | None = None  # while it is suspended: the demand that it had before

    @property
    def limit_s(self) -> int:
        """What is left of its request."""
        return self.request_s - self.saved_s

    def suspend(self) -> None:
        """Wait for the same shares of the same nodes."""
        self.asked = self.demand
        self.demand = tuple(
            Part(frozenset({each.node}), 1, each.resources, site_wide=each.site_wide)
            for each in self.held
        )

    def unbind(self) -> None:
        """Be suspended no more: any nodes will do."""
        self.demand, self.asked = self.asked or self.demand, None

    def barred_from(self, blocks: Iterable[Block], start_s: int, end_s: int) -> frozenset[int]:
        """Return the nodes that it may not hold from start to end; none while it is suspended."""
        if self.asked is not None:
            return frozenset()
        closed = [block.nodes for block in blocks if block.bars(self.position, start_s, end_s)]
        return frozenset[int]().union(*closed)

    @property
    def node_numbers(self) -> list[int]:
        """The nodes that it holds or held."""
        return [each.node for each in self.held if not each.site_wide]


def jobs_of(workload: Workload, platform: Platform) -> list[Job]:
    """The jobs in order of submission; one that could never run on the platform is an error."""
    asked = [workload[name].tolist() for name in ASKED]
    rows = zip(*asked, demands_of(workload, platform), strict=True)
    jobs = [Job(position, *row) for position, row in enumerate(rows)]
    for job, job_id in zip(jobs, workload["job_id"].tolist(), strict=True):
        job.job_id = job_id
    users = {code: User(code) for code in workload["user"].tolist()}
    for job, code in zip(jobs, workload["user"].tolist(), strict=True):
        job.submitter = users[code]
    job_ids = workload["job_id"].tolist()
    for job, job_id in zip(jobs, job_ids, strict=True):
        if job.nodes > platform.nodes:
            raise WorkloadError(
                f"job {job_id} asks for {job.nodes} nodes; there are {platform.nodes}"
            )
    _link_dependants(jobs, workload.dependency_index().tolist())
    _refuse_circles(jobs, job_ids)
    return jobs


def demands_of(workload: Workload, platform: Platform) -> list[tuple[Part, ...]]:
    """What each job needs: whole nodes, of the clusters that it names or of all together."""
    if "needs" not in workload:
        pool = frozenset(range(platform.nodes))
        parts = {nodes: Part(pool, nodes) for nodes in workload["nodes"].tolist()}
        return [(parts[nodes],) for nodes in workload["nodes"].tolist()]
    place = platform.cluster_places()
    ends = list(accumulate((cluster.nodes for cluster in platform.clusters), initial=0))
    pools = [frozenset(range(*bounds)) for bounds in pairwise(ends)]
    needs = [
        sorted((place[name], count) for name, count in parse_needs(text).items())
        for text in workload.labelled("needs").tolist()
    ]
    return [tuple(Part(pools[cluster], count) for cluster, count in each) for each in needs]


def _link_dependants(jobs: list[Job], dependency: list[int]) -> None:
    for job, before in zip(jobs, dependency, strict=True):
        if before >= 0:
            job.depends = True
            jobs[before].dependants.append(job)


def _refuse_circles(jobs: list[Job], job_ids: list[int]) -> None:
    reached = [job for job in jobs if not job.depends]
    for job in reached:
        reached.extend(job.dependants)
    if len(reached) < len(jobs):
        stuck = min({job.position for job in jobs} - {job.position for job in reached})
        raise WorkloadError(f"job {job_ids[stuck]} is in or behind a circle of dependencies")

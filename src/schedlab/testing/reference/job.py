"""A job as the reference simulator sees it: what was asked, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from schedlab.errors import WorkloadError
from schedlab.platform import Platform
from schedlab.platform import demands_of as platform_demands
from schedlab.platform.resources import NodeResources
from schedlab.sim import JobOutcome, WhyEnded
from schedlab.testing.reference.attempts import Attempt
from schedlab.testing.reference.calendar import ClosedTime
from schedlab.testing.reference.eligibility import Array, Condition, link
from schedlab.testing.reference.gpus import WHOLE, GpuPlaces
from schedlab.testing.reference.machine import Held, Machine, NodesAsked, Vector
from schedlab.testing.reference.places import place_of
from schedlab.testing.reference.remembered import remembered
from schedlab.workload import Workload

ASKED = ("submit_s", "nodes", "request_s", "run_s", "cancel_after_s")

Mode = Literal["no", "cancel", "requeue", "suspend"]
"""What is done to a job for another; it may not be preempted by default."""


@dataclass(slots=True)
class ReferenceUser:
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
    cancel_after_s: int
    demand: tuple[NodesAsked, ...] = ()
    submitter: ReferenceUser = field(default_factory=lambda: ReferenceUser(-1))
    begin_s: int = 0  # not eligible before
    conditions: list[Condition] = field(default_factory=list)
    dependants: list[Job] = field(default_factory=list)
    array: Array | None = None
    ends_badly: bool = False  # the trace says that it failed
    predicted_s: int = -1
    estimate_s: int = -1  # the same, corrected since: how long plans expect it to run
    corrections: int = 0
    eligible_s: int = -1
    arrival: int = -1
    start_s: int = -1
    end_s: int = -1
    first_start_s: int = -1
    gone_s: int | None = None  # when it ended for good or was withdrawn
    first_reserved_s: int = -1
    state: JobOutcome = JobOutcome.WAITING
    held: list[Held] = field(default_factory=list)
    job_id: int = -1
    requeue: bool = True  # whether it runs again after an outage or a failure
    checkpoint_s: int = 0  # how often its work is saved; 0 for never
    tier: int = 0
    when_preempted: Mode = "no"
    attempts: list[Attempt] = field(default_factory=list)
    done_s: int = 0  # its work when its last attempt ended
    saved_s: int = 0  # of this, what its next attempt need not repeat
    asked: tuple[NodesAsked, ...] | None = (
        None  # while it is suspended: the demand that it had before
    )

    @property
    def limit_s(self) -> int:
        """What is left of its request."""
        return self.request_s - self.saved_s

    def record(self, why: WhyEnded) -> None:
        """Write down the attempt that has ended."""
        self.done_s = self.saved_s + self.end_s - self.start_s
        number, nodes = len(self.attempts) + 1, tuple(self.node_numbers)
        attempt = Attempt(self.position, number, self.start_s, self.end_s, why, 0, nodes)
        self.attempts.append(attempt)

    def suspend(self) -> None:
        """Wait for the same shares of the same nodes."""
        self.asked = self.demand
        self.demand = tuple(
            NodesAsked(frozenset({each.node}), 1, each.resources, site_wide=each.site_wide)
            for each in self.held
        )

    def unbind(self) -> None:
        """Be suspended no more: any nodes will do."""
        self.demand, self.asked = self.asked or self.demand, None

    def barred_from(self, blocks: list[ClosedTime], start_s: int, end_s: int) -> frozenset[int]:
        """Return the nodes that it may not hold from start to end; none while it is suspended."""
        if not blocks or self.asked is not None:
            return frozenset()
        closed = [block.nodes for block in blocks if block.bars(self.position, start_s, end_s)]
        return frozenset[int]().union(*closed)

    @property
    def node_numbers(self) -> list[int]:
        """The nodes that it holds or held."""
        return [each.node for each in self.held if not each.site_wide]


def jobs_of(workload: Workload, platform: Platform, *, apart: bool = False) -> list[Job]:
    """Return the jobs in order of submission; one that could never run on the platform is an error.

    With ``apart`` each GPU stands for itself.
    """
    asked = [workload[name].tolist() for name in ASKED]
    rows = zip(*asked, demands_of(workload, platform, apart=apart), strict=True)
    jobs = [Job(position, *row) for position, row in enumerate(rows)]
    for job, job_id in zip(jobs, workload["job_id"].tolist(), strict=True):
        job.job_id, job.nodes = job_id, sum(part.count for part in job.demand)
    users = {code: ReferenceUser(code) for code in workload["user"].tolist()}
    for job, code in zip(jobs, workload["user"].tolist(), strict=True):
        job.submitter = users[code]
    link(jobs, workload)
    return jobs


@remembered
def machine_of(
    workload: Workload,
    platform: Platform,
    tick: int,
    kill_at_request: bool,
    place: str,
    *,
    apart: bool,
) -> Machine:
    """Return the platform's nodes with what they have; with one of something if nothing is said.

    The place knows what the jobs ask for. With ``apart`` each GPU stands for itself.
    """
    parts = [part for demand in demands_of(workload, platform, apart=apart) for part in demand]
    places, nodes = GpuPlaces(platform), list[Vector]()
    capacity = NodeResources.of(platform).capacity.tolist()
    for amounts, group in zip(capacity, platform.groups, strict=True):
        has = places.vector(amounts, group.type) if apart else tuple(amounts)
        nodes += [has or (1,)] * group.nodes
    gpus = places.all if apart else range(0)
    machine = Machine(tuple(nodes), tick, kill_at_request, gpus=gpus)
    return replace(machine, place=place_of(place, platform, machine, parts))


@remembered
def gpus_stand_apart(workload: Workload, platform: Platform, place: str) -> bool:
    """Whether each GPU is a resource for itself: a job takes part of one, or the place looks."""
    if not GpuPlaces(platform).all:
        return False
    asked = platform_demands(workload, platform)
    return place == "fgd" or bool(((asked.gpu_milli < WHOLE) & ~asked.whole).any())


@remembered
def demands_of(
    workload: Workload, platform: Platform, *, apart: bool
) -> list[tuple[NodesAsked, ...]]:
    """Return what each job needs, part by part; ``apart``: each GPU for itself."""
    if platform == Platform.homogeneous(platform.nodes) and "needs" not in workload:
        return _whole_nodes(workload, platform)
    asked = platform_demands(workload, platform)
    sets = [frozenset(each.nodes.tolist()) for each in asked.node_sets]
    demands: list[list[NodesAsked]] = [[] for _ in range(len(workload))]
    names, places = asked.resources.names, GpuPlaces(platform)
    for job, count, allowed in zip(asked.job, asked.least, asked.allowed, strict=True):
        amounts, gpus = asked.per_node[job].tolist(), None
        share = tuple(amounts)
        if apart:
            share = places.share(amounts)
            named = dict(zip(names, amounts, strict=True))
            gpus = places.asked(named, int(asked.gpu_milli[job]))
        whole = bool(asked.whole[job])
        demands[job].append(NodesAsked(sets[allowed], int(count), share, whole, gpus=gpus))
    return [tuple(parts) for parts in demands]


def _whole_nodes(workload: Workload, platform: Platform) -> list[tuple[NodesAsked, ...]]:
    """Return the plainest demands: whole nodes, any of the machine."""
    pool = frozenset(range(platform.nodes))
    parts = {nodes: NodesAsked(pool, nodes) for nodes in set(workload["nodes"].tolist())}
    for job_id, nodes in zip(workload["job_id"].tolist(), workload["nodes"].tolist(), strict=True):
        if nodes > platform.nodes:
            raise WorkloadError(f"job {job_id} asks for {nodes} nodes; there are {platform.nodes}")
    return [(parts[nodes],) for nodes in workload["nodes"].tolist()]

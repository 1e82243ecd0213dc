"""The input of the reference simulator: the jobs of a workload, and the machine of a platform."""

from __future__ import annotations

from dataclasses import replace

from schedlab.errors import WorkloadError
from schedlab.platform import Platform
from schedlab.platform import demands_of as platform_demands
from schedlab.platform.resources import NodeResources
from schedlab.testing.reference.eligibility import link
from schedlab.testing.reference.gpus import WHOLE, GpuPlaces
from schedlab.testing.reference.job import Job, ReferenceUser
from schedlab.testing.reference.machine import Machine, NodesAsked, Vector
from schedlab.testing.reference.places import place_of
from schedlab.testing.reference.remembered import remembered
from schedlab.workload import Workload

ASKED = ("submit_s", "nodes", "request_s", "run_s", "cancel_after_s")


def jobs_of(workload: Workload, platform: Platform, *, apart: bool = False) -> list[Job]:
    """Return the jobs in order of submission; one that could never run on the platform is an error.

    With ``apart`` each GPU is a resource of its own.
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
    """Return the platform's nodes with their resources; with one unit if none are named.

    The place knows what the jobs ask for. With ``apart`` each GPU is a resource of its own.
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
    """Return whether each GPU is its own resource: for jobs with part of one, and for ``fgd``."""
    if not GpuPlaces(platform).all:
        return False
    asked = platform_demands(workload, platform)
    return place == "fgd" or bool(((asked.gpu_milli < WHOLE) & ~asked.whole).any())


@remembered
def demands_of(
    workload: Workload, platform: Platform, *, apart: bool
) -> list[tuple[NodesAsked, ...]]:
    """Return each job's needs, part by part; with ``apart`` each GPU is a resource of its own."""
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
    """Return the simplest demands: a number of whole nodes, any of the machine."""
    pool = frozenset(range(platform.nodes))
    parts = {nodes: NodesAsked(pool, nodes) for nodes in set(workload["nodes"].tolist())}
    for job_id, nodes in zip(workload["job_id"].tolist(), workload["nodes"].tolist(), strict=True):
        if nodes > platform.nodes:
            raise WorkloadError(f"job {job_id} asks for {nodes} nodes; there are {platform.nodes}")
    return [(parts[nodes],) for nodes in workload["nodes"].tolist()]

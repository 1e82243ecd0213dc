"""What each job of a workload asks for on a platform."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import WorkloadError
from schedlab.platform.asked import Asked, asked_of
from schedlab.platform.node_sets import NodeSet
from schedlab.platform.placing import place_jobs
from schedlab.platform.platform import Platform
from schedlab.platform.resources import NodeResources
from schedlab.workload import Workload

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Demands:
    """The jobs' demands as columns.

    A job has one part, or one for each cluster that it needs nodes of at the same time (the column
    ``needs``); parts stand in the order of their jobs.

    Args:
        resources: what the platform's nodes have, and in which order ``per_node`` counts it.
        job: the position of the job that each part belongs to.
        least: fewest nodes of each part.
        most: most nodes of each part.
        node_sets: sets of nodes that jobs may have.
        allowed: the place of each part's set in ``node_sets``. A job that has whole nodes may have
            those that can hold it; one that shares may have any of its partition and constraint.
        per_node: what each job needs of each node, as (job, resource).
        whole: whether it has its nodes to itself.
        gpu_milli: thousandths of its one GPU; 1000 where it has whole GPUs, or none.
        consumables: what it holds of each of the platform's consumables, as (job, consumable).
        ignored: what jobs ask for and the platform does not describe, one line each.
    """

    resources: NodeResources
    job: Counts
    least: Counts
    most: Counts
    node_sets: tuple[NodeSet, ...]
    allowed: Counts
    per_node: Counts
    whole: NDArray[np.bool_]
    gpu_milli: Counts
    consumables: Counts
    ignored: tuple[str, ...] = ()

    def jobs_on_parts(self) -> int:
        """Return how many jobs ask for part of a node: fewer cores than the largest node has.

        If cores are unknown, these are all jobs that do not have their nodes to themselves.
        """
        shares = ~self.whole
        if "cores" in self.resources.place:
            place = self.resources.place["cores"]
            shares &= self.per_node[:, place] < self.resources.capacity[:, place].max()
        return int(np.count_nonzero(shares))


def demands_of(workload: Workload, platform: Platform, *, whole_nodes: bool = False) -> Demands:
    """Return what each job asks for; what the platform does not describe limits no job.

    Raises WorkloadError for a job that can never run: its partition, constraint or limits exclude
    it, or too few nodes have what it needs.

    Args:
        workload: the jobs.
        platform: the machine.
        whole_nodes: every job has its nodes to itself.
    """
    asked = asked_of(workload, platform)
    placed = place_jobs(workload, platform, asked.least)
    exclusive = np.zeros(len(workload), dtype=bool)
    usual = np.zeros(len(workload), dtype=np.int64)
    for place, each in enumerate(placed.sets):
        jobs = placed.job[placed.allowed == place]
        exclusive[jobs], usual[jobs] = each.exclusive, each.memory_per_core_bytes
    one_part = np.bincount(placed.job, minlength=len(workload))[placed.job] == 1
    demands = Demands(
        asked.resources,
        placed.job,
        placed.least,
        np.where(one_part, asked.most[placed.job], placed.least),
        tuple(placed.sets),
        placed.allowed,
        _with_usual_memory(asked, usual),
        asked.whole | exclusive | whole_nodes,
        asked.gpu_milli,
        asked.consumables,
        (*asked.ignored, *placed.ignored),
    )
    return _on_nodes_that_fit(workload, platform, demands)


def _with_usual_memory(asked: Asked, per_core: Counts) -> Counts:
    """Return the demands; a job that asks for no memory gets its partition's memory per core."""
    place = asked.resources.place
    if "memory" not in place or "cores" not in place:
        return asked.per_node
    per_node = asked.per_node.copy()
    memory, cores = per_node[:, place["memory"]], per_node[:, place["cores"]]
    memory[:] = np.where(memory == 0, per_core * cores, memory)
    return per_node


def _on_nodes_that_fit(workload: Workload, platform: Platform, demands: Demands) -> Demands:
    """Return the demands, in which jobs of whole nodes may have only nodes that can hold them.

    Every part must find enough nodes that have what it needs, on an empty machine.
    """
    sizes = [group.nodes for group in platform.groups]
    of_group = np.repeat(np.arange(len(sizes)), sizes)
    present = np.array(
        [np.bincount(of_group[each.nodes], minlength=len(sizes)) for each in demands.node_sets],
        dtype=np.int64,
    ).reshape(len(demands.node_sets), len(sizes))
    fits = _groups_that_fit(demands)
    holding = np.einsum("pg,pg->p", present[demands.allowed], fits)
    few = np.flatnonzero(demands.least > holding)
    if len(few):
        part = int(few[0])
        groups = np.flatnonzero(present[demands.allowed[part]])
        raise _too_few(workload, demands, part, int(holding[part]), groups)
    total = present.sum(axis=1)[demands.allowed]
    narrowed = np.flatnonzero(demands.whole[demands.job] & (holding < total))
    return _narrowed(demands, narrowed, fits[narrowed], of_group)


def _groups_that_fit(demands: Demands) -> NDArray[np.bool_]:
    """Return whether a node of each group can hold each part, as (part, group)."""
    columns = [
        (demands.per_node <= capacity).all(axis=1) for capacity in demands.resources.capacity
    ]
    return np.column_stack(columns)[demands.job]


def _narrowed(
    demands: Demands, parts: Counts, fits: NDArray[np.bool_], of_group: Counts
) -> Demands:
    """Give these parts node sets of their own, with only the nodes of groups that fit."""
    sets, allowed = list(demands.node_sets), demands.allowed.copy()
    table = np.column_stack([demands.allowed[parts], fits])
    kinds, kind = np.unique(table, axis=0, return_inverse=True)
    for place, (chosen, *good) in enumerate(kinds.tolist()):
        nodes = sets[chosen].nodes
        allowed[parts[kind.reshape(-1) == place]] = len(sets)
        sets.append(replace(sets[chosen], nodes=nodes[np.array(good, dtype=bool)[of_group[nodes]]]))
    return replace(demands, node_sets=tuple(sets), allowed=allowed)


def _too_few(
    workload: Workload, demands: Demands, part: int, nodes: int, groups: Counts
) -> WorkloadError:
    where, least = demands.node_sets[demands.allowed[part]], int(demands.least[part])
    job, told = demands.job[part], demands.resources.told
    start = f"job {workload['job_id'][job]} asks for {least:,} node{'s' if least > 1 else ''}"
    if not demands.per_node[job].any() and nodes:
        return WorkloadError(
            f"{start} of {where}, which has {nodes:,}; leave such jobs out or clip them with "
            "oversize=drop|clip"
        )
    largest = "no node is there at all"
    if len(groups):
        largest = f"its largest node has {told(demands.resources.capacity[groups].max(axis=0))}"
    has = f"which has {nodes:,} such" if nodes else "which has none such"
    return WorkloadError(f"{start} with {told(demands.per_node[job])} of {where}, {has}; {largest}")

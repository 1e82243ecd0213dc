"""What each job of a workload asks for on a platform."""

from __future__ import annotations

from dataclasses import dataclass

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

    Args:
        resources: what the platform's nodes have, and in which order ``per_node`` counts it.
        least: fewest nodes of each job.
        most: most nodes of each job.
        per_node: what it needs of each node, as (job, resource).
        whole: whether it has its nodes to itself.
        gpu_milli: thousandths of its one GPU; 1000 where it has whole GPUs, or none.
        node_sets: sets of nodes that jobs may have.
        allowed: the place of each job's set in ``node_sets``.
        consumables: what it holds of each of the platform's consumables, as (job, consumable).
        ignored: what jobs ask for and the platform does not describe, one line each.
    """

    resources: NodeResources
    least: Counts
    most: Counts
    per_node: Counts
    whole: NDArray[np.bool_]
    gpu_milli: Counts
    node_sets: tuple[NodeSet, ...]
    allowed: Counts
    consumables: Counts
    ignored: tuple[str, ...] = ()


def demands_of(workload: Workload, platform: Platform, *, whole_nodes: bool = False) -> Demands:
    """What each job asks for; what the platform does not describe limits no job.

    Raises WorkloadError for a job that can never run: its partition, constraint or limits exclude
    it, or too few nodes have what it needs.

    Args:
        workload: the jobs.
        platform: the machine.
        whole_nodes: every job has its nodes to itself.
    """
    asked = asked_of(workload, platform)
    placed = place_jobs(workload, platform, asked.least)
    exclusive = np.array([each.exclusive for each in placed.sets], dtype=bool)[placed.allowed]
    per_core = np.array([each.memory_per_core_bytes for each in placed.sets], dtype=np.int64)
    whole = asked.whole | exclusive | whole_nodes
    per_node = _with_usual_memory(asked, per_core[placed.allowed])
    demands = Demands(
        asked.resources,
        asked.least,
        asked.most,
        per_node,
        whole,
        asked.gpu_milli,
        tuple(placed.sets),
        placed.allowed,
        asked.consumables,
        (*asked.ignored, *placed.ignored),
    )
    _check_nodes(workload, platform, demands)
    return demands


def _with_usual_memory(asked: Asked, per_core: Counts) -> Counts:
    """Where a job asks for no memory, what its partition gives it with each core."""
    place = asked.resources.place
    if "memory" not in place or "cores" not in place:
        return asked.per_node
    per_node = asked.per_node.copy()
    memory, cores = per_node[:, place["memory"]], per_node[:, place["cores"]]
    memory[:] = np.where(memory == 0, per_core * cores, memory)
    return per_node


def _check_nodes(workload: Workload, platform: Platform, demands: Demands) -> None:
    """Every job finds enough nodes that have what it needs, on an empty machine."""
    sizes = [group.nodes for group in platform.groups]
    of_group = np.repeat(np.arange(len(sizes)), sizes)
    table = np.column_stack([demands.allowed, demands.per_node])
    kinds, kind = np.unique(table, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    in_set = [np.bincount(of_group[each.nodes], minlength=len(sizes)) for each in demands.node_sets]
    for place, row in enumerate(kinds):
        fits = (demands.resources.capacity >= row[1:]).all(axis=1)
        nodes = int(in_set[row[0]][fits].sum())
        few = np.flatnonzero((kind == place) & (demands.least > nodes))
        if len(few):
            raise _too_few(workload, demands, int(few[0]), nodes, in_set[row[0]] > 0)


def _too_few(
    workload: Workload, demands: Demands, job: int, nodes: int, groups: NDArray[np.bool_]
) -> WorkloadError:
    where, least = demands.node_sets[demands.allowed[job]], int(demands.least[job])
    told = demands.resources.told
    count = f"{least:,} node{'s' if least > 1 else ''}"
    has = f"which has {nodes:,} such" if nodes else "which has none such"
    if not groups.any():
        largest = "no node is there at all"
    else:
        largest = f"its largest node has {told(demands.resources.capacity[groups].max(axis=0))}"
    return WorkloadError(
        f"job {workload['job_id'][job]} asks for {count} with {told(demands.per_node[job])} of "
        f"{where}, {has}; {largest}"
    )

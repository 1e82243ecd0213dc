"""The set of nodes that each job may have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import WorkloadError
from schedlab.platform.cluster_parts import cluster_parts, whole_clusters
from schedlab.platform.constraint import parse_constraint
from schedlab.platform.node_sets import (
    NodeSet,
    NodeSets,
    PlacedPartition,
    chosen_partitions,
    placed_partitions,
)
from schedlab.platform.platform import Platform
from schedlab.units import whole_duration
from schedlab.workload import Workload
from schedlab.workload.labels import label_of

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PlacedJobs:
    """The parts of all jobs: which job, how many nodes, the place of their set in ``sets``."""

    sets: list[NodeSet]
    job: Counts
    least: Counts
    allowed: Counts
    ignored: tuple[str, ...]


def place_jobs(workload: Workload, platform: Platform, least: Counts) -> PlacedJobs:
    """Return the nodes that each job may have by its partitions, their limits, and its constraint.

    A job that needs nodes of several clusters has a part for each, any other job one.
    """
    if "needs" in workload:
        return _on_clusters(workload, platform)
    sets, known = NodeSets(platform), placed_partitions(platform)
    columns = [
        workload["partition"] if known else np.full(len(workload), -1),
        workload["constraint"] if sets.has_features else np.full(len(workload), -1),
    ]
    pairs, which = _pairs(*columns)
    allowed = np.zeros(len(workload), dtype=np.int64)
    for place, (partition, constraint) in enumerate(pairs.tolist()):
        jobs = np.flatnonzero(which == place)
        try:
            numbered = str(partition) in known and "partition" not in workload.labels
            name = str(partition) if numbered else label_of(workload, "partition", partition)
            chosen = chosen_partitions(name, known)
            text = label_of(workload, "constraint", constraint) or ""
            wanted = parse_constraint(text) if text else None
        except WorkloadError as error:
            raise WorkloadError(f"job {workload['job_id'][jobs[0]]}: {error}") from None
        for those, usable in _by_limits(workload, jobs, least, chosen):
            allowed[those] = sets.find(usable, text, wanted)
    ignored = tuple(_ignored(workload, sets))
    return PlacedJobs(sets.sets, np.arange(len(workload)), least, allowed, ignored)


def _pairs(first: Counts, second: Counts) -> tuple[Counts, Counts]:
    """Return the pairs of codes that occur, and which of them each job has."""
    width = int(second.max(initial=0)) + 2
    codes, which = np.unique((first + 1) * width + second + 1, return_inverse=True)
    return np.column_stack([codes // width - 1, codes % width - 1]), which


def _on_clusters(workload: Workload, platform: Platform) -> PlacedJobs:
    sets, clusters = NodeSets(platform), whole_clusters(platform)
    asked = cluster_parts(workload, platform)
    parts = [(job, *part) for job, those in enumerate(asked) for part in those]
    job, cluster, least = np.array(parts, dtype=np.int64).reshape(-1, 3).T
    allowed = [sets.find((clusters[place],), "", None) for place in cluster.tolist()]
    return PlacedJobs(sets.sets, job, least, np.array(allowed, dtype=np.int64), ())


def _by_limits(
    workload: Workload, jobs: Counts, least: Counts, chosen: tuple[PlacedPartition, ...]
) -> Iterator[tuple[Counts, tuple[PlacedPartition, ...]]]:
    """Yield groups of jobs, each with the chosen partitions whose limits its jobs keep."""
    if not chosen:
        yield jobs, ()
        return
    kept = np.column_stack([_keeps(workload, jobs, least, each) for each in chosen])
    nowhere = np.flatnonzero(~kept.any(axis=1))
    if len(nowhere):
        raise WorkloadError(_told(workload, int(jobs[nowhere[0]]), least, chosen[0]))
    rows, row = np.unique(kept, axis=0, return_inverse=True)
    for place, usable in enumerate(rows):
        yield jobs[row.reshape(-1) == place], tuple(np.array(chosen, dtype=object)[usable])


def _keeps(
    workload: Workload, jobs: Counts, least: Counts, placed: PlacedPartition
) -> NDArray[np.bool_]:
    rules, nodes = placed.rules, least[jobs]
    kept = nodes >= rules.min_nodes
    if rules.max_nodes is not None:
        kept &= nodes <= rules.max_nodes
    if rules.max_time_s is not None:
        kept &= workload["request_s"][jobs] <= rules.max_time_s
    return kept


def _told(workload: Workload, job: int, least: Counts, placed: PlacedPartition) -> str:
    rules, request_s = placed.rules, int(workload["request_s"][job])
    start = f"job {workload['job_id'][job]} asks for"
    if rules.max_time_s is not None and request_s > rules.max_time_s:
        asked, most = whole_duration(request_s), whole_duration(rules.max_time_s)
        return f'{start} {asked}; partition "{placed.name}" allows at most {most}'
    most_nodes = "any number" if rules.max_nodes is None else f"{rules.max_nodes:,}"
    return (
        f'{start} {least[job]:,} nodes; partition "{placed.name}" allows '
        f"{rules.min_nodes:,} to {most_nodes}"
    )


def _ignored(workload: Workload, sets: NodeSets) -> Iterator[str]:
    jobs = int(np.count_nonzero(workload["constraint"] >= 0))
    if jobs and not sets.has_features:
        yield f"the constraint of {jobs:,} jobs: the platform has no features"

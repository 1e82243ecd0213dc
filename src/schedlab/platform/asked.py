"""What jobs ask for, by the columns of their workload, in the resources of a platform."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import UnknownNameError, WorkloadError
from schedlab.platform.platform import Platform
from schedlab.platform.resources import NodeResources
from schedlab.workload import Workload
from schedlab.workload.counts import parse_licences, parse_resources
from schedlab.workload.labels import label_of, parsed_labels
from schedlab.workload.per_node import cores_on_each, gpus_on_each, least_nodes, memory_on_each

Counts = NDArray[np.int64]

WHOLE_GPU_MILLI = 1000
WATTS = "watts"
"""The consumable of which jobs hold the power in their column ``power_w``."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What jobs ask for before partitions are considered; see ``Demands``."""

    resources: NodeResources
    least: Counts
    most: Counts
    per_node: Counts
    whole: NDArray[np.bool_]
    gpu_milli: Counts
    consumables: Counts
    ignored: tuple[str, ...]


def asked_of(workload: Workload, platform: Platform) -> Asked:
    """Return the columns of the workload in nodes, resources and consumables."""
    resources = NodeResources.of(platform)
    least, most = _nodes(workload)
    cores, gpus = cores_on_each(workload, least), gpus_on_each(workload, least)
    memory = memory_on_each(workload, cores)
    others = parsed_labels(workload, "resources", parse_resources)
    per_node = np.zeros((len(workload), len(resources.names)), dtype=np.int64)
    says = (cores > 0) | (memory > 0) | (gpus > 0) | np.array(list(map(bool, others)), dtype=bool)
    part = says & (workload["exclusive"] != 1)
    at_least_one = np.maximum(cores, part)
    for name, amounts in (("cores", at_least_one), ("memory", memory), ("gpu", gpus)):
        if name in resources.place:
            per_node[:, resources.place[name]] = amounts
    _add_gpu_types(workload, resources, gpus, per_node)
    _add_others(workload, resources, others, per_node)
    shareable = all(group.type.cores for group in platform.groups)
    return Asked(
        resources,
        least,
        most,
        per_node,
        ~part | (not shareable),
        _gpu_milli(workload, gpus),
        _consumables(workload, platform),
        tuple(_ignored(workload, platform, resources, memory, gpus, others)),
    )


def _nodes(workload: Workload) -> tuple[Counts, Counts]:
    """Return the fewest and the most nodes."""
    least = least_nodes(workload)
    most = np.where(workload["max_nodes"] > 0, workload["max_nodes"], least)
    low = np.flatnonzero(most < least)
    if len(low):
        raise _error(
            workload, low[0], f"max_nodes is {most[low[0]]}; must be at least {least[low[0]]}"
        )
    return least, most


def _gpu_milli(workload: Workload, gpus: Counts) -> Counts:
    milli = workload["gpu_milli"]
    bad = np.flatnonzero((milli > WHOLE_GPU_MILLI) | ((milli == 0) & (gpus > 0)))
    if len(bad):
        value = milli[bad[0]]
        raise _error(workload, bad[0], f"gpu_milli is {value}; must be 1 to {WHOLE_GPU_MILLI}")
    several = np.flatnonzero((milli > 0) & (milli < WHOLE_GPU_MILLI) & (gpus != 1))
    if len(several):
        count = gpus[several[0]]
        raise _error(
            workload, several[0], f"gpu_milli is of one GPU on each node, but it asks for {count}"
        )
    return np.where(milli > 0, milli, WHOLE_GPU_MILLI)


def _add_gpu_types(
    workload: Workload, resources: NodeResources, gpus: Counts, per_node: Counts
) -> None:
    """Add what is asked of one type of GPU; a platform of one type has no column for it."""
    for code in np.unique(workload["gpu_type"]).tolist() if resources.gpu_types else ():
        jobs = np.flatnonzero((workload["gpu_type"] == code) & (gpus > 0))
        name = label_of(workload, "gpu_type", code)
        if name is None or not len(jobs):
            continue
        if name not in resources.gpu_types:
            reason = UnknownNameError("type of GPU", name, resources.gpu_types)
            raise _error(workload, int(jobs[0]), str(reason))
        if f"gpu:{name}" in resources.place:
            per_node[jobs, resources.place[f"gpu:{name}"]] = gpus[jobs]


def _add_others(
    workload: Workload,
    resources: NodeResources,
    others: list[dict[str, int] | None],
    per_node: Counts,
) -> None:
    known = [name for name in resources.names if name not in ("cores", "memory", "gpu")]
    known = [name for name in known if not name.startswith("gpu:")]
    for job, asked in enumerate(others) if known else ():
        for name, count in (asked or {}).items():
            if name not in known:
                raise _error(workload, job, str(UnknownNameError("resource", name, known)))
            per_node[job, resources.place[name]] = count


def _consumables(workload: Workload, platform: Platform) -> Counts:
    names = [each.name for each in platform.consumables]
    table = np.zeros((len(workload), len(names)), dtype=np.int64)
    if not names:
        return table
    for job, asked in enumerate(parsed_labels(workload, "licences", parse_licences)):
        for name, count in (asked or {}).items():
            if name not in names:
                raise _error(workload, job, str(UnknownNameError("licence", name, names)))
            table[job, names.index(name)] = count
    if WATTS in names:
        drawn = np.ceil(np.nan_to_num(workload["power_w"])).astype(np.int64)
        table[:, names.index(WATTS)] = np.maximum(table[:, names.index(WATTS)], drawn)
    for place, each in enumerate(platform.consumables):
        much = np.flatnonzero(table[:, place] > each.most)
        if len(much):
            count = table[much[0], place]
            reason = f'asks for {count:,} of "{each.name}", of which there are {each.most:,}'
            raise _error(workload, much[0], reason)
    return table


def _ignored(
    workload: Workload,
    platform: Platform,
    resources: NodeResources,
    memory: Counts,
    gpus: Counts,
    others: list[dict[str, int] | None],
) -> Iterator[str]:
    named = any(group.type.resources for group in platform.groups)
    for what, jobs, described in (
        ("memory", np.count_nonzero(memory), "memory" in resources.place),
        ("GPUs", np.count_nonzero(gpus > 0), "gpu" in resources.place),
        ("other resources", sum(map(bool, others)), named),
        ("licences", np.count_nonzero(workload["licences"] >= 0), bool(platform.consumables)),
    ):
        if jobs and not described:
            yield f"the {what} of {jobs:,} jobs: the platform describes none"


def _error(workload: Workload, job: int | np.integer, reason: str) -> WorkloadError:
    return WorkloadError(f"job {workload['job_id'][job]}: {reason}")

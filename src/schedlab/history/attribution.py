"""A job's share of what was measured on a node that other jobs used too."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from schedlab.history.schema import HostUse, JobRecord
from schedlab.history.schema.timeline import Attribution
from schedlab.history.sensors.series import Floats, Series, step_sum
from schedlab.history.sensors.source import ItemSection
from schedlab.history.site import Site
from schedlab.platform import NodeType

Steps = tuple[Floats, Floats]

_PRORATED: dict[str, Attribution] = {
    "cpu": "prorated-cpu",
    "gpu": "prorated-gpu",
    "mem": "prorated-mem",
}


@dataclass(frozen=True)
class Stay:
    """One job's time on one host."""

    job: tuple[object, ...]
    cluster: str | None
    start_s: float
    end_s: float
    held: Mapping[str, float | None]

    def may_be_beside(self, other: Stay) -> bool:
        """Return whether both may be on the same host: clusters may share names of hosts."""
        return None in (self.cluster, other.cluster) or self.cluster == other.cluster


class Occupancy:
    """Which jobs held how much of each host, and when."""

    def __init__(self, records: Iterable[JobRecord]) -> None:
        self._stays: dict[str, list[Stay]] = defaultdict(list)
        for record in records:
            for host in record.per_host or ():
                self._stays[host.node_id].append(stay(record, host))

    def share(self, record: JobRecord, host: HostUse, by: str) -> Steps | None:
        """Return the job's share of what all jobs held of the host, as a step function of time.

        Return None if it is not recorded how much one of them held.
        """
        own = stay(record, host)
        stays = [own, *self._others(own, host.node_id)]
        amounts = [each.held[by] for each in stays]
        known = [each for each in amounts if each is not None]
        if len(known) < len(amounts):
            return None
        start = np.array([max(each.start_s, own.start_s) for each in stays])
        end = np.array([min(each.end_s, own.end_s) for each in stays])
        moments, held = step_sum(start, end, np.array(known, dtype=np.float64))
        return moments[:-1], known[0] / np.maximum(held[:-1], known[0] or 1.0)

    def _others(self, own: Stay, host: str) -> Iterator[Stay]:
        for each in self._stays.get(host, ()):
            overlaps = each.start_s < own.end_s and own.start_s < each.end_s
            if overlaps and each.job != own.job and each.may_be_beside(own):
                yield each


def stay(record: JobRecord, host: HostUse) -> Stay:
    """Return when the job was on the host, and what it held there."""
    start_s, end_s = times_on(record, host)
    asked = record.resource_req
    accelerators = asked.accelerator.num_perhost if asked.accelerator else 0
    held = {
        "cpu": host.num_cpu or asked.num_cpu_perhost,
        "gpu": len(host.accelerator) if host.accelerator else accelerators,
        "mem": host.mem_bytes or asked.mem_perhost_bytes,
    }
    return Stay(record.identity, record.cluster, start_s, end_s, held)


def times_on(record: JobRecord, host: HostUse) -> tuple[float, float]:
    """Return when the job began and ended on the host; infinity for what is unknown."""
    start = host.start_time or record.start_time
    end = host.end_time or record.end_time
    start_s = math.inf if start is None else start.timestamp()
    return start_s, math.inf if end is None else end.timestamp()


def attribute(
    series: Series,
    section: ItemSection,
    record: JobRecord,
    host: HostUse,
    site: Site,
    occupancy: Occupancy | None,
) -> tuple[Series, Attribution]:
    """Return the job's share of a timeline, and how it was attributed."""
    if section.scope == "site":
        return series, "shared"
    if section.scope != "node" or site.sharing is None or record.exclusive:
        return series, "exclusive"
    by = section.share or site.sharing.share_by
    if not section.item.additive or by == "none":
        return series, "shared"
    if site.sharing.share_of == "node":
        share = _share_of_node(record, host, site, by)
    else:
        share = None if occupancy is None else occupancy.share(record, host, by)
    if share is None:
        return series, "shared"
    return apportioned(series, share), _PRORATED[by]


def _share_of_node(record: JobRecord, host: HostUse, site: Site, by: str) -> Steps | None:
    own = stay(record, host)
    node = site.cluster(record.cluster).by_host.get(host.node_id)
    held, capacity = own.held[by], None if node is None else _capacity(node)[by]
    if held is None or capacity is None:
        return None
    return np.array([own.start_s]), np.array([min(1.0, held / capacity)])


def _capacity(node: NodeType) -> dict[str, int | None]:
    """Return how much of each resource the node has; None where the site does not say."""
    return {"cpu": node.cores, "gpu": node.gpu_count or None, "mem": node.memory_bytes}


def apportioned(series: Series, share: Steps) -> Series:
    """Return the series times a share that changes in steps.

    The result has no data before the first step.
    """
    moments, factors = share
    pieces = series.clipped(moments[0], math.inf).cut(moments)
    return pieces.scaled(factors[np.searchsorted(moments, pieces.start_s, side="right") - 1])

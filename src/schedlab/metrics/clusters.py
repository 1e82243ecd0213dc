"""How each cluster and each site of a grid was used."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedlab.metrics.capacity import makespan, node_seconds
from schedlab.metrics.metric import Values
from schedlab.sim import Schedule
from schedlab.sim.node_shares import NodeShares

if TYPE_CHECKING:
    import polars as pl


def by_cluster(schedule: Schedule) -> pl.DataFrame:
    """Return a row per cluster: its nodes, the jobs that used them, its utilisation, their wait.

    A job that spans clusters counts in each of them. If the schedule does not name nodes, only the
    number of nodes of each cluster is known.
    """
    import polars as pl

    jobs, wait_s = _jobs(schedule), schedule.wait_s
    clusters = schedule.platform.clusters
    sizes = [cluster.nodes for cluster in clusters]
    nodes = np.array(sizes)
    busy, length_s = busy_node_seconds(schedule, sizes), makespan(schedule)
    return pl.DataFrame(
        {
            "site": [cluster.site for cluster in clusters],
            "cluster": [cluster.name for cluster in clusters],
            "nodes": nodes,
            "jobs": [None if those is None else len(those) for those in jobs],
            "node_seconds": busy,
            "utilisation": busy / (nodes * length_s) if length_s else np.full(len(nodes), np.nan),
            "mean_wait_s": [
                None if those is None or not len(those) else float(wait_s[those].mean())
                for those in jobs
            ],
        }
    )


def by_site(schedule: Schedule) -> pl.DataFrame:
    """Return a row per site; a job that spans clusters of one site counts once per cluster."""
    import polars as pl

    summed = pl.col("nodes", "jobs", "node_seconds").sum()
    sites = by_cluster(schedule).group_by("site", maintain_order=True).agg(summed)
    share = pl.col("node_seconds") / (pl.col("nodes") * makespan(schedule))
    return sites.with_columns(share.alias("utilisation"))


def busy_node_seconds(schedule: Schedule, sizes: Sequence[int]) -> Values:
    """Return the node-seconds used on each part of the machine; node numbers run through all."""
    if len(sizes) == 1:
        return np.array([node_seconds(schedule).sum()])
    schedule = schedule.by_attempt()
    ranges = schedule.node_ranges
    if ranges is None:
        return np.full(len(sizes), np.nan)
    ran_s, shares = schedule.ran_s[ranges.job()].astype(float), NodeShares.of(schedule)
    bounds = pairwise(np.cumsum([0, *sizes]).tolist())
    return np.array([np.dot(ran_s, shares.of_ranges(ranges, *part)) for part in bounds])


def _jobs(schedule: Schedule) -> list[NDArray[np.int64] | None]:
    """Return the jobs that used nodes of each cluster; None where that is not known."""
    sizes = [cluster.nodes for cluster in schedule.platform.clusters]
    if len(sizes) == 1:
        return [np.flatnonzero(schedule.started)]
    ranges = schedule.node_ranges
    if ranges is None:
        return [None] * len(sizes)
    job = ranges.job()
    return [np.unique(job[share > 0]) for share in ranges.width_within(sizes)]


def energy(schedule: Schedule) -> float:
    """Energy of all nodes from the first submission to the last completion.

    Σ over groups of nodes of busy_w · b + idle_w · (N · makespan − b), with b the node-seconds used
    there; not defined where no group has a power, or where there are several and nodes are not
    named.
    """
    groups = schedule.platform.groups
    if not any(group.type.power.busy_w for group in groups):
        return float("nan")
    sizes = [group.nodes for group in groups]
    busy = busy_node_seconds(schedule, sizes)
    available = np.array(sizes) * makespan(schedule)
    busy_w = np.array([group.type.power.busy_w for group in groups])
    idle_w = np.array([group.type.power.idle_w for group in groups])
    return float(np.dot(busy_w, busy) + np.dot(idle_w, available - busy))

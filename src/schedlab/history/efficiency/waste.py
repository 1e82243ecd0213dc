"""Sum up what jobs held and did not use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from schedlab.history.efficiency.job import EndedJob
from schedlab.history.efficiency.judge import Efficiency, judged
from schedlab.history.schema.job import JobRecord
from schedlab.history.site import Site

_HOUR_S = 3_600


@dataclass(frozen=True)
class Waste:
    """Hours of nodes and GPUs that jobs held, and those in which they were idle.

    A node is as idle as the busier of its CPUs and GPUs; where nothing was measured, it is not
    counted as idle.
    """

    jobs: int = 0
    node_h: float = 0.0
    idle_node_h: float = 0.0
    gpu_h: float = 0.0
    idle_gpu_h: float = 0.0

    @property
    def idle_share(self) -> float | None:
        """The idle share of the nodes' hours."""
        return self.idle_node_h / self.node_h if self.node_h else None


@dataclass(frozen=True)
class WastedJob:
    """A job, its use and its waste."""

    key: int
    record: JobRecord
    efficiency: Efficiency
    waste: Waste
    idle_gpus: int
    gpus: int


def wasted(key: int, record: JobRecord, site: Site | None) -> WastedJob | None:
    """Return what a job wasted; None if it did not run, or has not ended."""
    job = EndedJob.of(record, site)
    if job is None:
        return None
    found, gpus = judged(job, site), len(job.gpu_percents)
    hours = job.run_s / _HOUR_S
    node_h = hours * record.resource_req.num_host
    shares = [use.share for use in map(found.use, ("cpu", "gpu")) if use is not None]
    idle_node_h = node_h * (1 - min(1.0, max(shares))) if shares else 0.0
    idle_gpu_h = hours * sum(1 - min(100.0, each) / 100 for each in job.gpu_percents)
    waste = Waste(1, node_h, idle_node_h, hours * gpus, idle_gpu_h)
    return WastedJob(key, record, found, waste, job.idle_gpus, gpus)


def summed(jobs: Iterable[WastedJob]) -> Waste:
    """Return the sum over all jobs."""
    wastes = [each.waste for each in jobs]
    return Waste(
        len(wastes),
        sum(each.node_h for each in wastes),
        sum(each.idle_node_h for each in wastes),
        sum(each.gpu_h for each in wastes),
        sum(each.idle_gpu_h for each in wastes),
    )


def by_user(jobs: Iterable[WastedJob]) -> list[tuple[str, Waste]]:
    """Return the sums of each user, those with the most idle node hours first."""
    of_each: defaultdict[str, list[WastedJob]] = defaultdict(list)
    for each in jobs:
        if each.record.user_identifier:
            of_each[each.record.user_identifier].append(each)
    sums = ((user, summed(those)) for user, those in of_each.items())
    return sorted(sums, key=lambda each: -each[1].idle_node_h)

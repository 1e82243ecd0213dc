"""A job that has ended, with what is needed to judge its use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from schedlab.errors import UnknownNameError
from schedlab.history.schema.job import JobRecord
from schedlab.history.schema.timeline import Timeline
from schedlab.history.site import Site
from schedlab.platform.node_type import NodeType

IDLE = 0.03
"""A GPU that is busy for a smaller share of its time is idle."""
_PATIENCE_S = 60


@dataclass(frozen=True)
class EndedJob:
    """A job, how long it ran, and what its nodes are like."""

    record: JobRecord
    run_s: float
    node: NodeType | None

    @property
    def and_waits(self) -> str:
        """The words " and wait less" if the job waited for long, else an empty text."""
        queued, started = self.record.queue_time, self.record.start_time
        waited = queued and started and (started - queued).total_seconds() >= _PATIENCE_S
        return " and wait less" if waited else ""

    @property
    def and_waits_if_shared(self) -> str:
        """The value of ``and_waits`` for what is held on a node; an exclusive job gains nothing."""
        return "" if self.record.exclusive else self.and_waits

    @classmethod
    def of(cls, record: JobRecord, site: Site | None) -> EndedJob | None:
        """Return the job if it has ended and ran, else None."""
        if record.start_time is None or record.end_time is None:
            return None
        run_s = (record.end_time - record.start_time).total_seconds()
        return cls(record, run_s, _node_type(record, site)) if run_s > 0 else None

    @property
    def cpus(self) -> float | None:
        """The number of CPUs on each host."""
        record = self.record
        given = record.resource_alloc and record.resource_alloc.num_cpu
        if given:
            return given / max(1, record.resource_req.num_host)
        return record.resource_req.num_cpu_perhost

    @property
    def memory_bytes(self) -> float | None:
        """The most memory that the job used on a host."""
        peaks = [t.max for t in self.on_hosts("used_mem_bytes") if t.max is not None]
        if peaks:
            return max(peaks)
        return self.record.usage.maxrss_bytes if self.record.usage else None

    @property
    def gpu_percents(self) -> list[float]:
        """How busy each GPU was, as far as it was measured."""
        return [t.avg for t in self.on_gpus("utilization_percent") if t.avg is not None]

    @property
    def idle_gpus(self) -> int:
        """The number of GPUs that did next to nothing."""
        return sum(percent < 100 * IDLE for percent in self.gpu_percents)

    def on_hosts(self, item: str) -> Iterator[Timeline]:
        """Yield the timelines of an item, host by host."""
        for host in self.record.per_host or ():
            if item in host.timelines:
                yield host.timelines[item]

    def on_gpus(self, item: str) -> Iterator[Timeline]:
        """Yield the timelines of an item, accelerator by accelerator."""
        for host in self.record.per_host or ():
            for device in host.accelerator or ():
                if item in device.timelines:
                    yield device.timelines[item]


def _node_type(record: JobRecord, site: Site | None) -> NodeType | None:
    try:
        cluster = None if site is None else site.cluster(record.cluster)
    except UnknownNameError:
        return None
    host = record.per_host[0].node_id if record.per_host else ""
    return None if cluster is None else cluster.by_host.get(host)

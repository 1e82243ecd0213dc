"""Which running jobs make room for a waiting one: preempt/qos and preempt/partition_prio."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from schedlab.slurm.plain.jobs import TwinJob
from schedlab.slurm.plain.nodes import Rooms, Selector
from schedlab.slurm.site import SlurmSite


class Preempting:
    """The rules of preemption of one site."""

    def __init__(self, site: SlurmSite, selector: Selector) -> None:
        self._settings = site.parameters.preempt
        self._selector = selector
        self._qos = site.accounts.qos_by_name
        self._tiers = {
            each.name: each.priority_tier for each in site.machine.clusters[0].partitions
        }
        self._partition_grace = {each.name: each.grace_s for each in site.partitions}
        self._reorder = site.parameters.scheduler.preempt_reorder_count
        self._youngest_first = site.parameters.scheduler.preempt_youngest_first
        self.is_on = self._settings.type != "preempt/none" and self._settings.mode != ("OFF",)

    def may_preempt(self, job: TwinJob, partition: str, other: TwinJob) -> bool:
        """Return whether the rule lets the job take the place of the other."""
        if not self.is_on:
            return False
        if self._settings.type == "preempt/partition_prio":
            return self._tiers[partition] > max(self._tiers[each] for each in other.partitions)
        own = self._qos.get(job.qos)
        return own is not None and other.qos in own.preempt

    def grace_s(self, victim: TwinJob) -> int:
        """Return how long a job has to end: as its QOS or its partition says."""
        if self._settings.type == "preempt/partition_prio":
            return max(self._partition_grace.get(each, 0) for each in victim.partitions)
        own = self._qos.get(victim.qos)
        return 0 if own is None else own.grace_s

    def victims(
        self,
        job: TwinJob,
        partition: str,
        rooms: Rooms,
        allowed: Collection[int],
        running: Iterable[TwinJob],
        now_s: float,
    ) -> tuple[list[int], list[TwinJob]] | None:
        """Return the nodes that the job gets, and the jobs that it preempts.

        Return None if even preemption does not make enough room.
        """
        exempt_s = self._settings.exempt_time_s
        inside = self._selector.partitions[partition]
        ranked = [
            other
            for other in running
            if self.may_preempt(job, partition, other)
            and not inside.isdisjoint(other.shares)
            and now_s - other.start_s >= exempt_s
        ]
        ranked.sort(key=self._rank)
        found = None
        for _ in range(self._reorder + 1):
            trial = self._trial(job, partition, rooms, allowed, ranked)
            if trial is None:
                break
            nodes, removed = found = trial
            overlap = {other: len(other.shares.keys() & set(nodes)) for other in removed}
            ranked.sort(key=lambda other: -overlap.get(other, 0))
        if found is None:
            return None
        nodes, removed = found
        return nodes, [other for other in removed if not other.shares.keys().isdisjoint(nodes)]

    def _trial(
        self,
        job: TwinJob,
        partition: str,
        rooms: Rooms,
        allowed: Collection[int],
        ranked: list[TwinJob],
    ) -> tuple[list[int], list[TwinJob]] | None:
        """Remove running jobs one after another until the job fits."""
        free = [room.copy() for room in rooms]
        for place, other in enumerate(ranked, 1):
            for at, share in other.shares.items():
                free[at].give(share)
            nodes = self._selector.pick(job, partition, free, allowed)
            if nodes is not None:
                return nodes, ranked[:place]
        return None

    def _rank(self, other: TwinJob) -> tuple[float, ...]:
        """Put the lowest QOS first, then the fewest nodes, then the order of Slurm's job list.

        With preempt_youngest_first, the latest start takes the place of the fewest nodes.
        """
        qos = self._qos.get(other.qos)
        priority = 0 if qos is None else qos.priority
        if self._youngest_first:
            return priority, -other.start_s, other.id
        return priority, len(other.shares), other.id

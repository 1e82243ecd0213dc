"""The two schedulers of slurmctld: the main one, and backfill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Protocol

from schedlab.slurm.clocks import most_tests
from schedlab.slurm.plain.jobs import Stage, TwinJob
from schedlab.slurm.plain.nodes import Room, Selector
from schedlab.slurm.plain.plan import BackfillPlan
from schedlab.slurm.plain.reasons import (
    LICENSES,
    NO_REASON,
    NOT_AVAILABLE,
    PRIORITY,
    RESERVED,
    RESOURCES,
)
from schedlab.slurm.plain.records import QueueRecord
from schedlab.slurm.scheduling import SchedulerSettings

GROUP_S = 30
"""Length of the first group of ends of running jobs that backfill looks at together; it doubles."""


class ClusterView(Protocol):
    """What the schedulers see of the cluster, and may do with it."""

    selector: Selector
    rooms: list[Room]
    running: list[TwinJob]

    def queue(self) -> list[QueueRecord]:
        """Return the jobs that may run, each with a partition, in order."""

    def usable(self) -> set[int]:
        """Return the nodes that may get jobs now."""

    def in_service(self) -> set[int]:
        """Return the nodes that may get jobs now, or once their last jobs have completed."""

    def barred(self, job: TwinJob, begin_s: int, end_s: int) -> set[int]:
        """Return the nodes that reservations keep from the job between these whole seconds."""

    def kept_cores(self, job: TwinJob, begin_s: int, end_s: int) -> Mapping[int, int]:
        """Return the free cores of nodes that reservations keep from the job in this time."""

    def reservation_ends(self) -> list[int]:
        """Return when the reservations that are known now end, in whole seconds."""

    def now_second(self) -> int:
        """Return the present whole second, on Slurm's clock."""

    def eligible_for(self, job: TwinJob) -> int:
        """Return how long the job has been eligible, in whole seconds."""

    def has_licences(self, job: TwinJob) -> bool:
        """Return whether all licences of the job are free."""

    def may_start(self, job: TwinJob, partition: str) -> bool:
        """Return whether licences and limits on numbers of jobs let the job start."""

    def may_have(self, job: TwinJob, partition: str, nodes: list[int] | None) -> bool:
        """Return whether limits on resources let the job have these nodes, or what it asks for."""

    def lacks_nodes(self, job: TwinJob, partition: str) -> bool:
        """Return whether the job needs nodes that are out of service."""

    def start(self, job: TwinJob, partition: str, nodes: list[int], by: str) -> None:
        """Start the job now."""

    def preempt(self, job: TwinJob, partition: str, allowed: Collection[int]) -> list[int] | None:
        """End running jobs if that makes room for the job. Return the nodes that it then gets."""


def may_reserve(settings: SchedulerSettings, cluster: ClusterView, job: TwinJob) -> bool:
    """Return whether the job may make others wait: it is old and important enough."""
    return (
        job.priority >= settings.bf_min_prio_reserve
        and cluster.eligible_for(job) >= settings.bf_min_age_reserve_s
    )


class MainScheduler:
    """The main scheduler, which starts the jobs that fit, in order.

    The first job that does not fit closes its partition; a job of a reservation closes that
    instead.
    """

    def __init__(self, settings: SchedulerSettings) -> None:
        self.settings = settings

    def run(self, cluster: ClusterView, depth: int | None) -> None:
        """Look at up to ``depth`` jobs of the queue; None for all."""
        usable, second = cluster.usable(), cluster.now_second()
        closed: set[str | tuple[str, str]] = set()  # partitions and reservations
        by_partition: Counter[str] = Counter()
        rejected: dict[int, str] = {}  # arrays, and why their tasks wait
        tested = started = 0
        for job, partition in cluster.queue():
            if job.stage is not Stage.PENDING:
                continue  # it has started in another of its partitions
            kept_by = ("reservation", job.reservation) if job.reservation else partition
            if job.task >= 0 and job.id in rejected:
                job.reason = rejected[job.id]
                continue
            if kept_by in closed:
                if job.reason in (NO_REASON, RESOURCES):
                    job.reason = PRIORITY
                continue
            if depth is not None and tested >= depth:
                break
            tested += 1
            most = self.settings.partition_job_depth
            by_partition[partition] += 1
            if most and by_partition[partition] > most:
                continue
            if not cluster.has_licences(job):
                job.reason = LICENSES
            if not (cluster.may_start(job, partition) and cluster.may_have(job, partition, None)):
                if self.settings.assoc_limit_stop:
                    closed.add(partition)
                continue
            barred = cluster.barred(job, second, second + job.limit_s)
            cluster.selector.forget_gpus(job, partition, barred)
            kept = cluster.kept_cores(job, second, second + job.limit_s)
            nodes = cluster.selector.pick(job, partition, cluster.rooms, usable - barred, kept)
            if nodes is None and barred and not cluster.selector.ever(job, partition, barred):
                job.reason = RESERVED
                continue
            if nodes is None:
                job.reason = NOT_AVAILABLE if cluster.lacks_nodes(job, partition) else RESOURCES
                cluster.preempt(job, partition, usable - barred)
                rejected[job.id] = job.reason
                if job.reservation is None and not may_reserve(self.settings, cluster, job):
                    continue
                closed.add(kept_by)
                if job.reservation is None:
                    usable -= cluster.selector.partitions[partition]
                continue
            if not cluster.may_have(job, partition, nodes):
                if self.settings.assoc_limit_stop:
                    closed.add(partition)
                continue
            cluster.start(job, partition, nodes, "main")
            started += 1
            if started == self.settings.sched_max_job_start:
                break


class BackfillScheduler:
    """The backfill scheduler: plans all jobs in order on whole nodes, and starts those due now."""

    def __init__(self, settings: SchedulerSettings) -> None:
        self.settings = settings

    def run(self, cluster: ClusterView, now_s: int, kill_wait_s: int) -> int:
        """Go through the queue. Return how many jobs were tested."""
        self.cycle = _Cycle(self.settings, cluster, now_s, kill_wait_s)
        return self.cycle.go()


class _Cycle:
    def __init__(
        self, settings: SchedulerSettings, cluster: ClusterView, now_s: int, kill_wait_s: int
    ) -> None:
        self.settings = settings
        self.cluster = cluster
        self.selector = cluster.selector
        self.now_s = now_s
        self.kill_wait_s = kill_wait_s
        slot = settings.bf_resolution_s
        nodes = len(cluster.rooms)
        self.plan = BackfillPlan(now_s // slot * slot, now_s + settings.bf_window_s, nodes)
        self.service = cluster.in_service()
        self.usable = cluster.usable()
        self.planned: dict[TwinJob, int] = {}
        self.reserved: Counter[str] = Counter()

    def go(self) -> int:
        settings = self.settings
        users: Counter[str] = Counter()
        partitions: Counter[str] = Counter()
        users_there: Counter[tuple[str, str]] = Counter()
        associations: Counter[tuple[str, str]] = Counter()
        arrays: Counter[int] = Counter()
        tested = started = 0
        for job, partition in self.cluster.queue():
            if job.stage is not Stage.PENDING:
                continue
            tested += 1
            if tested > most_tests(settings):
                break
            users[job.user] += 1
            partitions[partition] += 1
            if 0 < settings.bf_max_job_user < users[job.user]:
                continue
            if 0 < settings.bf_max_job_part < partitions[partition]:
                continue
            users_there[job.user, partition] += 1
            if 0 < settings.bf_max_job_user_part < users_there[job.user, partition]:
                continue
            associations[job.account, job.user] += 1
            if 0 < settings.bf_max_job_assoc < associations[job.account, job.user]:
                continue
            if job.task >= 0 and arrays[job.id] >= settings.bf_max_job_array_resv:
                continue
            if not self._is_allowed(job, partition):
                if settings.assoc_limit_stop:
                    break
                continue
            if self._place(job, partition):
                started += 1
                if started == settings.bf_max_job_start:
                    break
            else:
                arrays[job.id] += 1
        return tested

    def _is_allowed(self, job: TwinJob, partition: str) -> bool:
        cluster = self.cluster
        return cluster.may_start(job, partition) and cluster.may_have(job, partition, None)

    def _may_reserve(self, job: TwinJob, partition: str) -> bool:
        """Return whether the job may be planned, if it cannot start now."""
        most = self.settings.bf_job_part_count_reserve
        if self.settings.bf_one_resv_per_job and job in self.planned:
            return False
        if most and self.reserved[partition] >= most:
            return False
        return may_reserve(self.settings, self.cluster, job)

    def _place(self, job: TwinJob, partition: str) -> bool:
        """Start the job, or plan it. Return whether it has started."""
        may_wait = self._may_reserve(job, partition)
        begin_s: int | None = self.now_s
        while begin_s is not None:
            from_s = begin_s
            if from_s > self.now_s and not may_wait:
                return False
            barred = self.cluster.barred(job, from_s, from_s + job.limit_s)
            inside = self.selector.partitions[partition]
            there = frozenset((inside & self.service) - barred)
            allowed, begin_s = self.plan.free_between(from_s, from_s + job.limit_s, there)
            if barred and (end_s := self._next_reservation_end(from_s)) is not None:
                begin_s = end_s if begin_s is None else min(begin_s, end_s)
            kept = self.cluster.kept_cores(job, from_s, from_s + job.limit_s)
            found = self._will_run(job, partition, allowed, kept)
            if from_s == self.now_s and (found is None or found[0] > self.now_s):
                taken = self.cluster.preempt(job, partition, allowed)
                found = found if taken is None else (self.now_s + 1, taken)
            if found is None:
                continue
            start_s, nodes = found
            if start_s <= self.now_s and from_s <= self.now_s:
                if self.usable.issuperset(nodes):
                    # The job starts as under the main scheduler, which chooses nodes again.
                    self.selector.forget_gpus(job, partition, inside - allowed)
                    rooms, there = self.cluster.rooms, allowed & self.usable
                    again = self.selector.pick(job, partition, rooms, there, kept)
                    self.cluster.start(job, partition, again or nodes, "backfill")
                    return True
                start_s = self.now_s + 1
            start_s = max(start_s, from_s)
            if start_s > self.now_s and not may_wait:
                return False
            if begin_s is not None and start_s > begin_s:
                continue
            if start_s > self.now_s + self.settings.bf_window_s:
                return False
            slot = self.settings.bf_resolution_s
            first_s = start_s // slot * slot
            last_s = max((start_s + job.limit_s) // slot * slot, first_s + slot)
            if start_s > self.now_s and self.plan.collides(first_s, last_s, nodes):
                if start_s == from_s:
                    return False
                begin_s = start_s
                continue
            self.plan.reserve(first_s, last_s, nodes)
            self.reserved[partition] += 1
            shares = self.selector.shares(job, partition, nodes)
            job.planned_cpus = sum(each.cpus for each in shares.values())
            self.planned[job] = start_s
            return False
        return False

    def _next_reservation_end(self, from_s: int) -> int | None:
        """Return the slot after the next end of a reservation; None if the window ends before."""
        ends = [end_s for end_s in self.cluster.reservation_ends() if end_s >= from_s]
        if not ends:
            return None
        slot = self.settings.bf_resolution_s
        found = -(-min(ends) // slot) * slot + 1
        return found if found < self.now_s + self.settings.bf_window_s else None

    def _will_run(
        self, job: TwinJob, partition: str, free: Collection[int], kept: Mapping[int, int]
    ) -> tuple[int, list[int]] | None:
        """Return when and where the job can start on unplanned nodes, as running jobs end."""
        allowed = self.selector.capable(job, partition, free)
        if len(allowed) < job.needed_nodes:
            return None
        mattering = self.selector.capable(job, partition, free, gpus=False)
        rooms = [room.copy() for room in self.cluster.rooms]
        nodes = self.selector.pick(job, partition, rooms, allowed, kept)
        if nodes is not None:
            return self.now_s, nodes
        ends = self._ends()
        window_s, place = GROUP_S, 0
        barrier_s = None  # groups are counted from the first job that matters
        while place < len(ends):
            last_s = None
            while place < len(ends):
                end_s, counts_s, other = ends[place]
                place += 1
                if other.shares.keys().isdisjoint(mattering):
                    continue  # the end behind it is not looked at
                if barrier_s is None:
                    barrier_s = end_s + window_s - end_s % window_s
                last_s = counts_s
                for at, share in other.shares.items():
                    rooms[at].give(share)
                if place < len(ends) and ends[place][0] > barrier_s + window_s:
                    break
            if last_s is None:
                return None
            nodes = self.selector.pick(job, partition, rooms, allowed, kept)
            if nodes is not None:
                return last_s, nodes
            linear_s = self.settings.bf_window_linear_s
            window_s = window_s + linear_s if linear_s else 2 * window_s
            while place < len(ends) and ends[place][0] > (barrier_s or 0) + window_s:
                window_s = window_s + linear_s if linear_s else 2 * window_s
        return None

    def _ends(self) -> list[tuple[int, int, TwinJob]]:
        """Return when running jobs reach their limits, and when they count as ended.

        The earliest limit comes first.
        """
        found = []
        for job in self.cluster.running:
            late_s = max(job.limit_end_s + self.kill_wait_s, self.now_s + 1)
            counts_s = late_s if job.limit_end_s <= self.now_s else job.limit_end_s
            found.append((job.limit_end_s, counts_s, job))
        return sorted(found, key=lambda each: (each[0], each[2].id))

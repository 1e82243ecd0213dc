"""A plain slurmctld with its clocks and its queue, for reading and for checking the core.

It is one class: first what the schedulers see and do, then time, then the commands that it obeys.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from schedlab.slurm.clocks import LIMITS_S, Clocks, Delays
from schedlab.slurm.commands import Command
from schedlab.slurm.plain.calendar import SlurmCalendar
from schedlab.slurm.plain.eligible import Eligible
from schedlab.slurm.plain.jobs import JobRun, NodeShare, Stage, TwinJob, jobs_of
from schedlab.slurm.plain.limits import SlurmLimits
from schedlab.slurm.plain.nodes import Selector
from schedlab.slurm.plain.orders import Orders
from schedlab.slurm.plain.preempting import Preempting
from schedlab.slurm.plain.priorities import JobPriorities
from schedlab.slurm.plain.reasons import (
    ARRAY_LIMIT,
    GO_BY_THEMSELVES,
    HELD_BY_ADMIN,
    NEVER,
    NO_REASON,
    NOT_AVAILABLE,
    PARTITION_DOWN,
    RESERVATION,
    RESERVED,
)
from schedlab.slurm.plain.records import QueueRecord, merge_sorted
from schedlab.slurm.plain.schedulers import BackfillScheduler, MainScheduler
from schedlab.slurm.site import SlurmSite

DAY_S = 86_400


class Controller:
    """A slurmctld that replays the history of a site.

    Args:
        site: a site with a history.
        clocks: the phases of its loops.
        delays: how long operations take.
    """

    def __init__(
        self,
        site: SlurmSite,
        clocks: Clocks,
        delays: Delays | None = None,
    ) -> None:
        self.site = site
        self.clocks = clocks
        self.delays = delays or Delays()
        self.settings = site.parameters.scheduler
        self.jobs = jobs_of(site)
        self.selector = Selector(site)
        self.rooms = self.selector.all_free()
        self.running: list[TwinJob] = []
        self.pending: list[TwinJob] = []
        self.eligible = Eligible(self.jobs, site)
        self.orders = Orders(self.jobs)
        self.now_s = 0.0
        self.epoch_s = site.history.epoch_s or 0 if site.history else 0
        self.preempting = Preempting(site, self.selector)
        self.calendar = SlurmCalendar(site, self.selector, self.epoch_s)
        since_s = clocks.priority_s - site.parameters.priority.calc_period_s
        self.priorities = JobPriorities(site, self.selector, self.second, since_s)
        self.limits = SlurmLimits(site, self.second(since_s))
        self._tiers = {
            each.name: each.priority_tier for each in site.machine.clusters[0].partitions
        }
        self._main = MainScheduler(self.settings)
        self._backfill = BackfillScheduler(self.settings)
        self._completing = [-math.inf] * len(self.rooms)  # by node, until when
        self._patience_s = 0.0
        self._progress_s = 0.0  # last arrival or end of a job, preemption aside
        over_s = site.parameters.control.over_time_limit_s
        self._longest_s = max((job.limit_s for job in self.jobs), default=0) + over_s + 2 * DAY_S
        self._to_come = len(self.jobs)  # submissions and commands
        self._drained: set[int] = set()
        self._closed = {each.name for each in site.partitions if each.state != "UP"}
        self._answered_s = -math.inf  # the last answer to a kill from the log
        self._asked = 0  # requests for the main scheduler
        self._last_main = self._last_full = self._last_limits = 0  # whole seconds
        self._changed = True
        self._events: list[tuple[float, int, str, Any]] = []
        self._count = 0

    # What the schedulers see and do.

    def second(self, time_s: float) -> int:
        """Return the whole second of a time, on Slurm's clock."""
        return math.floor(self.epoch_s + time_s)

    def usable(self) -> set[int]:
        """Return the nodes that may get jobs now."""
        completed = {at for at, until_s in enumerate(self._completing) if until_s <= self.now_s}
        return completed - self._drained

    def in_service(self) -> set[int]:
        """Return the nodes that may get jobs now, or once their last jobs have completed."""
        return set(range(len(self.rooms))) - self._drained

    def queue(self) -> list[QueueRecord]:
        """Return the jobs that may run, each with a partition, in order."""
        second = self.second(self.now_s)
        records = []
        for job in list(self.pending):
            obstacle = self.eligible.obstacle(job, self.now_s)
            if obstacle == NEVER and job.kill_invalid:
                self._cancel(job)
                continue
            if obstacle is None and not self.calendar.lets(job, second):
                obstacle = RESERVATION
            opened = [each for each in job.partitions if each not in self._closed]
            if obstacle is None and not opened:
                obstacle = PARTITION_DOWN
            if job.held:
                continue
            if obstacle is not None:
                job.reason = obstacle
                continue
            if job.reason in GO_BY_THEMSELVES:
                job.reason = NO_REASON
            records += [(job, partition) for partition in opened]
        if not self.preempting.is_on:
            return sorted(records, key=self._rank)
        return merge_sorted(records, self._comes_before)

    def barred(self, job: TwinJob, begin_s: int, end_s: int) -> set[int]:
        """Return the nodes that reservations keep from the job between these whole seconds."""
        return self.calendar.barred(job, begin_s, end_s)

    def kept_cores(self, job: TwinJob, begin_s: int, end_s: int) -> dict[int, int]:
        """Return the free cores of nodes that reservations keep from the job in this time."""
        return self.calendar.kept_cores(job, begin_s, end_s, self.running)

    def reservation_ends(self) -> list[int]:
        """Return when the reservations that are known now end, in whole seconds."""
        return [each.end_s for each in self.calendar.reserved]

    def now_second(self) -> int:
        """Return the present whole second, on Slurm's clock."""
        return self.second(self.now_s)

    def eligible_for(self, job: TwinJob) -> int:
        """Return how long the job has been eligible, in whole seconds."""
        return self.second(self.now_s) - self.second(job.begin_s)

    def has_licences(self, job: TwinJob) -> bool:
        """Return whether all licences of the job are free."""
        return self.eligible.has_licences(job)

    def may_start(self, job: TwinJob, partition: str) -> bool:
        """Return whether licences and limits on numbers of jobs and wall time let the job start."""
        if not self.eligible.has_licences(job):
            return False
        if not self.eligible.has_array_room(job):
            return self._refuse(job, ARRAY_LIMIT)
        return self._refuse(job, self.limits.keeps_from_starting(job, partition))

    def may_have(self, job: TwinJob, partition: str, nodes: list[int] | None) -> bool:
        """Return whether limits on resources let the job have these nodes, or what it asks for."""
        asks = self.selector.asks(job)
        if nodes is not None:
            asks = self.selector.holds(job, partition, nodes)
        return self._refuse(job, self.limits.keeps_from_having(job, partition, asks))

    def _refuse(self, job: TwinJob, reason: str | None) -> bool:
        """Note why the job waits, if there is a reason. Return whether there is none."""
        if reason is not None:
            job.reason = reason
        return reason is None

    def lacks_nodes(self, job: TwinJob, partition: str) -> bool:
        """Return whether the job needs nodes that are out of service."""
        out = self._drained & self.selector.partitions[partition]
        return bool(out) and not self.selector.could(job, partition, out)

    def start(self, job: TwinJob, partition: str, nodes: list[int], by: str) -> None:
        """Start the job now."""
        job.shares = self.selector.shares(job, partition, nodes)
        for at, share in job.shares.items():
            self.rooms[at].take(share)
        job.stage = Stage.RUNNING
        job.reason = NO_REASON
        job.started_by = by
        job.start_s = job.turned_s = self.now_s
        job.ran_s, job.suspended_s = 0, 0.0
        job.partition = partition
        job.limit_end_s = self.second(self.now_s) + job.limit_s
        self.pending.remove(job)
        self.running.append(job)
        self.eligible.started(job)
        holds = self.selector.holds(job, partition, nodes)
        job.billing = holds["billing"]
        self.limits.started(job, partition, holds, self.second(self.now_s))
        self._changed = True
        self._push(self._expected_end_s(job), "end", job)
        self._share_by_tier()

    def preempt(self, job: TwinJob, partition: str, allowed: Collection[int]) -> list[int] | None:
        """End running jobs if that makes room for the job. Return the nodes that it then gets."""
        control = self.site.parameters.control
        pause_s = control.kill_wait_s + control.message_timeout_s
        if (
            not self.preempting.is_on
            or self.selector.gangs
            or self.now_s - job.preempted_s < pause_s
        ):
            return None
        found = self.preempting.victims(
            job, partition, self.rooms, allowed, self.running, self.now_s
        )
        if found is None:
            return None
        nodes, victims = found
        if not self.may_have(job, partition, nodes):
            return None
        job.preempted_s = self.now_s
        for victim in victims:
            self._take_room_of(victim)
        return nodes

    def _take_room_of(self, victim: TwinJob) -> None:
        """Mark a job that has a grace time; end one that has none, or none left."""
        second, grace_s = self.second(self.now_s), self.preempting.grace_s(victim)
        if grace_s and not victim.is_marked:
            victim.is_marked = True
            victim.limit_end_s = min(victim.limit_end_s, second + grace_s)
        elif not grace_s or second >= victim.limit_end_s:
            self._end_preempted(victim)

    def _end_preempted(self, victim: TwinJob) -> None:
        if self._may_requeue(victim) and self.site.parameters.preempt.mode[0] != "CANCEL":
            self.requeue(victim, "preempted")
        else:
            self.cancel(victim, "preempted")

    # Time.

    def run(self, until_s: float = math.inf) -> None:
        """Replay until this time, or until no job is left that could run.

        A further call continues from there.
        """
        if not self._events:
            self._begin()
        while self._events and self._is_open():
            if self._events[0][0] > until_s:
                return
            self.now_s, _, what, about = heapq.heappop(self._events)
            getattr(self, f"_{what}")(about)

    def movable(self) -> list[TwinJob]:
        """Return waiting jobs that a priority could move: not held, and with conditions met."""
        return [
            job
            for job in self.pending
            if not job.held and self.eligible.obstacle(job, self.now_s) is None
        ]

    def _begin(self) -> None:
        clocks = self.clocks
        for job in self.jobs:
            self._push(job.submit_s + clocks.submit_delay_s, "submit", job)
        for job in self.jobs:
            known_s = max(job.recorded_start_s, job.submit_s + clocks.submit_delay_s)
            self._push(known_s, "start_as_recorded", job)
        for command in self.site.history.commands if self.site.history else ():
            if command.worked:
                self._to_come += 1
                self._push(command.at_s, "order", command)
        for begin_s, end_s, nodes, is_outage in self.calendar.closings:
            self._push(begin_s, "close", (nodes, is_outage))
            self._push(math.inf if end_s is None else end_s, "open", nodes)
        first_s = min((job.submit_s for job in self.jobs), default=0.0)
        self._last_full = self.second(clocks.full_s)
        self._last_limits = self.second(clocks.limits_s)
        self._last_main = self.second(min(clocks.tick_s, first_s)) - 60
        self._push(clocks.tick_s, "tick", None)
        if self.settings.type == "sched/backfill":
            self._push(clocks.backfill_s, "backfill_cycle", None)
        self._push(clocks.priority_s, "priority", None)

    def _is_open(self) -> bool:
        """Return whether a job runs or may still run, or submissions or commands are to come.

        Jobs may preempt each other for ever; so the replay closes after a long time without
        progress.
        """
        is_stale = not self._to_come and self.now_s > self._progress_s + self._longest_s
        if is_stale and self.running:
            return False
        if self.running or self._to_come:
            self._patience_s = self.now_s + self._cycle_s
            return True
        waiting = [job for job in self.pending if not (job.held or self.eligible.is_stuck(job))]
        if not waiting:
            return False
        begins_s = [job.begin_s for job in waiting] + self.calendar.changes_s(self.epoch_s)
        if self.now_s < max([self._patience_s, *(each + self._cycle_s for each in begins_s)]):
            return True
        forgotten_s = self._progress_s + self.limits.forgets_s + self._cycle_s
        return self.now_s < forgotten_s and any(self._waits_for_minutes(job) for job in waiting)

    def _waits_for_minutes(self, job: TwinJob) -> bool:
        asks = self.selector.asks(job)
        return any(self.limits.waits_for_minutes(job, each, asks) for each in job.partitions)

    @property
    def _cycle_s(self) -> float:
        """The time without a change after which every loop has looked at every job."""
        calc_s = self.site.parameters.priority.calc_period_s
        return 2.0 * max(self.settings.bf_interval_s, self.settings.sched_interval_s, calc_s)

    def _push(self, time_s: float, what: str, about: Any) -> None:
        if time_s < math.inf:
            self._count += 1
            heapq.heappush(self._events, (time_s, self._count, what, about))

    def _submit(self, job: TwinJob) -> None:
        self._to_come -= 1
        self._progress_s = self.now_s
        job.stage = Stage.PENDING
        self.pending.append(job)
        for partition in job.partitions:
            self.selector.test(job, partition)
            self._test_nodes(job, partition)
        self.priorities.set(job, self.now_s)
        self._asked += 1
        self._changed = True

    def _test_nodes(self, job: TwinJob, partition: str) -> None:
        """Note the reason if a new job could not run now even without other jobs."""
        second = self.second(self.now_s)
        out = self._drained & self.selector.partitions[partition]
        barred = self.calendar.barred(job, second, second + job.limit_s)
        is_eligible = not job.held and job.reservation is None
        if is_eligible and out | barred and not self.selector.could(job, partition, out | barred):
            job.reason = NOT_AVAILABLE if out else RESERVED

    def _start_as_recorded(self, job: TwinJob) -> None:
        """Start a job that ran when the history begins, before the first turn of any loop."""
        if job.stage is Stage.PENDING:
            self.start(job, job.partitions[0], list(job.recorded_nodes), "main")

    def _end(self, job: TwinJob) -> None:
        if job.stage is Stage.RUNNING and self._expected_end_s(job) == self.now_s:
            self._finish(job, "completed" if job.ends_well else "failed")
            self._asked += 1

    def _expected_end_s(self, job: TwinJob) -> float:
        if job.is_suspended:
            return math.inf
        late_s = 0.0 if job.is_measured else self.delays.run
        return job.start_s + job.suspended_s + job.run_s + late_s

    def _tick(self, _: None) -> None:
        second = self.second(self.now_s - self.clocks.loop_delay_s(self.now_s))
        is_due = second - self._last_limits >= LIMITS_S
        if self.clocks.tests_limits(self.now_s, is_due=is_due):
            self._last_limits = second
            self._test_limits(second)
        if second - self._last_full >= self.settings.sched_interval_s:
            self._last_full = self._last_main = second
            self._asked = 0
            self._main.run(self, None)
        elif self._asked and second - self._last_main >= self.settings.batch_sched_delay_s:
            self._last_main = second
            self._asked = 0
            self._main_now(None)
        self._push(self.clocks.next_tick_s(self.now_s), "tick", None)

    def _main_now(self, _: None) -> None:
        self._main.run(self, self.settings.default_queue_depth)

    def _test_limits(self, second: int) -> None:
        over_s = self.site.parameters.control.over_time_limit_s
        killed = []
        for job in [each for each in self.running if not each.is_suspended]:
            if job.is_marked and job.limit_end_s <= second:
                self._end_preempted(job)
            elif job.limit_end_s + over_s + job.unseen_s <= second or self.limits.has_run_out(
                job, job.partition, second
            ):
                killed.append(job)
        for job in sorted(killed, key=lambda job: len(job.shares)):
            self._kill(job, "timeout")

    def _kill(self, job: TwinJob, how: str) -> None:
        """End a running job; the main scheduler runs when its nodes have answered.

        Jobs that are killed together answer one after another, those of few nodes first.
        """
        self._finish(job, how)
        answer_s = self.clocks.next_answer_s(self.now_s, self._answered_s)
        if answer_s is None:
            answer_s = self.now_s + self.delays.after_kill
        else:
            self._answered_s = answer_s
        job.completed_s = answer_s
        for at in job.shares:
            self._completing[at] = answer_s
        self._push(answer_s, "main_now", None)

    def _backfill_cycle(self, _: None) -> None:
        if not self._changed and not self.pending:
            self._push(self.now_s + 1, "backfill_cycle", None)
            return
        self._changed = False
        kill_wait_s = self.site.parameters.control.kill_wait_s
        tested = self._backfill.run(self, self.second(self.now_s), kill_wait_s)
        took_s = tested * self.delays.per_test
        interval_s = self.settings.bf_interval_s
        next_s = self.now_s + took_s + interval_s
        self._push(self.clocks.next_backfill_s(next_s, interval_s), "backfill_cycle", None)

    def _priority(self, _: None) -> None:
        self.priorities.set_all(self.running, self.pending, self.now_s)
        self.limits.look(self.running, self.second(self.now_s))
        self._changed = True
        self._push(self.now_s + self.site.parameters.priority.calc_period_s, "priority", None)

    def _finish(self, job: TwinJob, how: str) -> None:
        if how != "preempted":
            self._progress_s = self.now_s
        job.stage = Stage.DONE
        job.is_marked = job.is_suspended = job.is_shadowed = False
        job.end_s = self.now_s
        job.how = how
        job.completed_s = self.now_s + self.delays.complete
        job.runs.append(
            JobRun(job.start_s, self.now_s, tuple(sorted(job.shares)), job.started_by, how)
        )
        self.running.remove(job)
        for at, share in job.shares.items():
            self.rooms[at].give(share)
            self._completing[at] = job.completed_s
        self.eligible.ended(job)
        self.limits.ended(job, self.second(self.now_s))
        self.priorities.charge(job, self.now_s)
        self._changed = True
        self._share_by_tier()

    def _cancel(self, job: TwinJob) -> None:
        job.stage = Stage.DONE
        job.how = "cancelled"
        job.end_s = job.completed_s = self.now_s
        self.pending.remove(job)
        self._changed = True

    # The commands that it obeys.

    def _order(self, command: Command) -> None:
        self._to_come -= 1
        self._progress_s = self.now_s
        self.orders.give(command, self)
        self._changed = True

    def hold(self, job: TwinJob) -> None:
        """Hold a job: keep it out of the queue."""
        job.held = job.stage is Stage.PENDING
        job.reason = HELD_BY_ADMIN if job.held else NO_REASON
        self._asked += 1

    def release(self, job: TwinJob) -> None:
        """Let a held job into the queue again; its age begins now."""
        job.held = False
        job.reason = NO_REASON
        job.accrue_s = self.now_s
        self.priorities.set(job, self.now_s)
        self._asked += 1

    def set_nice(self, job: TwinJob, nice: int) -> None:
        """Set the nice value of a job, which lowers its priority."""
        job.priority += job.nice - nice
        job.nice = nice
        self._asked += 1
        self._changed = True

    def set_array_limit(self, job: TwinJob, most: int) -> None:
        """Limit the tasks of the job's array that run at a time."""
        job.array_limit = most
        self._asked += 1

    def cancel(self, job: TwinJob, how: str = "cancelled") -> None:
        """End a running job, or withdraw a waiting one."""
        if job.stage is Stage.RUNNING:
            self._kill(job, how)
        elif job.stage is Stage.PENDING:
            self._cancel(job)

    def requeue(self, job: TwinJob, how: str) -> None:
        """End the run of a job; the job waits again until its credential has expired."""
        if job.stage is not Stage.RUNNING:
            return
        self._kill(job, how)
        job.stage = Stage.PENDING
        job.submit_s = job.accrue_s = self.now_s
        job.begin_s = self.second(self.now_s) - self.epoch_s
        job.begin_s += self.site.parameters.control.cred_expire_s + 1
        self.pending.append(job)

    def suspend(self, job: TwinJob) -> None:
        """Suspend a running job: other jobs may have its CPUs; it keeps its memory and GPUs."""
        if job.stage is not Stage.RUNNING or job.is_suspended:
            return
        self._stop(job)
        self._hold_instead(job, {at: replace(each, cpus=0) for at, each in job.shares.items()})
        self._asked += 1
        self._share_by_tier()

    def resume(self, job: TwinJob) -> None:
        """Resume a suspended job.

        If other jobs of its partition have its CPUs now, they share them, and Slurm counts only the
        CPUs of the other jobs.
        """
        if not job.is_suspended or job.is_shadowed:
            return
        shares = self.selector.shares(job, job.partition, job.shares)
        there = Counter({at: share.cpus for at, share in shares.items()})
        for other in self.running:
            if other.partition == job.partition:
                there.update({at: share.cpus for at, share in other.shares.items()})
        most = self.selector.rows[job.partition]
        if all(there[at] <= most * self.selector.nodes[at].cpus for at in shares):
            self._hold_instead(job, shares)
        self._go_on(job)
        self._share_by_tier()

    def _stop(self, job: TwinJob) -> None:
        job.is_suspended = True
        job.ran_s += self.second(self.now_s) - self.second(job.turned_s)
        job.turned_s = self.now_s

    def _go_on(self, job: TwinJob) -> None:
        """Let a suspended job continue with what is left of its limit."""
        job.is_suspended = job.is_shadowed = False
        job.suspended_s += self.now_s - job.turned_s
        job.turned_s = self.now_s
        if not job.is_marked:
            job.limit_end_s = self.second(self.now_s) + job.limit_s - job.ran_s
        self._push(self._expected_end_s(job), "end", job)

    def _share_by_tier(self) -> None:
        """Suspend jobs whose CPUs jobs of higher tiers have; resume those whose CPUs are free.

        In each partition running jobs go on as long as there is room, and suspended jobs after
        them. Cores are only counted: it is not known which cores of a node a job has.
        """
        levels = self.selector.levels if self.selector.gangs else {}
        above: Counter[int] = Counter()  # CPUs of running jobs of higher tiers, by node
        for level in sorted(set(levels.values()), reverse=True):
            running: Counter[int] = Counter()
            for partition in (name for name, own in levels.items() if own == level):
                taken = above.copy()
                jobs = [job for job in self.running if job.partition == partition]
                for job in sorted(jobs, key=lambda job: job.is_suspended):
                    if job.is_suspended and not job.is_shadowed:
                        continue
                    if self._fits_above(job, taken):
                        cpus = {at: share.cpus for at, share in job.shares.items()}
                        taken.update(cpus)
                        running.update(cpus)
                        if job.is_shadowed:
                            self._go_on(job)
                    elif not job.is_shadowed:
                        job.is_shadowed = True
                        self._stop(job)
            above.update(running)

    def _fits_above(self, job: TwinJob, taken: Counter[int]) -> bool:
        most = self.selector.rows[job.partition]
        return all(
            taken[at] + share.cpus <= most * self.selector.nodes[at].cpus
            for at, share in job.shares.items()
        )

    def _hold_instead(self, job: TwinJob, shares: dict[int, NodeShare]) -> None:
        for at, share in shares.items():
            self.rooms[at].give(job.shares[at])
            self.rooms[at].take(share)
        job.shares = shares

    def set_node(self, hosts: tuple[str, ...], state: str) -> None:
        """Drain nodes, take them down, or resume them.

        With ReturnToService=2 a node is back in service when it answers: at once if jobs ran there,
        otherwise when it is pinged.
        """
        numbers = self.calendar.numbers(hosts)
        self._asked += 1
        if state == "RESUME":
            self._open(numbers)
            return
        control = self.site.parameters.control
        busy = frozenset(at for job in self.running for at in job.shares if at in numbers)
        self._close((numbers, state == "DOWN"))
        if state == "DOWN" and control.return_to_service == 2:
            self._open(busy)
            ping_s = control.slurmd_timeout_s // 3 + 1
            self._push(self.now_s + ping_s, "open", numbers - busy)

    def _close(self, about: tuple[frozenset[int], bool]) -> None:
        numbers, is_outage = about
        self._drained |= numbers
        self._changed = True
        for job in list(self.running) if is_outage else ():
            if not numbers.isdisjoint(job.shares):
                if self._may_requeue(job):
                    self.requeue(job, "node fail")
                else:
                    self._finish(job, "node fail")

    def _open(self, numbers: frozenset[int]) -> None:
        self._drained -= numbers
        self._changed = True

    def create_reservation(self, settings: dict[str, str]) -> None:
        """Create a reservation, which keeps nodes for some jobs."""
        self.calendar.add(settings)
        self._asked += 1

    def delete_reservation(self, name: str) -> None:
        """Delete a reservation."""
        self.calendar.remove(name)
        self._asked += 1

    def set_partition(self, name: str, state: str) -> None:
        """Open or close a partition."""
        self._closed = self._closed | {name} if state == "DOWN" else self._closed - {name}
        self._asked += 1

    def _may_requeue(self, job: TwinJob) -> bool:
        usual = self.site.parameters.control.job_requeue
        return usual if job.may_requeue is None else job.may_requeue

    def _comes_before(self, one: QueueRecord, other: QueueRecord) -> bool:
        """Return whether one record comes before the other.

        A job that may preempt another comes before it, whatever else counts.
        """
        may, may_it = (
            self.preempting.may_preempt(*first, second[0])
            for first, second in ((one, other), (other, one))
        )
        return may if may != may_it else self._rank(one) < self._rank(other)

    def _rank(self, record: QueueRecord) -> tuple[int, ...]:
        job, partition = record
        submit = self.second(job.submit_s)
        outside = 0 if job.reservation else 1
        return outside, -self._tiers[partition], -job.priority, submit, job.id, job.task

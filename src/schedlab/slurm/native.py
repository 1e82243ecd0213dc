"""The tables from which the core replays a site: names become numbers, rules become rows.

One class fills all tables, because rows refer to each other by number.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from schedlab._core import (
    AssociationRow,
    ClosingRow,
    ConditionRow,
    CounterRow,
    Dependency,
    JobRow,
    LimitMeasure,
    LimitRow,
    NativeController,
    NodeRow,
    NodeSet,
    OrderKind,
    OrderRow,
    PartitionRow,
    PlaceRow,
    ReservationRow,
    ShapeRow,
    SlurmPhases,
    SlurmSettings,
    SlurmTables,
)
from schedlab.slurm.accounts import ROOT
from schedlab.slurm.clocks import KNOWN_LOOP_S, LOOP_S, Clocks, Delays, most_tests
from schedlab.slurm.plain.calendar import ReservedNodes, SlurmCalendar
from schedlab.slurm.plain.conditions import SlurmCondition
from schedlab.slurm.plain.jobs import TwinJob, jobs_of
from schedlab.slurm.plain.limits import Bound, SlurmLimits, Whose
from schedlab.slurm.plain.nodes import BILLED, Selector
from schedlab.slurm.plain.orders import Orders
from schedlab.slurm.plain.preempting import Preempting
from schedlab.slurm.plain.priorities import priority_request
from schedlab.slurm.plain.priority import Multifactor
from schedlab.slurm.plain.reasons import REASONS
from schedlab.slurm.site import SlurmSite

TRES = (*BILLED, "billing")
NOBODY = -1
DEPENDENCIES = {
    "after": Dependency.after,
    "afterok": Dependency.afterok,
    "aftercorr": Dependency.afterok,
    "afternotok": Dependency.afternotok,
    "afterany": Dependency.afterany,
    "afterburstbuffer": Dependency.afterany,
    "singleton": Dependency.singleton,
}


def native_controller(
    tables: SlurmTables, clocks: Clocks, delays: Delays | None = None
) -> NativeController:
    """Return a slurmctld in the core, with the phases of its loops."""
    return NativeController(tables, _phases(clocks, delays or Delays()))


def _phases(clocks: Clocks, delays: Delays) -> SlurmPhases:
    made = SlurmPhases()
    made.tick, made.backfill, made.limits = clocks.tick_s, clocks.backfill_s, clocks.limits_s
    made.priority, made.full = clocks.priority_s, clocks.full_s
    made.tick_period = clocks.tick_period_s
    made.ticks, made.backfills = list(clocks.ticks), list(clocks.backfills)
    made.limit_tests = list(clocks.limits)
    made.submit_s = clocks.submit_delay_s
    made.run_s, made.complete_s = delays.run, delays.complete
    made.after_kill_s, made.per_test_s = delays.after_kill, delays.per_test
    made.loop_s, made.known_loop_s = LOOP_S, KNOWN_LOOP_S
    made.after_kills = list(clocks.after_kills)
    return made


class SiteTables:
    """The maker of the tables of a site.

    Args:
        site: a site with a history.
    """

    def __init__(self, site: SlurmSite) -> None:
        self._site = site
        self._jobs = jobs_of(site)
        self._selector = Selector(site)
        self._multifactor = Multifactor(site)
        self._limits = SlurmLimits(site)
        self._epoch_s = site.history.epoch_s or 0 if site.history else 0
        self._preempting = Preempting(site, self._selector)
        self._calendar = SlurmCalendar(site, self._selector, self._epoch_s)
        self._partitions = {name: at for at, name in enumerate(self._selector.partitions)}
        self._qos = {each.name: at for at, each in enumerate(site.accounts.qos)}
        self._usage_factors = {each.name: each.usage_factor for each in site.accounts.qos}
        self._associations = {
            (each.account, each.user): at for at, each in enumerate(site.accounts.associations)
        }
        self._association_priorities = {
            (each.account, each.user): each.priority for each in site.accounts.associations
        }
        self._licences = {each.name: at for at, each in enumerate(site.machine.consumables)}
        self._numbers = _Numbers()  # for reservations and users
        self._features: dict[frozenset[int], int] = {}
        self._features_of: dict[int, int] = {}  # by constraint
        self._shapes: dict[tuple[float, ...], int] = {}
        self._shape_rows: list[ShapeRow] = []
        self._limit_rows: list[list[LimitRow]] = []
        self._whose: list[list[Whose]] = []  # by list of limits: groups that share counts
        self._limits_of: dict[tuple[str, ...], int] = {}
        self._counters: dict[Whose, int] = {}
        self._reasons = {reason: number for number, reason in enumerate(REASONS)}
        self._by_id: dict[str, list[TwinJob]] = defaultdict(list)
        self._namesakes: dict[tuple[str, str], list[TwinJob]] = defaultdict(list)
        for job in self._jobs:
            self._by_id[str(job.id)].append(job)
            if job.task >= 0:
                self._by_id[f"{job.id}_{job.task}"].append(job)
            self._namesakes[job.user, job.name].append(job)

    def reasons(self) -> list[str]:
        """Return the reasons to wait in the words of squeue, in the order of the core's numbers."""
        return list(self._reasons)

    def made(self) -> SlurmTables:
        """Return all that the core needs to know of the site and its history."""
        site, made = self._site, SlurmTables()
        made.epoch = self._epoch_s
        made.settings = self._settings()
        made.nodes = [self._node(at) for at in range(len(self._selector.nodes))]
        made.partitions = [self._partition(name) for name in self._partitions]
        made.qos_priority = [each.priority for each in site.accounts.qos]
        made.qos_preempts = [[self._qos[x] for x in each.preempt] for each in site.accounts.qos]
        made.associations = self._association_rows()
        made.licences = [each.capacity for each in site.machine.consumables]
        made.reservations = [self._reservation(each) for each in self._calendar.reserved]
        made.closings = self._closings()
        made.jobs = [self._job(job) for job in self._jobs]
        made.orders = self._orders()
        made.shapes = self._shape_rows
        made.features = [self._set(each) for each in self._features]
        made.limits = self._limit_rows
        made.counted = [
            [self._counters[each] for each in whose if each in self._counters]
            for whose in self._whose
        ]
        made.counters = [self._counter(each) for each in self._counters]
        made.users = len(self._numbers)
        return made

    def _set(self, nodes: Iterable[int]) -> NodeSet:
        return NodeSet(len(self._selector.nodes), list(nodes))

    def _settings(self) -> SlurmSettings:
        parameters, made = self._site.parameters, SlurmSettings()
        scheduler, priority = parameters.scheduler, parameters.priority
        control, preempt = parameters.control, parameters.preempt
        for name in (
            *("assoc_limit_stop", "batch_sched_delay_s", "sched_interval_s"),
            *("default_queue_depth", "partition_job_depth", "sched_max_job_start"),
            *("bf_interval_s", "bf_window_s", "bf_window_linear_s", "bf_resolution_s"),
            *("bf_max_job_user", "bf_max_job_part", "bf_max_job_array_resv"),
            *("bf_max_job_start", "bf_max_job_user_part", "bf_max_job_assoc"),
            *("bf_job_part_count_reserve", "bf_min_prio_reserve", "bf_min_age_reserve_s"),
            *("bf_one_resv_per_job", "preempt_reorder_count", "preempt_youngest_first"),
        ):
            setattr(made, name, getattr(scheduler, name))
        for name in (
            *("weight_age", "weight_fairshare", "weight_job_size", "max_age_s"),
            *("decay_half_life_s", "calc_period_s", "favor_small", "is_fair_tree"),
        ):
            setattr(made, name, getattr(priority, name))
        for name in (
            *("kill_wait_s", "message_timeout_s", "over_time_limit_s", "min_job_age_s"),
            "cred_expire_s",
        ):
            setattr(made, name, getattr(control, name))
        made.bf_max_job_test = most_tests(scheduler)
        made.backfills = scheduler.type == "sched/backfill"
        made.is_basic = priority.type == "priority/basic"
        made.dampening = priority.fairshare_dampening_factor
        made.small_relative_to_time = "SMALL_RELATIVE_TO_TIME" in priority.flags
        made.bills_most = "MAX_TRES" in priority.flags
        made.cpus = sum(node.cpus for node in self._selector.nodes)
        made.gangs = self._selector.gangs
        made.preempts = self._preempting.is_on
        made.preempts_by_tier = preempt.type == "preempt/partition_prio"
        made.preempt_cancels = preempt.mode[0] == "CANCEL"
        made.exempt_time_s = preempt.exempt_time_s
        made.returns_by_itself = control.return_to_service == 2
        made.ping_s = control.slurmd_timeout_s // 3 + 1
        made.is_safe, made.forgets_s = self._limits.is_safe, self._limits.forgets_s
        made.counts_memory = self._selector.counts_memory
        made.has_tree = self._selector.has_tree
        return made

    def _node(self, at: int) -> NodeRow:
        node, made = self._selector.nodes[at], NodeRow()
        made.cpus, made.memory_mb, made.gpus = node.cpus, node.memory_mb, node.gpus
        made.weight, made.leaf = node.weight, node.leaf
        made.rows = self._selector.rows_of_node[at]
        return made

    def _partition(self, name: str) -> PartitionRow:
        cluster, made = self._site.machine.clusters[0], PartitionRow()
        made.nodes = self._set(self._selector.partitions[name])
        made.tier = next(each.priority_tier for each in cluster.partitions if each.name == name)
        states = {each.name: each.state for each in self._site.partitions}
        made.is_up = states.get(name, "UP") == "UP"
        weights = {each.name: each.billing_weights for each in self._site.partitions}.get(name)
        made.rows, made.level = self._selector.rows[name], self._selector.levels[name]
        made.billing = [weights.get(each, 0.0) for each in BILLED] if weights else []
        return made

    def _association_rows(self) -> list[AssociationRow]:
        rows = []
        for each in self._site.accounts.associations:
            above = each.parent if each.user is None else each.account
            if above is None and each.account != ROOT:
                above = ROOT
            made = AssociationRow()
            made.parent = NOBODY if above is None else self._associations[above, None]
            made.is_user = each.user is not None
            made.shares, made.shares_of_parent = each.shares, each.shares_of_parent
            made.usage = each.usage
            rows.append(made)
        return rows

    def _reservation(self, reserved: ReservedNodes) -> ReservationRow:
        made = ReservationRow()
        made.name = self._numbers.of("reservation", reserved.name)
        made.begin, made.end = reserved.begin_s, reserved.end_s
        made.nodes, made.cores = self._set(reserved.nodes), reserved.cores
        return made

    def _closings(self) -> list[ClosingRow]:
        rows = []
        for begin_s, end_s, nodes, is_outage in self._calendar.closings:
            made = ClosingRow()
            made.begin, made.end = begin_s, math.inf if end_s is None else end_s
            made.nodes, made.is_outage = self._set(nodes), is_outage
            rows.append(made)
        return rows

    def _job(self, job: TwinJob) -> JobRow:
        made = JobRow()
        made.id, made.task, made.submit = job.id, job.task, job.submit_s
        made.user = self._numbers.of("user", job.user)
        made.qos = self._qos.get(job.qos, NOBODY)
        made.association = self._associations.get((job.account, job.user), NOBODY)
        made.places = [self._place(job, partition) for partition in job.partitions]
        made.limit_s, made.run_s, made.is_measured = job.limit_s, job.run_s, job.is_measured
        made.minutes, made.unseen_s = self._limits.minutes(job), job.unseen_s
        made.nice, made.begin, made.array_limit = job.nice, job.begin_s, job.array_limit
        made.conditions = [self._condition(job, each) for each in job.conditions.each]
        made.one_will_do, made.kill_invalid = job.conditions.one_will_do, job.kill_invalid
        made.licences = [
            (self._licences.get(name, NOBODY), count) for name, count in job.licences.items()
        ]
        made.reservation = NOBODY
        if job.reservation:
            made.reservation = self._numbers.of("reservation", job.reservation)
        usual = self._site.parameters.control.job_requeue
        made.may_requeue = usual if job.may_requeue is None else job.may_requeue
        made.grace_s = self._preempting.grace_s(job)
        made.ends_well, made.held = job.ends_well, job.held
        made.recorded_start, made.recorded_nodes = job.recorded_start_s, list(job.recorded_nodes)
        asks = self._selector.asks(job)
        made.asks = [float(asks[name]) for name in TRES]
        priority = self._association_priorities.get((job.account, job.user), 0)
        parts = self._multifactor.factors(priority_request(job, asks, priority), 0.0, 0)
        made.partition_part, made.qos_part = parts.partition, parts.qos
        made.association_part, made.tres_part = parts.assoc, parts.tres
        made.usage_factor = self._usage_factors.get(job.qos, 1.0)
        return made

    def _place(self, job: TwinJob, partition: str) -> PlaceRow:
        made = PlaceRow()
        made.partition = self._partitions[partition]
        made.shape = self._shape_of(job, partition)
        made.limits = self._limits_for(job, partition)
        return made

    def _shape_of(self, job: TwinJob, partition: str) -> int:
        """Return the number of the row that has what the job asks for."""
        asked = (
            self._partitions[partition],
            *(job.tasks, job.cpus_per_task, job.tasks_per_node, job.min_nodes, job.gpus),
            self._features_for(job),
            self._selector.is_exclusive(job, partition),
            *self._selector.memory_rule(job, partition),
        )
        if asked not in self._shapes:
            made = ShapeRow()
            made.partition, made.tasks, made.cpus_per_task = asked[:3]
            made.tasks_per_node, made.min_nodes, made.gpus, made.features = asked[3:7]
            made.exclusive, made.memory_mb, made.memory_per_cpu = asked[7:]
            self._shapes[asked] = len(self._shapes)
            self._shape_rows.append(made)
        return self._shapes[asked]

    def _limits_for(self, job: TwinJob, partition: str) -> int:
        """Return the number of the job's list of limits.

        Jobs of one user, account, QOS and partition share a list.
        """
        key = (job.qos, partition, job.account, job.user)
        if key not in self._limits_of:
            bounds = self._limits.bounds(job, partition)
            rows = [self._limit(each) for each in bounds if not each.tres or each.tres in TRES]
            self._limits_of[key] = len(self._limit_rows)
            self._limit_rows.append(rows)
            self._whose.append(self._limits.whose(job, partition))
        return self._limits_of[key]

    def _limit(self, bound: Bound) -> LimitRow:
        made = LimitRow()
        made.measure = LimitMeasure[bound.measure.name.lower()]
        made.counter = NOBODY
        if bound.whose:
            made.counter = self._counters.setdefault(bound.whose, len(self._counters))
        made.tres = TRES.index(bound.tres) if bound.tres else NOBODY
        made.most, made.ends = bound.most, bound.ends
        made.reason = self._reasons.setdefault(bound.reason, len(self._reasons))
        return made

    def _counter(self, whose: Whose) -> CounterRow:
        count, made = self._limits.count(whose), CounterRow()
        made.decays = count.decays
        made.used = [count.used_s[name] for name in TRES]
        return made

    def _features_for(self, job: TwinJob) -> int:
        if job.constraint is None:
            return NOBODY
        key = id(job.constraint)
        if key not in self._features_of:
            nodes = self._selector.nodes
            able = frozenset(at for at, x in enumerate(nodes) if job.constraint(x.features))
            self._features_of[key] = self._features.setdefault(able, len(self._features))
        return self._features_of[key]

    def _condition(self, job: TwinJob, condition: SlurmCondition) -> ConditionRow:
        made = ConditionRow()
        made.kind, made.delay_s = DEPENDENCIES[condition.kind], condition.delay_s
        if condition.kind == "singleton":
            others = self._namesakes[job.user, job.name]
        else:
            others = self._by_id.get(condition.on, [])
        if condition.kind == "aftercorr":
            others = [other for other in others if other.task == job.task] or others
        made.others = [other.position for other in others]
        return made

    def _orders(self) -> list[OrderRow]:
        orders, rows = Orders(self._jobs), []
        for command in self._site.history.commands if self._site.history else ():
            if command.worked:
                made = OrderRow()
                made.at, made.kind = command.at_s, OrderKind.none
                told = _Told(made, self)
                orders.give(command, told)
                made.jobs = [job.position for job in told.jobs]
                rows.append(made)
        return rows

    def nodes_of(self, hosts: tuple[str, ...]) -> NodeSet:
        """Return the nodes of these names."""
        return self._set(self._calendar.numbers(hosts))

    def reservation_row(self, settings: dict[str, str]) -> ReservationRow:
        """Return the row of the reservation that a command creates."""
        return self._reservation(self._calendar.reservation(settings))

    def reservation_number(self, name: str) -> int:
        """Return the number of a reservation."""
        return self._numbers.of("reservation", name)

    def partition_number(self, name: str) -> int | None:
        """Return the number of a partition; None if there is none of this name."""
        return self._partitions.get(name)


class _Numbers:
    """Numbers for names, in the order in which the names first occur."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], int] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, what: str, name: str) -> int:
        return self._known.setdefault((what, name), len(self._known))


class _Told:
    """A recorder that writes a command into a row for the core instead of obeying it."""

    def __init__(self, row: OrderRow, tables: SiteTables) -> None:
        self._row, self._tables = row, tables
        self.jobs: list[TwinJob] = []

    def _about(self, job: TwinJob, kind: OrderKind, value: int = 0) -> None:
        self._row.kind, self._row.value = kind, value
        self.jobs.append(job)

    def hold(self, job: TwinJob) -> None:
        self._about(job, OrderKind.hold)

    def release(self, job: TwinJob) -> None:
        self._about(job, OrderKind.release)

    def set_nice(self, job: TwinJob, nice: int) -> None:
        self._about(job, OrderKind.nice, nice)

    def set_array_limit(self, job: TwinJob, most: int) -> None:
        self._about(job, OrderKind.array_limit, most)

    def cancel(self, job: TwinJob) -> None:
        self._about(job, OrderKind.cancel)

    def requeue(self, job: TwinJob, how: str) -> None:
        self._about(job, OrderKind.requeue)

    def suspend(self, job: TwinJob) -> None:
        self._about(job, OrderKind.suspend)

    def resume(self, job: TwinJob) -> None:
        self._about(job, OrderKind.unsuspend)

    def set_node(self, hosts: tuple[str, ...], state: str) -> None:
        self._row.kind = OrderKind[state.lower()]
        self._row.nodes = self._tables.nodes_of(hosts)

    def create_reservation(self, settings: dict[str, str]) -> None:
        made = self._tables.reservation_row(settings)
        self._row.kind, self._row.reservation = OrderKind.create_reservation, made

    def delete_reservation(self, name: str) -> None:
        self._row.kind = OrderKind.delete_reservation
        self._row.value = self._tables.reservation_number(name)

    def set_partition(self, name: str, state: str) -> None:
        number = self._tables.partition_number(name)
        if number is not None:
            up, down = OrderKind.partition_up, OrderKind.partition_down
            self._row.kind, self._row.value = up if state == "UP" else down, number

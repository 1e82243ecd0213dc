"""Limits of associations and QOS: which apply to a job, and what running jobs use of each."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from schedlab.slurm.accounts import ROOT, Association, Qos
from schedlab.slurm.plain.fair_share import LN_2
from schedlab.slurm.plain.jobs import TwinJob
from schedlab.slurm.plain.reasons import (
    account_reason,
    group_minutes_reason,
    group_reason,
    job_minutes_reason,
    job_reason,
    user_reason,
)
from schedlab.slurm.site import SlurmSite

MINUTE_S = 60
FORGOTTEN = 10
"""The number of half lives after which past use no longer makes jobs wait."""
Amounts = Mapping[str, float]
Whose = tuple[str, ...]


class LimitMeasure(Enum):
    """What a limit bounds; each value is the end of the limit's name in Slurm."""

    JOBS = "Jobs"
    TRES = "TRES"
    JOB_MINUTES = "TRESMinsPerJob"
    """What one job could use up to its time limit."""
    RUN_MINUTES = "TRESRunMins"
    """What running jobs could still use up to their time limits."""
    MINUTES = "TRESMins"
    """What jobs have used, as far as Slurm has not forgotten it."""
    WALL = "Wall"
    """How long jobs have run, as far as Slurm has not forgotten it."""


IN_PASSING = (LimitMeasure.MINUTES, LimitMeasure.WALL)
"""The measures that grow while jobs run, and are forgotten over time."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One limit.

    Args:
        measure: what it limits.
        whose: the jobs that it limits together, such as ``("qos user", "normal", "ann")``; empty
            for one job alone.
        tres: the resource; empty for numbers of jobs and wall time.
        most: the largest allowed amount.
        reason: why a job that would break it waits, in the words of squeue.
        ends: whether running jobs are ended when they reach it.
    """

    measure: LimitMeasure
    whose: Whose
    tres: str
    most: int
    reason: str
    ends: bool = False


@dataclass(slots=True)
class Count:
    """What the jobs of an association, or of a QOS, use together."""

    decays: bool
    jobs: int = 0
    held: Counter[str] = field(default_factory=Counter)
    used_s: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    run_s: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    wall_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Counted:
    """A running job, as it was counted."""

    counts: list[Count]
    holds: Amounts
    factor: float
    start_s: int
    limit_s: int


class SlurmLimits:
    """The limits of a site, and the use that counts for them over time; times in whole seconds.

    Args:
        site: the site with its accounts.
        start_s: when slurmctld began to count.
    """

    def __init__(self, site: SlurmSite, start_s: int = 0) -> None:
        control, priority = site.parameters.control, site.parameters.priority
        self.is_safe = "safe" in control.enforce
        self.forgets_s = FORGOTTEN * priority.decay_half_life_s
        self._is_enforced = "limits" in control.enforce
        self._counts_use = priority.type != "priority/basic"
        half_life_s = priority.decay_half_life_s
        self._decay = 1 - LN_2 / half_life_s if half_life_s else 1.0
        self._last_pass_s = start_s
        self._qos = site.accounts.qos_by_name
        self._partition_qos = {each.name: each.qos for each in site.partitions}
        self._chains = {
            (each.account, each.user): (each, *site.accounts.above(each))
            for each in site.accounts.associations
            if each.user is not None
        }
        self._bounds: dict[tuple[str, str, str, str], tuple[Bound, ...]] = {}
        self.counts: dict[Whose, Count] = {}
        self._counted: dict[TwinJob, Counted] = {}
        # Slurm reports earlier use as billing, which without weights is CPUs.
        known = ["billing"]
        if not any(each.billing_weights for each in site.partitions):
            known.append("cpu")
        for chain in self._chains.values():
            for each in chain if chain[0].usage else ():
                for name in known:
                    self.count(_group(each)).used_s[name] += chain[0].usage

    def count(self, whose: Whose) -> Count:
        """Return what these jobs use together."""
        if whose not in self.counts:
            qos = self._qos.get(whose[1]) if whose[0].startswith("qos") else None
            self.counts[whose] = Count(decays=qos is None or "NoDecay" not in qos.flags)
        return self.counts[whose]

    def keeps_from_starting(self, job: TwinJob, partition: str) -> str | None:
        """Return why limits on numbers of jobs or on wall time do not let the job start.

        Return None if they let it start.
        """
        bounds = (each for each in self.bounds(job, partition) if not each.tres)
        return next((each.reason for each in bounds if not self._passes(each, job, {})), None)

    def keeps_from_having(self, job: TwinJob, partition: str, asks: Amounts) -> str | None:
        """Return why limits on resources do not let the job have these; None if they do."""
        bounds = (each for each in self.bounds(job, partition) if each.tres)
        return next((each.reason for each in bounds if not self._passes(each, job, asks)), None)

    def waits_for_minutes(self, job: TwinJob, partition: str, asks: Amounts) -> bool:
        """Return whether past use keeps the job waiting: it starts when that is forgotten."""
        return any(
            bound.measure in IN_PASSING and not self._passes(bound, job, asks)
            for bound in self.bounds(job, partition)
        )

    def _passes(self, bound: Bound, job: TwinJob, asks: Amounts) -> bool:
        asked, minutes = asks.get(bound.tres, 0), self.minutes(job)
        if bound.measure is LimitMeasure.JOB_MINUTES:
            return minutes * asked <= bound.most
        if not bound.whose:
            return asked <= bound.most
        count = self.count(bound.whose)
        if bound.measure is LimitMeasure.JOBS:
            return count.jobs < bound.most
        if bound.measure is LimitMeasure.TRES:
            return count.held[bound.tres] + asked <= bound.most
        is_free = self.factor(job) == 0  # past use does not count against it
        run = 0 if is_free else _minutes(count.run_s[bound.tres])
        if bound.measure is LimitMeasure.RUN_MINUTES:
            return minutes * asked + run <= bound.most
        used_s = count.used_s[bound.tres] if bound.tres else count.wall_s
        left = bound.most - (0 if is_free else _minutes(used_s))
        if not self.is_safe:
            return left > 0
        return left > 0 and (minutes * asked + run if bound.tres else minutes) <= left

    def minutes(self, job: TwinJob) -> int:
        """Return the job's time limit in minutes, as limits count it."""
        minutes = job.limit_s // MINUTE_S
        qos = self._qos.get(job.qos)
        is_weighted = qos is not None and "UsageFactorSafe" in qos.flags
        return int(minutes * self.factor(job)) if is_weighted else minutes

    def factor(self, job: TwinJob) -> float:
        """Return the factor by which the job's use counts."""
        qos = self._qos.get(job.qos)
        return 1.0 if qos is None else qos.usage_factor

    def started(self, job: TwinJob, partition: str, holds: Amounts, second: int) -> None:
        """Count a job that starts."""
        counts = [self.count(each) for each in self.whose(job, partition)]
        own = Counted(counts, holds, self.factor(job), second, job.limit_s)
        self._counted[job] = own
        left = own.factor * self._left_s(own)
        for count in counts:
            count.jobs += 1
            count.held.update(holds)
            for name, amount in holds.items():
                count.run_s[name] += amount * left

    def ended(self, job: TwinJob, second: int) -> None:
        """Add what the job has used, and stop counting it."""
        own = self._counted.pop(job)
        self._use(own, second)
        left = own.factor * self._left_s(own)
        for count in own.counts:
            count.jobs -= 1
            count.held.subtract(own.holds)
            for name, amount in own.holds.items():
                count.run_s[name] = max(0.0, count.run_s[name] - amount * left)

    def look(self, running: Iterable[TwinJob], second: int) -> None:
        """Decay past use, and add what running jobs have used since the last pass.

        Slurm does so with priority/multifactor, every PriorityCalcPeriod.
        """
        if not self._counts_use:
            return
        forgotten = self._decay ** (second - self._last_pass_s)
        for count in self.counts.values():
            if count.decays:
                count.wall_s *= forgotten
                for name in count.used_s:
                    count.used_s[name] *= forgotten
        for job in running:
            own = self._counted[job]
            self._use(own, second)
            passed = own.factor * min(max(0, second - self._since_s(own)), self._left_s(own))
            for count in own.counts:
                for name, amount in own.holds.items():
                    count.run_s[name] = max(0.0, count.run_s[name] - amount * passed)
        self._last_pass_s = second

    def has_run_out(self, job: TwinJob, partition: str, second: int) -> bool:
        """Return whether a running job is ended because a limit on its use is used up."""
        own = self._counted[job]
        for bound in self.bounds(job, partition) if not self.is_safe else ():
            if not bound.ends:
                continue
            if bound.measure is LimitMeasure.JOB_MINUTES:
                held = own.holds.get(bound.tres, 0)
                used = (second - own.start_s) // MINUTE_S * held
                if held and used >= bound.most:
                    return True
            else:
                count = self.count(bound.whose)
                used_s = count.used_s[bound.tres] if bound.tres else count.wall_s
                if _minutes(used_s) >= bound.most:
                    return True
        return False

    def _since_s(self, own: Counted) -> int:
        return max(own.start_s, self._last_pass_s)

    def _left_s(self, own: Counted) -> int:
        """Return how long the job may run from the last pass on."""
        return max(0, own.start_s + own.limit_s - self._since_s(own))

    def _use(self, own: Counted, second: int) -> None:
        seconds = second - self._since_s(own)
        if seconds <= 0 or not self._counts_use:
            return
        decayed = seconds * self._decay**seconds
        for count in own.counts:
            used_s = own.factor * (decayed if count.decays else seconds)
            count.wall_s += used_s
            for name, amount in own.holds.items():
                count.used_s[name] += amount * used_s

    def _qos_of(self, job: TwinJob, partition: str) -> list[Qos]:
        """Return the QOS of the partition and that of the job; the first one takes precedence."""
        names = dict.fromkeys((self._partition_qos.get(partition) or job.qos, job.qos))
        found = [self._qos[name] for name in names if name in self._qos]
        own = self._qos.get(job.qos)
        if own is not None and "OverPartQOS" in own.flags:
            found.sort(key=lambda qos: qos is not own)
        return found

    def whose(self, job: TwinJob, partition: str) -> list[Whose]:
        """Return the groups of jobs in which the job counts, whatever their limits are."""
        if not self._is_enforced:
            return []
        chain = self._chains.get((job.account, job.user), ())
        of_qos = [
            whose
            for qos in self._qos_of(job, partition)
            for whose in (
                ("qos", qos.name),
                ("qos user", qos.name, job.user),
                ("qos account", qos.name, job.account),
            )
        ]
        return of_qos + [_group(each) for each in chain]

    def bounds(self, job: TwinJob, partition: str) -> tuple[Bound, ...]:
        """Return the limits that count for the job in this partition."""
        alike = (job.account, job.user, job.qos, partition)
        if alike not in self._bounds:
            found = self._bounds_of(job, partition) if self._is_enforced else ()
            self._bounds[alike] = tuple(found)
        return self._bounds[alike]

    def _bounds_of(self, job: TwinJob, partition: str) -> Iterator[Bound]:
        """Yield the limits; a limit of a QOS replaces that of the same kind of an association."""
        said: set[tuple[str, LimitMeasure, str]] = set()
        for qos in self._qos_of(job, partition):
            own = list(_of_qos(qos, job))
            yield from (bound for scope, bound in own if _kind(scope, bound) not in said)
            said |= {_kind(scope, bound) for scope, bound in own}
        chain = self._chains.get((job.account, job.user), ())
        for scope, bound in _of_associations(chain):
            scopes = ("user", "account") if scope == "own" else (scope,)
            if all(_kind(each, bound) not in said for each in scopes):
                yield bound


def _minutes(seconds: float) -> int:
    """Return the whole minutes."""
    return math.floor(seconds / MINUTE_S)


def _kind(scope: str, bound: Bound) -> tuple[str, LimitMeasure, str]:
    return scope, bound.measure, bound.tres


def _group(association: Association) -> Whose:
    return "group", association.account, association.user or ""


def _of_qos(qos: Qos, job: TwinJob) -> Iterator[tuple[str, Bound]]:
    """Yield the limits that a QOS sets for the job, with the scope of each."""
    group, user = ("qos", qos.name), ("qos user", qos.name, job.user)
    account = ("qos account", qos.name, job.account)
    for bound in _of_group(qos, group, ends=True):
        yield "group", bound
    if qos.max_jobs_per_user is not None:
        reason = "QOSMaxJobsPerUserLimit"
        yield "user", Bound(LimitMeasure.JOBS, user, "", qos.max_jobs_per_user, reason)
    for name, most in qos.max_tres_per_user.items():
        yield "user", Bound(LimitMeasure.TRES, user, name, most, user_reason(name))
    if qos.max_jobs_per_account is not None:
        reason = "MaxJobsPerAccount"
        yield "account", Bound(LimitMeasure.JOBS, account, "", qos.max_jobs_per_account, reason)
    for name, most in qos.max_tres_per_account.items():
        yield "account", Bound(LimitMeasure.TRES, account, name, most, account_reason(name))
    for bound in _of_job("QOS", qos.max_tres_per_job, qos.max_tres_mins_per_job):
        yield "job", bound


def _of_associations(chain: tuple[Association, ...]) -> Iterator[tuple[str, Bound]]:
    """Yield the limits of a user's association and of the accounts above it.

    An account's limits on one job, or on the jobs of one user, apply to its users who have none of
    their own. Limits of the root account end no job.
    """
    for each in chain:
        for bound in _of_group(each, _group(each), ends=each.account != ROOT):
            yield "group", bound
    most = next((each.max_jobs for each in chain if each.max_jobs is not None), None)
    if most is not None:
        yield "own", Bound(LimitMeasure.JOBS, _group(chain[0]), "", most, "AssocMaxJobsLimit")
    tres, minutes = dict[str, int](), dict[str, int]()
    for each in reversed(chain):
        tres |= each.max_tres
        minutes |= each.max_tres_mins
    for bound in _of_job("Assoc", tres, minutes):
        yield "job", bound


def _of_group(source: Association | Qos, whose: Whose, *, ends: bool) -> Iterator[Bound]:
    of = "QOS" if isinstance(source, Qos) else "Assoc"
    if source.grp_jobs is not None:
        yield Bound(LimitMeasure.JOBS, whose, "", source.grp_jobs, f"{of}GrpJobsLimit")
    if source.grp_wall_s is not None:
        minutes, reason = source.grp_wall_s // MINUTE_S, f"{of}GrpWallLimit"
        yield Bound(LimitMeasure.WALL, whose, "", minutes, reason, ends)
    for name, most in source.grp_tres.items():
        yield Bound(LimitMeasure.TRES, whose, name, most, group_reason(of, name))
    for name, most in source.grp_tres_mins.items():
        reason = group_minutes_reason(of, name, "Minutes")
        yield Bound(LimitMeasure.MINUTES, whose, name, most, reason, ends)
    for name, most in source.grp_tres_run_mins.items():
        reason = group_minutes_reason(of, name, "RunMinutes")
        yield Bound(LimitMeasure.RUN_MINUTES, whose, name, most, reason)


def _of_job(of: str, tres: Mapping[str, int], minutes: Mapping[str, int]) -> Iterator[Bound]:
    for name, most in tres.items():
        yield Bound(LimitMeasure.TRES, (), name, most, job_reason(of, name))
    for name, most in minutes.items():
        reason, ends = job_minutes_reason(of, name), name != "node"
        yield Bound(LimitMeasure.JOB_MINUTES, (), name, most, reason, ends)

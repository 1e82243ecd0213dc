"""Limits of associations and QOS on running jobs: how many, and how much they hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from schedlab.slurm.accounts import Association, Qos
from schedlab.slurm.plain.jobs import TwinJob
from schedlab.slurm.site import SlurmSite

Amounts = Mapping[str, float]
Whose = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit on what running jobs hold together.

    Args:
        whose: of which jobs, such as ``("qos user", "normal", "ann")``; empty for one job alone.
        jobs: how many may run; None is no limit.
        tres: how much of each resource they may hold.
    """

    whose: Whose
    jobs: int | None
    tres: Mapping[str, int]


class SlurmLimits:
    """What running jobs count for each limit of a site."""

    def __init__(self, site: SlurmSite) -> None:
        self._is_enforced = "limits" in site.parameters.control.enforce
        self._qos = site.accounts.qos_by_name
        self._partition_qos = {each.name: each.qos for each in site.partitions}
        self._chains = {
            (each.account, each.user): (each, *site.accounts.above(each))
            for each in site.accounts.associations
            if each.user is not None
        }
        self._jobs: Counter[Whose] = Counter()
        self._tres: defaultdict[Whose, Counter[str]] = defaultdict(Counter)
        self._counted: dict[TwinJob, tuple[list[Whose], Amounts]] = {}

    def allow_another(self, job: TwinJob, partition: str) -> bool:
        """Whether the limits on numbers of jobs let it start."""
        return all(
            bound.jobs is None or self._jobs[bound.whose] < bound.jobs
            for bound in self.bounds(job, partition)
            if bound.whose
        )

    def allow(self, job: TwinJob, partition: str, asks: Amounts) -> bool:
        """Whether the limits on resources let it have this."""
        return all(
            self._tres[bound.whose][name] * bool(bound.whose) + asks.get(name, 0) <= most
            for bound in self.bounds(job, partition)
            for name, most in bound.tres.items()
        )

    def started(self, job: TwinJob, partition: str, holds: Amounts) -> None:
        """Count the job."""
        whose = [bound.whose for bound in self.bounds(job, partition) if bound.whose]
        for each in whose:
            self._jobs[each] += 1
            self._tres[each].update(holds)
        self._counted[job] = whose, holds

    def ended(self, job: TwinJob) -> None:
        """Count it no more."""
        whose, held = self._counted.pop(job)
        for each in whose:
            self._jobs[each] -= 1
            self._tres[each].subtract(held)

    def _qos_of(self, job: TwinJob, partition: str) -> list[Qos]:
        """The QOS of the partition and that of the job; what the first one sets counts."""
        names = dict.fromkeys((self._partition_qos.get(partition) or job.qos, job.qos))
        found = [self._qos[name] for name in names if name in self._qos]
        own = self._qos.get(job.qos)
        if own is not None and "OverPartQOS" in own.flags:
            found.sort(key=lambda qos: qos is not own)
        return found

    def bounds(self, job: TwinJob, partition: str) -> Iterator[Bound]:
        """The limits that the job counts for in this partition."""
        if not self._is_enforced:
            return
        said: set[tuple[int, str]] = set()  # which limits the first QOS sets
        for qos in self._qos_of(job, partition):
            for kind, bound in enumerate(_bounds_of(qos, job)):
                jobs = None if (kind, "") in said else bound.jobs
                tres = {name: x for name, x in bound.tres.items() if (kind, name) not in said}
                yield Bound(bound.whose, jobs, tres)
            for kind, bound in enumerate(_bounds_of(qos, job)):
                said |= {(kind, name) for name in bound.tres}
                said |= set() if bound.jobs is None else {(kind, "")}
        chain = self._chains.get((job.account, job.user), ())
        for each in chain:
            yield Bound(("group", each.account, each.user or ""), each.grp_jobs, each.grp_tres)
        yield Bound(("own", job.account, job.user), _nearest_max_jobs(chain), {})
        yield Bound((), None, next((each.max_tres for each in chain if each.max_tres), {}))


def _bounds_of(qos: Qos, job: TwinJob) -> tuple[Bound, ...]:
    """The limits that a QOS sets for the job."""
    name = qos.name
    return (
        Bound(("qos", name), qos.grp_jobs, qos.grp_tres),
        Bound(("qos user", name, job.user), qos.max_jobs_per_user, qos.max_tres_per_user),
        Bound(
            ("qos account", name, job.account), qos.max_jobs_per_account, qos.max_tres_per_account
        ),
        Bound((), None, qos.max_tres_per_job),
    )


def _nearest_max_jobs(chain: tuple[Association, ...]) -> int | None:
    """An account's MaxJobs is that of its users who have none of their own."""
    return next((each.max_jobs for each in chain if each.max_jobs is not None), None)

"""The priorities of waiting jobs over time, with what running jobs are charged for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from schedlab.slurm.plain.fair_share import FairShare
from schedlab.slurm.plain.jobs import Stage, TwinJob
from schedlab.slurm.plain.nodes import Selector
from schedlab.slurm.plain.priority import Multifactor, PriorityRequest
from schedlab.slurm.site import SlurmSite

FIRST_PRIORITY = 4_294_901_759
"""The priority of the first job under priority/basic; each later job has one less."""


def priority_request(
    job: TwinJob, asks: dict[str, float], association_priority: int
) -> PriorityRequest:
    """Return the properties of the job that count for its priority now."""
    return PriorityRequest(
        partition=job.partitions[0],
        qos=job.qos,
        cpus=job.planned_cpus or job.cpus,
        min_nodes=max(job.min_nodes, 1),
        limit_s=job.limit_s,
        nice=job.nice,
        association_priority=association_priority,
        tres=asks,
    )


class JobPriorities:
    """The priorities of jobs, computed at submission and then only every PriorityCalcPeriod.

    Args:
        site: the site whose rules count.
        selector: says what jobs ask for.
        second: gives the whole second of a time, on Slurm's clock.
        start_s: when slurmctld began to count.
    """

    def __init__(
        self, site: SlurmSite, selector: Selector, second: Callable[[float], int], start_s: float
    ) -> None:
        self._settings = site.parameters.priority
        self._selector = selector
        self._second = second
        self._multifactor = Multifactor(site)
        self._shares = FairShare(site.accounts, self._settings, second(start_s))
        self._usage_factors = {each.name: each.usage_factor for each in site.accounts.qos}
        self._priorities = {
            (each.account, each.user): each.priority for each in site.accounts.associations
        }

    def set(self, job: TwinJob, now_s: float) -> None:
        """Compute the priority of a job at its submission, or when it is looked at again."""
        if self._settings.type == "priority/basic":
            job.priority = job.priority or FIRST_PRIORITY - job.position - job.nice
            return
        since_s = job.submit_s if job.accrue_s is None else job.accrue_s
        own = self._priorities.get((job.account, job.user), 0)
        request = priority_request(job, self._selector.asks(job), own)
        factor = self._shares.factor(job.account, job.user)
        age_s = self._second(now_s) - self._second(since_s)
        job.priority = self._multifactor.factors(request, factor, age_s).priority

    def set_all(self, running: Iterable[TwinJob], pending: Iterable[TwinJob], now_s: float) -> None:
        """Charge running jobs up to now, and compute all factors and priorities."""
        second = self._second(now_s)
        self._shares.begin_pass(second)
        if self._settings.is_fair_tree:
            for job in running:
                self.charge(job, now_s)
            self._shares.end_pass(second)
            for job in pending:
                self.set(job, now_s)
            return
        # Users are looked at in the order of their jobs in Slurm's list.
        for job in sorted((*running, *pending), key=lambda job: job.position):
            if job.stage is Stage.RUNNING:
                self.charge(job, now_s)
            else:
                self.set(job, now_s)
        self._shares.end_pass(second)

    def charge(self, job: TwinJob, now_s: float) -> None:
        """Charge a running job, or one that ends now, for what it has not been charged yet."""
        factor = self._usage_factors.get(job.qos, 1.0)
        billing, start = factor * job.billing, self._second(job.start_s)
        self._shares.charge_user(job.account, job.user, billing, start, self._second(now_s))

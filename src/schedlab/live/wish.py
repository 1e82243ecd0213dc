"""What a policy wants: an order of the waiting jobs, and factors that come near it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from schedlab.errors import ParameterError
from schedlab.live.queue import LiveJob, LiveStage
from schedlab.live.scheduler import LiveScheduler
from schedlab.policies import ChosenPolicy

CANNOT_START = frozenset({"Dependency", "DependencyNeverSatisfied", "BeginTime"})
"""Reasons for waiting that no priority overcomes."""

LOWEST_PRIORITY = 1
"""Slurm gives no waiting job a lower priority, whatever is subtracted."""


def can_be_moved(job: LiveJob) -> bool:
    """Return whether a priority matters: the job waits, is not held and has no condition."""
    return job.stage is LiveStage.WAITS and not job.held and job.reason not in CANNOT_START


def wished_order(jobs: Sequence[LiveJob], policy: ChosenPolicy, cpus: int, now: float) -> list[str]:
    """Return the ids of jobs in the order in which a policy would start them.

    The policy is asked about these jobs alone, on an empty machine with this number of CPUs, until
    it has started all of them: the scheduler itself knows what runs, and where a job fits.

    Args:
        jobs: the waiting jobs.
        policy: from ``find_policy``; it must not predict run times, since none end here.
        cpus: the size of the machine.
        now: epoch seconds.
    """
    if policy.predictor.name != "request":
        raise ParameterError(
            f'policy "{policy.name}" predicts run times with "{policy.predictor.name}"; a wish is '
            "made of requests only"
        )
    scheduler = LiveScheduler(policy, cpus)
    users: dict[str, int] = {}
    first = min((job.submit for job in jobs), default=0)
    for job in sorted(jobs, key=lambda job: (job.submit, job.raw_id, job.id)):
        scheduler.submit(
            job.id,
            job.submit - first,
            nodes=min(max(job.cpus, 1), cpus),
            request_s=max(job.limit_s, 1),
            user=users.setdefault(job.user, len(users)),
        )
    time_s = max(int(now) - first, 0)
    found: list[str] = []
    while len(found) < len(jobs):
        started = [start.job_id for start in scheduler.decide(time_s)]
        if not started and scheduler.next_pass_s is None:
            scheduler.require_progress()
        found += started
        time_s = max(time_s + 1, scheduler.next_pass_s or 0)
        for name in started:
            scheduler.end(name, time_s)
    return found


def wished_factors(jobs: Sequence[LiveJob], order: Sequence[str], clamp: int) -> dict[str, int]:
    """Return factors by which the priorities of jobs come near to an order.

    In each partition the jobs exchange the priorities that they have without steering: the first
    job of the order gets the highest one, and so on. Equal priorities are set apart by 1:
    downwards as far as there are priorities, and upwards from there. Slurm raises all priorities
    below 1 to 1, so jobs pushed there would be equal again. No factor goes beyond the clamp.
    Waiting tasks of an array share one factor, that of the first of them.

    Args:
        jobs: the waiting jobs.
        order: ids of these jobs, the most wanted first.
        clamp: the largest change of a priority, up or down.
    """
    place = {name: at for at, name in enumerate(order)}
    groups: Mapping[str, dict[str, LiveJob]] = defaultdict(dict)
    for job in sorted((job for job in jobs if job.id in place), key=lambda job: place[job.id]):
        groups[job.partition].setdefault(job.handle or job.id, job)
    found: dict[str, int] = {}
    for group in groups.values():
        given = _unequal([own_priority(job) for job in group.values()])
        for (handle, job), priority in zip(group.items(), given, strict=True):
            found[handle] = max(-clamp, min(clamp, priority - own_priority(job)))
    return found


def _unequal(priorities: Sequence[int]) -> list[int]:
    """Return the priorities from the highest to the lowest, all different, and none too low."""
    found = sorted(priorities, reverse=True)
    lowest = min(LOWEST_PRIORITY, found[-1])  # other schedulers have lower priorities
    for at in range(1, len(found)):
        found[at] = min(found[at], found[at - 1] - 1)
    found[-1] = max(found[-1], lowest)
    for at in reversed(range(len(found) - 1)):
        found[at] = max(found[at], found[at + 1] + 1)
    return found


def own_priority(job: LiveJob) -> int:
    """Return the priority of a job without steering."""
    return job.priority - job.site_factor

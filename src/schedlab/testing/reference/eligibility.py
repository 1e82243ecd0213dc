"""When a job of the reference simulator becomes eligible: dependencies, begin times and arrays."""

from __future__ import annotations

from schedlab.testing.reference.job import NEVER_S, Array, Condition, Job
from schedlab.workload import Workload
from schedlab.workload.dependencies import KINDS
from schedlab.workload.eligibility import Eligibility


def ready_s(job: Job) -> int | None:
    """Return when the job is ready for its array, None if not yet, NEVER_S if it cannot start."""
    times_s = [condition.fulfilled_s() for condition in job.conditions]
    if NEVER_S in times_s:
        return NEVER_S
    if None in times_s:
        return None
    return max([job.begin_s, *(time_s for time_s in times_s if time_s is not None)])


def failed_by(job: Job, other: Job) -> bool:
    """Return whether a condition of the job on the other cannot be fulfilled any more."""
    on_other = (condition for condition in job.conditions if other in condition.others)
    return any(condition.fulfilled_s() == NEVER_S for condition in on_other)


def link(jobs: list[Job], workload: Workload) -> None:
    """Set what each job waits for, and which jobs wait for it."""
    for job in jobs:
        job.begin_s = job.submit_s
    asked = Eligibility.of(workload)
    if asked is None:
        return
    arrays = [Array(limit) for limit in asked.array_limit.tolist()]
    for job in jobs:
        job.begin_s = int(asked.begin_s[job.position])
        job.ends_badly = bool(asked.ends_badly[job.position])
        array = asked.array[job.position]
        job.array = arrays[array] if array >= 0 else None
    table, names = asked.conditions, asked.namesakes.tolist()
    columns = (each.tolist() for each in (table.job, table.on, table.kind, table.delay_s))
    for position, on, kind, delay_s in zip(*columns, strict=True):
        job = jobs[position]
        others = [jobs[on]]
        if KINDS[kind] == "singleton":
            others = [jobs[at] for at in range(position) if names[at] == names[position]]
        job.conditions.append(Condition(KINDS[kind], others, delay_s))
        for other in others:
            if job not in other.dependants:
                other.dependants.append(job)
    for job in jobs:
        job.dependants.sort(key=lambda each: each.position)

"""Whether a pending job may run: dependencies, arrays, begin times and licences."""

from __future__ import annotations

from collections import Counter, defaultdict
from enum import Enum

from schedlab.slurm.plain.conditions import SlurmCondition
from schedlab.slurm.plain.jobs import Stage, TwinJob
from schedlab.slurm.plain.reasons import ARRAY_LIMIT, BEGIN_TIME, DEPENDENCY, NEVER
from schedlab.slurm.site import SlurmSite


class Readiness(Enum):
    """The result of a test of conditions."""

    YES = "yes"
    NOT_YET = "not yet"
    NEVER = "never"


class Eligible:
    """The conditions of all jobs, tested each time that a scheduler builds its queue."""

    def __init__(self, jobs: list[TwinJob], site: SlurmSite) -> None:
        self._by_id: dict[str, list[TwinJob]] = defaultdict(list)
        self._namesakes: dict[tuple[str, str], list[TwinJob]] = defaultdict(list)
        for job in jobs:
            self._by_id[str(job.id)].append(job)
            if job.task >= 0:
                self._by_id[f"{job.id}_{job.task}"].append(job)
            self._namesakes[job.user, job.name].append(job)
        self._min_age_s = site.parameters.control.min_job_age_s
        self._free = {each.name: each.capacity for each in site.machine.consumables}
        self._running_tasks: Counter[int] = Counter()

    def obstacle(self, job: TwinJob, now_s: float) -> str | None:
        """Return why the job may not be in a queue that is built now; None if it may."""
        tests = [self._fulfilled(job, each, now_s) for each in job.conditions.each]
        if tests:
            verdict = _together(tests, one_will_do=job.conditions.one_will_do)
            if verdict is not Readiness.YES:
                return NEVER if verdict is Readiness.NEVER else DEPENDENCY
        if not self.has_array_room(job):
            return ARRAY_LIMIT
        return BEGIN_TIME if now_s < job.begin_s else None

    def is_stuck(self, job: TwinJob) -> bool:
        """Return whether the conditions of the job can never be met."""
        tests = [self._fulfilled(job, each, float("inf")) for each in job.conditions.each]
        return bool(tests) and (
            _together(tests, one_will_do=job.conditions.one_will_do) is Readiness.NEVER
        )

    def has_licences(self, job: TwinJob) -> bool:
        """Return whether all licences of the job are free."""
        return all(self._free.get(name, 0) >= count for name, count in job.licences.items())

    def has_array_room(self, job: TwinJob) -> bool:
        """Return whether the job's array may have another running task."""
        return not job.array_limit or self._running_tasks[job.id] < job.array_limit

    def started(self, job: TwinJob) -> None:
        """Take the licences of a job that starts, and a place in its array."""
        self._running_tasks[job.id] += 1
        for name, count in job.licences.items():
            self._free[name] -= count

    def ended(self, job: TwinJob) -> None:
        """Give back the licences of a job that ended, and its place in the array."""
        self._running_tasks[job.id] -= 1
        for name, count in job.licences.items():
            self._free[name] += count

    def _fulfilled(self, job: TwinJob, condition: SlurmCondition, now_s: float) -> Readiness:
        if condition.kind == "singleton":
            return self._singleton(job)
        others = self._by_id.get(condition.on, [])
        if condition.kind == "aftercorr":
            own = [other for other in others if other.task == job.task]
            others = own or others
        tests = [self._one(other, condition, now_s) for other in others]
        return _together(tests, one_will_do=False)

    def _one(self, other: TwinJob, condition: SlurmCondition, now_s: float) -> Readiness:
        kind = "afterok" if condition.kind == "aftercorr" else condition.kind
        if kind == "after":
            begun = other.start_s == other.start_s
            cancelled = other.stage is Stage.DONE and not begun
            late = begun and now_s < other.start_s + condition.delay_s
            return Readiness.YES if (begun and not late) or cancelled else Readiness.NOT_YET
        if other.stage is not Stage.DONE or other.completed_s > now_s:
            return Readiness.NOT_YET
        if other.completed_s + self._min_age_s < now_s < float("inf"):
            return Readiness.YES  # slurmctld has forgotten the other job
        well = other.how == "completed"
        failed = (kind == "afterok" and not well) or (kind == "afternotok" and well)
        return Readiness.NEVER if failed else Readiness.YES

    def _singleton(self, job: TwinJob) -> Readiness:
        for other in self._namesakes[job.user, job.name]:
            earlier = (other.id, other.task) < (job.id, job.task)
            if other.stage is Stage.RUNNING or (other.stage is Stage.PENDING and earlier):
                return Readiness.NOT_YET
        return Readiness.YES


def _together(tests: list[Readiness], *, one_will_do: bool) -> Readiness:
    if not tests:
        return Readiness.YES
    best = any if one_will_do else all
    if best(test is Readiness.YES for test in tests):
        return Readiness.YES
    worst = all if one_will_do else any
    return (
        Readiness.NEVER if worst(test is Readiness.NEVER for test in tests) else Readiness.NOT_YET
    )

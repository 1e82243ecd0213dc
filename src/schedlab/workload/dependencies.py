"""The jobs that a job waits for, and what they must have done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import UnknownNameError, WorkloadError
from schedlab.units import parse_whole
from schedlab.workload.labels import parsed_labels
from schedlab.workload.workload import Workload

KINDS = ("after", "afterok", "afternotok", "afterany", "singleton")
"""In this order, a condition is fulfilled when the other job has started, has ended well, has ended
badly, has ended, or when all earlier jobs of the same user and name have ended."""

_ALLOWED = "afterok:12:13,after:14+10,singleton"


@dataclass(frozen=True)
class Dependency:
    """One condition of a job.

    Args:
        kind: one of ``KINDS``.
        job_id: of the other job; -1 for ``singleton``.
        delay_s: how long after the other's start or end it is fulfilled.
    """

    kind: str
    job_id: int = -1
    delay_s: int = 0


@dataclass(frozen=True, eq=False)
class DependencyTable:
    """All conditions of a workload; a job may start when all of its own are fulfilled."""

    job: NDArray[np.int64]
    """The position of the job that waits."""
    on: NDArray[np.int64]
    """The position of the job it waits for; -1 for ``singleton``."""
    kind: NDArray[np.int64]
    """The place of the kind in ``KINDS``."""
    delay_s: NDArray[np.int64]


def parse_dependencies(text: str) -> tuple[Dependency, ...]:
    """Return the conditions in Slurm's syntax, which has minutes after ``+``."""
    return tuple(found for part in text.split(",") for found in _parse(part.strip(), text))


def dependencies_text(dependencies: Iterable[Dependency]) -> str:
    """Return the inverse of ``parse_dependencies``."""
    return ",".join(map(_text, dependencies))


def dependency_table(workload: Workload) -> DependencyTable:
    """Return the columns ``dependencies`` and ``depends_on`` together.

    A condition on a job that is not in the workload is fulfilled. Raises WorkloadError for a text
    that cannot be understood, and for jobs that wait for each other.
    """
    found = DependencyTable(*np.concatenate([_single(workload), _several(workload)], axis=1))
    _check_no_circle(workload, found)
    return found


def namesakes(workload: Workload) -> list[NDArray[np.int64]]:
    """Return the jobs of each user and name, in order of submission."""
    pairs = np.column_stack([workload["user"], workload["job_name"]])
    _, group = np.unique(pairs, axis=0, return_inverse=True)
    by_group = np.argsort(group, kind="stable")
    return np.split(by_group, np.cumsum(np.bincount(group))[:-1])


def _parse(part: str, text: str) -> list[Dependency]:
    if "?" in part:
        raise WorkloadError(f'dependencies is "{text}": ? (any of) is not supported; write , (all)')
    kind, *others = part.split(":")
    if kind not in KINDS:
        raise WorkloadError(f'dependencies is "{text}": {UnknownNameError("kind", kind, KINDS)}')
    if kind == "singleton":
        if others:
            raise WorkloadError(f'dependencies is "{text}": singleton names no job')
        return [Dependency(kind)]
    found = []
    for other in others:
        number, plus, minutes = other.partition("+")
        job_id, delay = parse_whole(number), parse_whole(minutes) if plus else 0
        if job_id is None or delay is None:
            raise WorkloadError(f'dependencies is "{text}"; must look like {_ALLOWED}')
        found.append(Dependency(kind, job_id, 60 * delay))
    if not found:
        raise WorkloadError(f'dependencies is "{text}": {kind} names no job')
    return found


def _text(each: Dependency) -> str:
    if each.kind == "singleton":
        return each.kind
    delay = f"+{each.delay_s // 60}" if each.delay_s else ""
    return f"{each.kind}:{each.job_id}{delay}"


def _single(workload: Workload) -> NDArray[np.int64]:
    on = workload.dependency_index().astype(np.int64)
    job = np.flatnonzero(on >= 0)
    delay_s = np.maximum(workload["think_time_s"], 0)[job]
    return np.stack([job, on[job], np.full_like(job, KINDS.index("afterany")), delay_s])


def _several(workload: Workload) -> NDArray[np.int64]:
    rows: list[tuple[int, int, int, int]] = []
    if "dependencies" in workload:
        place = {job_id: at for at, job_id in enumerate(workload["job_id"].tolist())}
        asked = parsed_labels(workload, "dependencies", parse_dependencies)
        for job, conditions in enumerate(asked):
            for each in conditions or ():
                on = place.get(each.job_id, -1)
                if on >= 0 or each.kind == "singleton":
                    rows.append((job, on, KINDS.index(each.kind), each.delay_s))
    return np.array(rows, dtype=np.int64).reshape(-1, 4).T


def _check_no_circle(workload: Workload, table: DependencyTable) -> None:
    """Refuse circles: take away jobs that wait for no job left; the rest can never start."""
    missing: dict[int, int] = {}
    followers: dict[int, list[int]] = {}
    for job, on in _pairs(workload, table):
        missing[job] = missing.get(job, 0) + 1
        followers.setdefault(on, []).append(job)
    free = [job for job in followers if job not in missing]
    while free:
        for job in followers.get(free.pop(), ()):
            missing[job] -= 1
            if not missing[job]:
                del missing[job]
                free.append(job)
    if missing:
        job_id = workload["job_id"][min(missing)]
        raise WorkloadError(f"job {job_id} can never start: its dependencies form a cycle")


def _pairs(workload: Workload, table: DependencyTable) -> Iterator[tuple[int, int]]:
    """Yield each job that waits with each that it waits for.

    Jobs of one user and name form a chain of steps, numbered from the number of jobs on: a step
    waits for the step before it and for one job.
    """
    for job, on in zip(table.job.tolist(), table.on.tolist(), strict=True):
        if on >= 0:
            yield job, on
    singletons = set(table.job[table.kind == KINDS.index("singleton")].tolist())
    if not singletons:
        return
    step = len(workload)
    for group in namesakes(workload):
        if singletons.isdisjoint(group.tolist()):
            continue
        for place, job in enumerate(group.tolist()):
            if place and job in singletons:
                yield job, step
            step += 1
            yield step, job
            if place:
                yield step, step - 1
        step += 1

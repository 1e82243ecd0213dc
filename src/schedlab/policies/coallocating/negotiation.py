"""The newcomers of a round as a problem of co-allocation, around jobs that are already settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from schedlab.coalloc import CoallocJob, Problem, list_schedule
from schedlab.policies.coallocating.places import NodeSpan


def still_open(settled: Iterable[NodeSpan], newcomers: Mapping[int, NodeSpan]) -> dict[int, int]:
    """Return the new jobs with no settled job behind them on their nodes, and when these are free.

    A job that first come, first served puts into a hole before a settled job stays there, and so
    is settled itself.
    """
    last_start_s: dict[int, int] = {}
    free_s: dict[int, int] = {}

    def settle(place: NodeSpan) -> None:
        for node in place.nodes:
            last_start_s[node] = max(last_start_s.get(node, 0), place.start_s)
            free_s[node] = max(free_s.get(node, 0), place.end_s)

    for place in settled:
        settle(place)
    by_start = sorted(newcomers, key=lambda job: (newcomers[job].start_s, job))
    found = []
    for job in reversed(by_start):
        place = newcomers[job]
        if any(last_start_s.get(node, 0) > place.start_s for node in place.nodes):
            settle(place)
        else:
            found.append(job)
    return {
        job: max(free_s.get(node, 0) for node in newcomers[job].nodes) for job in reversed(found)
    }


def problem_of(
    now: int, newcomers: Mapping[int, NodeSpan], free_s: Mapping[int, int], slots: int
) -> Problem:
    """Return the problem of the open jobs on the nodes they would get, in slots up to the last end.

    Nodes that serve the same jobs are one resource. The time domain is as long as first come,
    first served needs in whole slots, plus the length of the longest job.
    """
    slot_s = -(-(max(newcomers[job].end_s for job in free_s) - now) // slots)
    users: dict[int, list[int]] = {}
    for job in free_s:
        for node in newcomers[job].nodes:
            users.setdefault(node, []).append(job)
    resources = list(dict.fromkeys(map(tuple, users.values())))
    jobs = tuple(
        CoallocJob(
            str(job),
            tuple(place for place, served in enumerate(resources) if job in served),
            slots=-(-(newcomers[job].end_s - newcomers[job].start_s) // slot_s),
            release=1 + max(free - now, 0) // slot_s,
        )
        for job, free in free_s.items()
    )
    work = sum(job.slots for job in jobs)
    roomy = Problem(
        tuple(f"nodes {place}" for place in range(len(resources))),
        jobs,
        max(job.release for job in jobs) + work,
        name="round",
    )
    first_come = list_schedule(roomy, range(len(jobs)))
    ends = [start + job.slots - 1 for start, job in zip(first_come, jobs, strict=True) if start]
    return replace(roomy, slots=max(ends) + max(job.slots for job in jobs))

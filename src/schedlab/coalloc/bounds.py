"""Certified bounds: what no solution can beat, from sets of jobs that all conflict.

Jobs that need the same resource run one after the other (the load bound). So do all jobs that need
at least two of the same three resources, since any two of them share one (the triangle bound).
The best that one machine could do with such a clique bounds what all machines can do.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate, combinations

from schedlab.coalloc.objective import Criterion
from schedlab.coalloc.problem import Problem

Cliques = list[tuple[int, ...]]


def best_bound(problem: Problem, criterion: Criterion, *known: float | None) -> float:
    """Return the tightest of the load bound, the triangle bound and those known already."""
    candidates = (load_bound(problem, criterion), triangle_bound(problem, criterion), *known)
    bounds = [bound for bound in candidates if bound is not None]
    return min(bounds) if criterion == "value" else max(bounds)


def proves_infeasible(problem: Problem) -> bool:
    """Return whether not all jobs can fit: one fits nowhere, or a clique does not fit in time."""
    nowhere = any(not problem.domain(job) for job in range(len(problem.jobs)))
    return nowhere or best_bound(problem, "makespan") > problem.slots


def load_bound(problem: Problem, criterion: Criterion) -> float:
    """Return the bound by the jobs of the most contended resource."""
    return _tightest(problem, criterion, problem.users())


def triangle_bound(problem: Problem, criterion: Criterion) -> float | None:
    """Return the bound by the jobs of the most contended triangle; None without a triangle."""
    cliques = triangles(problem)
    return _tightest(problem, criterion, cliques) if cliques else None


def triangles(problem: Problem) -> Cliques:
    """Return, for any three resources needed in pairs, the jobs that need at least two of them."""
    users: dict[tuple[int, int], set[int]] = defaultdict(set)
    partners: dict[int, set[int]] = defaultdict(set)
    for place, job in enumerate(problem.jobs):
        for low, high in combinations(sorted(job.resources), 2):
            users[low, high].add(place)
            partners[low].add(high)
    return [
        tuple(sorted(users[one, two] | users[two, three] | users[one, three]))
        for one, two in sorted(users)
        for three in sorted(partners[one] & partners[two])
    ]


def _tightest(problem: Problem, criterion: Criterion, cliques: Iterable[tuple[int, ...]]) -> float:
    if criterion == "value":
        return min(_value_bound(problem, clique) for clique in cliques)
    if criterion == "makespan":
        return max(_makespan_bound(problem, clique) for clique in cliques)
    return max(_starts_bound(problem, clique) for clique in cliques)


def _makespan_bound(problem: Problem, clique: tuple[int, ...]) -> int:
    """Return the latest end over all releases: one machine without idle time after the release."""
    jobs = sorted((problem.jobs[place] for place in clique), key=lambda job: -job.release)
    work = accumulate(job.slots for job in jobs)
    return max((job.release - 1 + slots for job, slots in zip(jobs, work, strict=True)), default=0)


def _starts_bound(problem: Problem, clique: tuple[int, ...]) -> int:
    """Start a clique's shortest jobs first, from its first release; others at their release."""
    inside = sorted(problem.jobs[place].slots for place in clique)
    first = min((problem.jobs[place].release for place in clique), default=1)
    starts = list(accumulate(inside, initial=first))[:-1]
    members = set(clique)
    others = (job.release for place, job in enumerate(problem.jobs) if place not in members)
    return sum(starts) + sum(others)


def _value_bound(problem: Problem, clique: tuple[int, ...]) -> float:
    """Fill the slots of one machine by value per slot, splitting the last job; add all others."""
    fitting = [place for place in range(len(problem.jobs)) if problem.domain(place)]
    members = set(clique)
    kept = [problem.jobs[place].value for place in fitting if place not in members]
    inside = [place for place in fitting if place in members]
    room = _window(problem, inside)
    for job in sorted((problem.jobs[at] for at in inside), key=lambda job: -job.value / job.slots):
        kept.append(job.value * min(1.0, room / job.slots))
        room = max(0, room - job.slots)
    return math.fsum(kept)


def _window(problem: Problem, jobs: list[int]) -> int:
    """Return how many slots lie between the first and the last that any of the jobs may use."""
    domains = [problem.domain(job) for job in jobs]
    ends = [domain[-1] + problem.jobs[job].slots for job, domain in zip(jobs, domains, strict=True)]
    return max(ends, default=0) - min((domain[0] for domain in domains), default=0)

"""The owners of jobs: agents for clusters with their queues, or one agent for each job."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.coalloc.problem import Problem
from schedlab.errors import ParameterError, UnknownNameError

WAYS = ("cluster", "job")


def job_owners(problem: Problem, agents: int | None = None, by: str = "cluster") -> tuple[int, ...]:
    """Return for each job the number of its agent, from 1.

    A cluster owns the jobs that name it first among their resources. With fewer agents than
    clusters, or than jobs, neighbours in the list share one. Default: no sharing.
    """
    if by not in WAYS:
        raise UnknownNameError("kind of owner", by, WAYS)
    if agents is not None and agents < 1:
        raise ParameterError(f"{agents} agents; must be >= 1")
    if by == "job":
        return _dealt(list(range(len(problem.jobs))), agents)
    return _dealt([job.resources[0] for job in problem.jobs], agents)


def _dealt(units: Sequence[int], agents: int | None) -> tuple[int, ...]:
    """Deal the units that own jobs equally to the agents; surplus agents get nothing."""
    used = sorted(set(units))
    count = min(agents or len(used), len(used))
    agent = {unit: 1 + place * count // len(used) for place, unit in enumerate(used)}
    return tuple(agent[unit] for unit in units)


def adopted(owners: Sequence[int], lost: int) -> tuple[int, ...]:
    """Return the owners after the lost agent's jobs are dealt to those with the fewest."""
    left = sorted(set(owners) - {lost})
    held = {agent: owners.count(agent) for agent in left}
    dealt = []
    for owner in owners:
        if owner == lost:
            owner = min(left, key=held.__getitem__)
            held[owner] += 1
        dealt.append(owner)
    return tuple(dealt)

"""measure_honesty(): replay a workload with one user's requests changed, user after user."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.analysis.honesty.replays import Case, Progress, Replays
from schedlab.analysis.honesty.result import Honesty
from schedlab.analysis.honesty.treatments import TREATMENTS, without_kills
from schedlab.analysis.honesty.users import choose_users
from schedlab.errors import ParameterError, UnknownNameError, WorkloadError
from schedlab.platform import Platform
from schedlab.policies import find_policy
from schedlab.workload import Workload


def measure_honesty(
    workload: Workload,
    platform: Platform | int,
    policies: Sequence[str],
    *,
    users: int | Sequence[str | int] = 30,
    min_jobs: int = 10,
    treatments: Sequence[str] = ("accurate", "padded"),
    tick: int = 0,
    depth: int | None = None,
    kill_at_request: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Honesty:
    """Measure what each user would gain or lose if only that user's requests changed.

    A job runs equally long whatever its request is: a job that would be killed at its request is
    cut there beforehand. A treatment leaves out users whose requests it would not change.

    Args:
        workload: the jobs; their users must be known.
        platform: the machine, or a number of equal nodes.
        policies: names, since each run makes a policy of its own.
        users: the number of users, those with most jobs; or their names.
        min_jobs: users with fewer jobs are not taken, unless named.
        treatments: names in ``TREATMENTS``.
        tick: as in ``simulate``.
        depth: as in ``simulate``.
        kill_at_request: as in ``simulate``.
        workers: number of parallel runs. Default: the number of processors.
        progress: called after each run with (runs done, runs in all).
    """
    _check_names(policies, treatments, depth)
    chosen = choose_users(workload, users, min_jobs)
    jobs = without_kills(workload) if kill_at_request else workload
    cases = [
        Case(policy, treatment, user)
        for policy in dict.fromkeys(policies)
        for treatment in dict.fromkeys(treatments)
        for user in chosen
        if TREATMENTS[treatment].changes(jobs, user)
    ]
    if not cases:
        raise WorkloadError(f"{len(chosen):,} users were chosen and none would change a request")
    return Honesty.of(Replays(jobs, platform, tick, depth).run(cases, workers, progress))


def _check_names(policies: Sequence[str], treatments: Sequence[str], depth: int | None) -> None:
    """Refuse, before the runs start, names with which they would fail."""
    if not policies or not treatments:
        raise ParameterError("at least one policy and one treatment are needed")
    for policy in policies:
        find_policy(policy, depth=depth)
    for name in treatments:
        if name not in TREATMENTS:
            raise UnknownNameError("treatment", name, TREATMENTS)

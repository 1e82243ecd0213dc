"""The choice of the users whose requests are changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from schedlab.errors import ParameterError, UnknownNameError, WorkloadError
from schedlab.workload import Workload


def choose_users(workload: Workload, users: int | Sequence[str | int], min_jobs: int) -> list[int]:
    """Return the users with these names, or the users with most jobs, at least ``min_jobs`` each.

    Users are codes of the workload's column. Of users with equally many jobs, the smaller code
    comes first.
    """
    if "user" not in workload:
        raise WorkloadError(f'workload "{workload.name}" has no column user')
    if not isinstance(users, int):
        return _named(workload, users)
    if users < 1 or min_jobs < 1:
        raise ParameterError(f"{users} users of at least {min_jobs} jobs; both must be >= 1")
    codes, jobs = np.unique(workload["user"], return_counts=True)
    busy = codes[np.argsort(-jobs, kind="stable")]
    enough = [int(code) for code in busy if code >= 0 and jobs[codes == code][0] >= min_jobs]
    if not enough:
        raise WorkloadError(f'workload "{workload.name}" has no user with {min_jobs:,} jobs')
    return enough[:users]


def _named(workload: Workload, names: Sequence[str | int]) -> list[int]:
    known = workload["user"] >= 0
    codes, labels = workload["user"][known], workload.labelled("user")[known]
    code_of = {str(label): int(code) for code, label in zip(codes, labels, strict=True)}
    wanted = dict.fromkeys(str(name) for name in names)
    for name in wanted:
        if name not in code_of:
            raise UnknownNameError("user", name, code_of)
    return [code_of[name] for name in wanted]

"""Bootstrap: a workload of any length drawn, with replacement, from another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError, WorkloadError
from schedlab.workload.randomness import Seed, seed_sequence
from schedlab.workload.workload import MOST_JOBS, Workload

WEEK_S = 7 * 86400

Positions = NDArray[np.int64]


def resample(workload: Workload, jobs: int, unit: str = "jobs", *, seed: Seed = 0) -> Workload:
    """Draw jobs with replacement; they get new numbers and lose their dependencies.

    With ``unit="jobs"`` single jobs are drawn, each with the gap that preceded it, which keeps the
    distributions but neither daily cycles nor users' sessions. With ``unit="weeks"`` whole weeks,
    counted from the first submission, are drawn and put one after the other until there are enough
    jobs, which keeps everything that happens within a week.
    """
    draws = {"jobs": _draw_jobs, "weeks": _draw_weeks}
    if unit not in draws:
        raise ParameterError(f'"{unit}" cannot be resampled; use jobs or weeks')
    if not 0 <= jobs <= MOST_JOBS or (jobs and not len(workload)):
        raise ParameterError(
            f"cannot draw {jobs} jobs from {len(workload)}; must be at most {MOST_JOBS}"
        )
    picked, submit_s = draws[unit](workload, jobs, np.random.default_rng(seed_sequence(seed)))
    columns = {name: workload[name][picked] for name in workload.columns if name not in TIES}
    columns |= {"job_id": np.arange(1, jobs + 1), "submit_s": submit_s}
    return workload.with_columns(columns).record("resample", jobs=jobs, unit=unit, seed=seed)


TIES = ("depends_on", "think_time_s", "dependencies", "array", "array_index", "array_limit")


def _draw_jobs(
    workload: Workload, jobs: int, rng: np.random.Generator
) -> tuple[Positions, Positions]:
    """Return positions of drawn jobs, and when they are submitted; the first job's gap is 0."""
    gaps_s = np.diff(workload["submit_s"], prepend=workload["submit_s"][:1])
    picked = rng.integers(len(workload), size=jobs)
    return picked, np.cumsum(gaps_s[picked])


def _draw_weeks(
    workload: Workload, jobs: int, rng: np.random.Generator
) -> tuple[Positions, Positions]:
    """Return positions of the jobs of drawn whole weeks, and when they are submitted."""
    since_s = workload["submit_s"] - workload["submit_s"][:1]
    weeks = workload.span_s() // WEEK_S
    if weeks == 0:
        raise WorkloadError(
            f'workload "{workload.name}" spans less than a week; resample jobs instead of weeks'
        )
    edges = np.searchsorted(since_s, np.arange(weeks + 1) * WEEK_S)
    picked, submit_s, made, week = [], [], 0, 0
    while made < jobs:
        drawn = int(rng.integers(weeks))
        places = np.arange(edges[drawn], edges[drawn + 1])
        picked.append(places)
        submit_s.append(since_s[places] + (week - drawn) * WEEK_S)
        made, week = made + len(places), week + 1
    empty = np.empty(0, dtype=np.int64)
    return np.concatenate([empty, *picked])[:jobs], np.concatenate([empty, *submit_s])[:jobs]

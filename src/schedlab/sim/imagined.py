"""Futures that are given to a simulation in place of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedlab import _core
from schedlab.errors import ParameterError
from schedlab.policies import PolicyLike
from schedlab.sim.feasibility import LONGEST_S
from schedlab.workload import Workload

Plan = PolicyLike | Sequence[tuple[PolicyLike, int] | PolicyLike]
"""A policy, or several that decide one after the other."""


@dataclass(frozen=True)
class Arrivals:
    """Jobs that arrive in one future, each like another job of the workload.

    ``like`` is the place of that job, whose nodes, request, user and needs the new one has;
    ``submit_s`` is when the new one is submitted, in any order; ``run_s`` is how long it runs.
    """

    like: ArrayLike
    submit_s: ArrayLike
    run_s: ArrayLike


def check_run_times(jobs: _core.Unfinished, run_s: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return a row of whole seconds for each future, if the jobs can run this long."""
    if run_s.ndim != 2 or run_s.shape[1] != len(jobs):
        raise ParameterError(
            f"run_s has the shape {run_s.shape}; must have one number for each of the "
            f"{len(jobs):,} unfinished jobs, in a row for each future"
        )
    runs = _seconds("run_s", run_s)
    short = np.argwhere(runs < jobs.least_run_s)
    if len(short):
        future, job = short[0]
        raise ParameterError(
            f"run_s is {runs[future, job]} for the job at place {jobs.job[job]}, which has run "
            f"for {jobs.elapsed_s[job]} s; must be >= {jobs.least_run_s[job]}"
        )
    return runs


def check_arrivals(
    arrivals: Sequence[Arrivals] | None, runs: NDArray[np.int64], now_s: int, jobs: int
) -> list[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]]:
    """Return the columns of the jobs that arrive in each future."""
    if arrivals is None:
        return []
    if len(arrivals) != len(runs):
        raise ParameterError(
            f"arrivals are given for {len(arrivals)} futures, run times for {len(runs)}"
        )
    return [_columns(each, now_s, jobs) for each in arrivals]


def _columns(
    arrivals: Arrivals, now_s: int, jobs: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    like = _seconds("like", np.asarray(arrivals.like))
    submit_s = _seconds("submit_s", np.asarray(arrivals.submit_s))
    run_s = _seconds("run_s", np.asarray(arrivals.run_s))
    if not like.shape == submit_s.shape == run_s.shape == (like.size,):
        raise ParameterError("like, submit_s and run_s of arrivals must have the same length")
    if like.size and not 0 <= like.min() <= like.max() < jobs:
        raise ParameterError(f"arrivals are like jobs at places from 0 to {jobs - 1}")
    if submit_s.size and submit_s.min() < now_s:
        raise ParameterError(
            f"submit_s of an arrival is {submit_s.min()}; must be >= {now_s}, the present time"
        )
    return like.astype(np.int32), submit_s, run_s


def with_run_times(
    parts: tuple[Workload, ...], jobs: NDArray[np.int32], run_s: NDArray[np.int64]
) -> tuple[Workload, ...]:
    """Return the workloads with these run times of the jobs at these places."""
    made, first = [], 0
    for part in parts:
        own = (jobs >= first) & (jobs < first + len(part))
        runs = part["run_s"].copy()
        runs[jobs[own] - first] = run_s[own]
        made.append(part.replace(run_s=runs))
        first += len(part)
    return tuple(made)


def _seconds(name: str, given: NDArray[np.generic]) -> NDArray[np.int64]:
    whole = given.astype(np.int64) if given.size and given.dtype.kind in "iuf" else given
    fits = not given.size or (
        given.dtype.kind in "iuf" and np.array_equal(whole, given) and whole.min() >= 0
    )
    if not fits or (given.size and whole.max() > LONGEST_S):
        raise ParameterError(f"{name} must be whole numbers >= 0 and <= {LONGEST_S}")
    return np.ascontiguousarray(whole, dtype=np.int64)

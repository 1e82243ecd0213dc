"""Accuracy of requests: WRA of jobs, WRSA of users (Takizawa and Takano)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.sim import Schedule
from schedlab.workload import Workload

if TYPE_CHECKING:
    import polars as pl

BETA = 0.3
"""The weight of a user's past in the paper."""

Values = NDArray[np.float64]
Places = NDArray[np.int64]


def wra(source: Workload | Schedule) -> Values:
    """Return the walltime request accuracy of each job: run time / requested time.

    In a schedule, the run time is the time that the job ran there: 0 for a job that never started.
    The accuracy is above 1 if a job ran beyond its request.
    """
    if isinstance(source, Schedule):
        return np.asarray(source.worked_s / source.workload["request_s"])
    return np.asarray(source["run_s"] / source["request_s"])


def wrsa_over_time(source: Workload | Schedule, beta: float = BETA) -> pl.DataFrame:
    """Return walltime request specification accuracy of users: ``user``, ``end_s``, ``wrsa``.

    One row per completion, in order of end, ties in order of submission, with the user's value
    after it: ``WRSA_0 = 1``, ``WRSA_i = β · WRSA_{i-1} + (1 - β) · WRA_i``. A job that never
    started or whose user is not known has no row.
    """
    import polars as pl

    done = _Completions.of(source)
    values = np.empty(len(done.job))
    values[done.by_user] = done.wrsa(beta)
    workload = source.workload if isinstance(source, Schedule) else source
    return pl.DataFrame(
        {
            "user": workload.labelled("user")[done.job],
            "end_s": done.end_s,
            "wrsa": values,
        },
        schema_overrides=_user_type(workload),
    )


def wrsa_by_user(source: Workload | Schedule, beta: float = BETA) -> pl.DataFrame:
    """Return one row per user: ``user``, ``jobs``, ``mean_wra``, ``wrsa``.

    ``wrsa`` is the value after the user's last completion. ``mean_wra`` is the plain mean over the
    user's jobs, which the paper's Figure 1 draws under the name WRSA.
    """
    import polars as pl

    done = _Completions.of(source)
    workload = source.workload if isinstance(source, Schedule) else source
    last = done.last_of_user()
    first = last - done.place[last]
    jobs = done.place[last] + 1
    sums = np.add.reduceat(done.wra[done.by_user], first) if len(first) else np.empty(0)
    return pl.DataFrame(
        {
            "user": workload.labelled("user")[done.job[done.by_user][last]],
            "jobs": jobs,
            "mean_wra": sums / jobs,
            "wrsa": done.wrsa(beta)[last],
        },
        schema_overrides=_user_type(workload),
    )


@dataclass(frozen=True)
class _Completions:
    """The jobs of known users that ended, in order of their ends."""

    job: Places
    end_s: Places
    wra: Values
    by_user: Places
    """Positions of the completions, sorted by user."""
    place: Places
    """For each completion in that order, how many the same user had before."""

    @classmethod
    def of(cls, source: Workload | Schedule) -> _Completions:
        if isinstance(source, Schedule):
            user, end_s, ended = source.workload["user"], source.end_s, source.started
        else:
            user, end_s = source["user"], recorded_end_s(source)
            ended = np.ones(len(source), dtype=bool)
        job = np.flatnonzero(ended & (user >= 0))
        job = job[np.argsort(end_s[job], kind="stable")]
        by_user = np.argsort(user[job], kind="stable")
        sorted_users = user[job][by_user]
        first = np.searchsorted(sorted_users, sorted_users)
        place = np.arange(len(job)) - first
        return cls(job, end_s[job], wra(source)[job], by_user, place)

    def last_of_user(self) -> Places:
        """Return positions, in the order by user, of each user's last completion."""
        return np.flatnonzero(np.append(self.place[1:] == 0, True)[: len(self.place)])

    def wrsa(self, beta: float) -> Values:
        """Return the user's value after each completion, in the order by user.

        Unrolled, the recursion is a sum of β^k times the term of k completions before. Each round
        doubles how far back the sum reaches, until earlier terms no longer count.
        """
        check_beta(beta)
        value: Values = (1 - beta) * self.wra[self.by_user]
        value[self.place == 0] += beta
        longest, reach, weight = int(self.place.max(initial=0)), 1, beta
        while reach <= longest and weight > np.finfo(float).tiny:
            value[reach:] += np.where(self.place[reach:] >= reach, weight * value[:-reach], 0)
            reach, weight = 2 * reach, weight * weight
        return value


def check_beta(beta: float) -> None:
    """Check that the weight of the past is not negative and leaves some weight for the jobs."""
    if not 0 <= beta < 1:
        raise ParameterError(f"beta is {beta:g}; must be at least 0 and below 1")


def recorded_end_s(workload: Workload) -> Places:
    """Return when each job ended on the real machine.

    A job without a recorded wait counts as started at once.
    """
    return np.asarray(workload["submit_s"] + np.maximum(workload["wait_s"], 0) + workload["run_s"])


def _user_type(workload: Workload) -> dict[str, Any]:
    import polars as pl

    return {"user": pl.String if "user" in workload.labels else pl.Int64}

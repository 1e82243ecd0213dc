"""Weeks, days or parts of a history: settings found on some of them are tested on others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedlab.metrics.intervals import student_t
from schedlab.slurm.fidelity import Mask
from schedlab.slurm.replay import history_of
from schedlab.slurm.site import SlurmHistory, SlurmSite

UNITS = (("week", 7 * 86400.0), ("day", 86400.0))
LEAST, PARTS = 4, 8
"""A history of fewer than four days is cut into eight parts of the same length."""


@dataclass(frozen=True)
class Periods:
    """The periods of a history.

    Args:
        unit: week, day or part.
        of_job: the period in which each job was submitted, counted from 0.
    """

    unit: str
    of_job: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.of_job.max()) + 1 if len(self.of_job) else 0

    def before(self, period: int) -> Mask:
        """Return jobs of all periods before this one."""
        found: Mask = self.of_job < period
        return found


def periods_of(site: SlurmSite) -> Periods:
    """Cut the history by times of submission: into weeks if there are four, or days, or parts."""
    history = history_of(site)
    first_s = history.begin_s
    submit_s = np.maximum(history.details["submit_s"].to_numpy(), first_s)
    span_s = float(submit_s.max()) - first_s
    for unit, length_s in UNITS:
        if span_s >= LEAST * length_s:
            # A remainder of less than half a period belongs to the period before it.
            most = max(round(span_s / length_s), LEAST) - 1
            places = np.minimum((submit_s - first_s) // length_s, most)
            return Periods(unit, places.astype(np.int64))
    length_s = span_s / PARTS or 1.0
    return Periods("part", np.minimum((submit_s - first_s) // length_s, PARTS - 1).astype(np.int64))


def interval_over(
    periods: Periods, mask: Mask, statistic: Callable[[Mask], float]
) -> tuple[float, float] | None:
    """Return the 95 % interval of a statistic of jobs, by leaving out one period at a time.

    The jackknife over periods (Tukey, 1958): jobs of one week depend on each other, those of
    different weeks hardly. None for fewer than three periods.
    """
    there = np.unique(periods.of_job[mask])
    if len(there) < 3:
        return None
    without = np.array([statistic(mask & (periods.of_job != each)) for each in there])
    count = len(there)
    error = math.sqrt((count - 1) / count * float(((without - without.mean()) ** 2).sum()))
    middle, half = statistic(mask), student_t(count - 1) * error
    return middle - half, middle + half


def interval_of_change(
    periods: Periods, mask: Mask, values: Callable[[Mask], tuple[float, float]]
) -> tuple[float, float] | None:
    """Return the 95 % interval of a relative change: new / old - 1.

    It is computed for the logarithm of the ratio, so that it never goes below -100 %. None for
    fewer than three periods, or if a value is 0 when one period is left out: there is no ratio
    then.

    Args:
        periods: the periods, left out one at a time.
        mask: the jobs that count.
        values: returns the old and the new value for some jobs.
    """

    def logarithm(kept: Mask) -> float:
        old, new = values(kept)
        return math.log(new / old) if old > 0 and new > 0 else math.nan

    found = interval_over(periods, mask, logarithm)
    if found is None or math.isnan(found[0]):
        return None
    return math.expm1(found[0]), math.expm1(found[1])


def part_of(site: SlurmSite, mask: Mask) -> SlurmSite:
    """Return the site with only these jobs of its history.

    Commands after the last submission of these jobs are left out.
    """
    history = history_of(site)
    details = history.details.filter(mask.tolist())
    last_s = float(details["submit_s"].max() or 0.0)  # type: ignore[arg-type]
    commands = tuple(each for each in history.commands if each.at_s <= last_s)
    return replace(site, history=SlurmHistory(history.workload.take(mask), details, commands))

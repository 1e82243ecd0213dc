"""What another configuration would have done, compared with a replay of the present one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from schedlab.errors import InputError
from schedlab.slurm.fidelity import Mask, Spread, compared, first_starts, groups_of, ran_before
from schedlab.slurm.periods import interval_of_change, periods_of
from schedlab.slurm.replay import TwinReplay, history_of
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.waits import CHANGED, TWIN, JobWaits

MUCH, MUCH_S = 0.25, 60.0
"""The share and the seconds by which a group must wait longer to be listed."""


@dataclass(frozen=True)
class WhatIfRow:
    """Mean waits of a group of jobs, in seconds.

    Args:
        group: name of the group, such as ``partition normal``; ``all`` is all jobs.
        jobs: number of jobs that start in all replays.
        real_wait_s: mean wait in reality; None where the history does not say.
        before_s: mean wait in the twin under the present configuration.
        after_s: mean wait in the twin under the other one.
        difference: the difference of these two, as a share.
        least: the least difference in a pair of replays with equal phases.
        most: the greatest difference in such a pair.
        interval: the 95 % interval of the difference over weeks, days or parts of the history; None
            for too few of them.
    """

    group: str
    jobs: int
    real_wait_s: float | None
    before_s: Spread
    after_s: Spread
    difference: float
    least: float
    most: float
    interval: tuple[float, float] | None

    def as_json(self) -> dict[str, Any]:
        """Return all figures, for files."""
        return asdict(self)


@dataclass(frozen=True)
class WhatIf:
    """What another configuration changes.

    Args:
        rows: all jobs, then the groups by partition, QOS, account and size.
        waits: waits of the jobs of the first row.
    """

    rows: tuple[WhatIfRow, ...]
    waits: JobWaits


def compare_replays(
    site: SlurmSite,
    before: list[TwinReplay],
    after: list[TwinReplay],
    within: Mask | None = None,
    *,
    unstarted: bool = False,
) -> WhatIf:
    """Compare replays pair by pair; both replays of a pair had the same phases.

    Args:
        site: the present site.
        before: replays of the present configuration.
        after: replays of the other configuration.
        within: the jobs that count. Default: all.
        unstarted: whether jobs count that had not started when the history ended. Without them a
            short history favours the order in which jobs really started.
    """
    details = history_of(site).details
    submit_s = details["submit_s"].to_numpy()
    real_s = first_starts(site)
    counted = ~ran_before(site) if unstarted else compared(site)
    counted &= np.all([~np.isnan(each.start_s) for each in (*before, *after)], axis=0)
    if within is not None:
        counted &= within
    periods = periods_of(site)
    means = [
        np.mean([each.start_s - submit_s for each in replays], axis=0)
        for replays in (before, after)
    ]

    def mean_waits(jobs: Mask) -> tuple[float, float]:
        old, new = (float(each[jobs].mean()) if jobs.any() else 0.0 for each in means)
        return old, new

    rows = []
    for group, mask in groups_of(site):
        inside = mask & counted
        if not inside.any():
            continue
        waits = [
            [float((each.start_s - submit_s)[inside].mean()) for each in replays]
            for replays in (before, after)
        ]
        pairs = [change(old, new) for old, new in zip(*waits, strict=True)]
        real = real_s[inside] - submit_s[inside]
        rows.append(
            WhatIfRow(
                group,
                int(inside.sum()),
                None if np.isnan(real).any() else float(real.mean()),
                Spread.of(waits[0]),
                Spread.of(waits[1]),
                change(*mean_waits(inside)),
                min(pairs),
                max(pairs),
                interval_of_change(periods, inside, mean_waits),
            )
        )
    if not rows:
        raise InputError("no job of the history starts in all replays: nothing to compare")
    of_jobs = JobWaits.of(submit_s, real_s, {TWIN: before, CHANGED: after}, counted)
    return WhatIf(tuple(rows), of_jobs)


def change(old: float, new: float) -> float:
    """Return the difference of two values as a share of the old one; 0 where that is 0."""
    return new / old - 1 if old else 0.0


def losers_of(rows: Iterable[WhatIfRow]) -> list[str]:
    """Return groups of jobs that would wait much longer, a sentence for each."""
    return [
        f"{row.group}: {row.jobs:,} jobs wait {row.after_s.mean:,.0f} s instead of "
        f"{row.before_s.mean:,.0f} s"
        for row in rows
        if row.difference > MUCH and row.after_s.mean - row.before_s.mean > MUCH_S
    ]

"""What users had used when the history begins: ``sshare`` tells what they have used at its end."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from schedlab.errors import InputError
from schedlab.slurm.dump.findings import Report
from schedlab.slurm.dump.shown import read_table
from schedlab.slurm.plain.fair_share import LN_2
from schedlab.slurm.plain.jobs import TwinJob, jobs_of
from schedlab.slurm.plain.nodes import Selector
from schedlab.slurm.site import SlurmSite

MOST_HALF_LIVES = 6
"""After this long 1.6 % of a use is left; nobody can tell from the rest what it was."""
Owner = tuple[str, str | None]


def with_usage(site: SlurmSite, path: Path, report: Report) -> SlurmSite:
    """The site with what its users had used before the history begins.

    The use of jobs of the history is taken off what they have used at its end; what is left had
    been more by as much as has been forgotten since.
    """
    if site.history is None or not len(site.history.details):
        return site
    begin_s, end_s = site.history.begin_s, _last_s(site)
    half_life_s = site.parameters.priority.decay_half_life_s
    rate = LN_2 / half_life_s if half_life_s else 0.0
    if rate * (end_s - begin_s) > MOST_HALF_LIVES * LN_2:
        report.note(
            f"{path.name}: the history is longer than {MOST_HALF_LIVES} half lives of fair share; "
            "what users had used before it is forgotten at its end, and not known."
        )
        return site
    left = _read(path)
    for owner, used in _use_of_jobs(site, begin_s, end_s, rate).items():
        left[owner] = left.get(owner, 0.0) - used
    grown = math.exp(rate * (end_s - begin_s))
    associations = tuple(
        replace(each, usage=max(0.0, left.get((each.account, each.user), 0.0) * grown))
        if each.user is not None
        else each
        for each in site.accounts.associations
    )
    return replace(site, accounts=replace(site.accounts, associations=associations))


def _read(path: Path) -> dict[Owner, float]:
    found: dict[Owner, float] = {}
    for where, row in read_table(path, "account", "user", "rawusage"):
        try:
            used = float(row["rawusage"] or 0)
        except ValueError:
            used = -1.0
        if not 0 <= used < math.inf:
            raise InputError(f"{where}: RawUsage is {row['rawusage']!r}; must be a number from 0")
        if row["user"].strip():
            found[row["account"].strip(), row["user"].strip()] = used
    return found


def _last_s(site: SlurmSite) -> float:
    """The last time that the history tells."""
    assert site.history is not None
    times = [site.history.details[name].max() for name in ("submit_s", "start_s", "end_s")]
    return max(float(each) for each in times if each is not None)  # type: ignore[arg-type]


def _use_of_jobs(site: SlurmSite, begin_s: float, end_s: float, rate: float) -> dict[Owner, float]:
    """What is left at the end of the use of the jobs of the history."""
    assert site.history is not None
    selector = Selector(site)
    factors = {each.name: each.usage_factor for each in site.accounts.qos}
    found: dict[Owner, float] = {}
    times = site.history.details.select("start_s", "end_s").iter_rows()
    for job, (started_s, ended_s) in zip(jobs_of(site), times, strict=True):
        if started_s is None:
            continue
        first_s = max(started_s, begin_s)
        last_s = end_s if ended_s is None else min(ended_s, end_s)
        if last_s > first_s:
            used = _left(end_s - first_s, rate) - _left(end_s - last_s, rate)
            billing = _billing(job, selector) * factors.get(job.qos, 1.0)
            owner = job.account, job.user
            found[owner] = found.get(owner, 0.0) + billing * used
    return found


def _left(ago_s: float, rate: float) -> float:
    """What is left of the use of one CPU from this long ago until now."""
    return (1 - math.exp(-rate * ago_s)) / rate if rate else ago_s


def _billing(job: TwinJob, selector: Selector) -> float:
    nodes = job.recorded_nodes
    holds = selector.holds(job, job.partitions[0], nodes) if nodes else selector.asks(job)
    return holds["billing"]

"""The past use of users' jobs, as fair share counts it: it decays with a half life."""

from __future__ import annotations

import math
from dataclasses import replace

from schedlab.slurm.plain.fair_share import LN_2
from schedlab.slurm.plain.jobs import TwinJob, jobs_of
from schedlab.slurm.plain.nodes import Selector
from schedlab.slurm.replay import history_of
from schedlab.slurm.site import SlurmSite

Owner = tuple[str, str | None]


def decay_rate(site: SlurmSite) -> float:
    """Return the share of past use that decays per second."""
    half_life_s = site.parameters.priority.decay_half_life_s
    return LN_2 / half_life_s if half_life_s else 0.0


def last_moment(site: SlurmSite) -> float:
    """Return the last time in the history, which is the present of a dump."""
    details = history_of(site).details
    times = [details[name].max() for name in ("submit_s", "start_s", "end_s")]
    return max(float(each) for each in times if each is not None)  # type: ignore[arg-type]


def with_use_until(site: SlurmSite, at_s: float) -> SlurmSite:
    """Return the site whose users begin with the use that they had at this time."""
    if site.history is None:
        return site
    begin_s = site.history.begin_s
    left = math.exp(-decay_rate(site) * max(at_s - begin_s, 0.0))
    used = use_of_jobs(site, begin_s, at_s)
    associations = tuple(
        replace(each, usage=each.usage * left + used.get((each.account, each.user), 0.0))
        if each.user is not None
        else each
        for each in site.accounts.associations
    )
    return replace(site, accounts=replace(site.accounts, associations=associations))


def use_of_jobs(site: SlurmSite, begin_s: float, end_s: float) -> dict[Owner, float]:
    """Return the use by jobs between these times that is left at the end, by owner."""
    if site.history is None:
        return {}
    rate = decay_rate(site)
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
    """Return what is left of the use of one CPU from this long ago until now."""
    return (1 - math.exp(-rate * ago_s)) / rate if rate else ago_s


def _billing(job: TwinJob, selector: Selector) -> float:
    nodes = job.recorded_nodes
    holds = selector.holds(job, job.partitions[0], nodes) if nodes else selector.asks(job)
    return holds["billing"]

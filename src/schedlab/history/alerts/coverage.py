"""Coverage falls: sensors saw less of the last day's jobs than of those in the week before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, case, func, select

from schedlab.history.alerts.alert import DAY_S, Alert, RuleInput
from schedlab.history.store.tables import Measurement, aggregates, jobs, provenances

_FEWEST = 5
"""With fewer jobs there is no alert."""
_LATEST, _EARLIER = 500, 2_000
"""The maximum number of jobs to look at."""

Seen = dict[tuple[str, str], tuple[float, int, str | None]]


def fallen_coverage(look: RuleInput) -> Iterator[Alert]:
    """Yield an alert for each item whose coverage fell, and for sensors that did not answer."""
    yield from _failures(look)
    day_s = look.now_s - DAY_S
    earlier = _seen(look, day_s - 7 * DAY_S, day_s, _EARLIER)
    for key, (share, count, _) in sorted(_seen(look, day_s, look.now_s, _LATEST).items()):
        before, earlier_jobs, source = earlier.get(key, (0.0, 0, None))
        if min(count, earlier_jobs) < _FEWEST or share >= look.section.coverage * before:
            continue
        cluster, item = key
        of_source = f' of "{source}"' if source else ""
        text = (
            f"The coverage of {item}{of_source} on {cluster} is {100 * share:.0f} % in the last "
            f"day; it was {100 * before:.0f} % in the week before."
        )
        yield Alert("coverage", f"{cluster} {item}", text, "/admin")


def _failures(look: RuleInput) -> Iterator[Alert]:
    """Yield an alert if half of the jobs or more have no data, as sensors did not answer."""
    failed = func.sum(case((jobs.c.measurement == Measurement.FAILED, 1), else_=0))
    ended = jobs.c.end_s >= int(look.now_s - DAY_S)
    counts = select(jobs.c.cluster, func.count(), failed).where(ended).group_by(jobs.c.cluster)
    for cluster, count, without in look.connection.execute(counts.order_by(jobs.c.cluster)):
        if count >= _FEWEST and without >= count / 2:
            text = f"Sensors did not answer for {without:,} of {count:,} jobs of the last day"
            yield Alert("coverage", f"{cluster} sensors", f"{text} on {cluster}.", "/admin")


def _seen(look: RuleInput, from_s: float, to_s: float, most: int) -> Seen:
    """Return the mean coverage, the number of jobs and the source, by cluster and item."""
    found: Seen = {}
    for cluster, item, share, count, source in look.connection.execute(
        _statement(from_s, to_s, most)
    ):
        found[cluster, item] = (float(share or 0.0), int(count), source)
    return found


def _statement(from_s: float, to_s: float, most: int) -> Select[Any]:
    ended = (jobs.c.end_s >= int(from_s), jobs.c.end_s < int(to_s))
    latest = (
        select(jobs.c.id, jobs.c.cluster)
        .where(*ended, jobs.c.measurement == Measurement.DONE)
        .order_by(jobs.c.end_s.desc())
        .limit(most)
        .subquery()
    )
    # An item without a value has no coverage: nothing was seen.
    share = func.avg(func.coalesce(aggregates.c.coverage, 0.0))
    return (
        select(
            latest.c.cluster,
            aggregates.c.item,
            share,
            func.count(aggregates.c.job.distinct()),
            func.max(provenances.c.source),
        )
        .join(aggregates, aggregates.c.job == latest.c.id)
        .outerjoin(provenances, provenances.c.id == aggregates.c.provenance)
        .group_by(latest.c.cluster, aggregates.c.item)
    )

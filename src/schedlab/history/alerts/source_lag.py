"""A job source lags: nothing new has come from it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import func, select

from schedlab.history.alerts.alert import HOUR_S, Alert, RuleInput
from schedlab.history.store.tables import ingests, jobs
from schedlab.units import short_duration


def lagging_sources(look: RuleInput) -> Iterator[Alert]:
    """Yield an alert for each source of which no job has ended in the hours that are allowed."""
    limit_s = look.section.source_lag_h * HOUR_S
    failures = _last_failures(look)
    for source in sorted(_sources(look)):
        if not _has_ended_since(look, source, look.now_s - limit_s):
            why = failures.get(source)
            text = f'No job of source "{source}" has ended in the last {short_duration(limit_s)}'
            more = f"; its last ingest failed: {why}" if why else ""
            yield Alert("source-lag", source, f"{text}{more}.", "/admin")


def _sources(look: RuleInput) -> set[str]:
    """Return the sources that were ever read, and those that the site file names."""
    read = look.connection.execute(select(ingests.c.source).distinct()).scalars()
    named = (each.get("name") for each in look.site.job_sections)
    return {*read, *(name for name in named if isinstance(name, str))}


def _has_ended_since(look: RuleInput, source: str, since_s: float) -> bool:
    """Return whether a job ended since then, by the index of ends.

    A working source is found at once; for others, the jobs of a day are read.
    """
    ended = select(jobs.c.id).where(jobs.c.end_s >= int(since_s), jobs.c.source == source)
    return look.connection.execute(ended.limit(1)).first() is not None


def _last_failures(look: RuleInput) -> dict[str, str]:
    last = select(func.max(ingests.c.id)).group_by(ingests.c.source)
    failed = select(ingests.c.source, ingests.c.failure).where(
        ingests.c.id.in_(last), ingests.c.failure.is_not(None)
    )
    return dict(map(tuple, look.connection.execute(failed)))

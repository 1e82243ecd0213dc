"""The content of a store, source by source and item by item."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import case, func, select

from schedlab.history.store.queries import JobQuery
from schedlab.history.store.store import Store
from schedlab.history.store.tables import Measurement, aggregates, ingests, jobs, provenances


@dataclass(frozen=True)
class SourceStatus:
    """What came from one job source."""

    name: str
    jobs: int
    newest_end_s: int | None
    """When the last of its jobs ended."""
    ended_s: float | None
    """When it was last read to its end."""
    faults: int
    """The number of faults in the last ingest."""
    failure: str | None
    """Why the last ingest did not come to its end."""

    @property
    def lag_s(self) -> float | None:
        """How far the history was behind when the source was last read."""
        if self.ended_s is None or self.newest_end_s is None:
            return None
        return max(0.0, self.ended_s - self.newest_end_s)


@dataclass(frozen=True)
class ItemStatus:
    """How well one item of one sensor source is known; absent values have no source."""

    source: str | None
    item: str
    jobs: int
    coverage: float | None
    """The mean share of expected samples, over hosts."""
    absent: int
    """Hosts of jobs for which there is no value."""


@dataclass(frozen=True)
class Status:
    """The status of the whole store."""

    jobs: int
    due: int
    failed: int
    sources: list[SourceStatus]
    items: list[ItemStatus]

    def facts(self) -> dict[str, Any]:
        """Return the status as JSON."""
        sources = [{**asdict(each), "lag_s": each.lag_s} for each in self.sources]
        return {**asdict(self), "sources": sources}


def status_of(store: Store) -> Status:
    """Return the status of a store."""
    counts = {
        each: store.count(JobQuery(measurements=(each,)))
        for each in (Measurement.DUE, Measurement.FAILED)
    }
    return Status(
        store.count(),
        counts[Measurement.DUE],
        counts[Measurement.FAILED],
        _sources(store),
        _items(store),
    )


def _sources(store: Store) -> list[SourceStatus]:
    counted = select(jobs.c.source, func.count(), func.max(jobs.c.end_s)).group_by(jobs.c.source)
    stored = {name: (count, newest) for name, count, newest in store.select(counted)}
    last = select(func.max(ingests.c.id)).group_by(ingests.c.source)
    columns = (ingests.c.source, ingests.c.faults, ingests.c.failure)
    lasts = store.select(select(*columns).where(ingests.c.id.in_(last)).order_by(ingests.c.source))
    whole = select(ingests.c.source, func.max(ingests.c.ended_s)).where(ingests.c.failure.is_(None))
    ended = dict(map(tuple, store.select(whole.group_by(ingests.c.source))))
    return [
        SourceStatus(name, *stored.get(name, (0, None)), ended.get(name), faults, failure)
        for name, faults, failure in lasts
    ]


def _items(store: Store) -> list[ItemStatus]:
    absent = func.sum(case((aggregates.c.avg.is_(None), 1), else_=0))
    which = (provenances.c.source, aggregates.c.item)
    statement = (
        select(
            *which,
            func.count(aggregates.c.job.distinct()),
            func.avg(aggregates.c.coverage),
            absent,
        )
        .join(provenances, provenances.c.id == aggregates.c.provenance)
        .group_by(*which)
        .order_by(*which)
    )
    return [
        ItemStatus(source, item, count, coverage, int(none))
        for source, item, count, coverage, none in store.select(statement)
    ]

"""The store of a site's job history."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Self

from sqlalchemy import URL, Connection, Engine, Select, delete, func, insert, select, text, update

from schedlab.history.schema.fault import Fault
from schedlab.history.schema.job import JobRecord
from schedlab.history.store.database import (
    alone,
    connect,
    failing_as_store,
    parse_url,
    require_current,
    shown,
    upgrade,
    writing,
)
from schedlab.history.store.queries import JobQuery, chosen, counted
from schedlab.history.store.rows import Said, Values, document_of, epoch_s, job_row
from schedlab.history.store.sums import sum_some_days
from schedlab.history.store.tables import (
    UNMEASURED,
    Measurement,
    aggregates,
    faults,
    hosts,
    ingests,
    jobs,
    sources,
    tags,
)
from schedlab.history.store.writes import (
    add_jobs,
    known,
    known_archived,
    measure_neighbours_again,
    next_job,
    next_number,
    overlaps,
    replace_jobs,
)

EVERYTHING = JobQuery()
KEPT_FAULTS = 1_000
_FETCHED = 1_000
_SAID = func.coalesce(jobs.c.said, jobs.c.record)
_DONE, _DUE, _FAILED = map(int, Measurement)


@dataclass
class Counts:
    """What became of the records that were put."""

    added: int = 0
    changed: int = 0
    same: int = 0
    keys: list[int] = field(default_factory=list, compare=False, repr=False)
    """Keys of the jobs that were added or changed."""


@dataclass(frozen=True, eq=False)
class Due:
    """A job of the store about which sensors are to be asked."""

    key: int
    digest: int
    record: JobRecord


class Store:
    """Job records in a database, each under its identity.

    A call that writes is one transaction: either everything is stored, or nothing.
    """

    def __init__(self, url: URL, engine: Engine) -> None:
        self.url = url
        self._engine = engine

    @classmethod
    def open(cls, url: str) -> Self:
        """Open the store at ``sqlite:///FILE``, ``postgresql://...`` or in a plain file."""
        return cls._prepared(url, require_current)

    @classmethod
    def make(cls, url: str) -> Self:
        """Make the tables of a store or bring them up to date, and open it."""
        return cls._prepared(url, upgrade)

    @classmethod
    def _prepared(cls, url: str, prepare: Callable[[Engine], None]) -> Self:
        parsed = parse_url(url)
        with failing_as_store(parsed):
            engine = connect(parsed)
            try:
                prepare(engine)
            except BaseException:
                engine.dispose()
                raise
            return cls(parsed, engine)

    @property
    def shown(self) -> str:
        """Its URL without a password."""
        return shown(self.url)

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def ingesting(self) -> Iterator[None]:
        """Refuse another ingest, of any process, until this one ends.

        If one ingest measures while another finds new neighbours, it would overwrite what must be
        redone.
        """
        with failing_as_store(self.url), alone(self._engine):
            yield

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """Open a write transaction for a caller that knows the tables."""
        with failing_as_store(self.url), writing(self._engine) as connection:
            yield connection

    def put(
        self,
        records: Iterable[JobRecord],
        *,
        source: str,
        ingest: int | None = None,
        to_measure: bool = False,
        nodes_are_shared: bool = False,
    ) -> Counts:
        """Add new records and replace changed ones; an equal record changes nothing.

        A record of an archived job changes nothing either: the archive keeps the job as it was.

        Args:
            records: records as a source gives them; of those with one identity the last counts.
            source: name of the source that they come from.
            ingest: the ingest in whose log they are counted.
            to_measure: whether sensors shall be asked about jobs that have ended.
            nodes_are_shared: whether jobs that ran beside these must be measured again.
        """
        latest = {said.identity: said for said in map(Said.of, records)}
        with failing_as_store(self.url), writing(self._engine) as connection:
            there = known(connection, latest)
            changed = {
                old.key: latest[who]
                for who, old in there.items()
                if old.digest != latest[who].digest
            }
            missing = {who: epoch_s(latest[who].record.end_time) for who in latest.keys() - there}
            kept = known_archived(connection, missing)
            new = [said for who, said in latest.items() if who in missing and who not in kept]
            added = dict(enumerate(new, next_job(connection)))
            for write, put in ((replace_jobs, changed), (add_jobs, added)):
                rows = [_row(key, said, source, to_measure) for key, said in put.items()]
                write(connection, rows, [said.record for said in put.values()])
            if nodes_are_shared:
                measure_neighbours_again(connection, [*changed, *added])
            same = len(there) - len(changed) + len(kept)
            counts = Counts(len(added), len(changed), same, [*changed, *added])
            if ingest is not None:
                of_each = {name: getattr(counts, name) for name in ("added", "changed", "same")}
                _count(connection, ingest, of_each)
        return counts

    def overlaps(self, keys: Sequence[int]) -> list[tuple[str, str, str]]:
        """List jobs with these keys that ran beside an earlier one: both ids and the host."""
        with failing_as_store(self.url), self._engine.connect() as connection:
            return overlaps(connection, keys)

    def due(self, which: Measurement, many: int, *, after: int = 0) -> list[Due]:
        """Return up to ``many`` jobs in that state of measurement, with keys above ``after``."""
        statement = select(jobs.c.id, jobs.c.digest, _SAID)
        statement = statement.where(UNMEASURED, jobs.c.measurement == which, jobs.c.id > after)
        rows = self.select(statement.order_by(jobs.c.id).limit(many))
        return [
            Due(key, digest, JobRecord.model_validate_json(record)) for key, digest, record in rows
        ]

    def put_measured(self, measured: Mapping[Due, JobRecord], failed: Collection[Due]) -> None:
        """Replace records by measured ones; one that has changed since stays due."""
        with failing_as_store(self.url), writing(self._engine) as connection:
            keys = [due.key for due in measured]
            statement = select(jobs.c.id, jobs.c.digest, jobs.c.source).where(jobs.c.id.in_(keys))
            found = {(key, digest): source for key, digest, source in connection.execute(statement)}
            current = [due for due in measured if (due.key, due.digest) in found]
            rows = [
                job_row(
                    due.key,
                    Said.of(measured[due])._replace(digest=due.digest),
                    found[due.key, due.digest],
                    _FAILED if due in failed else _DONE,
                    before=document_of(due.record),
                )
                for due in current
            ]
            replace_jobs(connection, rows, [measured[due] for due in current])

    def measure_again(self) -> None:
        """Make all jobs due that ended on hosts, as needed when the site's sensors change."""
        ended = jobs.c.end_s.is_not(None) & jobs.c.id.in_(select(hosts.c.job))
        with failing_as_store(self.url), writing(self._engine) as connection:
            connection.execute(update(jobs).where(ended).values(measurement=Measurement.DUE))

    def jobs(self, query: JobQuery = EVERYTHING) -> Iterator[JobRecord]:
        """Return the selected records, in order of submission."""
        return _records(self.documents(query))

    def unmeasured_records(self, query: JobQuery = EVERYTHING) -> Iterator[JobRecord]:
        """Return the selected records as their sources gave them, without measurements."""
        return _records(said for (said,) in self.rows(query, _SAID))

    def documents(self, query: JobQuery = EVERYTHING) -> Iterator[str]:
        """Return the selected records as JSON; they are fetched a thousand at a time."""
        return (record for (record,) in self.rows(query, jobs.c.record))

    def count(self, query: JobQuery = EVERYTHING) -> int:
        """Return the number of selected jobs."""
        return int(self.select(counted(query))[0][0])

    def rows(self, query: JobQuery, *columns: Any) -> Iterator[Sequence[Any]]:
        """Yield these columns of the selected jobs, in order of submission."""
        statement = chosen(query, *columns).execution_options(yield_per=_FETCHED)
        with failing_as_store(self.url), self._engine.connect() as connection:
            yield from connection.execute(statement)

    def select(self, statement: Select[Any]) -> Sequence[Any]:
        """Return the rows that a statement on the tables selects."""
        with failing_as_store(self.url), self._engine.connect() as connection:
            return connection.execute(statement).all()

    def cursor(self, source: str) -> str | None:
        """Return the source's cursor after its last whole reading; None if there was none."""
        rows = self.select(select(sources.c.cursor).where(sources.c.name == source))
        return rows[0][0] if rows else None

    def begin_ingest(self, source: str) -> int:
        """Begin an entry in the log for what is read from the source, and return its number."""
        with failing_as_store(self.url), writing(self._engine) as connection:
            key = next_number(connection, ingests.c.id)
            nothing = {"added": 0, "changed": 0, "same": 0, "faults": 0}
            row = {"id": key, "source": source, "began_s": time.time(), **nothing}
            connection.execute(insert(ingests), row)
        return key

    def note_faults(self, ingest: int, found: Sequence[Fault]) -> None:
        """Count faults in the log, and keep the first ones with their places."""
        if not found:
            return
        with failing_as_store(self.url), writing(self._engine) as connection:
            first = next_number(connection, faults.c.place, faults.c.ingest == ingest)
            rows = [
                {"ingest": ingest, "place": place, "location": each.where, "message": each.message}
                for place, each in enumerate(found[: max(0, KEPT_FAULTS + 1 - first)], first)
            ]
            if rows:
                connection.execute(insert(faults), rows)
            _count(connection, ingest, {"faults": len(found)})

    def end_ingest(
        self, ingest: int, *, cursor: str | None = None, failure: str | None = None
    ) -> None:
        """Close the log entry; with a cursor, the source's next reading may go on from there."""
        with failing_as_store(self.url), writing(self._engine) as connection:
            this = ingests.c.id == ingest
            ended = {"ended_s": time.time(), "failure": failure}
            connection.execute(update(ingests).where(this).values(ended))
            if cursor is not None:
                source = connection.execute(select(ingests.c.source).where(this)).scalar_one()
                connection.execute(delete(sources).where(sources.c.name == source))
                connection.execute(insert(sources).values(name=source, cursor=cursor))

    def sum_days(self, now_s: float) -> None:
        """Sum up the days without sums, some in each transaction: others write in between."""
        while True:
            with self.changing() as connection:
                if not sum_some_days(connection, now_s):
                    return

    def take_statistics(self) -> None:
        """Renew PostgreSQL's statistics now, not in a minute: until then it plans badly."""
        if self._engine.dialect.name != "postgresql":
            return
        with failing_as_store(self.url), writing(self._engine) as connection:
            for table in (jobs, hosts, tags, aggregates):
                connection.execute(text(f"ANALYZE {table.name}"))


def _records(documents: Iterator[str]) -> Iterator[JobRecord]:
    """Yield the records of the documents, parsed in the portions in which they are fetched."""
    while some := list(islice(documents, _FETCHED)):
        with _without_collections():
            records = list(map(JobRecord.model_validate_json, some))
        yield from records


@contextmanager
def _without_collections() -> Iterator[None]:
    """Stop garbage collection: records have no cycles, and this saves half of the time."""
    if not gc.isenabled():
        yield  # off by the caller, or by another thread, which will enable it again
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _row(key: int, said: Said, source: str, to_measure: bool) -> Values:
    measurable = to_measure and said.record.end_time is not None and bool(said.record.per_host)
    return job_row(key, said, source, _DUE if measurable else _DONE)


def _count(connection: Connection, ingest: int, more: Mapping[str, int]) -> None:
    values = {name: ingests.c[name] + count for name, count in more.items()}
    connection.execute(update(ingests).where(ingests.c.id == ingest).values(values))

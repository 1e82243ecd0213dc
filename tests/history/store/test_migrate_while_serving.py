"""A store is brought up to date while a service reads it and jobs come in."""

from __future__ import annotations

import pytest
from sqlalchemy import inspect, text
from tests.history.records import job

from schedlab.errors import StoreError
from schedlab.history.store import Store, database
from schedlab.history.store.archive_tables import archive_parts, archived
from schedlab.history.store.database import connect, parse_url
from schedlab.history.store.decision_tables import decisions
from schedlab.history.store.sum_tables import day_sums, summed_days
from schedlab.history.web.database import Database

EARLIER = "0007"
REFERRING = ("hosts", "tags", "aggregates")
"""Tables that had a foreign key to their job before migration 0010."""


def make_earlier(url: str) -> None:
    """Make a store with a job, as an earlier version would."""
    with Store.make(url) as store:
        store.put([job()], source="test")
    engine = connect(parse_url(url))
    with engine.begin() as connection:
        for table in (archived, archive_parts, day_sums, summed_days, decisions):
            table.drop(connection)
        connection.execute(text("DELETE FROM duties WHERE name = 'sums'"))
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{EARLIER}'"))
    engine.dispose()


def test_neither_waits_for_the_other(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration runs while a report reads all jobs, and the report goes on."""
    make_earlier(store_url)
    with monkeypatch.context() as earlier:
        known = database.revisions()
        earlier.setattr(database, "revisions", lambda: known[: known.index(EARLIER) + 1])
        service = Database(store_url)
    count = text("SELECT count(*) FROM jobs")
    with service.reading_long() as connection:
        assert connection.execute(count).scalar() == 1
        monkeypatch.setattr(database, "_LOCK_S", 1)
        Store.make(store_url).close()
        assert connection.execute(count).scalar() == 1
    monkeypatch.setattr(database, "revisions", lambda: known[: known.index(EARLIER) + 1])
    service.examine()  # it is healthy until it is started again, with the later version
    with pytest.raises(StoreError, match="later schedlab"):
        Store.open(store_url)
    service.close()


@pytest.mark.slow
def test_a_migration_does_not_keep_others_waiting(
    postgresql: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If another connection holds a table, the migration gives up and changes nothing."""
    assert callable(postgresql)
    url = str(postgresql())
    make_earlier(url)
    monkeypatch.setattr(database, "_LOCK_S", 1)
    engine = connect(parse_url(url))
    with engine.connect() as connection:
        connection.execute(text("LOCK TABLE alembic_version"))
        with pytest.raises(StoreError, match="lock timeout"):
            Store.make(url)
    Store.make(url).close()
    engine.dispose()


@pytest.mark.slow
def test_constraints_of_an_earlier_store_are_dropped_after_a_long_report(
    postgresql: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report that reads ``jobs`` is not cut off: foreign keys to it are dropped afterwards."""
    assert callable(postgresql)
    url = str(postgresql())
    make_earlier(url)
    engine = connect(parse_url(url))
    with engine.begin() as connection:
        for table in REFERRING:
            connection.execute(
                text(
                    f"ALTER TABLE {table} ADD CONSTRAINT {table}_job_fkey "
                    "FOREIGN KEY (job) REFERENCES jobs (id)"
                )
            )
    monkeypatch.setattr(database, "_LOCK_S", 1)
    with engine.connect() as connection:
        connection.execute(text("SELECT count(*) FROM jobs"))
        with pytest.raises(StoreError, match="lock timeout"):
            Store.make(url)
    with Store.make(url) as store:
        store.put([job("2", tags=["cfd"])], source="test")
        assert store.count() == 2
    referred = [
        key["referred_table"]
        for table in REFERRING
        for key in inspect(engine).get_foreign_keys(table)
    ]
    assert referred == ["provenances"]
    engine.dispose()

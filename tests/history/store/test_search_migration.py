"""A store that was made before jobs could be searched by request, node time and tags."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, delete, select, update
from tests.history.records import job, measured_job

from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store
from schedlab.history.store.database import connect, parse_url, writing
from schedlab.history.store.tables import jobs, tags

MIGRATION = import_module("schedlab.history.store.migrations.versions.0003_search")
RECORDS = (
    measured_job("1", tags=["cfd", "test", "cfd"]),
    job("2", per_host=[{"node_id": "n01", "end_time": from_epoch(1_700_049_650)}]),
    job("3", per_host=[], resource_alloc={"num_host": 7}),
    job("4", per_host=[], req_walltime_sec=None),
    job("5", state="running", end_time=None, tags=[]),
)


def searched(connection: Connection) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return the values that the migration adds."""
    columns = (jobs.c.jobid, jobs.c.req_walltime_s, jobs.c.node_s)
    return (
        sorted(map(tuple, connection.execute(select(*columns)))),
        sorted(map(tuple, connection.execute(select(tags)))),
    )


def test_what_is_searched_is_found_in_the_records(store_url: str) -> None:
    """The migration finds in the records what the program would have put there itself."""
    with Store.make(store_url) as store:
        store.put(RECORDS, source="test")
    engine = connect(parse_url(store_url))
    with writing(engine) as connection:
        before = searched(connection)
        connection.execute(update(jobs).values(req_walltime_s=None, node_s=None))
        connection.execute(delete(tags))
        with Operations.context(MigrationContext.configure(connection)):
            MIGRATION._fill()
        assert searched(connection) == before
    engine.dispose()
    assert [node_s for _, _, node_s in before[0]] == [200, 40, 700, 100, None]
    assert len(before[1]) == 2

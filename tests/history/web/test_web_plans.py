"""How PostgreSQL answers the queries of pages: by indexes, whatever the store holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from sqlalchemy import ColumnElement, Engine, select, text
from tests.history.records import NOON_S, job

from schedlab.history import pipeline
from schedlab.history.ingest.source import JobSource
from schedlab.history.schema import Fault, JobRecord
from schedlab.history.store import JobQuery, Store
from schedlab.history.store.database import connect, parse_url
from schedlab.history.store.queries import conditions
from schedlab.history.store.tables import jobs
from schedlab.history.web.database import Database
from schedlab.history.web.queries.cluster_use import Span
from schedlab.history.web.simulations.window import Window

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def engine(postgresql: Callable[[], str]) -> Iterator[Engine]:
    """A store in PostgreSQL."""
    url = postgresql()
    with Store.make(url) as store:
        store.put([job(str(number)) for number in range(50)], source="scheduler")
    made = connect(parse_url(url))
    yield made
    made.dispose()


@pytest.mark.parametrize(
    "condition",
    [
        Span("one", NOON_S, NOON_S + 3_600).condition,
        Window("one", NOON_S, NOON_S + 3_600).condition,
    ],
)
def test_jobs_of_a_time_are_found_by_indexes(
    engine: Engine, condition: ColumnElement[bool]
) -> None:
    """The jobs that ran, arrived or waited then are found without reading all others."""
    asked = select(jobs.c.id).where(condition)
    told = asked.compile(engine, compile_kwargs={"literal_binds": True})
    with engine.connect() as connection:
        connection.execute(text("SET enable_seqscan = off"))  # else a small table is scanned
        plan = "\n".join(connection.exec_driver_sql(f"EXPLAIN {told}").scalars())
    assert "Seq Scan on jobs" not in plan, plan


def test_keys_of_a_busy_node_are_kept_and_not_looked_up(engine: Engine) -> None:
    """Otherwise PostgreSQL reads the hosts of each job in turn, until enough were on the node."""
    meant = conditions(JobQuery(nodes=("n01",)), in_order=True, hashed=True)
    asked = select(jobs.c.id).where(*meant).order_by(jobs.c.queue_s.desc()).limit(5)
    told = asked.compile(engine, compile_kwargs={"literal_binds": True})
    with engine.connect() as connection:
        plan = "\n".join(connection.exec_driver_sql(f"EXPLAIN {told}").scalars())
    assert "hashed SubPlan" in plan, plan


def test_a_question_has_one_process(engine: Engine) -> None:
    """With many queries at a time, parallel workers and compiled plans only delay each other."""
    with closing(Database(engine.url.render_as_string(hide_password=False))) as database:
        for _ in range(2):
            with database.reading() as connection:
                shown = [
                    connection.execute(text(f"SHOW {name}")).scalar_one()
                    for name in ("max_parallel_workers_per_gather", "jit")
                ]
                connection.rollback()
            assert shown == ["0", "off"]


class Some(JobSource):
    """A source of a few jobs."""

    name = "some"
    cursor = "1"

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Yield five jobs."""
        yield from (job(str(number)) for number in range(5))


def test_statistics_are_taken_after_many_new_jobs(
    postgresql: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them the first minutes after a large ingest are slow."""
    known = "SELECT count(*) FROM pg_stats WHERE tablename = 'jobs'"
    with Store.make(url := postgresql()) as store:
        engine = connect(parse_url(url))
        for many, has_some in ((6, False), (5, True)):
            monkeypatch.setattr(pipeline, "MANY", many)
            store.put([], source="some")
            pipeline.ingest(store, Some(), from_start=True)
            with engine.begin() as connection:
                assert bool(connection.execute(text(known)).scalar_one()) is has_some
                connection.execute(text("DELETE FROM hosts"))
                connection.execute(text("DELETE FROM jobs"))
        engine.dispose()

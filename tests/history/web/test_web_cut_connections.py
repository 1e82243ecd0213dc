"""PostgreSQL closes the service's connections, as it does at a restart; no request is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import Connection, NullPool, create_engine, text
from tests.history.tiny_site import tiny_site
from tests.history.web.served import JOBS, Served

from schedlab.history.service_section import ServiceSection
from schedlab.history.store import Store
from schedlab.history.web.settings import ServiceSettings

pytestmark = pytest.mark.slow

CUT = """SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
WHERE datname = :name AND pid != pg_backend_pid() AND backend_type = 'client backend'"""
PREPARED = text("SELECT count(*) FROM pg_prepared_statements")


@pytest.fixture
def in_postgresql(postgresql: Callable[[], str], tmp_path: Path) -> Iterator[Served]:
    """A service over a store in PostgreSQL."""
    url = postgresql()
    with Store.make(url) as store:
        store.put(JOBS, source="scheduler")
    own = Served(ServiceSettings(url, tiny_site(tmp_path), ServiceSection()))
    yield own
    own.close()


def cut(served: Served) -> int:
    """Let the server end all connections of the service, and return their number."""
    engine = create_engine(served.database.url, poolclass=NullPool)
    with engine.connect() as connection:
        return cut_from(connection, str(served.database.url.database))


def cut_from(connection: Connection, database: str) -> int:
    """Let the server end all other connections to the database, and return their number."""
    return int(connection.execute(text(CUT), {"name": database}).scalar_one())


def test_a_request_after_its_connections_were_closed_is_answered(in_postgresql: Served) -> None:
    """Reads and writes get new connections at once, however many of the pool were closed."""
    program = in_postgresql.program()
    for _ in range(3):
        with ExitStack() as stack:
            for _ in range(3):  # at the same time, so that the pool keeps three
                stack.enter_context(in_postgresql.database.reading())
        assert cut(in_postgresql) == 3
        assert program.get("/v1/jobs").status_code == 200
        assert cut(in_postgresql) >= 1
        assert in_postgresql.program().get("/v1/jobs/1").status_code == 200


def test_a_server_that_is_gone_is_told_of(in_postgresql: Served) -> None:
    """Without a new connection, the answer is an error; the request does not hang."""
    program = in_postgresql.program()
    url = in_postgresql.database.url
    engine = create_engine(
        url.set(database="postgres"), poolclass=NullPool, isolation_level="AUTOCOMMIT"
    )
    allow = f'ALTER DATABASE "{url.database}" ALLOW_CONNECTIONS {{}}'
    with engine.connect() as connection:
        connection.exec_driver_sql(allow.format("false"))
        assert cut_from(connection, str(url.database)) >= 1
        refused = program.get("/v1/jobs")
        connection.exec_driver_sql(allow.format("true"))
    assert refused.status_code == 503
    assert program.get("/v1/jobs").status_code == 200


def test_a_question_is_planned_once_and_not_for_each_request(in_postgresql: Served) -> None:
    """The driver lets the server prepare frequent queries; they outlive the end of a read."""
    program = in_postgresql.program()
    for _ in range(20):
        assert program.get("/v1/jobs?limit=2").status_code == 200
    with in_postgresql.database.reading() as connection:
        assert connection.execute(PREPARED).scalar_one() >= 2


def test_a_writing_that_fails_leaves_nothing(in_postgresql: Served) -> None:
    """A write that fails does not spoil the connection for the next request, either."""
    with pytest.raises(ZeroDivisionError):
        _delete_and_fail(in_postgresql)
    with in_postgresql.database.reading() as connection:
        count = connection.execute(text("SELECT count(*) FROM hosts")).scalar_one()
    assert count == len(JOBS)


def _delete_and_fail(served: Served) -> None:
    with served.database.writing() as connection:
        connection.execute(text("DELETE FROM hosts"))
        raise ZeroDivisionError


def test_a_reading_sees_one_state(in_postgresql: Served) -> None:
    """What another connection writes meanwhile appears only in the next read."""
    count = text("SELECT count(*) FROM duties")
    with in_postgresql.database.reading() as connection:
        before = connection.execute(count).scalar_one()
        with in_postgresql.database.writing() as other:
            other.execute(text("INSERT INTO duties (name, due_s) VALUES ('new', 0)"))
        assert connection.execute(count).scalar_one() == before
    with in_postgresql.database.reading() as connection:
        assert connection.execute(count).scalar_one() == before + 1

"""The store's database as the service uses it: many short reads, few and small writes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, OperationalError

from schedlab.errors import StoreError
from schedlab.history.store.database import (
    connect,
    examine,
    failing_as_store,
    is_damage,
    parse_url,
    require_current,
    shown,
)
from schedlab.history.web.problems import HttpProblem

MOST_S = 30.0
"""Maximum time one request may use the database."""
_LOOKED_EVERY = 1_000_000  # SQLite steps between looks at the clock: some milliseconds
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ"  # all its statements see one state
_CACHE_KIB = 2_048  # per connection: there are many, and the operating system caches too


class Database:
    """The connections of one process to a store that is up to date."""

    def __init__(self, url: str) -> None:
        self.url = parse_url(url)
        self._damage: StoreError | None = None
        with failing_as_store(self.url):
            self.engine = connect(self.url, pings=False)  # _answering replaces closed ones
            if self.engine.dialect.name == "sqlite":
                event.listen(self.engine, "connect", _take_less_memory)
            else:
                event.listen(self.engine, "connect", _answer_many)
            try:
                require_current(self.engine)
            except BaseException:
                self.engine.dispose()
                raise

    @cached_property
    def _autocommitting(self) -> Engine:
        """The same connections, but we begin and end their transactions ourselves."""
        return self.engine.execution_options(isolation_level="AUTOCOMMIT")

    @property
    def shown(self) -> str:
        """The store's URL without the password."""
        return shown(self.url)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read one state of the store for a request; refuse a request that takes too long."""
        limit = f"; SET LOCAL statement_timeout = {int(1e3 * MOST_S)}"
        with self._watched(), self._begun(_SNAPSHOT + limit) as connection, _limited(connection):
            yield connection

    @contextmanager
    def reading_long(self) -> Iterator[Connection]:
        """Read one state of the store, for work in the background."""
        with self._watched(), self._begun(_SNAPSHOT) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction on accounts, sessions and tokens; an ingest can go on meanwhile."""
        with self._watched(), self._begun("BEGIN", writes=True) as connection:
            yield connection

    @contextmanager
    def _begun(self, statement: str, *, writes: bool = False) -> Iterator[Connection]:
        """Open a transaction; on PostgreSQL, begin it with this statement.

        Reads are committed as well: after a rollback the driver would forget the statements that
        the server has prepared on the connection, and the server would plan them for each request.
        """
        if self.engine.dialect.name == "sqlite":
            with self.engine.connect() as connection:
                connection = connection.execution_options(writes=writes)
                with connection.begin():
                    yield connection
        else:
            with _answering(self._autocommitting, statement) as connection:
                yield connection
                connection.commit()

    def examine(self) -> None:
        """Raise an error if the store cannot be read, or if any request so far met damage."""
        with self._watched():
            examine(self.engine)
        if self._damage is not None:
            raise self._damage

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Remember damage, since the next request may read an undamaged part."""
        try:
            with failing_as_store(self.url):
                yield
        except StoreError as error:
            if isinstance(error.__context__, DBAPIError) and is_damage(error.__context__):
                self._damage = error
            raise

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()


@contextmanager
def changing(url: str) -> Iterator[Connection]:
    """Open a transaction on the accounts of the store at that URL."""
    with closing(Database(url)) as database, database.writing() as connection:
        yield connection


def _answer_many(connection: Any, _: Any) -> None:
    """Turn off what takes longer than our many short queries: parallel workers and compiling."""
    connection.autocommit = True
    connection.execute("SET max_parallel_workers_per_gather = 0")
    connection.execute("SET jit = off")
    connection.autocommit = False


def _take_less_memory(connection: Any, _: Any) -> None:
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")


def _answering(engine: Engine, first: str) -> Connection:
    """Return a connection on which this statement has been executed.

    A connection that the server has closed since its last use is replaced, once: the pool then
    gives none that is as old. To test each connection before its use would take one more query.
    """
    connection = engine.connect()
    try:
        connection.exec_driver_sql(first)
    except DBAPIError as error:
        connection.close()
        if not error.connection_invalidated:
            raise
    else:
        return connection
    connection = engine.connect()
    try:
        connection.exec_driver_sql(first)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _limited(connection: Connection) -> Iterator[None]:
    """Stop a statement that runs past ``MOST_S``, and refuse the request."""
    until_s = time.monotonic() + MOST_S
    is_sqlite = connection.dialect.name == "sqlite"
    driver: Any = connection.connection.driver_connection
    if is_sqlite:
        driver.set_progress_handler(lambda: time.monotonic() > until_s, _LOOKED_EVERY)
    try:
        yield
    except OperationalError:
        if time.monotonic() < until_s:
            raise
        raise HttpProblem(
            503, f"this takes longer than {MOST_S:g} s; ask for a shorter time, with from and to"
        ) from None
    finally:
        if is_sqlite:
            driver.set_progress_handler(None, 0)

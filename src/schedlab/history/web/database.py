"""The store's database, as the service uses it: many short readings, few and small writings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from sqlalchemy import Connection, event

from schedlab.history.store.database import (
    connect,
    failing_as_store,
    parse_url,
    require_current,
    shown,
)

_CACHE_KIB = 8_192  # of each connection: there are many, and the operating system caches as well


class Database:
    """The connections of one process to a store that is up to date."""

    def __init__(self, url: str) -> None:
        self.url = parse_url(url)
        with failing_as_store(self.url):
            self.engine = connect(self.url)
            if self.engine.dialect.name == "sqlite":
                event.listen(self.engine, "connect", _take_less_memory)
            try:
                require_current(self.engine)
            except BaseException:
                self.engine.dispose()
                raise

    @property
    def shown(self) -> str:
        """Its URL without a password."""
        return shown(self.url)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One state of the store."""
        with failing_as_store(self.url), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction on accounts, sessions and tokens; an ingest goes on beside it."""
        with failing_as_store(self.url), self.engine.connect() as connection:
            connection = connection.execution_options(writes=True)
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


@contextmanager
def changing(url: str) -> Iterator[Connection]:
    """A transaction on the accounts of the store there, for who does nothing else with it."""
    with closing(Database(url)) as database, database.writing() as connection:
        yield connection


def _take_less_memory(connection: Any, _: Any) -> None:
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")

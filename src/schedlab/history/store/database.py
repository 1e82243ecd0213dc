"""The database under a store: SQLite in a file, or PostgreSQL by its URL."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    asc,
    create_engine,
    desc,
    event,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError

from schedlab.errors import StoreError
from schedlab.history.store.tables import metadata

_DRIVERS = {
    "sqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
}
_PRIVATE = 0o600  # whatever the umask says: the store holds password hashes
_MIGRATIONS = Path(__file__).with_name("migrations")
_BUSY_S = 60
_LOCK_S = 10
_MOST_SAID = 300  # characters of an error: it may quote what it could not read
_DAMAGED = ("XX001", "XX002")  # PostgreSQL's codes for a damaged table and index
_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "cache_size = -65536",  # kibibytes: the indices of a million jobs
    "wal_autocheckpoint = 10000",
)


def parse_url(given: str) -> URL:
    """Return the URL of a database, from a URL or the plain name of a SQLite file."""
    kind, colon, _ = given.partition(":")
    if colon and "://" not in given and kind in _DRIVERS:
        slashes = "///" if kind == "sqlite" else "//"
        raise StoreError(f"store {given}: not a URL; must begin with {kind}:{slashes}")
    try:
        url = make_url(given if "://" in given else f"sqlite:///{given}")
    except (ArgumentError, ValueError):
        raise StoreError(f"store {given}: not a URL") from None
    if url.get_backend_name() not in _DRIVERS:
        kind = url.get_backend_name()
        raise StoreError(
            f"store {shown(url)}: a database of kind {kind}; must be sqlite or postgresql"
        )
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise StoreError(f"store {given}: names no file; a store cannot be in memory only")
    return url.set(drivername=_DRIVERS[url.get_backend_name()])


def connect(url: URL, *, pings: bool = True) -> Engine:
    """Return an engine that begins transactions as the store needs them.

    Args:
        url: URL of the database.
        pings: whether each connection to PostgreSQL is tested before its use, so that one that the
            server has closed meanwhile is replaced.
    """
    if url.get_backend_name() == "postgresql":
        options = {"connect_timeout": 10}
        return create_engine(url, pool_pre_ping=pings, connect_args=options)
    engine = create_engine(url, connect_args={"timeout": _BUSY_S})

    @event.listens_for(engine, "connect")
    def settle(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # or the driver would begin transactions by itself
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A transaction that reads first and then writes would have a snapshot that is too old.
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def files_of(given: str) -> list[Path]:
    """Return the files in which SQLite keeps the store; none for PostgreSQL."""
    url = parse_url(given)
    if url.get_backend_name() != "sqlite":
        return []
    return [Path(f"{url.database}{suffix}") for suffix in ("", "-wal", "-shm", "-ingest")]


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open an exclusive transaction: one writer at a time."""
    with engine.connect() as connection:
        connection = connection.execution_options(writes=True)
        with connection.begin():
            if engine.dialect.name == "postgresql":
                connection.exec_driver_sql("LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE")
            yield connection


@contextmanager
def alone(engine: Engine) -> Iterator[None]:
    """Refuse to run while another process does the same; the lock ends with the process."""
    held = _held_by_server(engine) if engine.dialect.name == "postgresql" else _held_file(engine)
    with held as is_ours:
        if not is_ours:
            raise StoreError(
                f"store {shown(engine.url)}: another ingest is at work on it; wait for its end"
            )
        yield


@contextmanager
def _held_by_server(engine: Engine) -> Iterator[bool]:
    with engine.connect() as connection:
        statement = text("SELECT pg_try_advisory_lock(hashtext('schedlab.history.ingest'))")
        is_ours = bool(connection.execute(statement).scalar())
        connection.commit()  # the session holds the lock; the transaction need not stay open
        try:
            yield is_ours
        finally:
            connection.invalidate()  # in the pool, the session would keep the lock


@contextmanager
def _held_file(engine: Engine) -> Iterator[bool]:
    name = f"{engine.url.database}-ingest"
    with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT, _PRIVATE), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


@contextmanager
def failing_as_store(url: URL) -> Iterator[None]:
    """Turn a database error into a one-line ``StoreError`` without the password."""
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines() or [type(error.orig).__name__]
        raise StoreError(f"store {shown(url)}: {reason[0][:_MOST_SAID]}") from None


def shown(url: URL) -> str:
    """Return the URL as messages may show it."""
    return url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)


def upgrade(engine: Engine) -> None:
    """Make the tables, or bring those of an earlier schedlab up to date; all or nothing.

    A service may keep running meanwhile. If PostgreSQL had to wait long for a table, others that
    want the table would wait behind it: the upgrade gives up, and nothing has changed.
    """
    from alembic import command
    from alembic.config import Config

    if engine.dialect.name == "sqlite":
        # SQLite gives its log and index the mode of the store; it reports files that it cannot
        # make.
        with suppress(OSError):
            os.close(os.open(str(engine.url.database), os.O_WRONLY | os.O_CREAT, _PRIVATE))
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_S}s'"))
        config = Config()
        config.set_main_option("script_location", str(_MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def require_current(engine: Engine, *, or_later: bool = False) -> None:
    """Refuse a database without our tables, or with those of another version.

    Args:
        engine: engine of the database.
        or_later: allow a later version, for a program that was running during the upgrade:
            migrations add to the tables, and take nothing away that the version before needs.
    """
    url = engine.url
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).is_file():
        raise StoreError(f"store {shown(url)}: does not exist; make it with: schedlab history init")
    found, known = _revision(engine), revisions()
    if found == known[-1] or (or_later and found is not None and found > known[-1]):
        return
    if found is None:
        remedy = "holds no job history; make it one with: schedlab history init"
    elif found in known:
        remedy = "was made by an earlier schedlab; bring it up to date with: schedlab history init"
    else:
        remedy = "was made by a later schedlab than this one"
    raise StoreError(f"store {shown(url)}: {remedy}")


def examine(engine: Engine) -> None:
    """Read the first and the last row of each table, on a new connection without a cache."""
    fresh = connect(engine.url)
    try:
        require_current(fresh, or_later=True)
        with fresh.connect() as connection:
            for table in metadata.sorted_tables:
                for direction in (asc, desc):
                    ordered = select(table).order_by(*map(direction, table.primary_key))
                    connection.execute(ordered.limit(1)).all()
    finally:
        fresh.dispose()


def is_damage(error: DBAPIError) -> bool:
    """Return whether the error means that stored data are damaged, not merely out of reach."""
    code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
    is_sqlites = code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    is_no_text = str(error.orig).startswith("Could not decode to UTF-8")  # the driver's words
    return is_sqlites or is_no_text or getattr(error.orig, "sqlstate", None) in _DAMAGED


def revisions() -> list[str]:
    """Return the numbers of the migrations, without Alembic, which takes long to load."""
    return sorted(path.name.partition("_")[0] for path in _MIGRATIONS.glob("versions/*_*.py"))


def _revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)

"""The migrations make the tables that the program works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, create_engine, text

from schedlab.errors import StoreError
from schedlab.history.store import Store, database
from schedlab.history.store.database import revisions
from schedlab.history.store.tables import metadata


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    """Open a connection that is closed at the end and not kept in a pool."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection, connection.begin():
        yield connection


def tables_of(url: str) -> set[tuple[str, ...]]:
    """Return the columns with their types, and the statements that made the indices."""
    with connected(url) as connection:
        columns = connection.execute(
            text("SELECT m.name, c.* FROM sqlite_master m, pragma_table_info(m.name) c")
        )
        indices = connection.execute(
            text(
                "SELECT replace(sql, '\"', '') FROM sqlite_master WHERE type = 'index' AND sql > ''"
            )
        )
        return {tuple(map(str, row)) for row in [*columns, *indices] if "alembic" not in row[0]}


def test_the_migrations_make_the_tables_of_sqlite(tmp_path: Path) -> None:
    """Tables are defined twice, as they are and as migrations: the two must agree."""
    migrated, declared = (f"sqlite:///{tmp_path / name}" for name in ("migrated", "declared"))
    Store.make(migrated).close()
    with connected(declared) as connection:
        metadata.create_all(connection)
    assert tables_of(migrated) == tables_of(declared)


@pytest.mark.slow
def test_the_migrations_make_the_tables_of_postgresql(postgresql: Callable[[], str]) -> None:
    """Alembic finds nothing that is still to be migrated."""
    url = postgresql()
    Store.make(url).close()
    with connected(url.replace("://", "+psycopg://")) as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_migrations_are_numbered_as_alembic_orders_them() -> None:
    """To open a store, only the numbers of the migrations are read."""
    scripts = ScriptDirectory(str(Path(database.__file__).with_name("migrations")))
    in_order = [script.revision for script in scripts.walk_revisions()]
    assert revisions() == in_order[::-1]


def test_making_a_store_again_keeps_what_is_in_it(tmp_path: Path) -> None:
    """``init`` may be run at every upgrade."""
    url = str(tmp_path / "history.db")
    with Store.make(url) as store:
        store.begin_ingest("slurm")
    with Store.make(url) as store:
        assert store.begin_ingest("slurm") == 2


def test_a_store_of_a_later_version_is_refused(tmp_path: Path) -> None:
    """An old program must not write into tables whose meaning it does not know."""
    url = f"sqlite:///{tmp_path / 'history.db'}"
    Store.make(url).close()
    with connected(url) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="later schedlab"):
        Store.open(url)

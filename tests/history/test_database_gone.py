"""A database goes away during an ingest: nothing is lost, and the next run reads the rest."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from tests.history.records import job
from tests.history.test_example_sites import SITES, load

from schedlab.errors import StoreError
from schedlab.history import pipeline
from schedlab.history.ingest import JobSource
from schedlab.history.ingest.slurm import database
from schedlab.history.ingest.slurm.database import SlurmDatabase
from schedlab.history.schema import Fault, JobRecord
from schedlab.history.store import Store

pytestmark = pytest.mark.slow

CUT_POSTGRESQL = "select pg_terminate_backend(pid) from pg_stat_activity where datname = '{}'"


class Interrupted:
    """A source that reads another one and, once, causes a disturbance after two records."""

    def __init__(self, source: JobSource, happens: Callable[[], None]) -> None:
        self.name, self.cursor = source.name, ""
        self._source, self._happens = source, [happens]

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Yield the records, and cause the disturbance after the second one."""
        for number, found in enumerate(self._source.read(since), 1):
            yield found
            if number == 2 and self._happens:
                self._happens.pop()()
        self.cursor = self._source.cursor


class FiveJobs:
    """A source of five jobs."""

    name, cursor = "five", "all"

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Return the jobs in order of submission."""
        return (job(str(number), queued_s=200 * number) for number in range(5))


def test_a_store_that_is_gone(
    postgresql: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server refuses connections after two jobs are stored; the next run stores the rest."""
    monkeypatch.setattr(pipeline, "BATCH", 2)
    url = postgresql()

    def allow(connections: bool) -> None:
        address, _, name = url.replace("postgresql:", "postgresql+psycopg:").rpartition("/")
        engine = create_engine(f"{address}/postgres", isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"alter database {name} allow_connections {connections}")
            connection.exec_driver_sql(CUT_POSTGRESQL.format(name))
        engine.dispose()

    source = Interrupted(FiveJobs(), lambda: allow(False))
    with (
        Store.make(url) as store,
        pytest.raises(StoreError, match="not currently accepting connections"),
        store.ingesting(),
    ):
        pipeline.ingest(store, source)
    allow(True)
    with Store.open(url) as store, store.ingesting():
        whole = pipeline.ingest(store, source)
        assert (whole.failure, whole.same, whole.added) == (None, 2, 3)
        assert store.count() == 5


def test_the_accounting_is_gone(
    tmp_path: Path, mariadb: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm's database ends the connection after two jobs; the next run stores the rest."""
    monkeypatch.setattr(database, "_BATCH", 1)
    shutil.copytree(SITES / "abci_like", tmp_path / "site")
    subprocess.run([sys.executable, "make_data.py"], cwd=tmp_path / "site", check=True)
    url = mariadb()
    load(url, tmp_path / "site" / "jobs.sql")

    def cut() -> None:
        engine = create_engine(url.replace("mariadb:", "mysql+pymysql:"))
        with engine.connect() as connection:
            name = url.rpartition("/")[2]
            listed = f"select id from information_schema.processlist where db = '{name}'"
            own = "and id != connection_id()"
            for (number,) in connection.exec_driver_sql(f"{listed} {own}").all():
                connection.exec_driver_sql(f"kill {number}")
        engine.dispose()

    slurm = SlurmDatabase("slurmdbd", url, "abci")
    with Store.make(str(tmp_path / "history.db")) as store:
        broken = pipeline.ingest(store, Interrupted(slurm, cut))
        assert broken.added == store.count() == 2
        assert broken.failure is not None
        assert "Lost connection" in broken.failure
        whole = pipeline.ingest(store, slurm)
        assert (whole.failure, whole.same, whole.added) == (None, 2, store.count() - 2)
        assert whole.added > 0

"""Slurm's accounting straight from the tables of slurmdbd, in MariaDB or MySQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from schedlab.command_files import read_secret
from schedlab.errors import InputError, ParameterError, PeerError
from schedlab.history.ingest.records import made
from schedlab.history.ingest.slurm.database_rows import SlurmRows
from schedlab.history.ingest.slurm.job import records_of
from schedlab.history.ingest.source import FORGET_AFTER_S, AttemptCounter, Fault
from schedlab.history.schema.job import JobRecord

_BATCH = 1000

_JOBS = """
select j.*, a.user as user_name, q.name as qos_name,
  (select count(*) from {cluster}_job_table p
   where p.id_job = j.id_job and p.time_submit < j.time_submit
     and p.time_submit >= j.time_submit - {forget_after_s}
     and (p.state & 255 in (7, 8, 9) or p.state & 1024)) as earlier_attempts
from {cluster}_job_table j
left join {cluster}_assoc_table a on a.id_assoc = j.id_assoc
left join qos_table q on q.id = j.id_qos
where j.deleted = 0 and j.job_db_inx > :after
  and (j.mod_time >= :since or (j.mod_time = 0 and j.time_end >= :since))
order by j.job_db_inx limit {batch}
"""

_STEPS = """
select job_db_inx, id_step, user_sec, user_usec, sys_sec, sys_usec, consumed_energy,
  tres_usage_in_max
from {cluster}_step_table where deleted = 0 and job_db_inx between :first and :last
"""


@dataclass
class SlurmDatabase:
    """Reads the rows that changed since the last reading, by the database's own clock.

    ``url`` is ``mariadb://user@host:port/slurm_acct_db``. The password is part of it or, better, in
    ``password_file``.
    """

    name: str
    url: str
    cluster: str
    password_file: str | None = None

    def __post_init__(self) -> None:
        self.cursor = ""
        try:
            make_url(self.url)
        except (ArgumentError, ValueError):
            raise ParameterError(
                "url is not that of a database; write mariadb://user@host:3306/slurm_acct_db"
            ) from None
        if not re.fullmatch(r"[A-Za-z0-9_-]+", self.cluster):
            raise ParameterError(f'cluster is "{self.cluster}"; must be the name slurmdbd uses')

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Yield the jobs whose rows changed since then; all without a cursor."""
        if since and not since.isdigit():
            raise InputError(f"the cursor {since!r} is not one of this source")
        newest = int(since or 0)
        self.cursor = str(newest)
        with self._connected() as connection:
            rows = SlurmRows(self.cluster, self._resources(connection))
            for batch in self._jobs(connection, newest):
                steps = self._steps(connection, batch)
                for row in batch:
                    newest = max(newest, row.mod_time)
                    where = f"{self.cluster}_job_table: job_db_inx {row.job_db_inx}"
                    yield from made(where, _records, rows, row, steps)
        self.cursor = str(newest)

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        url = make_url(self.url).set(drivername="mysql+pymysql")
        if self.password_file is not None:
            url = url.set(password=read_secret(self.password_file, "password"))
        engine = create_engine(url, connect_args={"charset": "utf8mb4", "connect_timeout": 10})
        try:
            with engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            reason = (getattr(error, "orig", None) or error).args[-1]
            shown = make_url(self.url).render_as_string(hide_password=True)
            raise PeerError(f"{shown}: {reason}") from None
        finally:
            engine.dispose()

    def _jobs(self, connection: Connection, since_s: int) -> Iterator[Sequence[Row[Any]]]:
        query = _JOBS.format(cluster=self.cluster, forget_after_s=FORGET_AFTER_S, batch=_BATCH)
        after = 0
        while True:
            places = {"since": since_s, "after": after}
            found = connection.execute(text(query), places).fetchall()
            if not found:
                return
            yield found
            after = found[-1].job_db_inx

    def _steps(self, connection: Connection, jobs: Sequence[Row[Any]]) -> dict[int, list[Row[Any]]]:
        span = {"first": jobs[0].job_db_inx, "last": jobs[-1].job_db_inx}
        steps: dict[int, list[Row[Any]]] = {}
        for step in connection.execute(text(_STEPS.format(cluster=self.cluster)), span):
            steps.setdefault(step.job_db_inx, []).append(step)
        return steps

    def _resources(self, connection: Connection) -> dict[int, str]:
        found = connection.execute(text("select id, type, name from tres_table"))
        return {row.id: f"{row.type}/{row.name}" if row.name else row.type for row in found}


def _records(
    rows: SlurmRows, row: Row[Any], steps: Mapping[int, Sequence[Row[Any]]]
) -> list[JobRecord]:
    return records_of(rows.job(row, steps.get(row.job_db_inx, ())), AttemptCounter())

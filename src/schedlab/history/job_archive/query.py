"""Queries of the archive: DuckDB reads the Parquet files where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.errors import InputError, StoreError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_EMPTY = """
CREATE TABLE archived_jobs (
    id BIGINT, cluster VARCHAR, jobid VARCHAR, attempt BIGINT, queue_s BIGINT, start_s BIGINT,
    end_s BIGINT, state VARCHAR, partition VARCHAR, user_identifier VARCHAR,
    accounting_group VARCHAR, job_name VARCHAR, num_host BIGINT, energy_joule DOUBLE,
    maxpower_watt DOUBLE, source VARCHAR, record VARCHAR, said VARCHAR, req_walltime_s DOUBLE,
    node_s BIGINT, hosts VARCHAR[], tags VARCHAR[], month VARCHAR)
"""


@dataclass(frozen=True)
class ArchiveAnswer:
    """The answer to a query, as a table."""

    names: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def ask(files: Sequence[Path], statement: str) -> ArchiveAnswer:
    """Run a statement in DuckDB's SQL on ``archived_jobs``, the jobs in these files."""
    import duckdb

    with _opened(files) as database:
        try:
            found = database.execute(statement)
            names = tuple(column[0] for column in found.description or ())
            return ArchiveAnswer(names, found.fetchall())
        except duckdb.Error as error:
            raise InputError(f"query: {_first_line(error)}") from None


def documents(folder: Path, wanted: Mapping[str, Iterable[int]]) -> dict[int, str]:
    """Return the records with the wanted keys, which are listed for each file of the archive."""
    import duckdb

    statement = "SELECT id, record FROM archived_jobs WHERE list_contains($keys, id)"
    keys = sorted({key for each in wanted.values() for key in each})
    if not keys:
        return {}
    with _opened([folder / path for path in wanted]) as database:
        try:
            return dict(database.execute(statement, {"keys": keys}).fetchall())
        except duckdb.Error as error:
            raise StoreError(f"archive {folder}: {_first_line(error)}") from None


@contextmanager
def _opened(files: Sequence[Path]) -> Iterator[DuckDBPyConnection]:
    """Open a database in memory in which the files are a table."""
    import duckdb

    with duckdb.connect() as database:
        if not files:
            database.execute(_EMPTY)
        else:
            names = ", ".join("'" + str(path).replace("'", "''") + "'" for path in files)
            options = "hive_partitioning = true, hive_types_autocast = false"
            try:
                database.execute(
                    f"CREATE VIEW archived_jobs AS FROM read_parquet([{names}], {options})"
                )
            except duckdb.Error as error:
                raise StoreError(f"archive: {_first_line(error)}") from None
        yield database


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]

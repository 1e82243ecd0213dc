"""A file of archived jobs: ``jobs/month=2026-01/jobs-FIRST-LAST-NAME.parquet``."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.errors import OutputError
from schedlab.history.private import make_private_folder
from schedlab.history.store.rows import Values
from schedlab.history.store.tables import jobs

if TYPE_CHECKING:
    import pyarrow as pa

FOLDER = "jobs"
"""The folder of these files, within the folder of the archive."""
_ROWS = 2_000  # of a row group: to find a job, no other group is read
_OF_THE_STORE = ("digest", "measurement")
_PRIVATE = 0o600


def new_path(month: str, keys: Sequence[int]) -> str:
    """Return a name that no other part has."""
    name = f"jobs-{min(keys)}-{max(keys)}-{secrets.token_hex(4)}.parquet"
    return f"{FOLDER}/month={month}/{name}"


def files_in(folder: Path) -> Iterator[str]:
    """Yield the paths of all existing files, relative to the folder of the archive."""
    for path in sorted((folder / FOLDER).glob("month=*/*.parquet")):
        yield str(path.relative_to(folder))


def remove_unfinished(folder: Path) -> None:
    """Remove unfinished files of killed runs; the caller knows that no other run is active."""
    for path in (folder / FOLDER).glob("month=*/.*.tmp"):
        path.unlink(missing_ok=True)


def write_part(
    path: Path,
    rows: Sequence[Values],
    hosts: Mapping[int, Sequence[str]],
    tags: Mapping[int, Sequence[str]],
) -> None:
    """Write rows of ``jobs``; the file is safe on disk when this returns, or does not exist."""
    import pyarrow.parquet as pq

    with _failing_as_output(path):
        make_private_folder(path.parent)
        temporary = path.with_name(f".{path.name}.tmp")
        temporary.touch(mode=_PRIVATE)
        pq.write_table(_table(rows, hosts, tags), temporary, row_group_size=_ROWS)
        _to_disk(temporary)
        temporary.rename(path)
        _to_disk(path.parent)


def _table(
    rows: Sequence[Values], hosts: Mapping[int, Sequence[str]], tags: Mapping[int, Sequence[str]]
) -> pa.Table:
    import pyarrow as pa

    types: dict[type, Any] = {int: pa.int64(), float: pa.float64(), str: pa.string()}
    columns = dict(zip(jobs.columns.keys(), zip(*rows, strict=True), strict=True))
    arrays = {
        name: pa.array(columns[name], types[column.type.python_type])
        for name, column in jobs.columns.items()
        if name not in _OF_THE_STORE
    }
    listed = pa.list_(pa.string())
    for name, parts in (("hosts", hosts), ("tags", tags)):
        arrays[name] = pa.array([parts.get(key, ()) for key in columns["id"]], listed)
    return pa.table(arrays)


def _to_disk(path: Path) -> None:
    """Flush to disk: the store deletes the jobs next, and they must survive a power failure."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def _failing_as_output(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"{path}: cannot be written: {reason}") from None

"""Write jobs of a store to a file in one of several formats."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, timezone
from functools import partial
from itertools import islice
from pathlib import Path

from pydantic_core import from_json
from sqlalchemy import ColumnElement, func, select

from schedlab.atomic import atomic_write
from schedlab.errors import LeakError, OutputError
from schedlab.history.export import EXPORTERS
from schedlab.history.export.exporter import Exporter, Extent, Record
from schedlab.history.export.zone import in_zone
from schedlab.history.pseudonyms import NameSearch, Release
from schedlab.history.store import JobQuery, Store
from schedlab.history.store.tables import hosts, jobs
from schedlab.lookup import find_class

_SHOWN_NAMES = 5

# The column of the tables that holds the names of each kind in a policy.
_NAMES: dict[str, ColumnElement[str]] = {
    "user": jobs.c.user_identifier,
    "group": jobs.c.accounting_group,
    "node": hosts.c.node_id,
    "job_name": jobs.c.job_name,
}
# The partition "gpu" does not expose a job that is called "gpu" too.
_PEOPLE_AND_MACHINES = ("user", "group", "node")
_PUBLIC = (jobs.c.cluster, jobs.c.partition)


@dataclass
class Exported:
    """The numbers of jobs that were written and of names that were searched for."""

    jobs: int = 0
    searched: int = 0


def export(
    store: Store,
    path: str | Path,
    *,
    format: str | None = None,
    query: JobQuery | None = None,
    release: Release | None = None,
    zone: timezone = UTC,
    nodes: int | None = None,
) -> Exported:
    """Write jobs of the store, completely or not at all; only some are in memory at a time.

    Args:
        store: the history.
        path: the file, or for ``clustercockpit`` the folder, to write.
        format: a name in ``EXPORTERS`` or ``package.module:Class``; else the suffix decides.
        query: which jobs to write. Default: all.
        release: makes pseudonyms; what was written is then searched for every real name.
        zone: time zone of all times. Default: UTC.
        nodes: number of nodes of the machine; without it, the number used, marked as inferred.

    Raises:
        LeakError: the output contains a real name; nothing is written.
    """
    path, query = Path(path), query or JobQuery()
    exporter, exported = find_exporter(path, format), Exported()
    records = _counted(map(from_json, store.documents(query)), exported)
    if zone is not UTC:
        records = (in_zone(record, zone) for record in records)
    if release is not None:
        records = map(release.apply, records)
    with _target(path, exporter) as temporary:
        exporter.write(records, temporary, _extent(store, release, nodes))
        if release is not None:
            exported.searched = _refuse_leaks(exporter, temporary, path, store, release)
    return exported


def find_exporter(path: Path, format: str | None) -> Exporter:
    """Return the exporter of that format, or the one for the ending of the file's name."""
    if format is not None:
        return find_class("format", format, EXPORTERS)()
    suffixes = {suffix: each for each in EXPORTERS.values() for suffix in each.suffixes}
    matching = [suffix for suffix in suffixes if path.name.lower().endswith(suffix)]
    if not matching:
        known = ", ".join(suffixes)
        raise OutputError(f"{path}: no format has this ending; give --format, or one of {known}")
    return suffixes[max(matching, key=len)]()


def _counted(records: Iterable[Record], exported: Exported) -> Iterator[Record]:
    for record in records:
        exported.jobs += 1
        yield record


def _extent(store: Store, release: Release | None, nodes: int | None) -> Extent:
    used = store.select(select(func.count(hosts.c.node_id.distinct())))[0][0]
    widest = store.select(select(func.max(jobs.c.num_host)))[0][0]
    clusters = ", ".join(sorted(_distinct(store, jobs.c.cluster))) or "history"
    name = clusters if release is None else release.name
    size = max(used, widest or 0) if nodes is None else nodes
    return Extent(name, size, nodes is None, partial(_preceding, store))


def _preceding(store: Store) -> frozenset[str]:
    depend = select(jobs.c.record).where(jobs.c.record.contains('"dependency":['))
    found = (from_json(record)["dependency"] for (record,) in store.select(depend))
    return frozenset(jobid for ids in found for jobid in ids)


def _target(path: Path, exporter: Exporter) -> AbstractContextManager[Path]:
    return _new_folder(path) if exporter.is_folder else atomic_write(path)


@contextmanager
def _new_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; rename it to ``path`` if the block succeeds."""
    if path.exists():
        raise OutputError(f"{path}: exists; name a folder that does not")
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        temporary.rename(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _refuse_leaks(
    exporter: Exporter, written: Path, path: Path, store: Store, release: Release
) -> int:
    """Refuse output with a real name in it; return the number of names searched for."""
    search = NameSearch(_names(store, release))
    leaks = ((name, text) for text in exporter.texts(written) for name in search.found(text))
    found = list(islice(leaks, _SHOWN_NAMES))
    if found:
        shown = "; ".join(f'"{name}" in "{text.strip()[:60]}"' for name, text in found)
        raise LeakError(f"{path}: not written, because it contains real names: {shown}")
    return len(search)


def _names(store: Store, release: Release) -> set[str]:
    """Return the names that the release hides: those in the store, and those met in records."""
    hidden = {kind: set(names) for kind, names in release.hidden.items()}
    for kind, column in _NAMES.items():
        if not release.policy.keeps(kind):
            hidden.setdefault(kind, set()).update(_distinct(store, column))
    public = {word for column in _PUBLIC for word in _distinct(store, column)}
    return {
        name
        for kind, names in hidden.items()
        for name in (names if kind in _PEOPLE_AND_MACHINES else names - public)
    }


def _distinct(store: Store, column: ColumnElement[str]) -> set[str]:
    return {value for (value,) in store.select(select(column).distinct()) if value}

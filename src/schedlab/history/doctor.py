"""Check that everything that a site file names can be reached and has data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import cast

from schedlab.errors import SchedlabError, SensorError
from schedlab.history.ingest import Fault, JobSource
from schedlab.history.pipeline import cursor_of
from schedlab.history.private import exposures
from schedlab.history.pseudonyms import read_key
from schedlab.history.sensors import coverage
from schedlab.history.sensors.source import AnySensorSource, SensorRequest
from schedlab.history.site import Site
from schedlab.history.sources import job_sources
from schedlab.history.store import Store

DAY_S = 86_400
_JOBS_READ = 100
_HOSTS_ASKED = 4


@dataclass(frozen=True)
class DoctorFinding:
    """The result of one check."""

    what: str
    is_well: bool
    says: str
    remedy: str | None = None
    """What to do about it."""


def examine(site: Site, store_url: str, at_s: float) -> Iterator[DoctorFinding]:
    """Check the store, each source, and what the sensors said in the day before ``at_s``."""
    store = None
    try:
        store = Store.open(store_url)
        yield DoctorFinding("store", True, f"{store.count():,} jobs in {store.shown}")
    except SchedlabError as error:
        yield DoctorFinding("store", False, str(error))
    try:
        yield from _job_sources(site, store)
    finally:
        if store is not None:
            store.close()
    for sensor in site.sensor_sources:
        yield from _sensor_source(site, sensor, at_s)
    yield _key(site)
    yield from _files(site, store_url)


def _job_sources(site: Site, store: Store | None) -> Iterator[DoctorFinding]:
    if not site.job_sections:
        yield DoctorFinding(
            "job sources", False, "none", "write a [[job_source]] into the site file"
        )
    try:
        sources = job_sources(site)
    except SchedlabError as error:
        yield DoctorFinding(
            "job sources", False, str(error), "correct its [[job_source]] in the site file"
        )
        return
    for source in sources:
        yield _job_source(source, None if store is None else cursor_of(store, source))


def _job_source(source: JobSource, cursor: str | None) -> DoctorFinding:
    what = f"job source {source.name}"
    try:
        # A source is a generator; if it is closed early, it stops the command that it reads from.
        with closing(cast("Iterator[object]", source.read(cursor))) as rows:  # type: ignore[type-var]
            found = list(islice(rows, _JOBS_READ))
    except SchedlabError as error:
        return DoctorFinding(
            what, False, str(error), "check its file, command or url in the site file"
        )
    faults = [each for each in found if isinstance(each, Fault)]
    more = "" if len(found) < _JOBS_READ else " to begin with"
    says = f"{len(found) - len(faults)} jobs{more}" + (" since the last ingest" if cursor else "")
    if faults:
        says += f", {len(faults)} faults; the first: {faults[0]}"
        return DoctorFinding(what, False, says, _remedy(len(faults), len(found)))
    return DoctorFinding(what, True, says)


def _remedy(faults: int, rows: int) -> str:
    if faults == rows:
        return "see whether kind fits the source, and time_zone"
    return "look at these rows in the source; all others are read"


def _sensor_source(site: Site, source: AnySensorSource, at_s: float) -> Iterator[DoctorFinding]:
    what = f"sensor source {source.name}"
    try:
        yield DoctorFinding(what, True, source.check())
    except SchedlabError as error:
        yield DoctorFinding(
            what, False, str(error), "is it up, and does the site file say where it is?"
        )
        return
    for cluster in site.clusters:
        if not source.section.clusters or cluster.name in source.section.clusters:
            hosts = {
                host: tuple(str(number) for number in range(nodes.gpu_count))
                for host, nodes in islice(cluster.by_host.items(), _HOSTS_ASKED)
            }
            for item in source.items:
                request = SensorRequest(hosts, at_s - DAY_S, at_s, cluster=cluster.name)
                yield _item(source, item, request)


def _item(source: AnySensorSource, item: str, request: SensorRequest) -> DoctorFinding:
    what = f"  {item}"
    section = source.items[item]
    if section.scope == "job":
        return DoctorFinding(what, True, "is measured by job, and was not asked for")
    try:
        found = source.read(item, request)
    except SensorError as error:
        return DoctorFinding(what, False, str(error), "check how the site file says it is found")
    places = len(request.places(section))
    if not found:
        remedy = "check its query or column, and the names of the hosts"
        return DoctorFinding(
            what, False, f"no data of the last day, at none of {places} places", remedy
        )
    shares = [coverage(each, request.start_s, request.end_s) for each in found.values()]
    share = sum(shares) / places
    says = f"{len(found)} of {places} places have data, coverage {100 * share:.0f} %"
    return DoctorFinding(what, True, says)


def _key(site: Site) -> DoctorFinding:
    path = site.path.parent / site.release.key
    if not path.exists():
        says = f"no {path}; needed for releases only"
        return DoctorFinding("key", True, says)
    try:
        read_key(path)
    except SchedlabError as error:
        return DoctorFinding("key", False, str(error))
    return DoctorFinding("key", True, f"{path} is readable by its owner only")


def _files(site: Site, store_url: str) -> Iterator[DoctorFinding]:
    found = exposures(store_url, site)
    for each in found:
        says, _, remedy = each.partition("; run: ")
        yield DoctorFinding("files", False, says, f"run: {remedy}")
    if not found:
        yield DoctorFinding(
            "files", True, "store, archive and secrets are reachable by their owner only"
        )

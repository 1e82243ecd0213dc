"""Fill a site's store from its job sources and sensors, in steps that may be interrupted.

Jobs come first: batch by batch, each in one transaction. The position in a source is stored once
all of it is in the store. Then the sensors are asked about every job that waits for it: a job's
share of a node is known only when its neighbours are known. A run that is killed leaves whole
batches. The next run reads the source again from the stored position; jobs that are already there
change nothing.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from schedlab.errors import SchedlabError, UnknownNameError
from schedlab.history.aggregate import measure
from schedlab.history.attribution import Occupancy
from schedlab.history.gather import gather
from schedlab.history.ingest.source import JobSource
from schedlab.history.schema import Fault, JobRecord
from schedlab.history.site import Site
from schedlab.history.store import Due, JobQuery, Measurement, Store
from schedlab.platform.hostlist import fold_hosts

BATCH = 5_000
"""Jobs that are stored in one transaction."""
MEASURED_AT_ONCE = 100
"""Jobs whose measurements are stored in one transaction."""
_SHOWN_FAULTS = 20
MANY = 10_000
"""After this many new jobs the database renews the statistics of its tables."""
PATIENCE = 20
"""The number of jobs in a row without sensors after which the rest is left to the next run."""

Progress = Callable[[str, int], None]


def _silent(_: str, __: int) -> None:
    """Report nothing."""


@dataclass
class IngestOutcome:
    """What an ingest read from one source."""

    source: str
    added: int = 0
    changed: int = 0
    same: int = 0
    fault_count: int = 0
    faults: list[Fault] = field(default_factory=list)
    """The first faults; the store's log has more."""
    failure: str | None = None
    """Why the source could not be read to its end."""

    @property
    def jobs(self) -> int:
        """The number of jobs that were read."""
        return self.added + self.changed + self.same


@dataclass
class Sensing:
    """What became of the jobs that waited to be measured."""

    measured: int = 0
    failed: int = 0
    """Jobs that failed for the first time; the next run measures them again."""
    failed_again: int = 0
    """Jobs that failed again."""
    left: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """The errors of sensors, each with its number of jobs."""


def ingest(
    store: Store,
    source: JobSource,
    *,
    site: Site | None = None,
    from_start: bool = False,
    progress: Progress = _silent,
) -> IngestOutcome:
    """Read one source into the store, and note how far it was read.

    Args:
        store: store to write to.
        source: job source to read.
        site: site on whose nodes the jobs must have run, and whose sensors are asked later.
        from_start: read all of it, not only what is new since the last time.
        progress: called with the name of the source and the number of jobs read so far.
    """
    outcome, log = IngestOutcome(source.name), store.begin_ingest(source.name)
    try:
        since = None if from_start else cursor_of(store, source)
        with _rare_collections():
            for batch in _batches(source.read(since)):
                _put(store, batch, outcome, log, site)
                progress(source.name, outcome.jobs)
    except SchedlabError as error:
        outcome.failure = str(error)
        store.end_ingest(log, failure=outcome.failure)
    else:
        store.end_ingest(log, cursor=f"{_kind(source)} {source.cursor}")
    if outcome.added >= MANY:
        store.take_statistics()
    return outcome


def cursor_of(store: Store, source: JobSource) -> str | None:
    """Return how far the source was read.

    Return None if a source of another kind read it, since its cursor has another form.
    """
    kind, _, cursor = (store.cursor(source.name) or "").partition(" ")
    return cursor if kind == _kind(source) else None


def _kind(source: JobSource) -> str:
    return type(source).__name__


def measure_due(store: Store, site: Site, *, progress: Progress = _silent) -> Sensing:
    """Ask the site's sensors about every due job, then about jobs for which they had failed."""
    sensing, asked = Sensing(), set[int]()
    for which in (Measurement.DUE, Measurement.FAILED):
        _measure_all(store, site, which, sensing, asked, progress)
    sensing.left = store.count(JobQuery(measurements=(Measurement.DUE,)))
    return sensing


def _measure_all(
    store: Store,
    site: Site,
    which: Measurement,
    sensing: Sensing,
    asked: set[int],
    progress: Progress,
) -> None:
    """Measure the jobs in that state, except those that this run has asked about already."""
    failed_in_a_row, last = 0, 0
    while failed_in_a_row < PATIENCE and (found := store.due(which, MEASURED_AT_ONCE, after=last)):
        due, last = [each for each in found if each.key not in asked], found[-1].key
        occupancy = _occupancy(store, site, due) if due else None
        measured, failed = {}, set()
        for each in due:
            measured[each], faults = _measured(each.record, site, occupancy)
            failed |= {each} if faults else set()
            failed_in_a_row = failed_in_a_row + 1 if faults else 0
            sensing.reasons.update(faults)
            if failed_in_a_row == PATIENCE:
                break
        store.put_measured(measured, failed)
        asked.update(each.key for each in measured)
        sensing.measured += len(measured) - len(failed)
        if which is Measurement.DUE:
            sensing.failed += len(failed)
        else:
            sensing.failed_again += len(failed)
        progress("sensors", sensing.measured)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Collect garbage rarely: records have no cycles, and this saves a fifth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _batches(found: Iterator[JobRecord | Fault]) -> Iterator[list[JobRecord | Fault]]:
    """Yield what was found in batches; a failure is raised after the batch before it."""
    while True:
        batch: list[JobRecord | Fault] = []
        try:
            batch.extend(islice(found, BATCH))
        except SchedlabError:
            yield batch
            raise
        if not batch:
            return
        yield batch


def _put(
    store: Store,
    batch: list[JobRecord | Fault],
    outcome: IngestOutcome,
    log: int,
    site: Site | None,
) -> None:
    records = [each for each in batch if isinstance(each, JobRecord)]
    faults = [each for each in batch if not isinstance(each, JobRecord)]
    faults += [] if site is None else _doubts(records, site)
    to_measure = site is not None and bool(site.sensor_sources)
    counts = store.put(
        records,
        source=outcome.source,
        ingest=log,
        to_measure=to_measure,
        nodes_are_shared=to_measure and site is not None and site.sharing is not None,
    )
    if site is not None and site.sharing is None:
        faults += _overlaps(store, counts.keys)
    store.note_faults(log, faults)
    outcome.added += counts.added
    outcome.changed += counts.changed
    outcome.same += counts.same
    outcome.fault_count += len(faults)
    outcome.faults += faults[: _SHOWN_FAULTS - len(outcome.faults)]


def _doubts(records: Iterable[JobRecord], site: Site) -> list[Fault]:
    """Return a fault for each job on an unknown cluster or node; such jobs are kept."""
    found = []
    for record in records:
        try:
            cluster = site.cluster(record.cluster)
        except UnknownNameError as error:
            found.append(Fault(f"job {record.jobid}", str(error)))
            continue
        strange = [each.node_id for each in record.per_host or ()]
        strange = [node for node in strange if cluster.by_host and node not in cluster.by_host]
        if strange:
            reason = f"ran on {fold_hosts(strange)}, which cluster {cluster.name} does not have"
            found.append(Fault(f"job {record.jobid}", reason))
    return found


def _overlaps(store: Store, keys: Sequence[int]) -> Iterator[Fault]:
    """Yield a fault for each pair of jobs on one node, for a site that does not allow sharing."""
    for jobid, other, node in store.overlaps(keys):
        reason = f"ran on {node} together with job {other}, though the site has no [sharing]"
        yield Fault(f"job {jobid}", reason)


def _measured(
    record: JobRecord, site: Site, occupancy: Occupancy | None
) -> tuple[JobRecord, set[str]]:
    """Return the record with its measurements, and the errors of sensors that failed."""
    try:
        readings = gather(record, site)
    except UnknownNameError:
        return record, set()  # its cluster is unknown; the ingest has reported that
    faults = {fault for reading in readings.values() for fault in reading.faults}
    return measure(record, site, readings, occupancy), faults


def _occupancy(store: Store, site: Site, due: Sequence[Due]) -> Occupancy | None:
    """Return which jobs held the hosts of these jobs while they ran."""
    if site.sharing is None:
        return None
    records = [each.record for each in due]
    starts = [record.start_time for record in records if record.start_time is not None]
    ends = [record.end_time for record in records if record.end_time is not None]
    nodes = {host.node_id for record in records for host in record.per_host or ()}
    query = JobQuery(
        nodes=tuple(sorted(nodes)),
        ran_from_s=int(min(starts).timestamp()),
        ran_to_s=int(max(ends).timestamp()) + 1,
    )
    return Occupancy(store.unmeasured_records(query))

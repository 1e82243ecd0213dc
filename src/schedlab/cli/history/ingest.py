"""schedlab history ingest."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Exit, Option

from schedlab.cli.console import AsJson, err, new_table, out, print_json, print_notes
from schedlab.cli.store_place import StoreLocation, require_history
from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.history.archive import Archived
    from schedlab.history.ingest import JobSource
    from schedlab.history.pipeline import IngestOutcome, Sensing
    from schedlab.history.site import Site

EXAMPLES = (
    "schedlab history ingest",
    "schedlab history ingest slurm --since start",
    "schedlab history ingest --kind swf trace.swf.gz --store trace.db",
    "schedlab history ingest --kind clustercockpit job-archive --store archive.db",
    "schedlab history ingest --kind slurm-database mariadb://reader@db/slurm_acct_db --cluster big",
)
_PARTLY = 1


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """What to read, and from which point on."""

    since: Annotated[
        Literal["last", "start"],
        Option(metavar="last|start", help="Read what is new, or everything again."),
    ] = "last"
    kind: Annotated[
        str | None,
        Option(
            metavar="KIND",
            help="Read the named files without a site file, as a job source of this kind.",
        ),
    ] = None
    cluster: Annotated[
        str | None,
        Option(metavar="NAME", help="Cluster of these jobs, if --kind does not imply it."),
    ] = None

    def sources(
        self, place: StoreLocation, names: Sequence[str]
    ) -> tuple[Site | None, Sequence[JobSource]]:
        """Return the sources with these names, and the site that describes them, if any."""
        from schedlab.history.sources import job_sources, lone_job_source

        if self.kind is None and self.cluster is not None:
            raise ParameterError(
                "--cluster belongs to --kind; in a site file a source says its own"
            )
        if self.kind is None:
            site = place.read()
            return site, job_sources(site, names)
        if not names:
            raise ParameterError(f"--kind {self.kind}: name the file, folder or database to read")
        return None, [lone_job_source(self.kind, each, self.cluster) for each in names]


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """Whether sensors are asked, and about which jobs."""

    sensors: Annotated[
        bool, Option("--sensors/--no-sensors", help="Ask the site's sensors about the jobs.")
    ] = True
    remeasure: Annotated[
        bool,
        Option(
            "--remeasure",
            help="Ask the sensors about all jobs again, as after a change of the site file.",
        ),
    ] = False


@dataclass(frozen=True)
class IngestResult:
    """The result of an ingest."""

    sources: list[IngestOutcome]
    sensors: Sensing | None = None
    archive: Archived | None = None

    @property
    def is_whole(self) -> bool:
        """Whether everything could be read."""
        read = not any(each.failure or each.fault_count for each in self.sources)
        return read and not (self.sensors and self.sensors.failed)


def ingest(
    place: StoreLocation,
    reading: IngestOptions,
    measuring: Measuring,
    sources: Annotated[
        list[str] | None,
        Argument(
            metavar="[SOURCE]...",
            help="Job sources of the site file, all if none is named; with --kind, the files, "
            "folders or databases to read.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Read new jobs into the store, and ask the sensors about those that have ended.

    It can be stopped at any moment: nothing is half-written, and the next run completes it. What
    cannot be read is reported, and the rest goes on; the exit code is then 1.
    """
    require_history()
    done = _ingested(place, reading, measuring, tuple(sources or ()))
    if json:
        print_json(asdict(done))
    else:
        out().print(_table(done.sources))
    print_notes([*_notes(done), *place.exposures()], to_stderr=json)
    for outcome in done.sources:
        if outcome.failure is not None:
            reason = outcome.failure.removeprefix(f"{outcome.source}: ")
            told = f"{outcome.source}: not read to its end: {reason}"
            err().print(told, style="red", soft_wrap=True)
    if not done.is_whole:
        raise Exit(_PARTLY)


def _ingested(
    place: StoreLocation, reading: IngestOptions, measuring: Measuring, names: Sequence[str]
) -> IngestResult:
    from schedlab.cli.progress import progress
    from schedlab.history import pipeline
    from schedlab.history.archive import archive_days
    from schedlab.history.store import Store

    site, chosen = reading.sources(place, names)
    with Store.open(place.url()) as store, store.ingesting(), progress("ingesting") as report:

        def tell(what: str, jobs: int) -> None:
            report(jobs, None, f"{what}: {jobs:,} jobs")

        again = reading.since == "start"
        outcomes = [
            pipeline.ingest(store, each, site=site, from_start=again, progress=tell)
            for each in chosen
        ]
        if site is None or not site.sensor_sources or not measuring.sensors:
            store.sum_days(time.time())
            return IngestResult(outcomes)
        if measuring.remeasure:
            store.measure_again()
        sensing = pipeline.measure_due(store, site, progress=tell)
        store.sum_days(time.time())
        return IngestResult(outcomes, sensing, archive_days(site, store, time.time()))


def _table(outcomes: Sequence[IngestOutcome]) -> Table:
    table = new_table("source", "jobs", "new", "changed", "the same", "faults")
    for each in outcomes:
        counts = (each.jobs, each.added, each.changed, each.same, each.fault_count)
        table.add_row(each.source, *(f"{count:,}" for count in counts))
    return table


def _notes(done: IngestResult) -> Iterator[str]:
    for each in done.sources:
        yield from (f"fault: {fault}" for fault in each.faults)
        if each.fault_count > len(each.faults):
            yield f"... and {each.fault_count - len(each.faults):,} more; the store's log has them"
    if (sensing := done.sensors) is not None:
        yield f"sensors: {sensing.measured:,} jobs measured"
        if sensing.failed or sensing.failed_again:
            again = f", and once more for {sensing.failed_again:,}" if sensing.failed_again else ""
            yield f"sensors failed for {sensing.failed:,} jobs{again}; the next ingest asks again:"
            for reason, jobs in sensing.reasons.most_common(5):
                yield f"  {reason} ({jobs:,} jobs)"
        if sensing.left:
            yield f"{sensing.left:,} jobs were left to the next ingest"
    archived = done.archive
    if archived is not None and (archived.files or archived.failures):
        yield f"archive: {archived.files:,} files written"
        yield from (f"not archived: {failure}" for failure in archived.failures[:5])

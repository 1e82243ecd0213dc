"""schedlab history ingest."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Exit, Option

from schedlab.cli.console import AsJson, err, new_table, out, print_json, print_notes
from schedlab.cli.history.place import Place, require_history
from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.history.archive import Archived
    from schedlab.history.ingest import JobSource
    from schedlab.history.pipeline import Outcome, Sensing
    from schedlab.history.site import Site

EXAMPLES = (
    "schedlab history ingest",
    "schedlab history ingest slurm --since start",
    "schedlab history ingest --kind swf --file trace.swf.gz --store trace.db",
)
_PARTLY = 1


def ingest(
    place: Place,
    sources: Annotated[
        list[str] | None,
        Argument(metavar="[SOURCE]...", help="Job sources of the site file; all if none is named."),
    ] = None,
    since: Annotated[
        Literal["last", "start"],
        Option(metavar="last|start", help="Read what is new, or everything again."),
    ] = "last",
    sensors: Annotated[
        bool, Option("--sensors/--no-sensors", help="Ask the site's sensors about the jobs.")
    ] = True,
    remeasure: Annotated[
        bool,
        Option(
            "--remeasure",
            metavar="",
            help="Ask the sensors about all jobs again, as after a change of the site file.",
        ),
    ] = False,
    kind: Annotated[
        str | None,
        Option(metavar="KIND", help="Read one file of this kind, without a site file."),
    ] = None,
    file: Annotated[
        str | None, Option(metavar="FILE", help="The file, or folder, that --kind reads.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Read new jobs into the store, and ask the sensors about those that have ended.

    Stopped at any moment, nothing is half-written, and the next run completes it. What cannot be
    read is reported, and the rest goes on; the exit code is then 1.
    """
    require_history()
    from schedlab.cli.progress import progress
    from schedlab.history import pipeline
    from schedlab.history.archive import archive_days
    from schedlab.history.store import Store

    site, chosen = _sources(place, tuple(sources or ()), kind, file)
    with (
        Store.open(place.url()) as store,
        store.ingesting(),
        progress("ingesting") as report,
    ):

        def tell(what: str, jobs: int) -> None:
            report(jobs, None, f"{what}: {jobs:,} jobs")

        outcomes = [
            pipeline.ingest(store, each, site=site, from_start=since == "start", progress=tell)
            for each in chosen
        ]
        sensing = archived = None
        if site is not None and site.sensor_sources and sensors:
            if remeasure:
                store.measure_again()
            sensing = pipeline.measure_due(store, site, progress=tell)
            archived = archive_days(site, store, time.time())
    if json:
        print_json(_facts(outcomes, sensing, archived))
    else:
        out().print(_table(outcomes))
    print_notes(_notes(outcomes, sensing, archived), to_stderr=json)
    for outcome in outcomes:
        if outcome.failure is not None:
            err().print(f"{outcome.source}: not read to its end: {outcome.failure}", style="red")
    if any(each.failure or each.fault_count for each in outcomes) or (sensing and sensing.failed):
        raise Exit(_PARTLY)


def _sources(
    place: Place, names: Sequence[str], kind: str | None, file: str | None
) -> tuple[Site | None, Sequence[JobSource]]:
    from schedlab.history.ingest import make_job_source
    from schedlab.history.sources import job_sources

    if (kind is None) != (file is None):
        raise ParameterError("say both --kind and --file, or neither")
    if kind is not None and file is not None:
        if names:
            raise ParameterError("--kind reads one file; name no sources of a site file")
        key = "folder" if Path(file).is_dir() else "file"
        return None, [make_job_source({"kind": kind, "name": file, key: file}, "--kind")]
    site = place.read()
    return site, job_sources(site, names)


def _facts(
    outcomes: Sequence[Outcome], sensing: Sensing | None, archived: Archived | None
) -> dict[str, Any]:
    return {
        "sources": [asdict(each) for each in outcomes],
        "sensors": None if sensing is None else asdict(sensing),
        "archive": None if archived is None else asdict(archived),
    }


def _table(outcomes: Sequence[Outcome]) -> Table:
    table = new_table("source", "jobs", "new", "changed", "the same", "faults")
    for each in outcomes:
        counts = (each.jobs, each.added, each.changed, each.same, each.fault_count)
        table.add_row(each.source, *(f"{count:,}" for count in counts))
    return table


def _notes(
    outcomes: Sequence[Outcome], sensing: Sensing | None, archived: Archived | None
) -> Iterator[str]:
    for each in outcomes:
        yield from (f"fault: {fault}" for fault in each.faults)
        if each.fault_count > len(each.faults):
            yield f"... and {each.fault_count - len(each.faults):,} more; the store's log has them"
    if sensing is not None:
        yield f"sensors: {sensing.measured:,} jobs measured"
        if sensing.failed:
            yield f"sensors failed for {sensing.failed:,} jobs, which will be measured again:"
            for reason, jobs in sensing.reasons.most_common(5):
                yield f"  {reason} ({jobs:,} jobs)"
        if sensing.left:
            yield f"{sensing.left:,} jobs were left to the next ingest"
    if archived is not None and (archived.files or archived.failures):
        yield f"archive: {archived.files:,} files written"
        yield from (f"not archived: {failure}" for failure in archived.failures[:5])

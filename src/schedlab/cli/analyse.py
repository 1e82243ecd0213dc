"""schedlab analyse."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.atomic import require_writable
from schedlab.cli.console import (
    AsJson,
    cell,
    heading,
    new_table,
    out,
    print_json,
    print_notes,
    reading_notes,
)
from schedlab.cli.reading import Shaping, WorkloadOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from schedlab.analysis import Analysis
    from schedlab.analysis.requests import Requests
    from schedlab.analysis.users import Users

EXAMPLES = (
    "schedlab analyse trace.swf.gz",
    "schedlab analyse trace.swf --report trace.html",
    "schedlab analyse trace.swf --min-run 10m --status 1 --status 0 --json",
)

_COUNTING = "Which jobs count"
_MAX_REQUESTS = 8


def analyse(
    reading: WorkloadOptions,
    shaping: Shaping,
    min_run: Annotated[
        str,
        Option(
            metavar="T",
            help="Shorter jobs count as tests and are left out.",
            rich_help_panel=_COUNTING,
        ),
    ] = "90s",
    status: Annotated[
        list[int] | None,
        Option(
            metavar="N",
            help="Jobs of this status count, as in SWF: 1 completed (the default), 0 failed, "
            "5 cancelled; may be given several times.",
            rich_help_panel=_COUNTING,
        ),
    ] = None,
    beta: Annotated[
        float,
        Option(metavar="B", help="The weight of a user's past in the WRSA, at least 0, below 1."),
    ] = 0.3,
    report: Annotated[
        Path | None,
        Option(metavar="FILE", help="Write an interactive page, one HTML file."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Analyse the requests of users: their accuracy, their sizes and their times.

    For what a trace contains and what its reader repaired, see schedlab workload info.
    """
    from schedlab.analysis import analyse as analyse_workload
    from schedlab.units import parse_duration

    shaping.check()
    min_run_s = parse_duration(min_run)
    if report is not None:
        _check_report(report)
    workload = shaping.apply(reading.read(shaping.seed))
    found = analyse_workload(workload, min_run_s=min_run_s, statuses=status or (1,), beta=beta)
    if report is not None:
        _write_report(found, report)
    if json:
        print_json(found.to_dict())
    else:
        _print(found)
    written = [f"written: {report}"] if report is not None else []
    notes = [*found.notes, *reading_notes(workload.report), *written]
    print_notes(notes, to_stderr=json)


def _check_report(report: Path) -> None:
    from schedlab.viz.page import require_bokeh

    require_bokeh()
    require_writable(report)


def _write_report(found: Analysis, report: Path) -> None:
    from schedlab.cli.progress import progress
    from schedlab.viz.analysis import write_analysis

    with progress("drawing"):
        write_analysis(found, report)


def _print(found: Analysis) -> None:
    tables = [_summary(found)]
    if found.accuracy_of_users:
        tables.append(_users(found.accuracy_of_users))
    if found.requests:
        tables.append(_requests(found.requests))
    console = out()
    console.print(heading(found.name), "", sep="\n")
    for table in tables:
        console.print(table, "", sep="\n")


def _summary(found: Analysis) -> Table:
    table = new_table("", "", text_columns=2)
    table.show_header = False
    for line in _lines(found):
        table.add_row(*line)
    return table


def _lines(found: Analysis) -> Iterator[tuple[str, str]]:
    rule, row = found.rule, found.table_row()
    statuses = " or ".join(map(str, rule.statuses))
    which = f"at least {rule.min_run_s} s, status {statuses}"
    yield "users", cell(row["users"], "{:,}".format)
    yield "jobs", f"{found.jobs:,} of {found.all_jobs:,} ({which})"
    yield "greatest request", cell(row["max_request_h"], "{:,} h".format)
    yield "mean WRA", cell(row["mean_wra"], "{:.3f}, run time / request".format)
    if found.arrivals:
        yield "busiest hour", f"{_busiest(found.arrivals.by_hour):02d}:00 {found.arrivals.zone}"
        yield "busiest day", _weekday(_busiest(found.arrivals.by_weekday))


def _busiest(jobs: tuple[int, ...]) -> int:
    return jobs.index(max(jobs))


def _weekday(number: int) -> str:
    from schedlab.analysis.arrivals import WEEKDAYS

    return WEEKDAYS[number]


def _users(users: Users) -> Table:
    table = new_table("over users", "least", "q25", "median", "q75", "greatest", "mean")
    for name, box in (("mean WRA", users.mean_wra), ("WRSA after last job", users.wrsa)):
        table.add_row(name, *(f"{value:.3f}" for value in asdict(box).values()))
    return table


def _requests(requests: Requests) -> Table:
    from schedlab.units import whole_duration

    table = new_table("commonest requests", "jobs", "share", "mean WRA")
    for request_s, jobs, share, mean in requests.commonest.head(_MAX_REQUESTS).iter_rows():
        name = whole_duration(request_s)
        table.add_row(name, f"{jobs:,}", f"{100 * share:.1f} %", f"{mean:.3f}")
    return table

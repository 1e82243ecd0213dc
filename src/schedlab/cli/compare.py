"""schedlab compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from typer import Option

from schedlab.cli.comparison import Comparison
from schedlab.cli.console import AsJson, heading, out, print_json, print_notes
from schedlab.cli.group_tables import GroupTables, is_of_jobs
from schedlab.cli.machine import Machine
from schedlab.cli.pictures import Pictures
from schedlab.cli.reading import Reading, Shaping
from schedlab.cli.replay import NoPast, Past, Policies, Scenario
from schedlab.cli.results import result_rows, run_notes
from schedlab.errors import ParameterError, UnknownNameError

EXAMPLES = (
    "schedlab compare trace.swf.gz --policy fcfs --policy easy --report report.html",
    "schedlab compare trace.swf --policy easy --policy sjf+easy --metric wait:percentile=99",
    "schedlab compare trace.swf --policy easy --policy conservative --plot waits.pdf --picture cdf",
    "schedlab compare trace.swf --policy easy --policy fcfs --by partition --metric wait",
)


def compare(
    reading: Reading,
    shaping: Shaping,
    machine: Machine,
    policies: Policies,
    pictures: Pictures,
    metric: Annotated[
        list[str] | None,
        Option(
            metavar="M",
            help="A metric such as wait, wait:percentile=95 or utilisation; several may be given.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        Option(
            metavar="GROUP",
            help="Also group by user, group, account, qos, partition, queue, size, run_time, "
            "clusters, "
            "day or week.",
        ),
    ] = None,
    no_past: NoPast = False,
    json: AsJson = False,
) -> None:
    """Replay a trace under several policies, and compare each with the best."""
    from schedlab.metrics import find_metric
    from schedlab.viz.comparison import USUAL_METRICS

    policies.names()
    metrics = metric or USUAL_METRICS
    for name in metrics:
        find_metric(name)
    if by is not None:
        _check_groups(by, metrics)
    pictures.check()
    scenario = Scenario.load(reading, shaping, machine)
    schedules = list(policies.run(scenario, shaping.seed))
    past = Past() if no_past else Past.of(scenario)
    shown = [*schedules, *past.schedules]
    written = pictures.draw(shown, metrics)
    comparison = Comparison.of(shown, metrics)
    rows = result_rows(shown, scenario, policies, shaping.seed)
    groups = None if by is None else GroupTables.of(shown, metrics, by)
    if json:
        more = comparison.rows() if groups is None else _with_groups(comparison, groups)
        print_json([{**row, **each} for row, each in zip(rows, more, strict=True)])
    else:
        console = out()
        console.print(heading(scenario.title()), "", comparison.table(console), "", sep="\n")
        for title, table in groups.tables() if groups else ():
            console.print(heading(title), "", table, "", sep="\n")
    notes = [
        *run_notes(rows[: len(schedules)]),
        *(groups.notes() if groups else ()),
        *past.notes,
        *scenario.notes,
        *(f"written: {path}" for path in written),
    ]
    print_notes(notes, to_stderr=json)


def _check_groups(by: str, metrics: Sequence[str]) -> None:
    from schedlab.metrics import GROUPINGS

    if by not in GROUPINGS:
        raise UnknownNameError("grouping", by, GROUPINGS)
    if not any(map(is_of_jobs, metrics)):
        raise ParameterError(f"--by {by} needs a metric with a value for each job, such as wait")


def _with_groups(comparison: Comparison, groups: GroupTables) -> list[dict[str, Any]]:
    return [
        {**row, f"by_{groups.by}": groups.rows(policy)}
        for row, policy in zip(comparison.rows(), comparison.policies, strict=True)
    ]

"""schedlab simulate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from schedlab.cli.cluster_tables import clusters_needed_table, clusters_table
from schedlab.cli.comparison import PolicyComparison
from schedlab.cli.console import AsJson, heading, out, print_json, print_notes
from schedlab.cli.group_tables import GroupTables, is_of_jobs
from schedlab.cli.machine import MachineOptions
from schedlab.cli.pictures import Pictures
from schedlab.cli.reading import Shaping, WorkloadOptions
from schedlab.cli.replay import NoPast, Policies, RecordedPast, Scenario
from schedlab.cli.results import Row, counter_notes, result_rows, run_notes
from schedlab.errors import ParameterError, UnknownNameError

EXAMPLES = (
    "schedlab simulate trace.swf.gz --policy easy --policy sjf+easy --report report.html",
    "schedlab simulate trace.swf --nodes 128 --policy easy:depth=100 --out easy.parquet",
    "schedlab simulate trace.swf --policy easy --policy fcfs --by partition --metric wait",
    "schedlab simulate trace.swf --policy easy --policy fcfs --figure waits.pdf --figure-kind cdf",
    "schedlab simulate shared:load=0.8 --jobs 5000 --platform machine.toml --policy easy --json",
    "schedlab simulate jobs.csv --platform grid.toml --policy conservative --policy coalloc",
)


def simulate(
    reading: WorkloadOptions,
    shaping: Shaping,
    machine: MachineOptions,
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
    output: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="FILE",
            help="Write the schedules as .parquet, .csv, .json (Chrome trace) or, for one policy, "
            ".swf or Batsim's _jobs.csv.",
        ),
    ] = None,
    no_past: NoPast = False,
    json: AsJson = False,
) -> None:
    """Replay a trace under one or more policies, and compare each with the best."""
    from schedlab.metrics import find_metric
    from schedlab.sim import check_saving, save_schedules
    from schedlab.viz.comparison import USUAL_METRICS

    names, metrics = policies.names(), metric or USUAL_METRICS
    for name in metrics:
        find_metric(name)
    if by is not None:
        _check_groups(by, metrics)
    pictures.check()
    if output is not None:
        check_saving(names, output)
    scenario = Scenario.load(reading, shaping, machine)
    schedules = list(policies.run(scenario, shaping.seed))
    if output is not None:
        save_schedules(schedules, output)
    past = RecordedPast() if no_past else RecordedPast.of(scenario)
    shown = [*schedules, *past.schedules]
    written = [*([] if output is None else [output]), *pictures.draw(shown, metrics)]
    comparison = PolicyComparison.of(shown, metrics)
    rows = result_rows(shown, scenario, policies, shaping.seed)
    of_policies = rows[: len(schedules)]
    groups = None if by is None else GroupTables.of(shown, metrics, by)
    if json:
        more = comparison.rows() if groups is None else _with_groups(comparison, groups)
        print_json([{**row, **each} for row, each in zip(rows, more, strict=True)])
    else:
        _print(scenario, comparison, of_policies, groups)
    notes = [
        *run_notes(of_policies),
        *counter_notes(schedules),
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


def _with_groups(comparison: PolicyComparison, groups: GroupTables) -> list[dict[str, Any]]:
    return [
        {**row, f"by_{groups.by}": groups.rows(policy)}
        for row, policy in zip(comparison.rows(), comparison.policies, strict=True)
    ]


def _print(
    scenario: Scenario,
    comparison: PolicyComparison,
    rows: Sequence[Row],
    groups: GroupTables | None,
) -> None:
    console = out()
    console.print(heading(scenario.title()), "", comparison.table(console), "", sep="\n")
    for title, table in groups.tables() if groups else ():
        console.print(heading(title), "", table, "", sep="\n")
    if "needs" in scenario.workload:
        console.print(clusters_needed_table(rows), "", clusters_table(rows), "", sep="\n")

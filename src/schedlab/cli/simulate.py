"""schedlab simulate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.cli.cluster_tables import clusters_needed_table, clusters_table
from schedlab.cli.console import AsJson, cell, heading, new_table, out, print_json, print_notes
from schedlab.cli.machine import Machine
from schedlab.cli.reading import Reading, Shaping
from schedlab.cli.replay import NoPast, Past, Policies, Scenario
from schedlab.cli.results import Row, fact_notes, result_rows, run_notes

if TYPE_CHECKING:
    from rich.table import Table

EXAMPLES = (
    "schedlab simulate trace.swf.gz --policy easy --policy sjf+easy",
    "schedlab simulate trace.swf --nodes 128 --policy easy:depth=100 --out easy.parquet",
    "schedlab simulate trace.swf --transform head=1000 --policy conservative --json",
    "schedlab simulate shared:load=0.8 --jobs 5000 --platform machine.toml --policy easy",
    "schedlab simulate jobs.csv --platform grid.toml --policy reserve --policy coalloc:solver=wd",
)


def simulate(
    reading: Reading,
    shaping: Shaping,
    machine: Machine,
    policies: Policies,
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
    """Replay a trace under one or more policies, and print a row of metrics for each."""
    from schedlab.sim import check_saving, save_schedules

    names = policies.names()
    if output is not None:
        check_saving(names, output)
    scenario = Scenario.load(reading, shaping, machine)
    schedules = list(policies.run(scenario, shaping.seed))
    if output is not None:
        save_schedules(schedules, output)
    past = Past() if no_past else Past.of(scenario)
    rows = result_rows(schedules, scenario, policies, shaping.seed)
    shown = [*rows, *result_rows(past.schedules, scenario, policies, shaping.seed)]
    if json:
        print_json(shown)
    else:
        out().print(heading(scenario.title()), "", _table(shown), "", sep="\n")
        if "needs" in scenario.workload:
            out().print(clusters_needed_table(rows), "", clusters_table(rows), "", sep="\n")
    written = [f"written: {output}"] if output is not None else []
    notes = [
        *run_notes(rows),
        *fact_notes(schedules),
        *past.notes,
        *scenario.notes,
        *written,
    ]
    print_notes(notes, to_stderr=json)


def _table(rows: Sequence[Row]) -> Table:
    from schedlab.units import short_duration, three_digits

    table = new_table(
        "policy", "utilisation", "mean wait", "", "p95 wait", "bounded\nslowdown", "makespan"
    )
    for row in rows:
        table.add_row(
            row["policy"],
            cell(row["utilisation"], lambda share: f"{100 * share:.1f} %"),
            cell(row["mean_wait_s"], "{:,.0f} s".format),
            cell(row["mean_wait_s"], short_duration),
            cell(row["p95_wait_s"], short_duration),
            cell(row["mean_bounded_slowdown"], three_digits),
            cell(row["makespan_s"], short_duration),
        )
    return table

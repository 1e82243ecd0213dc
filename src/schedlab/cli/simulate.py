"""schedlab simulate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from schedlab.cli.console import cell, new_table, out, print_json, print_notes
from schedlab.cli.machine import Machine
from schedlab.cli.output import AsJson
from schedlab.cli.reading import Reading, Shaping
from schedlab.cli.replay import Policies, Scenario

if TYPE_CHECKING:
    from rich.table import Table

Row = dict[str, Any]

EXAMPLES = (
    "schedlab simulate trace.swf.gz --policy easy --policy sjf+easy",
    "schedlab simulate trace.swf --nodes 128 --policy conservative:depth=100 --out schedule.parquet",
    "schedlab simulate trace.swf --transform head=1000 --transform wra=random:0.5 --policy easy --json",
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
            help="Write the schedules as .parquet, .csv, .swf (one policy) or .json (Chrome "
            "trace).",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Replay a trace under one or more policies and say how well each does."""
    from schedlab.metrics import summary
    from schedlab.sim import check_saving, save_schedules

    names = policies.names()
    if output is not None:
        check_saving(names, output)
    scenario = Scenario.load(reading, shaping, machine)
    schedules = list(policies.run(scenario, shaping.seed))
    if output is not None:
        save_schedules(schedules, output)
    rows = [summary(schedule) for schedule in schedules]
    if json:
        print_json([{**row, **_settings(scenario, shaping, policies)} for row in rows])
    else:
        out().print(scenario.title(), "", _table(rows), "", sep="\n")
    notes = [*_run_notes(rows), *scenario.notes]
    print_notes(notes + ([f"written: {output}"] if output else []), beside_json=json)


def _settings(scenario: Scenario, shaping: Shaping, policies: Policies) -> Row:
    return {
        "trace": scenario.workload.name,
        "nodes": scenario.platform.nodes,
        "tick_s": policies.tick,
        "kill_at_request": not policies.no_kill,
        "seed": shaping.seed,
    }


def _table(rows: Sequence[Row]) -> Table:
    from schedlab.units import short_duration, three_digits

    table = new_table(
        "policy", "utilisation", "mean wait", "", "p95 wait", "bounded\nslowdown", "makespan"
    )
    for row in rows:
        table.add_row(
            row["policy"],
            cell(row["utilisation"], "{:.1%}".format),
            cell(row["mean_wait_s"], "{:,.0f} s".format),
            cell(row["mean_wait_s"], short_duration),
            cell(row["p95_wait_s"], short_duration),
            cell(row["mean_bounded_slowdown"], three_digits),
            cell(row["makespan_s"], short_duration),
        )
    return table


def _run_notes(rows: Sequence[Row]) -> Iterator[str]:
    jobs, wall_s = sum(row["jobs"] for row in rows), sum(row["wall_s"] or 0 for row in rows)
    if wall_s > 0:
        yield f"simulated {jobs:,} jobs in {wall_s:.2f} s, {jobs / wall_s:,.0f} a second"
    for how in ("killed", "cancelled"):
        counts = {row["policy"]: row[how] for row in rows if row[how]}
        if counts:
            each = ", ".join(f"{count:,} under {policy}" for policy, count in counts.items())
            yield f"{_STATES[how]}: {each}"


_STATES = {"killed": "killed at their request", "cancelled": "cancelled while waiting"}

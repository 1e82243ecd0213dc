"""schedlab workload info."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

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
    from rich.table import Table

Facts = dict[str, Any]

EXAMPLES = (
    "schedlab workload info trace.swf.gz",
    "schedlab workload info trace.swf --cores-per-node 8 --json",
)

_LABELS = {
    "nodes": "nodes",
    "run_s": "run time",
    "request_s": "request",
    "wait_s": "wait",
    "gap_s": "arrival gap",
}


def info(reading: WorkloadOptions, shaping: Shaping, json: AsJson = False) -> None:
    """Describe a workload before it is replayed: jobs, users, span, load, sizes and times.

    For how users ask for time and nodes, and how well they guess, see schedlab analyse.
    """
    from schedlab.cli.workload.facts import facts

    shaping.check()
    workload = shaping.apply(reading.read(shaping.seed))
    found = facts(workload)
    if json:
        print_json(found)
        return
    table = new_table("", "", text_columns=2)
    table.show_header = False
    for line in _lines(found):
        table.add_row(*line)
    out().print(heading(workload.name), "", table, "", _distributions(found), "", sep="\n")
    print_notes(reading_notes(workload.report), to_stderr=False)


def _lines(found: Facts) -> Iterator[tuple[str, str]]:
    from schedlab.units import three_digits

    yield "jobs", f"{found['jobs']:,} of {found['report']['records']:,} records"
    yield "users", cell(found["users"], "{:,}".format)
    yield "submitted", _submitted(found)
    yield "machine", _machine(found)
    yield "offered load", cell(found["offered_load"], three_digits)
    yield "mean accuracy", f"{cell(found['mean_accuracy'], three_digits)}, run time / request"
    yield "status", _shares(found["status"], found["jobs"])
    yield "columns", ", ".join(found["columns"])
    for key in ("Computer", "Installation", "Acknowledge"):
        for value in found["header"].get(key, ()):
            yield key.lower(), value


def _submitted(found: Facts) -> str:
    from schedlab.units import short_duration

    span = short_duration(found["span_s"])
    if found["first_submit"] is None:
        return f"within {span}"
    first, last = (found[key][:16].replace("T", " ") for key in ("first_submit", "last_submit"))
    return f"{first} to {last} local time, {span}"


def _machine(found: Facts) -> str:
    if found["nodes"] is None:
        return "not in the header; say --nodes to simulate"
    keys = [key for key in ("MaxNodes", "MaxProcs") if key in found["header"]]
    said = ", ".join(f"{key} {found['header'][key][0]}" for key in keys)
    return f"{found['nodes']:,} {found['counts']}; the header says {said}"


def _shares(counts: dict[str, int] | None, jobs: int) -> str:
    if not counts:
        return "–"
    return ", ".join(f"{name} {100 * count / jobs:.1f} %" for name, count in counts.items())


def _distributions(found: Facts) -> Table:
    from schedlab.cli.workload.facts import QUANTILES
    from schedlab.units import short_duration

    table = new_table("", *QUANTILES, "mean")
    for name, label in _LABELS.items():
        values = found["quantiles"][name]
        written = short_duration if name.endswith("_s") else _amount
        if values is not None:
            table.add_row(label, *(written(values[key]) for key in (*QUANTILES, "mean")))
    return table


def _amount(value: float) -> str:
    from schedlab.units import three_digits

    return f"{value:,.0f}" if value == int(value) else three_digits(value)

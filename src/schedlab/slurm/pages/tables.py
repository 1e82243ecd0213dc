"""The tables of the pages, as texts ready to print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedlab.slurm.fidelity import Fidelity, FidelityRow, Spread
from schedlab.slurm.replicas import ReplicaRow
from schedlab.slurm.what_if import WhatIfRow
from schedlab.units import short_duration
from schedlab.viz.report.tables import TextCell, TextTable

if TYPE_CHECKING:
    from schedlab.slurm.tuning.proposal import Proposal


def fidelity_table(rows: Sequence[FidelityRow]) -> TextTable:
    """Return real and replayed waits by group of jobs."""
    columns = [
        *("jobs of", "jobs", "mean wait", "twin", "twin: range", "off by", "p95 wait", "twin"),
        *("start ±", "within 30 s", "over 5 min off"),
    ]
    return TextTable(
        columns,
        [
            _cells(
                row.group,
                f"{row.jobs:,}",
                short_duration(row.real_wait_s),
                short_duration(row.twin_wait_s.mean),
                extremes(row.twin_wait_s),
                f"{row.wait_error:+.1%}",
                short_duration(row.real_p95_s),
                short_duration(row.twin_p95_s.mean),
                short_duration(row.start_error_s.mean),
                f"{row.near:.0%}",
                f"{row.far:.0%}",
            )
            for row in rows
        ],
    )


def replica_table(found: Fidelity, replicas: Sequence[ReplicaRow]) -> TextTable:
    """Return the twin and other real runs, each beside the run that is replayed."""
    columns = ["beside the real run", "jobs", "mean wait", "off by", "start ±", "within 30 s"]
    every = found.rows[0]
    twin = _cells(
        "the twin",
        f"{every.jobs:,}",
        short_duration(every.twin_wait_s.mean),
        f"{every.wait_error:+.1%}",
        short_duration(every.start_error_s.mean),
        f"{every.near:.0%}",
    )
    rows = [
        _cells(
            f"real replica {each.name}",
            f"{each.jobs:,}",
            short_duration(each.wait_s),
            f"{each.wait_error:+.1%}",
            short_duration(each.start_error_s),
            f"{each.near:.0%}",
        )
        for each in replicas
    ]
    return TextTable(columns, [twin, *rows] if rows else [])


def what_if_table(rows: Sequence[WhatIfRow]) -> TextTable:
    """Return waits before and after by group; waits that are shorter beyond chance are marked."""
    columns = [
        *("jobs of", "jobs", "mean wait as it was", "twin as it is", "twin, changed"),
        *("difference", "95 % interval", "over phases"),
    ]
    made = []
    for row in rows:
        cells = _cells(
            row.group,
            f"{row.jobs:,}",
            "–" if row.real_wait_s is None else short_duration(row.real_wait_s),
            short_duration(row.before_s.mean),
            short_duration(row.after_s.mean),
        )
        shorter = row.interval is not None and row.interval[1] < 0
        cells.append(TextCell(f"{row.difference:+.1%}", shorter))
        cells += _cells(between(row.interval), between((row.least, row.most)))
        made.append(cells)
    return TextTable(columns, made)


def change_table(found: Proposal) -> TextTable:
    """Return the parameters that the search changed."""
    return TextTable(
        ["parameter", "now", "as searched"],
        [_cells(name, found.present[name], value) for name, value in found.changes.items()],
    )


def guard_table(found: Proposal) -> TextTable:
    """Return the guards on the periods of the test."""
    return TextTable(
        ["guard", "now", "as searched", "bound", ""],
        [
            [
                *_cells(each.guard, *(f"{value:,.1f}" for value in (each.present, each.proposed))),
                TextCell(f"{each.bound:,.1f}"),
                TextCell("held" if each.holds else "broken", each.holds),
            ]
            for each in found.guards
        ],
    )


def extremes(value: Spread) -> str:
    """Return the least and the greatest value of the replays; a shared unit is written once."""
    least, most = short_duration(value.least), short_duration(value.most)
    unit = least.rpartition(" ")[2]
    if unit == most.rpartition(" ")[2]:
        least = least.rpartition(" ")[0]
    return f"{least} to {most}"


def between(interval: tuple[float, float] | None) -> str:
    """Return the two shares of an interval as text; a dash if there is none."""
    return "–" if interval is None else f"{interval[0]:+.1%} to {interval[1]:+.1%}"


def _cells(*texts: str) -> list[TextCell]:
    return [TextCell(text) for text in texts]

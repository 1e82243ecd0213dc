"""Tables about clusters, for jobs that name the clusters they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedlab.cli.console import cell, new_table
from schedlab.cli.results import Row

if TYPE_CHECKING:
    from rich.table import Table


def clusters_needed_table(rows: Sequence[Row]) -> Table:
    """Return a table of waits and slowdowns by the number of clusters that jobs need at a time."""
    from schedlab.units import short_duration, three_digits

    table = new_table(
        "policy", "clusters\nneeded", "jobs", "mean wait", "bounded\nslowdown", text_columns=1
    )
    for row in rows:
        for part in row["by_clusters_needed"]:
            table.add_row(
                row["policy"],
                str(part["clusters"]),
                f"{part['jobs']:,}",
                cell(part["mean_wait_s"], short_duration),
                cell(part["mean_bounded_slowdown"], three_digits),
            )
    return table


def clusters_table(rows: Sequence[Row]) -> Table:
    """Return a table of the jobs, the utilisation and the wait of each cluster."""
    from schedlab.units import short_duration

    table = new_table("policy", "cluster", "jobs", "utilisation", "mean wait", text_columns=2)
    for row in rows:
        for part in row["clusters"]:
            table.add_row(
                row["policy"],
                part["cluster"],
                f"{part['jobs']:,}",
                cell(part["utilisation"], lambda share: f"{100 * share:.1f} %"),
                cell(part["mean_wait_s"], short_duration),
            )
    return table

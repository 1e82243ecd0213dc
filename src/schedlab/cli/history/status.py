"""schedlab history status."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from schedlab.cli.console import AsJson, cell, heading, new_table, out, print_json
from schedlab.cli.store_place import StoreLocation

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.history.store.status import Status

EXAMPLES = ("schedlab history status", "schedlab history status --store history.db --json")


def status(place: StoreLocation, json: AsJson = False) -> None:
    """Show what the store holds: jobs, lag and faults per source, coverage per sensor item."""
    from schedlab.history.job_archive.listed import archived_count
    from schedlab.history.store.status import status_of

    with place.open() as store:
        found, archived, where = status_of(store), archived_count(store), store.shown
    if json:
        print_json({"store": where, **found.facts(), "archived": archived})
        return
    console = out()
    console.print(heading(where), "", _sources(found), sep="\n")
    if found.items:
        console.print("", _items(found), sep="\n")
    if archived:
        console.print("", f"{archived:,} jobs are in the archive", sep="\n")
    if found.due or found.failed:
        waiting = f"{found.due:,} jobs wait for their sensors, {found.failed:,} after a failure"
        console.print("", waiting, sep="\n")


def _sources(found: Status) -> Table:
    from schedlab.units import short_duration

    table = new_table("source", "last read", "jobs", "newest end", "lag", "faults", text_columns=2)
    for each in found.sources:
        read = "never to its end" if each.ended_s is None else _moment(each.ended_s)
        table.add_row(
            each.name,
            read if each.failure is None else f"{read}: {each.failure}",
            f"{each.jobs:,}",
            cell(each.newest_end_s, _moment),
            cell(each.lag_s, short_duration),
            f"{each.faults:,}",
        )
    return table


def _items(found: Status) -> Table:
    table = new_table("sensor source", "item", "jobs", "coverage", "absent", text_columns=2)
    for each in found.items:
        table.add_row(
            each.source or "–",
            each.item,
            f"{each.jobs:,}",
            cell(each.coverage, lambda share: f"{100 * share:.1f} %"),
            f"{each.absent:,}",
        )
    return table


def _moment(epoch_s: float) -> str:
    return f"{datetime.fromtimestamp(epoch_s, UTC):%Y-%m-%d %H:%M}"

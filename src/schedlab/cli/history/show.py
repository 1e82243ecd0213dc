"""schedlab history show."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timezone
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from schedlab.cli.console import AsJson, cell, new_table, out, print_json, print_notes
from schedlab.cli.history.choosing import Choosing
from schedlab.cli.store_place import StoreLocation
from schedlab.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.history.schema import JobRecord

EXAMPLES = (
    "schedlab history show --user ann --from 2026-01-05",
    "schedlab history show 1020",
    "schedlab history show --node n05 --limit 100 --json",
)
_FEW = 20


def show(
    place: StoreLocation,
    choosing: Choosing,
    jobs: Annotated[
        list[str] | None,
        Argument(metavar="[JOBID]...", help="Show these jobs as they are stored."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Show jobs of the store: a table of the selected jobs, or the whole record of a job."""
    with place.open() as store:
        query = choosing.query(tuple(jobs or ()), most=None if jobs else _FEW)
        found, count = list(store.jobs(query)), store.count(query)
        where = store.shown
    if not found:
        raise InputError(f"{where}: has no such job")
    zone = place.zone()
    if jobs or json:
        from schedlab.history.export.zone import in_zone

        records = [in_zone(each.model_dump(mode="json", exclude_none=True), zone) for each in found]
        print_json(records[0] if len(records) == 1 and jobs else records)
    else:
        out().print(_table(found, zone))
    if count > len(found):
        left = f"the first {len(found):,} of {count:,} jobs; see --limit"
        print_notes([left], to_stderr=json)


def _table(found: Sequence[JobRecord], zone: timezone) -> Table:
    from schedlab.platform.hostlist import fold_hosts
    from schedlab.units import short_duration

    names = ("job", "user", "state", "hosts", "started", "run time", "energy")
    table = new_table(*names, text_columns=4)
    for each in found:
        ran_s = None
        if each.start_time is not None and each.end_time is not None:
            ran_s = (each.end_time - each.start_time).total_seconds()
        energy = each.energy.total_joule if each.energy else None
        hosts = [host.node_id for host in each.per_host or ()]
        table.add_row(
            each.jobid,
            each.user_identifier or "–",
            each.state or "–",
            fold_hosts(hosts) if hosts else str(each.resource_req.num_host),
            f"{each.start_time.astimezone(zone):%Y-%m-%d %H:%M}" if each.start_time else "–",
            cell(ran_s, short_duration),
            cell(energy, lambda joules: f"{joules / 3.6e6:.3g} kWh"),
        )
    return table

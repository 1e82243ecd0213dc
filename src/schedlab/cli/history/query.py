"""schedlab history query."""

from __future__ import annotations

from typing import Annotated

from typer import Argument

from schedlab.cli.console import AsJson, new_table, out, print_json
from schedlab.cli.store_place import StoreLocation
from schedlab.errors import InputError

EXAMPLES = (
    'schedlab history query "SELECT month, count(*), sum(node_s) / 3600 FROM archived_jobs GROUP '
    'BY ALL"',
    "schedlab history query \"SELECT record FROM archived_jobs WHERE jobid = '1020'\" --json",
)


def query(
    place: StoreLocation,
    sql: Annotated[str, Argument(metavar="SQL", help="A statement in DuckDB's SQL.")],
    json: AsJson = False,
) -> None:
    """Query the archive of jobs: DuckDB reads its Parquet files in place.

    The table archived_jobs has the columns of the store's table jobs, and lists of hosts and tags.
    Jobs that are still in the store are not in it.
    """
    section = place.read().archive
    if section is None:
        raise InputError(f"{place.site}: has no [archive], and so no archived jobs")
    folder = place.site.parent / section.folder
    with place.open() as store:
        from schedlab.history.job_archive.listed import listed_files
        from schedlab.history.job_archive.query import ask

        answer = ask(listed_files(store, folder), sql)
    if json:
        print_json([dict(zip(answer.names, row, strict=True)) for row in answer.rows])
        return
    table = new_table(*answer.names, text_columns=len(answer.names))
    for row in answer.rows:
        table.add_row(*("–" if value is None else str(value) for value in row))
    out().print(table)

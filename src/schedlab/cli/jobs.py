"""schedlab jobs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from schedlab.cli.console import AsJson, cell, new_table, out, print_json, print_notes
from schedlab.cli.store_place import require_history
from schedlab.command_files import read_secret
from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.history import Client

EXAMPLES = (
    "schedlab jobs --url https://history.example.org --token-file ~/.schedlab-token",
    "schedlab jobs --state failed --from 2026-01-05 --limit 100",
    "schedlab jobs 1020 --json",
)
_URL, _TOKEN = "SCHEDLAB_URL", "SCHEDLAB_TOKEN"
_COLUMNS = ("job", "name", "user", "state", "submitted", "nodes", "waited", "ran", "of limit")
_TEXTS = 5


@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    """The service to ask, and the token to ask with."""

    url: Annotated[
        str | None,
        Option(metavar="URL", help="URL of the service.", show_default=f"the variable {_URL}"),
    ] = None
    token_file: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="File with your token.",
            show_default=f"the variable {_TOKEN} has it",
        ),
    ] = None

    def client(self) -> Client:
        """Return a client of the service."""
        from schedlab.history import Client

        url = self.url or os.environ.get(_URL)
        if not url:
            raise ParameterError(f"no URL of a history service; give --url, or set {_URL}")
        if self.token_file is None:
            return Client(url, os.environ.get(_TOKEN))
        return Client(url, read_secret(self.token_file.expanduser(), "token"))


def jobs(
    asked: ServiceOptions,
    jobids: Annotated[
        list[str] | None, Argument(metavar="[JOBID]...", help="Only these jobs.")
    ] = None,
    user: Annotated[
        list[str] | None, Option(metavar="NAME", help="Only jobs of this user.")
    ] = None,
    state: Annotated[
        list[str] | None, Option(metavar="STATE", help="Only jobs in this state.")
    ] = None,
    begin: Annotated[
        str | None, Option("--from", metavar="TIME", help="Jobs that ran at this time or later.")
    ] = None,
    end: Annotated[
        str | None, Option("--until", metavar="TIME", help="Jobs that ran before this time.")
    ] = None,
    limit: Annotated[int, Option(metavar="N", min=1, help="Maximum number of jobs.")] = 20,
    json: AsJson = False,
) -> None:
    """List your jobs in a history service, the latest first."""
    require_history()
    which = {"jobid": jobids, "user": user, "state": state, "from": begin, "to": end}
    with asked.client() as client:
        found = list(client.records(limit=limit, **{k: v for k, v in which.items() if v}))
    if json:
        print_json(found)
        return
    if not found:
        print_notes(["no such job that you may see"], to_stderr=True)
        return
    out().print(_table(found))


def _table(found: list[dict[str, Any]]) -> Table:
    table = new_table(*_COLUMNS, text_columns=_TEXTS)
    for each in found:
        table.add_row(*_row(each))
    return table


def _row(job: dict[str, Any]) -> list[str]:
    from schedlab.history.schema.times import parse_time
    from schedlab.units import short_duration

    def between(first: str, last: str) -> float | None:
        if not (job.get(first) and job.get(last)):
            return None
        return (parse_time(job[last]) - parse_time(job[first])).total_seconds()

    queued, waited = job.get("queue_time"), between("queue_time", "start_time")
    ran, limit_s = between("start_time", "end_time"), job.get("req_walltime_sec")
    texts = [job.get(item) or "–" for item in ("jobid", "job_name", "user_identifier", "state")]
    return [
        *map(_printable, texts),
        f"{parse_time(queued):%Y-%m-%d %H:%M}" if queued else "–",
        f"{job['resource_req']['num_host']:,}",
        cell(waited, short_duration),
        cell(ran, short_duration),
        cell(ran / limit_s if ran is not None and limit_s else None, "{:.0%}".format),
    ]


def _printable(text: str) -> str:
    """Return a name without characters that control a terminal: users choose the names of jobs."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)

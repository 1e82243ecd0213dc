"""The tables of the page, as texts ready to print."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.analysis import Analysis
from schedlab.analysis.requests import Requests
from schedlab.analysis.users import Users
from schedlab.units import short_duration, three_digits, whole_duration
from schedlab.viz.report.tables import TextCell, TextTable

MAX_REQUESTS = 12
MAX_USERS = 20
MAX_SPIKES = 400
"""The largest number of lines in the figure of requested times."""


def summary_table(analysis: Analysis) -> TextTable:
    """Return the trace in a line, as in the paper's Table 1, with a few more columns."""
    asked, row = analysis.requests, analysis.table_row()
    values = [
        "–" if analysis.users is None else f"{analysis.users:,}",
        f"{analysis.jobs:,}",
        f"{row['max_request_h']:,} h" if asked else "–",
        f"{asked.mean_wra:.3f}" if asked else "–",
        f"{asked.beyond_request:,}" if asked else "–",
        f"{100 * asked.whole_hours:.1f} %" if asked else "–",
        f"{analysis.all_jobs:,}",
        short_duration(analysis.run_s.median),
        three_digits(analysis.nodes.mean),
    ]
    columns = [
        "users",
        "jobs that count",
        "greatest request",
        "mean WRA",
        "ran beyond request",
        "requests of whole hours",
        "all jobs",
        "median run time",
        "mean nodes",
    ]
    return _table(columns, [values])


def request_table(requests: Requests) -> TextTable:
    """Return the commonest requests."""
    rows = [
        [whole_duration(request_s), f"{jobs:,}", f"{100 * share:.1f} %", f"{mean_wra:.3f}"]
        for request_s, jobs, share, mean_wra in requests.commonest.head(MAX_REQUESTS).iter_rows()
    ]
    return _table(["requested time", "jobs", "share", "mean WRA"], rows)


def user_table(users: Users) -> TextTable:
    """Return the users with the most jobs."""
    shown = users.table.head(MAX_USERS).select("user", "jobs", "mean_wra", "wrsa", "median")
    rows = [
        [str(user), f"{jobs:,}", *(f"{value:.3f}" for value in values)]
        for user, jobs, *values in shown.iter_rows()
    ]
    return _table(["user", "jobs", "mean WRA", "WRSA after last job", "median WRSA"], rows)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> TextTable:
    return TextTable(list(columns), [[TextCell(text) for text in row] for row in rows])

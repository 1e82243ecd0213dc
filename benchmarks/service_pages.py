"""Times of every page of the history service: ``python -m benchmarks.service_pages STORE``.

Each page is opened several times in a row, by an administrator and by a user. The first time is
reported by itself: nothing of the page was in memory. ``--record`` writes the result beside this
file.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from rich.console import Console
from rich.table import Table
from sqlalchemy import func, select

from benchmarks.service_load import END_S, resident_mb, serving, ticks, write_site
from benchmarks.service_store import MILLION, make_store
from schedlab.errors import StoreError
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.access.accounts import Account, put_account
from schedlab.history.web.access.sessions import SESSION, begin_session
from schedlab.history.web.database import Database
from schedlab.history.web.simulations.forecast import forecast_starts
from schedlab.history.web.simulations.machine import SiteMachines
from schedlab.history.web.tasks import State
from schedlab.history.web.tasks.task import QueuedTask

RECORDED = Path(__file__).with_suffix(".json")
ADMIN, USER = Account("admin", Role.ADMIN), Account("user100", Role.USER)
WEEK = "from=2025-12-01T00:00&to=2025-12-08T00:00"
PAGES: tuple[tuple[Account, str], ...] = (
    (ADMIN, "/"),
    (ADMIN, "/jobs"),
    (ADMIN, "/jobs?user=user000"),
    (ADMIN, "/jobs?state=failed"),
    (ADMIN, "/jobs?node=n007"),
    (ADMIN, "/jobs?jobid=777777"),
    (ADMIN, "/jobs?sort=-wait_s"),
    (ADMIN, "/jobs?min_num_host=64&state=node_fail"),
    (ADMIN, "/jobs/500000"),
    (ADMIN, "/jobs/KEY"),
    (ADMIN, "/queue?cluster=large"),
    (ADMIN, "/cluster?cluster=large"),
    (ADMIN, f"/cluster?cluster=large&{WEEK}"),
    (ADMIN, "/users"),
    (ADMIN, "/users/user000"),
    (ADMIN, "/groups/group00"),
    (ADMIN, "/efficiency"),
    (ADMIN, "/reports?period=month&date=2025-12-15"),
    (ADMIN, "/what-if"),
    (ADMIN, "/alerts"),
    (ADMIN, "/admin"),
    (ADMIN, "/metrics"),
    (ADMIN, "/v1/jobs?limit=50"),
    (ADMIN, f"/v1/stats?by=group&time=ended&{WEEK}"),
    (USER, "/"),
    (USER, "/jobs"),
    (USER, "/users/user100"),
    (USER, "/queue?cluster=large"),
    (USER, "/cluster?cluster=large"),
    (USER, "/efficiency"),
    (USER, "/reports?period=month&date=2025-12-15"),
)
"""Who opens which page; KEY is the key of a job that waits."""


@dataclass(frozen=True)
class Opened:
    """What was seen of a page."""

    who: str
    page: str
    first_ms: float
    median_ms: float
    slowest_ms: float
    kilobytes: float


def opened(client: httpx.Client, who: str, page: str, times: int) -> Opened:
    """Open a page once, and then this number of times; return what was seen."""
    taken_ms, size = [], 0
    for _ in range(times + 1):
        began = time.perf_counter()
        answer = client.get(page, headers={"accept": "text/html"})
        taken_ms.append(1e3 * (time.perf_counter() - began))
        assert answer.status_code == 200, f"{page}: {answer.status_code} {answer.text[:300]}"
        size = len(answer.content)
    later = taken_ms[1:]
    numbers = (taken_ms[0], float(np.median(later)), max(later), size / 1e3)
    return Opened(who, page, *(round(each, 1) for each in numbers))


def forecast_s(database: Database) -> tuple[float, int]:
    """Return how long a forecast of the larger cluster takes, and how many jobs it covers."""
    parameters = {"cluster": "large", "now_s": END_S}
    task = QueuedTask(
        id="0",
        kind="forecast",
        account="benchmark",
        viewer=Viewer(Role.ADMIN),
        parameters=parameters,
        key="",
        state=State.RUNNING,
        progress=0.0,
        created_s=0.0,
    )
    began = time.perf_counter()
    made = forecast_starts(database, SiteMachines(None), None, task, lambda share: None)
    return time.perf_counter() - began, len(made["starts"])


def ready(url: str, wanted: int) -> tuple[int, int]:
    """Make the store if it is not there; return its number of jobs and the key of a waiting one."""
    try:
        database = Database(url)
    except StoreError:
        make_store(url, wanted, unfinished=True)
        database = Database(url)
    with closing(database), database.writing() as connection:
        for account in (ADMIN, USER):
            put_account(connection, account, None)
        count = connection.execute(select(func.count()).select_from(jobs)).scalar_one()
        waits = select(func.max(jobs.c.id)).where(jobs.c.state == "pending")
        return int(count), int(connection.execute(waits).scalar_one())


def clients(url: str, store: str) -> Iterator[tuple[str, httpx.Client]]:
    """Yield a client that is logged in, for each account."""
    with closing(Database(store)) as database, database.writing() as connection:
        for account in (ADMIN, USER):
            cookie = {SESSION: begin_session(connection, account.name, 3_600)}
            yield account.name, httpx.Client(base_url=url, cookies=cookie, timeout=60)


def show(found: dict[str, Any]) -> None:
    """Print what was measured."""
    table = Table(title=f"pages over {found['jobs']:,} jobs in {found['store']}")
    for column in ("who", "page", "first ms", "median ms", "slowest ms", "kB"):
        table.add_column(column, justify="left" if column in ("who", "page") else "right")
    for row in found["pages"]:
        numbers = [f"{value:,.0f}" for value in list(row.values())[2:]]
        table.add_row(row["who"], row["page"], *numbers)
    Console(width=110).print(table)
    print({name: value for name, value in found.items() if name != "pages"})


def main() -> None:
    """Serve the store and open its pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", help="a SQLite file or postgresql://...; made if not there")
    parser.add_argument("--jobs", type=int, default=MILLION)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.name}")
    options = parser.parse_args()
    count, waiting = ready(options.store, options.jobs)
    with tempfile.TemporaryDirectory() as folder:
        site = write_site(Path(folder))
        with serving(site, options.store, 1) as (url, process):
            who, before = dict(clients(url, options.store)), resident_mb(process)
            began = ticks()
            rows = [
                opened(
                    who[account.name],
                    account.name,
                    page.replace("KEY", str(waiting)),
                    options.times,
                )
                for account, page in PAGES
            ]
            ours, postgres, busy, total = ticks() - began
            after = resident_mb(process)
    with closing(Database(options.store)) as database:
        took_s, forecasts = forecast_s(database)
    found = {
        "store": "PostgreSQL" if options.store.startswith("postgresql") else "SQLite",
        "jobs": count,
        "times": options.times,
        "python": platform.python_version(),
        "others_share_of_processors": round(float((busy - ours - postgres) / total), 2),
        "memory_before_mb": round(before),
        "memory_after_mb": round(after),
        "forecast_s": round(took_s, 2),
        "forecast_jobs": forecasts,
        "pages": [asdict(row) for row in rows],
    }
    show(found)
    if options.record:
        RECORDED.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

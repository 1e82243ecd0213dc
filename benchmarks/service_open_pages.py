"""A hundred open pages: ``python -m benchmarks.service_open_pages STORE [--pages 100]``.

Each client does what the script of the page *Queue* does in a browser: it opens the page, asks for
a forecast and looks for it until it is there, and loads the page again every thirty seconds. Nine
in ten are users, who see their own jobs; the others see all. STORE is one of ``service_store``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import tempfile
import time
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import httpx

from benchmarks.service_load import (
    ALL,
    Measured,
    recorded,
    serving,
    show,
    watched_load,
    write_site,
)
from benchmarks.service_store import queue
from schedlab.history.store import JobQuery, Store
from schedlab.history.web.access.accounts import Account, put_account
from schedlab.history.web.access.sessions import SESSION, begin_session, form_token
from schedlab.history.web.access.viewer import Role
from schedlab.history.web.database import Database

PERIOD_S = 30.0
"""The time after which the page loads itself again."""
DELAYS_S = (1, 2, 4, 8)
"""Delays between looks for a forecast that is being computed; the last one repeats."""
RECORDED = Path(__file__).with_suffix(".json")
_STARTS = re.compile(r'data-starts="([^"]+)"')


async def look(
    client: httpx.AsyncClient, found: dict[str, Measured], kind: str, method: str, path: str
) -> httpx.Response | None:
    """Make one request, and note how long it took."""
    began, answer = time.perf_counter(), None
    try:
        answer = await client.request(method, path)
        told = str(answer.status_code)
    except httpx.HTTPError as error:
        told = type(error).__name__
    for name in (kind, ALL):
        found[name].taken_s.append(time.perf_counter() - began)
        if told != "200":
            found[name].others[told] += 1
    return answer if told == "200" else None


async def follow(client: httpx.AsyncClient, found: dict[str, Measured], path: str) -> None:
    """Ask for a forecast and look for it, as ``starts.js`` does."""
    answer = await look(client, found, "ask for a forecast", "POST", path)
    asked = 0
    while answer is not None and answer.json()["state"] in ("waiting", "running"):
        await asyncio.sleep(DELAYS_S[min(asked, len(DELAYS_S) - 1)])
        answer = await look(client, found, "look for the forecast", "GET", path)
        asked += 1


async def open_page(
    client: httpx.AsyncClient, found: dict[str, Measured], begin_s: float, end_s: float
) -> None:
    """Keep the page open until ``end_s``, as ``live.js`` does."""
    await asyncio.sleep(begin_s)
    following = set()
    while time.monotonic() < end_s:
        page = await look(client, found, "the page", "GET", "/queue?cluster=large")
        if page is not None and (path := _STARTS.search(page.text)):
            task = asyncio.create_task(follow(client, found, path[1].replace("&amp;", "&")))
            following.add(task)
            task.add_done_callback(following.discard)
        await asyncio.sleep(PERIOD_S)
    for task in list(following):
        task.cancel()


async def open_pages(
    url: str, secrets: list[str], seconds: float, found: dict[str, Measured]
) -> None:
    """Open all pages, at random moments of the first period."""
    draw, end_s = random.Random(1), time.monotonic() + seconds
    clients = []
    for secret in secrets:
        headers = {"x-form-token": form_token(secret), "accept-encoding": "gzip"}
        client = httpx.AsyncClient(base_url=url, timeout=60, headers=headers)
        client.cookies.set(SESSION, secret)
        clients.append(client)
    pages = [open_page(each, found, draw.uniform(0, PERIOD_S), end_s) for each in clients]
    await asyncio.gather(*pages)
    await asyncio.gather(*(client.aclose() for client in clients))


def visitors(store: str, pages: int) -> list[str]:
    """Make accounts, one for each page, and return their sessions."""
    with closing(Database(store)) as database, database.writing() as connection:
        secrets = []
        for number in range(pages):
            role = Role.SUPPORT if number % 10 == 0 else Role.USER
            account = Account(f"user{number:03}", role)
            put_account(connection, account)
            secrets.append(begin_session(connection, account.name, 36_000))
    return secrets


def add_queue(store_url: str) -> int:
    """Add jobs that run and wait, unless there are some; return how many there are."""
    unfinished = JobQuery(states=("pending", "running"))
    with Store.open(store_url) as store:
        if not store.count(unfinished):
            store.put(queue(store.count()), source="queue")
        return store.count(unfinished)


def main() -> None:
    """Serve the store, open the pages, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", help="a SQLite file or postgresql://...")
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.name}")
    options = parser.parse_args()
    waiting = add_queue(options.store)
    secrets = visitors(options.store, options.pages)
    found: dict[str, Measured] = defaultdict(Measured)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(write_site(Path(folder)), options.store, options.workers) as (url, process),
    ):
        asked = open_pages(url, secrets, options.seconds, found)
        periods = asyncio.run(watched_load(process, found, asked))
        show(found, periods)
    if options.record:
        about = {
            "store": "PostgreSQL" if options.store.startswith("postgresql") else "SQLite",
            "pages": options.pages,
            "unfinished_jobs": waiting,
            "seconds": options.seconds,
            "workers": options.workers,
        }
        RECORDED.write_text(json.dumps(about | recorded(found, periods), indent=1) + "\n")


if __name__ == "__main__":
    main()

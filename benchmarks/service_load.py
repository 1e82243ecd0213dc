"""Load on the history service: ``python -m benchmarks.service_load STORE [--seconds 60]``.

Mixed reads arrive at a constant rate, whether or not those before have been answered; so a slow
answer delays no other, and all of its time counts. Every thirty seconds the resident memory of the
service is noted, so that ``--seconds 600`` shows whether it grows, and beside it what others had of
the processors, here and as other guests of the machine: the slowest answers are often theirs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from benchmarks.service_bulk import make_bulk_store
from benchmarks.service_store import EPOCH_S, GROUPS, MILLION, NODES, USERS, YEARS_S, make_store
from schedlab.history.schema.times import format_time, from_epoch
from schedlab.history.store import Store
from schedlab.history.store.database import parse_url
from schedlab.history.web.access.tokens import add_token
from schedlab.history.web.access.viewer import SCOPES, Role
from schedlab.history.web.database import Database

ALL = "all"
DAY_S = 86_400
END_S = EPOCH_S + YEARS_S
PORT = 18_473
WARM_UP_S = 5.0
PERIOD_S = 30.0
RECORDED = Path(__file__).with_suffix(".json")

_SITE = f"""\
[site]
name = "synthetic"
[[cluster]]
name = "large"
[[cluster.nodes]]
hosts = "n[000-{NODES - 1}]"
[[cluster]]
name = "small"
[[sensor_source]]
kind = "parquet"
name = "meters"
files = "power.parquet"
host_column = "host"
[[sensor_source.item]]
name = "power_watt"
column = "watt"
unit = "W"
"""


@dataclass
class Measured:
    """What was seen of one kind of request."""

    taken_s: list[float] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    """What was not answered with 200: the status, or what went wrong."""


@dataclass(frozen=True)
class Period:
    """What was seen in some seconds, of all requests and of the machine."""

    memory_mb: float
    p99_ms: float
    ours: float
    """The share of the processors' time that the service and the asking program had."""
    database: float
    """The share of PostgreSQL's processes; 0 for SQLite, which is a part of the service."""
    others: float
    """The share that other programs and other guests of the machine had."""


def mix(draw: random.Random, jobs: int) -> tuple[str, str]:
    """Draw a kind of request and its path, as often as operators, users and programs ask."""
    day_s = END_S - int(draw.expovariate(1 / 30) * DAY_S) % YEARS_S
    user = f"user{min(int(draw.paretovariate(0.5)) - 1, USERS - 1):03}"
    window = f"from={_moment(day_s - DAY_S)}&to={_moment(day_s)}"
    month = f"from={_moment(day_s - 30 * DAY_S)}&to={_moment(day_s)}"
    kinds = {
        "newest jobs": (20, "jobs?limit=50"),
        "jobs of a user": (20, f"jobs?limit=50&user={user}"),
        "jobs of a group": (5, f"jobs?limit=50&group=group{draw.randrange(GROUPS):02}"),
        "jobs of a day": (15, f"jobs?limit=50&{window}"),
        "jobs of a node": (5, f"jobs?limit=50&node=n{draw.randrange(NODES):03}"),
        "failed jobs, large": (5, "jobs?limit=50&state=failed&min_num_host=16"),
        "a job": (15, f"jobs/{draw.randrange(1, jobs + 1)}"),
        "sums of a month": (4, f"stats?by=group&time=ended&{month}"),
        "accuracy of a user": (3, f"users/user{draw.randrange(50, USERS):03}/accuracy"),
        "a thousand as CSV": (3, f"jobs?format=csv&limit=1000&{month}"),
        "a timeline": (5, "timeline"),
    }
    kind = draw.choices(list(kinds), [weight for weight, _ in kinds.values()])[0]
    return kind, f"/v1/{kinds[kind][1]}"


def _moment(epoch_s: int) -> str:
    return format_time(from_epoch(epoch_s)).replace("+0000", "Z")


def write_site(folder: Path) -> Path:
    """Write a site file, and the power of every node once a minute in the last two days."""
    minutes = 2 * DAY_S // 60
    hosts = np.repeat([f"n{number:03}" for number in range(NODES)], minutes)
    time_s = np.tile(END_S - 2 * DAY_S + 60 * np.arange(minutes), NODES)
    watt = np.random.default_rng(1).uniform(100, 900, NODES * minutes)
    frame = pl.DataFrame({"time": time_s, "host": hosts, "watt": watt})
    frame.write_parquet(folder / "power.parquet", row_group_size=minutes)
    (folder / "site.toml").write_text(_SITE)
    return folder / "site.toml"


@contextmanager
def serving(site: Path, store: str, workers: int) -> Iterator[tuple[str, int]]:
    """Run the service in processes of its own; yield its address and the first one's number."""
    command = [sys.executable, "-m", "schedlab", "serve", "--site", str(site), "--store", store]
    command += ["--port", str(PORT), "--workers", str(workers)]
    url = f"http://127.0.0.1:{PORT}"
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            while not _is_up(url):
                assert process.poll() is None, "the service has not started"
                time.sleep(0.1)
            yield url, process.pid
        finally:
            process.terminate()


def _is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").status_code == 200
    except httpx.HTTPError:
        return False


def resident_mb(process: int) -> float:
    """Return the memory of a process and of those that it started."""
    status = Path(f"/proc/{process}/status").read_text()
    own_kb = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
    return own_kb / 1024 + sum(map(resident_mb, _children(process)))


def _children(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(each) for each in children.split()]


async def load(
    url: str,
    token: str,
    rate: float,
    seconds: float,
    paths: Callable[[], tuple[str, str]],
    found: dict[str, Measured],
) -> None:
    """Send requests at this rate for this time, and wait for all answers."""
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200)
    headers = {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(
        base_url=url, headers=headers, limits=limits, timeout=60
    ) as client:

        async def ask(kind: str, path: str) -> None:
            began = time.perf_counter()
            try:
                answer = str((await client.get(path)).status_code)
            except httpx.HTTPError as error:
                answer = type(error).__name__
            for name in (kind, ALL):
                found[name].taken_s.append(time.perf_counter() - began)
                if answer != "200":
                    found[name].others[answer] += 1

        began, asked = time.perf_counter(), set()
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
            task = asyncio.create_task(ask(*paths()))
            asked.add(task)
            task.add_done_callback(asked.discard)
        await asyncio.gather(*asked)


async def watch(process: int, found: dict[str, Measured]) -> list[Period]:
    """Return what was seen in each period, until this task is cancelled."""
    taken_s, periods = found[ALL].taken_s, []
    with suppress(asyncio.CancelledError):
        while True:
            answered, before = len(taken_s), ticks()
            await asyncio.sleep(PERIOD_S)
            p99_ms = 1e3 * float(np.percentile(taken_s[answered:] or [np.nan], 99))
            ours, postgres, busy, total = ticks() - before
            shares = ours / total, postgres / total, (busy - ours - postgres) / total
            periods.append(Period(resident_mb(process), p99_ms, *shares))
    return periods


def ticks() -> NDArray[np.int64]:
    """Return ticks so far: ours (the service is our child), PostgreSQL's, all busy, and all."""
    line = Path("/proc/stat").read_text().splitlines()[0]
    each = [int(text) for text in line.split()[1:9]]  # user, nice, system, idle, waiting and so on
    ours = _processor_ticks(os.getpid())
    servers = [path.parent for path in Path("/proc").glob("[0-9]*/comm") if _is_postgres(path)]
    postgres = sum(_own_ticks(int(folder.name)) for folder in servers)
    return np.array([ours, postgres, sum(each) - each[3] - each[4], sum(each)])


@dataclass(frozen=True)
class Processor:
    """Time of the processors, in milliseconds for each request that was answered.

    It depends less on what else the machine does than the time that an answer took.
    """

    service_ms: float
    postgresql_ms: float
    """Of the server that has the store; 0 for SQLite, which is a part of the service."""


def used_ms(service: int, server: int | None) -> NDArray[np.float64]:
    """Return the processor time used so far by the service, and by the server of its store."""
    ticks = (_processor_ticks(service), 0 if server is None else _server_ticks(server))
    return 1e3 * np.array(ticks) / os.sysconf("SC_CLK_TCK")


def server_of(store: str) -> int | None:
    """Return the first process of a PostgreSQL on this machine; None for SQLite."""
    url = parse_url(store)
    if url.get_backend_name() == "sqlite":
        return None
    with closing(Database(store)) as database, database.reading() as connection:
        backend = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        return int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])


def _server_ticks(server: int) -> int:
    """Return the ticks of the server's processes, and of those that have ended."""
    after_name = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[11:15])) + sum(map(_own_ticks, _children(server)))


def _is_postgres(path: Path) -> bool:
    try:
        return path.read_text().startswith("postgres")
    except OSError:
        return False  # it has just ended


def _own_ticks(process: int) -> int:
    try:
        after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(after_name[11]) + int(after_name[12])


def _processor_ticks(process: int) -> int:
    """Return the ticks of a process and of those that it started."""
    return _own_ticks(process) + sum(map(_processor_ticks, _children(process)))


async def watched_load(
    process: int, found: dict[str, Measured], asked: Coroutine[Any, Any, None]
) -> list[Period]:
    """Send the requests, and watch the service and the machine meanwhile."""
    watching = asyncio.create_task(watch(process, found))
    await asked
    watching.cancel()
    return await watching


def timelines(url: str, token: str) -> list[str]:
    """Return the paths of some timelines of the last day, on nodes that have a meter."""
    window = f"from={_moment(END_S - DAY_S)}&to={_moment(END_S)}"
    path = f"{url}/v1/jobs?cluster=large&limit=200&min_run_s=3600&{window}"
    jobs = httpx.get(path, headers={"authorization": f"Bearer {token}"}).json()["jobs"]
    return [
        f"/v1/timelines/large/{job['jobid']}/{job['per_host'][0]['node_id']}/power_watt?freq=5min"
        for job in jobs
    ]


def recorded(found: dict[str, Measured], periods: Sequence[Period]) -> dict[str, Any]:
    """Return the same numbers as a file keeps them."""

    def row(measured: Measured) -> dict[str, Any]:
        taken_ms = 1e3 * np.array(measured.taken_s)
        p50, p99, slowest = (round(float(np.percentile(taken_ms, x)), 1) for x in (50, 99, 100))
        others = dict(measured.others)
        return {"number": len(taken_ms), "p50_ms": p50, "p99_ms": p99, "slowest_ms": slowest} | (
            {"not_answered_with_200": others} if others else {}
        )

    return {
        "requests": {kind: row(measured) for kind, measured in sorted(found.items())},
        "periods": [
            {name: round(value, 2) for name, value in asdict(period).items()} for period in periods
        ],
    }


def show(found: dict[str, Measured], periods: Sequence[Period]) -> None:
    """Print percentiles for each kind and for all, and what was seen over time."""
    table = _table("the history service under load", "request", "number", "p50 ms", "p99 ms")
    table.add_column("slowest ms", justify="right")
    table.add_column("not answered with 200")
    for kind, measured in sorted(found.items(), key=lambda item: (item[0] == ALL, item[0])):
        taken_ms = 1e3 * np.array(measured.taken_s)
        shown = [f"{np.percentile(taken_ms, share):.0f}" for share in (50, 99, 100)]
        table.add_row(kind, f"{len(taken_ms):,}", *shown, str(dict(measured.others) or ""))
    over_time = _table("over time", "until s", "memory MB", "p99 ms", "ours", "database", "others")
    for number, period in enumerate(periods, 1):
        over_time.add_row(
            f"{number * PERIOD_S:g}",
            f"{period.memory_mb:.0f}",
            f"{period.p99_ms:.0f}",
            f"{period.ours:.0%}",
            f"{period.database:.0%}",
            f"{period.others:.0%}",
        )
    for each in (table, over_time):
        Console(width=100).print(each)


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(title=title)
    table.add_column(first)
    for column in others:
        table.add_column(column, justify="right")
    return table


def main() -> None:
    """Make the store if it is not there, serve it, and put load on it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "store", help="a SQLite file or postgresql://...; made with --jobs if not there"
    )
    parser.add_argument("--jobs", type=int, default=MILLION)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=50.0, help="requests per second")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--record", metavar="FILE", type=Path, help=f"such as {RECORDED.name}")
    options = parser.parse_args()
    with Store.make(options.store) as store:
        if not store.count():
            is_server = options.store.startswith("postgresql")
            (make_bulk_store if is_server else make_store)(options.store, options.jobs)
        store.sum_days(time.time())
    with closing(Database(options.store)) as database, database.writing() as connection:
        token = add_token(connection, "load", scopes=list(SCOPES[Role.API]))
    draw = random.Random(1)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(write_site(Path(folder)), options.store, options.workers) as (url, process),
    ):
        opened = timelines(url, token)

        def paths() -> tuple[str, str]:
            kind, path = mix(draw, options.jobs)
            return kind, draw.choice(opened) if kind == "a timeline" else path

        asyncio.run(load(url, token, options.rate, WARM_UP_S, paths, defaultdict(Measured)))
        found: dict[str, Measured] = defaultdict(Measured)
        server = server_of(options.store)
        before_ms = used_ms(process, server)
        asked = load(url, token, options.rate, options.seconds, paths, found)
        periods = asyncio.run(watched_load(process, found, asked))
        each_ms = (used_ms(process, server) - before_ms) / len(found[ALL].taken_s)
        processor = Processor(*(round(float(each), 2) for each in each_ms))
        show(found, periods)
        Console().print(f"processor time of a request: {processor}")
    if options.record:
        about = {
            "store": "PostgreSQL" if options.store.startswith("postgresql") else "SQLite",
            "jobs": options.jobs,
            "seconds": options.seconds,
            "rate": options.rate,
            "workers": options.workers,
            "processor_of_a_request": asdict(processor),
        }
        options.record.write_text(json.dumps(about | recorded(found, periods), indent=1) + "\n")


if __name__ == "__main__":
    main()

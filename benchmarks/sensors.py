"""How long the timelines of one large job take, from Parquet files to its aggregates."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.table import Row
from schedlab.history.aggregate import measure
from schedlab.history.gather import gather
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.site import Site, read_site

NODES, ITEMS, HOURS, REPEATS = 32, 10, 24, 5
START_S = 1_704_067_200
NAMES = ("power_watt", *(f"sensor{number}_celsius" for number in range(1, ITEMS)))


def sensors(folder: Path) -> list[Row]:
    """Measure the aggregates of a job of 32 nodes and a day, with ten items a minute."""
    site, job = write_site(folder), job_of_all_nodes()
    best = float("inf")
    for _ in range(REPEATS):
        began = time.perf_counter()
        record = measure(job, site, gather(job, site))
        best = min(best, time.perf_counter() - began)
    assert record.maxpower_watt is not None
    name = f"aggregates of a job of {NODES} nodes, {HOURS} h, {ITEMS} items a minute"
    return [Row(name, best, "s", 1.0)]


def write_site(folder: Path) -> Site:
    """Return a site whose sensors wrote three days of all its nodes into one file."""
    minutes = START_S - 86400 + 60 * np.arange(3 * 24 * 60)
    random = np.random.default_rng(1)
    tables = [
        pl.DataFrame({"time": minutes, "host": host_name(node)}).with_columns(
            pl.Series(name, random.uniform(100, 300, len(minutes))) for name in NAMES
        )
        for node in range(NODES)
    ]
    pl.concat(tables).sort("time").write_parquet(folder / "sensors.parquet")
    items = "".join(
        f'[[sensor_source.item]]\nname = "{name}"\ncolumn = "{name}"\n'
        f'unit = "{"W" if name.endswith("watt") else "degC"}"\n'
        for name in NAMES
    )
    path = folder / "sensors.toml"
    path.write_text(
        '[site]\nname = "bench"\n[[cluster]]\nname = "bench"\n'
        '[[sensor_source]]\nkind = "parquet"\nname = "parquet"\nfiles = "sensors.parquet"\n'
        'time_format = "epoch"\nhost_column = "host"\n' + items
    )
    return read_site(path)


def job_of_all_nodes() -> JobRecord:
    """Return a job that held every node for a day."""
    document = {
        "cluster": "bench",
        "jobid": "1",
        "queue_time": from_epoch(START_S),
        "start_time": from_epoch(START_S),
        "end_time": from_epoch(START_S + HOURS * 3600),
        "req_walltime_sec": HOURS * 3600,
        "resource_req": {"num_host": NODES},
        "per_host": [{"node_id": host_name(node)} for node in range(NODES)],
        "state": "completed",
        "exclusive": True,
    }
    return JobRecord.model_validate(document)


def host_name(node: int) -> str:
    """Return the name of a node, such as ``n07``."""
    return f"n{node:02}"

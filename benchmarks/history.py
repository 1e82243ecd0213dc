"""Job histories: ingest, query, export, and the aggregates of a large job."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.simulation import lublin
from benchmarks.table import Row
from schedlab.history.aggregate import measure
from schedlab.history.gather import gather
from schedlab.history.ingest import make_job_source
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.site import read_site
from schedlab.history.store import JobQuery, Store, tables
from schedlab.workload import write_workload

MILLION, FOUND = 1_000_000, 10_000
SACCT_ROWS = 100_000
NODES, HOURS, ITEMS = 32, 24, 10
NOON_S = 1_700_049_600

# Prints how long the command took and its largest resident size, which the kernel counts anew in a
# new program, unlike that of getrusage.
_TIMED = """
import re, sys, time
from pathlib import Path
from typer.testing import CliRunner
from schedlab.cli.app import app
began = time.perf_counter()
result = CliRunner().invoke(app, sys.argv[1:])
took = time.perf_counter() - began
assert result.exit_code == 0, result.output
print([took, int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024])
"""


def history(folder: Path, jobs: int = MILLION) -> list[Row]:
    """A million jobs in, some of them found, all of them out; then rows and one large job."""
    trace, store = folder / "history.swf", folder / "history.db"
    write_workload(lublin(jobs, 256), trace)
    Store.make(str(store)).close()
    source = ("--kind", "swf", "--file", str(trace), "--store", str(store))
    ingest_s, ingest_mb = _timed("history", "ingest", *source)
    size_mb = sum(each.stat().st_size for each in folder.glob("history.db*")) / 1e6
    out = folder / "history.jsonl"
    export_s, export_mb = _timed("history", "export", str(out), "--store", str(store))
    return [
        Row(f"ingest {jobs:,} SWF jobs into SQLite", ingest_s, "s", 60.0),
        Row("  its largest resident size", ingest_mb, "MB", 1000.0),
        Row("  size of the store", size_mb, "MB", 1000.0),
        Row(f"find {FOUND:,} of them by time", _query_s(store, jobs), "s", 0.3),
        Row(f"export {jobs:,} records as JSON lines", export_s, "s", 60.0),
        Row("  its largest resident size", export_mb, "MB"),
        Row("read sacct text", _sacct_rate(folder), "jobs/s", 30_000.0),
        Row(f"measure {NODES} nodes x {HOURS} h x {ITEMS} items", _measure_s(folder), "s", 1.0),
    ]


def _timed(*command: str) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _TIMED, *command], check=True, capture_output=True, text=True
    )
    seconds, megabytes = json.loads(done.stdout)
    return float(seconds), float(megabytes)


def _best_s(work: Callable[[], object], times: int = 3) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def _query_s(path: Path, jobs: int) -> float:
    """The records of those jobs that were submitted in a range of time in the middle."""
    with Store.open(str(path)) as store:
        times = [queue_s for (queue_s,) in store.rows(JobQuery(), tables.jobs.c.queue_s)]
        first, last = times[jobs // 2], times[jobs // 2 + FOUND]
        query = JobQuery(queued_from_s=first, queued_to_s=last)
        return _best_s(lambda: list(store.jobs(query)))


def _sacct_rate(folder: Path) -> float:
    """Records per second of what sacct prints, from text to validated records."""
    row = {
        "State": "COMPLETED",
        "Cluster": "one",
        "JobName": "sim",
        "User": "ann",
        "Account": "physics",
        "Partition": "batch",
        "QOS": "normal",
        "Submit": "2026-11-15T12:00:00",
        "Eligible": "2026-11-15T12:00:00",
        "Start": "2026-11-15T12:00:10",
        "End": "2026-11-15T12:10:10",
        "TimelimitRaw": "15",
        "ExitCode": "0:0",
        "NNodes": "2",
        "NCPUS": "8",
        "ReqTRES": "billing=8,cpu=8,mem=4000M,node=2",
        "AllocTRES": "billing=8,cpu=8,mem=4000M,node=2",
        "NodeList": "n[01-02]",
        "Priority": "100",
        "ReqCPUFreqGov": "Unknown",
        "TotalCPU": "01:20:00",
        "MaxRSS": "",
        "ConsumedEnergyRaw": "",
        "SubmitLine": "sbatch run.sh",
    }
    tail = "\x1f".join(row.values())
    lines = ["\x1f".join(("JobID", *row)), *(f"{n}\x1f{tail}" for n in range(SACCT_ROWS))]
    path = folder / "sacct.txt"
    path.write_text("\n".join(lines) + "\n")

    def read() -> None:
        source = make_job_source({"kind": "slurm-sacct", "file": str(path)})
        assert sum(isinstance(each, JobRecord) for each in source.read(None)) == SACCT_ROWS

    return SACCT_ROWS / _best_s(read)


def _measure_s(folder: Path) -> float:
    """Every aggregate of a job of 32 nodes and 24 hours, from Parquet with a row a minute."""
    minutes = HOURS * 60
    hosts = [f"n{number:02}" for number in range(1, NODES + 1)]
    random = np.random.default_rng(1)
    columns = {f"c{number}": random.uniform(0, 500, NODES * minutes) for number in range(ITEMS)}
    time_s = np.tile(NOON_S + 60 * np.arange(minutes), NODES)
    frame = {"time": time_s, "host": np.repeat(hosts, minutes), **columns}
    pl.DataFrame(frame).write_parquet(folder / "large.parquet")
    items = "".join(
        f'[[sensor_source.item]]\nname = "c{number}_watt"\ncolumn = "c{number}"\nunit = "W"\n'
        for number in range(ITEMS)
    )
    (folder / "large.toml").write_text(
        '[site]\nname = "large"\n[[cluster]]\nname = "one"\n'
        f'[[cluster.nodes]]\nhosts = "n[01-{NODES}]"\n'
        '[[sensor_source]]\nkind = "parquet"\nname = "meters"\nfiles = "large.parquet"\n'
        f'host_column = "host"\n{items}'
    )
    site = read_site(folder / "large.toml")
    job = JobRecord.model_validate(
        {
            "jobid": "1",
            "cluster": "one",
            "req_walltime_sec": HOURS * 3600,
            "resource_req": {"num_host": NODES},
            "start_time": from_epoch(NOON_S),
            "end_time": from_epoch(NOON_S + HOURS * 3600),
            "per_host": [{"node_id": host} for host in hosts],
        }
    )
    return _best_s(lambda: measure(job, site, gather(job, site)))

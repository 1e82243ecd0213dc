"""Job histories: ingest, query and export; ``python -m benchmarks.history [--jobs 200000]``."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.simulation import lublin
from benchmarks.table import Row
from schedlab.history.ingest import make_job_source
from schedlab.history.schema import JobRecord
from schedlab.history.store import JobQuery, Store, tables
from schedlab.workload import write_workload

MILLION, FOUND = 1_000_000, 10_000
SACCT_ROWS = 100_000

# Prints the wall-clock and the processor time of the command, and its largest resident size, which
# the kernel counts from zero in a new program, unlike that of getrusage.
_TIMED = """
import re, sys, time
from pathlib import Path
from typer.testing import CliRunner
from schedlab.cli.app import app
began, cpu_began = time.perf_counter(), time.process_time()
result = CliRunner().invoke(app, sys.argv[1:])
took, cpu = time.perf_counter() - began, time.process_time() - cpu_began
assert result.exit_code == 0, result.output
resident = re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())
print([took, cpu, int(resident[1]) / 1024])
"""


class _Cost(NamedTuple):
    """What a command took."""

    wall_s: float
    cpu_s: float
    resident_mb: float


def history(folder: Path, jobs: int = MILLION) -> list[Row]:
    """Measure the ingest, query and export of a million jobs, and the reading of sacct's text."""
    trace, store = folder / "history.swf", folder / "history.db"
    write_workload(lublin(jobs, 256), trace)
    Store.make(str(store)).close()
    ingest = _timed("history", "ingest", str(trace), "--kind", "swf", "--store", str(store))
    size_mb = sum(each.stat().st_size for each in folder.glob("history.db*")) / 1e6
    out = folder / "history.jsonl"
    export = _timed("history", "export", str(out), "--store", str(store))
    return [
        Row(f"ingest {jobs:,} SWF jobs into SQLite", ingest.wall_s, "s", 60.0),
        Row("  processor time of the ingest", ingest.cpu_s, "s"),
        Row("  resident size of the ingest", ingest.resident_mb, "MB", 1000.0),
        Row("  size of the store", size_mb, "MB"),
        Row(f"find {FOUND:,} of them by time", _query_s(store, jobs), "s", 0.3),
        Row(f"export {jobs:,} records as JSON lines", export.wall_s, "s", 60.0),
        Row("  processor time of the export", export.cpu_s, "s"),
        Row("  resident size of the export", export.resident_mb, "MB"),
        Row("read sacct text", _sacct_rate(folder), "jobs/s", 30_000.0),
    ]


def _timed(*command: str) -> _Cost:
    done = subprocess.run(
        [sys.executable, "-c", _TIMED, *command], check=True, capture_output=True, text=True
    )
    return _Cost(*json.loads(done.stdout))


def _best_s(work: Callable[[], object], times: int = 3) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def _query_s(path: Path, jobs: int) -> float:
    """Return the time to read the records submitted in a range of time in the middle."""
    with Store.open(str(path)) as store:
        times = [queue_s for (queue_s,) in store.rows(JobQuery(), tables.jobs.c.queue_s)]
        first, last = times[jobs // 2], times[jobs // 2 + FOUND]
        query = JobQuery(queued_from_s=first, queued_to_s=last)
        return _best_s(lambda: list(store.jobs(query)))


def _sacct_rate(folder: Path) -> float:
    """Return records per second, from the text of sacct to validated records."""
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


def main() -> None:
    """Measure the job histories alone, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=MILLION, help="fewer for a quick look")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for row in history(Path(folder), options.jobs):
            print(f"{row.name:45} {row.value:12,.4g} {row.unit}")


if __name__ == "__main__":
    main()

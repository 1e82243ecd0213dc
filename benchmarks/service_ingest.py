"""Processor time of an ingested job: ``python -m benchmarks.service_ingest STORE [--jobs 100000]``.

The store must be empty. Synthetic jobs are written in the portions of an ingest; the time to make
their records is not counted. Processor time depends less than the clock on what else runs.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import islice
from pathlib import Path

from benchmarks.service_load import server_of, used_ms
from benchmarks.service_store import PORTION, synthetic
from schedlab.history.store import Store

RECORDED = Path(__file__).with_suffix(".json")


def measure(store_url: str, jobs: int) -> dict[str, float | int | str]:
    """Return microseconds per job, of the program that writes it and of PostgreSQL."""
    Store.make(store_url).close()
    server = server_of(store_url)
    records, own_s, server_ms = synthetic(jobs), 0.0, 0.0
    with Store.open(store_url) as store:
        assert not store.count(), "the store is not empty"
        while portion := list(islice(records, PORTION)):
            began_s, began_ms = time.process_time(), _server_ms(server)
            store.put(portion, source="synthetic")
            own_s += time.process_time() - began_s
            server_ms += _server_ms(server) - began_ms
    return {
        "store": "SQLite" if server is None else "PostgreSQL",
        "jobs": jobs,
        "program_us_per_job": round(1e6 * own_s / jobs, 1),
        "postgresql_us_per_job": round(1e3 * server_ms / jobs, 1),
    }


def _server_ms(server: int | None) -> float:
    return 0.0 if server is None else float(used_ms(server, server)[1])


def main() -> None:
    """Measure the processor time, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", help="a new SQLite file, or postgresql://... with no jobs in it")
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--record", metavar="FILE", type=Path, help=f"such as {RECORDED.name}")
    options = parser.parse_args()
    found = measure(options.store, options.jobs)
    print(json.dumps(found))
    if options.record:
        options.record.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""A store of synthetic jobs for the history service: ``python -m benchmarks.service_store OUT``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store

Drawn = dict[str, NDArray[Any]]
MILLION, PORTION = 1_000_000, 5_000
EPOCH_S = 1_672_531_200
"""1 January 2023, 00:00 UTC."""
YEARS_S = 3 * 365 * 86_400
USERS, GROUPS, NODES = 400, 40, 512
STATES = ("completed", "failed", "timeout", "cancelled", "out_of_memory", "node_fail")
SHARES = (0.86, 0.07, 0.04, 0.02, 0.009, 0.001)
TAGS = ("cfd", "training", "chemistry", "test")
"""One job in ten has one of these tags."""


RUNNING, WAITING = 300, 3_000
"""Jobs of the last day that have not ended."""


def make_store(url: str, jobs: int, *, seed: int = 1, unfinished: bool = False) -> None:
    """Write three years of jobs of two clusters, in portions as an ingest writes them."""
    records = chain(synthetic(jobs, seed), queue(jobs, seed) if unfinished else ())
    with Store.make(url) as store:
        while portion := list(islice(records, PORTION)):
            store.put(portion, source="synthetic")
        store.take_statistics()


def synthetic(jobs: int, seed: int = 1) -> Iterator[JobRecord]:
    """Yield jobs in order of submission: few users have most; most are small and short."""
    drawn = draw(jobs, seed)
    columns = [column.tolist() for column in drawn.values()]
    for number, values in enumerate(zip(*columns, strict=True), 1):
        yield _record(number, dict(zip(drawn, values, strict=True)))


def draw(jobs: int, seed: int = 1) -> Drawn:
    """Draw the columns that the jobs are made of, in order of submission."""
    random = np.random.default_rng(seed)
    return {
        "queue_s": np.sort(random.integers(EPOCH_S, EPOCH_S + YEARS_S, jobs)),
        "wait_s": random.exponential(3_600, jobs).astype(int),
        "run_s": np.minimum(random.lognormal(7.5, 1.8, jobs), 7 * 86_400).astype(int) + 1,
        "asked": random.uniform(1.05, 12.0, jobs),
        "hosts": np.minimum(2 ** random.geometric(0.5, jobs) // 2, 64),
        "node": random.integers(0, NODES, jobs),
        "user": np.minimum(random.zipf(1.3, jobs) - 1, USERS - 1),
        "state": random.choice(len(STATES), jobs, p=SHARES),
        "tag": random.integers(0, 10 * len(TAGS), jobs),
        "watt": random.uniform(150.0, 900.0, jobs),
    }


def _record(number: int, drawn: dict[str, Any]) -> JobRecord:
    queue_s, hosts, watt = drawn["queue_s"], drawn["hosts"], drawn["watt"]
    start_s = queue_s + drawn["wait_s"]
    document: dict[str, Any] = {
        "cluster": "large" if drawn["node"] % 4 else "small",
        "jobid": str(number),
        "queue_time": from_epoch(queue_s),
        "start_time": from_epoch(start_s),
        "end_time": from_epoch(start_s + drawn["run_s"]),
        "req_walltime_sec": 60 * (int(drawn["run_s"] * drawn["asked"]) // 60 + 1),
        "resource_req": {"num_host": hosts, "num_cpu_perhost": 64},
        "per_host": [{"node_id": f"n{(drawn['node'] + k) % NODES:03}"} for k in range(hosts)],
        "state": STATES[drawn["state"]],
        "exit_status": 0 if drawn["state"] == 0 else 1,
        "partition": "gpu" if drawn["user"] % 3 == 0 else "cpu",
        "user_identifier": f"user{drawn['user']:03}",
        "accounting_group": f"group{drawn['user'] % GROUPS:02}",
        "job_name": f"run {number % 97}",
        "maxpower_watt": watt * hosts,
        "energy": {"total_joule": 0.8 * watt * hosts * drawn["run_s"], "source": "synthetic"},
    }
    if drawn["tag"] < len(TAGS):
        document["tags"] = [TAGS[drawn["tag"]]]
    return JobRecord.model_validate(document)


def queue(jobs: int, seed: int = 1) -> Iterator[JobRecord]:
    """Yield jobs that run and wait when the three years are over."""
    end_s = EPOCH_S + YEARS_S
    for number, record in enumerate(synthetic(RUNNING + WAITING, seed + 1)):
        document = record.model_dump(mode="json", exclude_none=True)
        for name in ("start_time", "end_time", "exit_status", "energy", "maxpower_watt"):
            document.pop(name, None)
        times = {"jobid": str(jobs + 1 + number), "queue_time": from_epoch(end_s - 86_400 + number)}
        if number < RUNNING:
            times |= {"start_time": from_epoch(end_s - 40_000 + number), "state": "running"}
        else:
            document.pop("per_host")
            times |= {"state": "pending", "wait_reason": "Priority"}
        yield JobRecord.model_validate(document | times)


def main() -> None:
    """Make the store that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", help="a new SQLite file, or postgresql://...")
    parser.add_argument("--jobs", type=int, default=MILLION)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queue", action="store_true", help="some jobs run and wait in the end")
    options = parser.parse_args()
    make_store(options.out, options.jobs, seed=options.seed, unfinished=options.queue)


if __name__ == "__main__":
    main()

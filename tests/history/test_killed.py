"""An ingest that is killed at any instant leaves nothing half-written, and is completed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from tests.history.records import job
from tests.history.tiny_site import tiny_site, write_jobs, write_power

from schedlab.history.schema import JobRecord
from schedlab.history.store import Store
from schedlab.history.store.tables import aggregates, hosts, jobs, provenances, sources

KILLS = 20
ROOT = Path(__file__).parents[2]


def crowd() -> list[JobRecord]:
    """Return a hundred jobs that share two nodes, so that measuring one depends on others."""
    nodes = ([{"node_id": "n01"}], [{"node_id": "n02"}], [{"node_id": "n01"}, {"node_id": "n02"}])
    return [job(str(number), queued_s=number, per_host=nodes[number % 3]) for number in range(100)]


def content(store: Store) -> dict[str, list[Any]]:
    """Return the rows of a store, except its log."""
    return {
        table.name: sorted(map(repr, store.select(select(table))))
        for table in (jobs, hosts, aggregates, provenances, sources)
    }


@pytest.mark.slow
def test_the_store_is_the_same_after_random_kills(store_url: str, tmp_path: Path) -> None:
    """After twenty killed runs, the next one leaves the same store as an undisturbed run."""
    tiny_site(tmp_path, '[sharing]\nshare_by = "cpu"\n')
    write_jobs(tmp_path, crowd())
    write_power(tmp_path, {"n01": 100.0, "n02": 200.0}, minutes=5)
    Store.make(store_url).close()
    command = ("-m", "tests.history.killed_ingests", tmp_path / "site.toml", store_url, KILLS, 1)
    subprocess.run([sys.executable, *map(str, command)], cwd=ROOT, check=True)
    with Store.open(store_url) as killed, Store.open(str(tmp_path / "trial.db")) as undisturbed:
        assert content(killed) == content(undisturbed)

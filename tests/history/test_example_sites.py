"""The two example sites from end to end, on real servers: each record matches the written data."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from examples.sites.abci_like import make_data as abci
from examples.sites.tsubame3_like import make_data as tsubame
from sqlalchemy import create_engine
from tests.services.processes import require_program
from tests.services.prometheus import ServeFile

from schedlab.history.schema import HostUse, JobRecord, Timeline
from schedlab.history.sensors.zabbix_sql import DRIVERS
from schedlab.history.store import JobQuery, Store

SITES = Path(__file__).parents[2] / "examples" / "sites"

pytestmark = pytest.mark.slow


def prepared(name: str, folder: Path) -> Path:
    """Return a copy of the example with its data."""
    require_program("rrdtool")
    shutil.copytree(SITES / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "make_data.py"], cwd=folder / name, check=True)
    return folder / name


def load(url: str, script: Path) -> None:
    """Run a script of SQL in a database."""
    scheme, _, rest = url.partition("://")
    engine = create_engine(f"{DRIVERS[scheme]}://{rest}")
    with engine.begin() as connection:
        for statement in script.read_text().split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement)
    engine.dispose()


def point(site: Path, **places: str) -> None:
    """Write the addresses of the tests' servers into the site file."""
    file = site / "site.toml"
    text = file.read_text()
    for old, new in places.items():
        line = next(line for line in text.splitlines() if line.startswith(f'url = "{old}'))
        text = text.replace(line, f'url = "{new}"')
    file.write_text(text)


def ingested(site: Path) -> dict[str, JobRecord]:
    """Make the store, ingest by the command line, and read every record back."""
    for command in ("init", "ingest"):
        done = subprocess.run(
            [sys.executable, "-m", "schedlab", "history", command],
            cwd=site,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    with Store.open(str(site / "history.db")) as store:
        return {record.jobid: record for record in store.jobs(JobQuery())}


def hosts_of(record: JobRecord) -> list[HostUse]:
    """Return the hosts of a job that ran."""
    assert record.per_host is not None
    return record.per_host


def power_of(record: JobRecord, host: int = 0) -> Timeline:
    """Return the power of a host."""
    return hosts_of(record)[host].timelines["power_watt"]


def energy_j(watts: Iterable[float], step_s: float) -> float:
    """Return the joules of steps of equal length."""
    return step_s * sum(watts)


def test_grid_engine_ganglia_and_zabbix(tmp_path: Path, postgresql: Callable[[], str]) -> None:
    """Like TSUBAME3: shared nodes, GPUs by device, cooling of the whole site."""
    site, database = prepared("tsubame3_like", tmp_path), postgresql()
    load(database, site / "zabbix.sql")
    point(site, postgresql=database)
    jobs = ingested(site)
    assert sorted(jobs) == ["101", "102", "103", "104", "105.1", "105.2"]

    def node_j(host: str, begin: int, end: int) -> float:
        steps = range(begin // 5, end // 5)
        return energy_j((tsubame.node_power_w(host, step) for step in steps), 300)

    whole = jobs["101"]
    assert power_of(whole).integral == pytest.approx(node_j("r0i0n0", 0, 60), rel=1e-9)
    gpus = hosts_of(whole)[0].accelerator or []
    watts = [tsubame.gpu_power_w("r0i0n0", 3, step) for step in range(12)]
    assert gpus[3].timelines["power_watt"].avg == pytest.approx(sum(watts) / 12, rel=1e-9)
    assert gpus[0].type == "P100"

    both = node_j("r0i0n1", 30, 60)
    small, large = power_of(jobs["102"]), power_of(jobs["103"])
    assert small.integral == pytest.approx(node_j("r0i0n1", 0, 30) + both / 4, rel=1e-9)
    assert large.integral == pytest.approx(node_j("r0i0n1", 60, 90) + both * 3 / 4, rel=1e-9)
    assert small.provenance is not None
    assert small.provenance.attribution == "prorated-cpu"
    assert hosts_of(jobs["102"])[0].accelerator is None

    parallel = jobs["104"]
    assert [host.node_id for host in hosts_of(parallel)] == ["r0i0n2", "r0i0n3"]
    sums = [
        sum(tsubame.node_power_w(host, step) for host in ("r0i0n2", "r0i0n3"))
        for step in range(4, 28)
    ]
    assert parallel.maxpower_watt == pytest.approx(max(sums), rel=1e-9)
    cooling = hosts_of(parallel)[0].timelines["cooling_watt"]
    kilowatts = [tsubame.cooling_kw(minute) for minute in range(20, 140)]
    assert cooling.avg == pytest.approx(1000 * sum(kilowatts) / 120, rel=1e-9)
    assert cooling.provenance is not None
    assert (cooling.provenance.scope, cooling.provenance.attribution) == ("site", "shared")


def test_mariadb_csv_and_prometheus(
    tmp_path: Path, mariadb: Callable[[], str], prometheus_history: ServeFile
) -> None:
    """Like ABCI: jobs in a database, daily files in local time, the rest in Prometheus."""
    site, database = prepared("abci_like", tmp_path), mariadb()
    load(database, site / "jobs.sql")
    with prometheus_history(site / "history.om") as url:
        point(site, mariadb=database, http=url)
        jobs = ingested(site)
    assert sorted(jobs) == ["901", "902", "903", "904"]
    assert jobs["903"].per_host is None
    assert [jobs[each].state for each in ("901", "902", "903")] == [
        "completed",
        "failed",
        "cancelled",
    ]

    through_midnight = jobs["901"]
    joules = [
        energy_j((abci.node_power_w(host, minute) for minute in range(200)), 60)
        for host in ("g0001", "g0002")
    ]
    for host in (0, 1):
        assert power_of(through_midnight, host).integral == pytest.approx(joules[host], rel=1e-9)
    assert through_midnight.energy is not None
    assert through_midnight.energy.total_joule == pytest.approx(sum(joules), rel=1e-9)
    assert through_midnight.carbon is not None
    assert through_midnight.carbon.emission_gram == pytest.approx(457 * sum(joules) / 3.6e6)

    first = hosts_of(through_midnight)[0]
    assert first.timelines["used_cpu_percent"].avg == pytest.approx(50, rel=1e-9)
    free = [300 - minute % 8 for minute in range(200)]
    used = 2**30 * (384 - sum(free) / 200)
    assert first.timelines["used_mem_bytes"].avg == pytest.approx(used, rel=1e-9)
    gpus = first.accelerator or []
    watts = [abci.gpu_power_w("g0001", 2, minute) for minute in range(200)]
    assert gpus[2].timelines["power_watt"].avg == pytest.approx(sum(watts) / 200, rel=1e-9)
    assert gpus[2].timelines["usedmem_bytes"].max == 8 * 2**30

    outside = first.timelines["outside_celsius"]
    celsius = [(41 + 0.18 * minute - 32) * 5 / 9 for minute in range(0, 200, 10)]
    assert outside.avg == pytest.approx(sum(celsius) / 20, abs=0.01)
    fans = first.timelines["frequency_hz"].provenance
    assert fans is not None
    assert fans.absent_reason == "the source has no samples of that time"

"""Aggregates of a job: they match the sensor data, and the record says why a value is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.history.records import NOON_S, job

from schedlab.history.aggregate import measure
from schedlab.history.attribution import Occupancy
from schedlab.history.gather import Readings, gather
from schedlab.history.schema import JobRecord, Timeline, parse_timeline_uri
from schedlab.history.schema.times import from_epoch
from schedlab.history.site import Site, read_site

SITE = """
[site]
name = "x"

[[cluster]]
name = "one"

[[cluster.nodes]]
hosts = "n[01-04]"
cores = 16
gpus = { gpu = 2 }

[carbon]
gram_per_kwh = 360
source = "a test"

[[sensor_source]]
name = "table"
kind = "parquet"
files = "nodes.parquet"
time_format = "epoch"
host_column = "host"

[[sensor_source.item]]
name = "power_watt"
column = "power"
unit = "W"

[[sensor_source.item]]
name = "used_cpu_percent"
column = "cpu"
unit = "ratio"

[[sensor_source.item]]
name = "storage.access_bytes"
column = "disk"
kind = "counter"
unit = "B"

[[sensor_source]]
name = "gpus"
kind = "parquet"
files = "gpus.parquet"
time_format = "epoch"
host_column = "host"
device_column = "gpu"

[[sensor_source.item]]
name = "accelerator.power_watt"
column = "power"
unit = "W"
"""

HOUR_S = 3600
MINUTES = np.arange(-20, 81)


def power_of(host: int) -> Any:
    """Return the watts of each minute; hosts have their peaks at different times."""
    return 100.0 + 10 * host + 200.0 * (10 * host == MINUTES)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Four nodes of two GPUs, measured once a minute; the fourth has no sensors."""
    times = NOON_S + 60 * MINUTES
    nodes = [
        pl.DataFrame(
            {
                "time": times,
                "host": f"n{host:02}",
                "power": power_of(host),
                "cpu": np.linspace(0, 1, len(times)),
                "disk": 6000.0 * np.arange(len(times)),
            }
        )
        for host in (1, 2, 3)
    ]
    pl.concat(nodes).write_parquet(tmp_path / "nodes.parquet")
    gpus = [
        pl.DataFrame({"time": times, "host": "n01", "gpu": gpu, "power": 50.0 + gpu})
        for gpu in (0, 1)
    ]
    pl.concat(gpus).write_parquet(tmp_path / "gpus.parquet")
    (tmp_path / "site.toml").write_text(SITE)
    return read_site(tmp_path / "site.toml")


def hour(*hosts: dict[str, Any], **items: Any) -> JobRecord:
    """Return a job that ran for an hour from noon."""
    given: dict[str, Any] = {
        "queue_time": from_epoch(NOON_S),
        "start_time": from_epoch(NOON_S),
        "end_time": from_epoch(NOON_S + HOUR_S),
        "per_host": list(hosts),
    }
    return job(**{"jobid": "7[3]"} | given | items)


def timeline(record: JobRecord, item: str, host: int = 0) -> Timeline:
    """Return the timeline of an item of a host."""
    assert record.per_host is not None
    return record.per_host[host].timelines[item]


def measured(record: JobRecord, site: Site, occupancy: Occupancy | None = None) -> JobRecord:
    """Gather the readings of a job and measure it."""
    return measure(record, site, gather(record, site), occupancy)


def test_energy_is_what_was_written(site: Site) -> None:
    """The energy of a job is the sum of the written watts, each held for one minute."""
    record = measured(hour({"node_id": "n01"}, {"node_id": "n02"}), site)
    first = power_of(1)[20:80]
    power = timeline(record, "power_watt")
    assert power.integral == pytest.approx(60 * first.sum(), rel=1e-9)
    assert power.avg == pytest.approx(first.mean(), rel=1e-9)
    assert (power.min, power.max) == (110, 310)
    assert record.energy is not None
    joules = 60 * (first.sum() + power_of(2)[20:80].sum())
    assert record.energy.total_joule == pytest.approx(joules, rel=1e-9)
    assert record.energy.source == "power_watt of table"
    assert record.carbon is not None
    assert record.carbon.emission_gram == pytest.approx(joules / 3.6e6 * 360)


def test_a_job_between_samples_gets_its_part_of_them(site: Site) -> None:
    """Jobs do not start and end on whole minutes; their energy is exact all the same."""
    start_s, end_s = NOON_S + 17, NOON_S + 1003
    record = hour({"node_id": "n01"}, start_time=from_epoch(start_s), end_time=from_epoch(end_s))
    watts, times = power_of(1), NOON_S + 60 * MINUTES
    overlap = np.minimum(times + 60, end_s) - np.maximum(times, start_s)
    energy_j = np.dot(np.maximum(overlap, 0), watts)
    assert timeline(measured(record, site), "power_watt").integral == pytest.approx(energy_j)


def test_maxpower_is_the_maximum_of_the_sum(site: Site) -> None:
    """Peaks of 310, 320 and 330 W at different times: the sum never exceeds 560 W."""
    record = measured(hour(*({"node_id": f"n0{n}"} for n in (1, 2, 3))), site)
    assert record.maxpower_watt == 110 + 120 + 130 + 200
    maxima = [timeline(record, "power_watt", host).max for host in range(3)]
    assert maxima == [310, 320, 330]


def test_provenance_says_where_it_comes_from(site: Site) -> None:
    """Provenance holds the unit, step, coverage, scope, attribution and source."""
    about = timeline(measured(hour({"node_id": "n01"}), site), "used_cpu_percent").provenance
    assert about is not None
    assert about.model_dump(exclude_none=True) == {
        "unit": "%",
        "native_step_s": 60,
        "coverage": 1,
        "scope": "node",
        "attribution": "exclusive",
        "source": "table",
    }


def test_the_uri_says_what_to_read_again(site: Site) -> None:
    """A URI holds cluster, job, host, item and times; odd characters of the job id survive."""
    uri = timeline(measured(hour({"node_id": "n01"}), site), "power_watt").uri
    assert uri is not None
    parsed = parse_timeline_uri(uri)
    assert (parsed.cluster, parsed.jobid, parsed.host) == ("one", "7[3]", "n01")
    assert (parsed.item, parsed.device) == ("power_watt", None)
    assert (parsed.start, parsed.end) == (from_epoch(NOON_S), from_epoch(NOON_S + HOUR_S))


def test_amounts_are_rates_whose_integral_counts(site: Site) -> None:
    """For a counter of bytes, the mean is in bytes per second, the integral is the bytes moved."""
    record = measured(hour({"node_id": "n01"}), site)
    assert record.per_host is not None
    storage = record.per_host[0].storage
    assert storage is not None
    access = storage.timelines["access_bytes"]
    assert access.avg == pytest.approx(100)
    assert access.integral == pytest.approx(360_000)
    assert access.provenance is not None
    assert access.provenance.unit == "B/s"
    assert timeline(record, "used_cpu_percent").integral is None


def test_devices_go_to_the_job_that_held_them(site: Site) -> None:
    """A job gets the power of its own GPU, of both if it is exclusive, of none if unknown."""
    one = measured(hour({"node_id": "n01", "accelerator": [{"index": 1}]}), site)
    assert one.per_host is not None
    assert one.per_host[0].accelerator is not None
    (gpu,) = one.per_host[0].accelerator
    assert gpu.timelines["power_watt"].avg == 51
    assert parse_timeline_uri(str(gpu.timelines["power_watt"].uri)).device == "1"
    assert one.energy is not None
    assert one.energy.accelerator_joule == pytest.approx(51 * HOUR_S)
    both = measured(hour({"node_id": "n01"}, exclusive=True), site)
    assert both.per_host is not None
    assert [a.index for a in both.per_host[0].accelerator or ()] == [0, 1]
    unknown = measured(hour({"node_id": "n01"}), site)
    assert unknown.per_host is not None
    assert unknown.per_host[0].accelerator is None


def test_a_host_with_times_of_its_own_is_measured_in_them(site: Site) -> None:
    """A job may give a node back early."""
    early = {"node_id": "n01", "end_time": "20231115T121000+0000"}
    record = measured(hour(early, {"node_id": "n02"}), site)
    assert timeline(record, "power_watt", 0).max == 110  # the peak came at the tenth minute
    assert timeline(record, "power_watt", 1).max == 320


def test_a_host_without_sensors_has_a_reason(site: Site) -> None:
    """Missing data cost one item of one host; the peak is then a lower bound."""
    record = measured(hour({"node_id": "n01"}, {"node_id": "n04"}), site)
    absent = timeline(record, "power_watt", 1)
    assert absent.avg is None
    assert absent.provenance is not None
    assert absent.provenance.absent_reason == "the source has no samples of that time"
    assert record.maxpower_watt == 310
    about = record.model_dump(mode="json")["maxpower_watt_provenance"]
    assert (about["coverage"], about["max_is_lower_bound"]) == (0.5, True)
    assert record.energy is not None
    assert record.energy.model_extra == {"coverage": 0.5}


def test_a_source_that_fails_costs_its_items(site: Site, tmp_path: Path) -> None:
    """The GPUs' file is gone and the nodes' is broken; the job is kept, and its record says so."""
    (tmp_path / "gpus.parquet").unlink()
    (tmp_path / "nodes.parquet").write_bytes(b"no parquet")
    record = hour({"node_id": "n01"}, exclusive=True)
    readings = gather(record, site)
    assert [bool(readings[item].faults) for item in ("power_watt", "accelerator.power_watt")] == [
        True,
        False,
    ]
    after = measure(record, site, readings)
    about = timeline(after, "power_watt").provenance
    assert about is not None
    assert "nodes.parquet: cannot be read" in str(about.absent_reason)
    assert after.maxpower_watt is None
    assert after.energy is None


def test_a_second_source_stands_in(site: Site, tmp_path: Path) -> None:
    """If the first source has lost data, the next in the site file is asked; that is no failure."""
    old = pl.read_parquet(tmp_path / "nodes.parquet")
    old.filter(pl.col("host") != "n01").write_parquet(tmp_path / "nodes.parquet")
    old.filter(pl.col("host") == "n01").write_parquet(tmp_path / "archive.parquet")
    text = SITE.partition("[[sensor_source]]")[2].partition("[[sensor_source]]")[0]
    second = text.replace("nodes.parquet", "archive.parquet").replace('"table"', '"archive"')
    (tmp_path / "site.toml").write_text(SITE + "[[sensor_source]]" + second)
    record = hour({"node_id": "n01"}, {"node_id": "n02"})
    after = measured(record, read_site(tmp_path / "site.toml"))
    sources = [timeline(after, "power_watt", host).provenance for host in (0, 1)]
    assert [each.source for each in sources if each is not None] == ["archive", "table"]


def test_accounted_energy_is_kept_beside(site: Site) -> None:
    """The energy that the scheduler accounted is another measurement, kept beside the first."""
    record = measured(hour({"node_id": "n01"}, energy={"total_joule": 5.0}), site)
    assert record.energy is not None
    assert record.energy.model_dump()["accounted_joule"] == 5.0


def test_jobs_that_never_ran_are_left_alone(site: Site) -> None:
    """Without hosts and times there is nothing to measure."""
    for state in ({"state": "cancelled", "start_time": None}, {"state": "running"}):
        record = hour({"node_id": "n01"}, **{"end_time": None, **state})
        assert gather(record, site) == {}
        assert measure(record, site, {}) is record


def test_measuring_changes_nothing_given(site: Site) -> None:
    """The same record can be measured again, for example when a sensor has come back."""
    record = hour({"node_id": "n01"}, energy={"total_joule": 5.0})
    before = record.model_dump_json()
    readings: Readings = gather(record, site)
    once = measure(record, site, readings)
    assert record.model_dump_json() == before
    assert measure(once, site, readings).model_dump_json() == once.model_dump_json()


def test_a_shared_node_is_divided(site: Site, tmp_path: Path) -> None:
    """The energies of two jobs of 4 and 12 cores add up to that of their node."""
    (tmp_path / "site.toml").write_text(SITE + '\n[sharing]\nshare_by = "cpu"\n')
    shared = read_site(tmp_path / "site.toml")
    small = hour({"node_id": "n01", "num_cpu": 4})
    large = hour({"node_id": "n01", "num_cpu": 12}, jobid="8")
    occupancy = Occupancy([small, large])
    parts = [measured(each, shared, occupancy) for each in (small, large)]
    joules = [timeline(each, "power_watt").integral or 0 for each in parts]
    assert sum(joules) == pytest.approx(60 * power_of(1)[20:80].sum())
    assert joules[1] == pytest.approx(3 * joules[0])
    about = timeline(parts[0], "power_watt").provenance
    assert about is not None
    assert about.attribution == "prorated-cpu"


def test_the_record_survives_its_json(site: Site) -> None:
    """Measured values are in the standard's own items and read back unchanged."""
    record = measured(hour({"node_id": "n01"}, exclusive=True), site)
    again = JobRecord.model_validate_json(record.model_dump_json(exclude_none=True))
    assert again.model_dump_json(exclude_none=True) == record.model_dump_json(exclude_none=True)

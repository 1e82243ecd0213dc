"""Ganglia's databases, written and read by the real ``rrdtool``."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.services.processes import require_program

from schedlab.errors import SchedlabError, SensorError
from schedlab.history.sensors import MeasuringPoint, SensorRequest, integral, make_sensor_source
from schedlab.history.sensors.ganglia import GangliaSource
from schedlab.history.sensors.source import AnySensorSource

START_S = 1_700_000_040  # a multiple of 60
POWER = {"name": "power_watt", "unit": "W", "file": "one/{host}/node_power.rrd"}
AVERAGES = ("RRA:AVERAGE:0.5:1:240", "RRA:AVERAGE:0.5:5:2000")


@pytest.fixture(autouse=True)
def rrdtool() -> str:
    """The path of ``rrdtool``; the test is skipped if it is not installed."""
    return require_program("rrdtool")


def write(folder: Path, host: str, watts: Any, *archives: str, metric: str = "node_power") -> Path:
    """Write a database as gmetad does, with a value for each minute from the start."""
    path = folder / "rrds" / "one" / host / f"{metric}.rrd"
    path.parent.mkdir(parents=True, exist_ok=True)
    create = ["rrdtool", "create", str(path), "--step", "60", "--start", str(START_S)]
    subprocess.run([*create, "DS:sum:GAUGE:480:U:U", *(archives or AVERAGES)], check=True)
    updates = [f"{START_S + 60 * n}:{value}" for n, value in enumerate(watts, 1)]
    subprocess.run(["rrdtool", "update", str(path), *updates], check=True)
    return path


def ganglia(folder: Path, *items: dict[str, Any], **settings: Any) -> AnySensorSource:
    """Return the source of this folder."""
    given = {"kind": "ganglia", "name": "ganglia", "rrds": "rrds", "item": list(items or [POWER])}
    return make_sensor_source(given | settings, folder)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """A row is labelled by the end of its step; the energy of an hour agrees to 1e-9."""
    watts = np.random.default_rng(1).uniform(100, 300, 120).round(3)
    for host in ("n01", "n02"):
        write(tmp_path, host, watts)
    begin_s, end_s = START_S + 1800, START_S + 5400
    hosts: dict[str, tuple[str, ...]] = {"n01": (), "n02": (), "n03": ()}
    found = ganglia(tmp_path).read("power_watt", SensorRequest(hosts, begin_s, end_s))
    assert set(found) == {MeasuringPoint("n01"), MeasuringPoint("n02")}
    series = found[MeasuringPoint("n01")]
    assert list(series.mean) == pytest.approx(list(watts[30:90]), rel=1e-9)
    assert integral(series, begin_s, end_s) == pytest.approx(60 * watts[30:90].sum(), rel=1e-9)
    assert (series.native_step_s, series.peaks_hidden) == (60, False)


def test_old_data_are_coarse_and_say_so(tmp_path: Path) -> None:
    """Only means of five minutes are left after some hours: the energy stays, peaks may hide."""
    watts = np.tile([100, 100, 600, 100, 100], 200)
    write(tmp_path, "n01", watts)
    series = ganglia(tmp_path).series("power_watt", "n01", None, START_S + 3600, START_S + 7200)
    assert series.native_step_s == 300
    assert series.peaks_hidden
    assert series.greatest.max() == pytest.approx(200)
    energy_j = integral(series, START_S + 3600, START_S + 7200)
    assert energy_j == pytest.approx(200 * 3600, rel=0.01)


def test_a_short_job_of_long_ago_lies_in_one_row(tmp_path: Path) -> None:
    """Only rows of two hours are left; the job gets the row it ran in, with its length."""
    write(tmp_path, "n01", np.full(600, 150.0), "RRA:AVERAGE:0.5:1:10", "RRA:AVERAGE:0.5:120:50")
    begin_s = START_S // 7200 * 7200 + 3 * 7200 + 3000
    series = ganglia(tmp_path).series("power_watt", "n01", None, begin_s, begin_s + 60)
    assert (series.mean.tolist(), series.native_step_s) == ([150.0], 7200)


def test_an_archive_of_maxima_keeps_the_peaks(tmp_path: Path) -> None:
    """Where the database has maxima of the same steps, nothing is hidden."""
    archives = ("RRA:AVERAGE:0.5:5:500", "RRA:MAX:0.5:5:500", "RRA:MIN:0.5:5:500")
    write(tmp_path, "n01", np.tile([100, 100, 600, 100, 100], 20), *archives)
    series = ganglia(tmp_path).series("power_watt", "n01", None, START_S, START_S + 3600)
    assert series.greatest.max() == 600
    assert series.least.min() == 100
    assert not series.peaks_hidden


def test_unknown_values_are_gaps(tmp_path: Path) -> None:
    """A node that was off wrote nothing; its rows are NaN."""
    watts = [100] * 20 + ["U"] * 20 + [100] * 20
    write(tmp_path, "n01", watts)
    series = ganglia(tmp_path).series("power_watt", "n01", None, START_S, START_S + 3600)
    assert integral(series, START_S, START_S + 3600) == pytest.approx(100 * 40 * 60)


def test_devices_have_databases_of_their_own(tmp_path: Path) -> None:
    """Ganglia has no devices; their numbers stand in the names of metrics."""
    for device in (0, 1):
        write(tmp_path, "n01", [10.0 + device] * 30, metric=f"gpu{device}_util")
    name = "accelerator.utilization_percent"
    item = {"name": name, "unit": "%", "file": "one/{host}/gpu{device}_util.rrd"}
    request = SensorRequest({"n01": ("0", "1")}, START_S + 600, START_S + 1200)
    found = ganglia(tmp_path, item).read(name, request)
    assert {place: set(each.mean) for place, each in found.items()} == {
        MeasuringPoint("n01", "0"): {10.0},
        MeasuringPoint("n01", "1"): {11.0},
    }


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    """Folder, file, data source or program: the sentence says which."""
    with pytest.raises(SensorError, match=r"no folder .*rrds"):
        ganglia(tmp_path).check()
    write(tmp_path, "n01", [1] * 30)
    assert "1 databases in" in ganglia(tmp_path).check()
    span = (START_S, START_S + 600)
    with pytest.raises(SensorError, match=r"no file .*node_power.rrd of these hosts"):
        ganglia(tmp_path).series("power_watt", "n09", None, *span)
    with pytest.raises(SensorError, match=r'has no data source "num"; has sum'):
        ganglia(tmp_path, {**POWER, "ds": "num"}).series("power_watt", "n01", None, *span)
    with pytest.raises(SensorError, match=r'no program "rrdtoll"'):
        ganglia(tmp_path, program="rrdtoll").series("power_watt", "n01", None, *span)
    (tmp_path / "rrds/one/n01/node_power.rrd").write_bytes(b"RRD?")
    with pytest.raises(SensorError, match=r"node_power.rrd: .*EOF"):
        ganglia(tmp_path).series("power_watt", "n01", None, *span)


def test_a_broken_database_costs_its_host_only(tmp_path: Path) -> None:
    """A disk that was full while one file was written did not harm the others."""
    for host in ("n01", "n02"):
        write(tmp_path, host, [5] * 30)
    (tmp_path / "rrds/one/n01/node_power.rrd").write_bytes(b"RRD?")
    request = SensorRequest({"n01": (), "n02": ()}, START_S, START_S + 600)
    assert set(ganglia(tmp_path).read("power_watt", request)) == {MeasuringPoint("n02")}


def test_counters_are_refused(tmp_path: Path) -> None:
    """A database holds rates already; a rate of a rate would be silently wrong."""
    with pytest.raises(SchedlabError, match=r"rrdtool turns counters into rates"):
        ganglia(tmp_path, {**POWER, "kind": "counter", "unit": "J"})


def test_a_database_of_a_real_gmetad(shared_data: Path) -> None:
    """The file that gmetad 3.7.2 wrote, with rows of two seconds and its own heartbeat."""
    path = shared_data / "samples" / "ganglia" / "n01_node_power.rrd"
    item = {**POWER, "file": "{host}_node_power.rrd"}
    source = ganglia(path.parent, item, rrds=".")
    series = source.series("power_watt", "n01", None, 1794703046, 1794703066)
    assert list(series.mean) == [161, 162, 162.5, 163.5, 164.5, 165.5, 166, 166, 166, 166]
    assert series.start_s[0] == 1794703046


@pytest.mark.parametrize("minutes", [10, 100])
def test_rrdtool_is_asked_for_the_rows_of_the_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minutes: int
) -> None:
    """The output of rrdtool grows with the window, and not with the database."""
    write(tmp_path, "n01", range(200), "RRA:AVERAGE:0.5:1:240")
    printed: list[str] = []
    run = GangliaSource._run

    def noted(source: GangliaSource, text: str, arguments: list[str]) -> str:
        printed.append(run(source, text, arguments))
        return printed[-1]

    monkeypatch.setattr(GangliaSource, "_run", noted)
    source = ganglia(tmp_path)
    window = SensorRequest({"n01": ()}, START_S + 3_600, START_S + 3_600 + 60 * minutes)
    source.read("power_watt", window)
    margins = 2 * source.items["power_watt"].margin_s / 60
    rows = sum(len(re.findall(r"^\d+: ", text, re.MULTILINE)) for text in printed)
    assert minutes <= rows <= minutes + margins + 2

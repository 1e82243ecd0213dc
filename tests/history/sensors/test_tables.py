"""Timelines in CSV and Parquet files: columns, units, zones and days as the site has them."""

from __future__ import annotations

import gzip
import os
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest

from schedlab.errors import SchedlabError, SensorError
from schedlab.history.sensors import MeasuringPoint, SensorRequest, make_sensor_source
from schedlab.history.sensors.source import AnySensorSource

POWER = {"name": "power_watt", "unit": "W", "column": "power"}


def table(folder: Path, kind: str = "csv", **settings: Any) -> AnySensorSource:
    """Return a source of the node power in this folder."""
    given = {"kind": kind, "name": "table", "files": f"power.{kind}", "item": [POWER]}
    return make_sensor_source(given | settings, folder)


def at(local: str, zone: str = "UTC") -> float:
    """Return the seconds of the epoch at this local time of the zone."""
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).timestamp()


def power(source: AnySensorSource, start_s: float, end_s: float, host: str = "n01") -> Any:
    """Return the timeline of a host."""
    return source.series("power_watt", host, None, start_s, end_s)


def test_daily_files_in_the_site_s_own_zone(tmp_path: Path) -> None:
    """A job through midnight in Tokyo is in two files, named by the dates of Tokyo."""
    for day, watts in (("20240131", 100), ("20240201", 200)):
        date = f"{day[:4]}/{day[4:6]}/{day[6:]}"
        rows = [f"{date} {h:02d}:{m:02d}:00,n01,{watts}" for h in range(24) for m in (0, 30)]
        (tmp_path / f"ipmi-{day}.csv").write_text("Timestamp,Node,power\n" + "\n".join(rows))
    source = table(
        tmp_path,
        files="ipmi-{date:%Y%m%d}.csv",
        time_column="Timestamp",
        host_column="Node",
        time_zone="Asia/Tokyo",
    )
    series = power(source, at("2024-01-31T14:00"), at("2024-01-31T16:00"))
    assert list(series.mean) == [100, 100, 200, 200]
    assert series.start_s[2] == at("2024-02-01T00:00", "Asia/Tokyo")


def test_units_become_the_schema_s(tmp_path: Path) -> None:
    """Columns may be in kilowatts or degrees Fahrenheit; records never are."""
    (tmp_path / "power.csv").write_text("time,kw,f\n0,1.5,212\n60,2.5,32\n")
    items = [
        {**POWER, "unit": "kW", "column": "kw"},
        {"name": "room_celsius", "unit": "degF", "column": "f", "scope": "site"},
    ]
    source = table(tmp_path, time_format="epoch", item=items)
    assert list(power(source, 0, 120).mean) == [1500, 2500]
    room = source.series("room_celsius", None, None, 0, 120)
    np.testing.assert_allclose(room.mean, [100, 0], atol=1e-9)


def test_each_host_may_have_a_column_or_a_file(tmp_path: Path) -> None:
    """Racks are often logged as one wide table, nodes as one file each."""
    (tmp_path / "power.csv").write_text("time,n01 W,n02 W\n0,1,2\n60,3,4\n")
    wide = table(tmp_path, time_format="epoch", item=[{**POWER, "column": "{host} W"}])
    assert list(power(wide, 0, 60, "n02").mean) == [2]
    (tmp_path / "n03.csv").write_text("time,power\n0,5\n")
    assert list(
        power(table(tmp_path, files="{host}.csv", time_format="epoch"), 0, 60, "n03").mean
    ) == [5]


def test_rows_may_say_what_they_measure(tmp_path: Path) -> None:
    """One long table for everything: the item's rows are chosen by their name."""
    text = "time,host,what,value\n0,n01,power,10\n0,n01,fan,3000\n60,n01,power,20\n"
    (tmp_path / "power.csv").write_text(text)
    source = table(
        tmp_path,
        time_format="epoch",
        host_column="host",
        item_column="what",
        item=[{**POWER, "column": "value", "row": "power"}],
    )
    assert list(power(source, 0, 120).mean) == [10, 20]


def test_devices_by_column(tmp_path: Path) -> None:
    """Each GPU has rows of its own."""
    (tmp_path / "power.csv").write_text("time,host,gpu,u\n0,n01,0,10\n0,n01,1,20\n60,n01,0,30\n")
    item = {"name": "accelerator.utilization_percent", "unit": "%", "column": "u"}
    settings = {"time_format": "epoch", "host_column": "host", "device_column": "gpu"}
    source = table(tmp_path, item=[item], **settings)
    found = source.read(item["name"], SensorRequest({"n01": ("0", "1")}, 0, 60))
    assert {place: list(each.mean) for place, each in found.items()} == {
        MeasuringPoint("n01", "0"): [10],
        MeasuringPoint("n01", "1"): [20],
    }


def test_the_hour_that_comes_twice(tmp_path: Path) -> None:
    """In autumn clocks show 02:00 to 03:00 twice; rows in order tell which is which."""
    clocks = ["01:30", "02:00", "02:30", "02:00", "02:30", "03:00"]
    rows = [f"2024-10-27 {clock},{n}" for n, clock in enumerate(clocks)]
    (tmp_path / "power.csv").write_text("time,power\n" + "\n".join(rows))
    start_s = at("2024-10-26T23:30")
    series = power(table(tmp_path, time_zone="Europe/Berlin"), start_s, start_s + 6 * 1800)
    assert list((series.start_s - start_s) / 1800) == [0, 1, 2, 3, 4, 5]
    assert list(series.mean) == [0, 1, 2, 3, 4, 5]


def test_the_hour_that_comes_twice_is_each_host_s_own(tmp_path: Path) -> None:
    """A file written host after host goes back in time at every host; that is no second hour."""
    clocks = ["02:00", "02:30", "02:00", "02:30"]
    rows = [
        f"2024-10-27 {clock},{host},{n}"
        for host in ("n01", "n02")
        for n, clock in enumerate(clocks)
    ]
    (tmp_path / "power.csv").write_text("time,host,power\n" + "\n".join(rows))
    source = table(tmp_path, time_zone="Europe/Berlin", host_column="host")
    start_s = at("2024-10-27T00:00")
    for host in ("n01", "n02"):
        assert list(power(source, start_s, start_s + 7200, host).mean) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("2024-01-01T00:00:00Z", None),
        ("2024-01-01 09:00:00+09:00", None),
        ("2024-01-01T00:00:00.000+0000", None),
        ("1704067200", "epoch"),
        ("1704067200000", "epoch_ms"),
        ("01.01.2024 00:00", "%d.%m.%Y %H:%M"),
        ("Jan 01 2024 01:00:00 +0100", "%b %d %Y %H:%M:%S %z"),
    ],
)
def test_forms_of_time(tmp_path: Path, text: str, form: str | None) -> None:
    """All forms of a time give the same moment."""
    (tmp_path / "power.csv").write_text(f"time,power\n{text},7\n")
    settings = {} if form is None else {"time_format": form}
    series = power(table(tmp_path, **settings), 1704067200, 1704067260)
    assert list(series.start_s) == [1704067200]


def test_packed_files_other_separators_and_decimal_commas(tmp_path: Path) -> None:
    """Spreadsheets in half of Europe write such files."""
    text = "# logger 5\ntime;power\n0;1,5\n60;2,5\n"
    (tmp_path / "power.csv.gz").write_bytes(gzip.compress(text.encode()))
    source = table(
        tmp_path, files="power.csv.gz", separator=";", decimal=",", comment="#", time_format="epoch"
    )
    assert list(power(source, 0, 120).mean) == [1.5, 2.5]


def test_broken_rows_are_gaps(tmp_path: Path) -> None:
    """A value or a time that cannot be read, or a line cut short, costs that row."""
    text = "time,host,power\n0,n01,1\n60,n01,n/a\nnoon,n01,9\n120,n01,3\n180,n0"
    (tmp_path / "power.csv").write_text(text)
    source = table(tmp_path, time_format="epoch", host_column="host")
    assert list(power(source, 0, 180).mean) == [1, 3]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("when,power\n0,1\n", 'power.csv: has no column "time"; has "when", "power"'),
        ("time,watts\n2024-01-01T00:00:00,1\n", 'power.csv: has no column "power"'),
        ("time,power\nnoon,1\n", 'column "time": "noon" is not a time such as 2024-01-31'),
        ("", "power.csv: cannot be read"),
        ("time,power, power\n0,1,2\n", "power.csv: cannot be read: .* duplicate"),
        ("<html><body>Not found</body></html>\n", 'has no column "time"'),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: str, sentence: str) -> None:
    """The sentence says which file, what was wanted and what there is."""
    (tmp_path / "power.csv").write_text(content)
    with pytest.raises(SensorError, match=sentence):
        power(table(tmp_path), 0, 60)


def test_a_day_without_a_file_is_a_gap(tmp_path: Path) -> None:
    """If there is no file at all, that is a mistake in the site file."""
    source = table(tmp_path, files="{date:%Y-%m-%d}.csv")
    with pytest.raises(SensorError, match=r"no file .*\{date:%Y-%m-%d\}.csv of that time"):
        power(source, 0, 86400 * 2)
    with pytest.raises(SensorError, match=r"no file"):
        source.check()
    (tmp_path / "1970-01-02.csv").write_text("time,power\n1970-01-02T00:00:00,5\n")
    assert list(power(source, 0, 86400 * 2).mean) == [5]
    assert source.check().startswith("1 files")


def test_a_file_that_grew_is_read_again(tmp_path: Path) -> None:
    """Today's file is kept in memory for the next job only as long as it is the same."""
    path = tmp_path / "power.csv"
    path.write_text("time,power\n0,1\n")
    source = table(tmp_path, time_format="epoch")
    assert list(power(source, 0, 120).mean) == [1]
    path.write_text("time,power\n0,1\n60,2\n")
    os.utime(path, (1, 1))
    assert list(power(source, 0, 120).mean) == [1, 2]


@pytest.mark.parametrize("form", ["aware", "naive", "epoch", "epoch_ms"])
def test_parquet_is_exact(tmp_path: Path, form: str) -> None:
    """Values come back bit for bit, whatever type the times have."""
    rng = np.random.default_rng(1)
    times = 1704067200 + 60 * np.arange(100)
    values = rng.uniform(100, 300, 100)
    moments = pl.from_epoch(pl.Series(times), time_unit="s")
    columns = {
        "aware": moments.dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"),
        "naive": moments.dt.offset_by("9h"),
        "epoch": pl.Series(times),
        "epoch_ms": pl.Series(times * 1000),
    }
    frame = pl.DataFrame({"time": columns[form], "host": ["n01"] * 100, "power": values})
    frame.write_parquet(tmp_path / "power.parquet")
    settings = {"time_format": form} if form.startswith("epoch") else {}
    source = table(tmp_path, "parquet", host_column="host", time_zone="Asia/Tokyo", **settings)
    series = power(source, times[10], times[20])
    assert np.array_equal(series.mean, values[10:20])
    assert np.array_equal(series.start_s, times[10:20])


def test_what_is_no_parquet_is_named(tmp_path: Path) -> None:
    """The file may be truncated by a full disk, or may never have been Parquet."""
    (tmp_path / "power.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(SensorError, match=r"power.parquet: cannot be read"):
        power(table(tmp_path, "parquet"), 0, 60)


def test_times_that_are_none_are_named(tmp_path: Path) -> None:
    """A time column holds numbers, texts, dates or moments; any other type is an error."""
    pl.DataFrame({"time": [True], "power": [1.0]}).write_parquet(tmp_path / "power.parquet")
    with pytest.raises(SensorError, match=r"power.parquet: cannot be read: .*dtype .bool"):
        power(table(tmp_path, "parquet"), 0, 60)


def test_a_wrong_zone_is_refused(tmp_path: Path) -> None:
    """A wrong zone or separator is refused when the site file is read."""
    with pytest.raises(SchedlabError, match=r'separator is ";;"; must be one character'):
        table(tmp_path, separator=";;")
    with pytest.raises(SchedlabError, match=r'time_zone is "Tokyo"'):
        table(tmp_path, time_zone="Tokyo")

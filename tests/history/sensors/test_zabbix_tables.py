"""Zabbix's tables on PostgreSQL and on MariaDB: the same timelines from both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Engine, create_engine, event, text

from schedlab.errors import SensorError
from schedlab.history.sensors import (
    MeasuringPoint,
    SensorRequest,
    integral,
    make_sensor_source,
    resample,
)
from schedlab.history.sensors.source import AnySensorSource
from schedlab.history.sensors.zabbix_sql import DRIVERS

DAY_S = 86_400
HOUR_S = 1_704_067_200
POWER = {"name": "power_watt", "unit": "W", "key": "node.power"}
TABLES = """
CREATE TABLE hosts (hostid bigint PRIMARY KEY, host varchar(128) NOT NULL);
CREATE TABLE items (itemid bigint PRIMARY KEY, hostid bigint NOT NULL, key_ varchar(2048) NOT NULL,
                    value_type integer NOT NULL);
CREATE TABLE history (itemid bigint NOT NULL, clock integer NOT NULL,
                      value double precision NOT NULL, ns integer NOT NULL,
                      PRIMARY KEY (itemid, clock, ns));
CREATE TABLE history_uint (itemid bigint NOT NULL, clock integer NOT NULL,
                           value numeric(20,0) NOT NULL, ns integer NOT NULL,
                           PRIMARY KEY (itemid, clock, ns));
CREATE TABLE trends (itemid bigint NOT NULL, clock integer NOT NULL, num integer NOT NULL,
                     value_min double precision NOT NULL, value_avg double precision NOT NULL,
                     value_max double precision NOT NULL, PRIMARY KEY (itemid, clock));
CREATE TABLE trends_uint (itemid bigint NOT NULL, clock integer NOT NULL, num integer NOT NULL,
                          value_min numeric(20,0) NOT NULL, value_avg numeric(20,0) NOT NULL,
                          value_max numeric(20,0) NOT NULL, PRIMARY KEY (itemid, clock));
INSERT INTO hosts VALUES (1, 'n01'), (2, 'n02'), (3, 'facility');
INSERT INTO items VALUES (11, 1, 'node.power', 0), (12, 1, 'disk.bytes', 3),
                         (13, 1, 'node.name', 1), (14, 1, 'gpu.util[0]', 3),
                         (15, 1, 'gpu.util[1]', 3), (21, 2, 'node.power', 0),
                         (31, 3, 'room.temperature', 0)
"""

pytestmark = pytest.mark.slow


class Zabbix:
    """The tables of a Zabbix server, to write into."""

    def __init__(self, url: str) -> None:
        self.url = url
        scheme, _, rest = url.partition("://")
        self._engine = create_engine(f"{DRIVERS[scheme]}://{rest}")
        for statement in TABLES.split(";"):
            self.run(statement)

    def run(self, statement: str, rows: list[dict[str, Any]] | None = None) -> None:
        """Execute one statement."""
        with self._engine.begin() as connection:
            connection.execute(text(statement), rows)

    def write(self, table: str, itemid: int, rows: Sequence[tuple[float, ...]]) -> None:
        """Write rows of an item."""
        marks = ", ".join(f":c{n}" for n in range(len(rows[0])))
        given = [{"i": itemid} | {f"c{n}": v for n, v in enumerate(row)} for row in rows]
        self.run(f"INSERT INTO {table} VALUES (:i, {marks})", given)

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def source(self, *items: dict[str, Any], **settings: Any) -> AnySensorSource:
        """Return the source that reads these tables."""
        given = {"kind": "zabbix-sql", "name": "zabbix", "url": self.url}
        return make_sensor_source(given | {"item": list(items or [POWER])} | settings, Path())


@pytest.fixture(params=["postgresql", "mariadb"])
def zabbix(request: pytest.FixtureRequest) -> Iterator[Zabbix]:
    """Empty tables on each of the two databases that Zabbix runs on."""
    new_database: Callable[[], str] = request.getfixturevalue(request.param)
    tables = Zabbix(new_database())
    yield tables
    tables.close()


def test_five_minute_means_are_exact(zabbix: Zabbix) -> None:
    """Values at uneven times, with nanoseconds: the mean is the exact integral to 1e-9."""
    rng = np.random.default_rng(2)
    clocks = HOUR_S - 600 + np.cumsum(rng.integers(5, 90, 200))
    nanos = rng.integers(0, 1_000_000_000, 200)
    watts = rng.uniform(100, 300, 200)
    rows = list(zip(clocks.tolist(), watts.tolist(), nanos.tolist(), strict=True))
    zabbix.write("history", 11, rows)
    series = zabbix.source().series("power_watt", "n01", None, HOUR_S, HOUR_S + 3600)
    means = resample(series, 300, from_s=HOUR_S, to_s=HOUR_S + 3600).mean
    times = clocks + nanos * 1e-9
    for step, mean in enumerate(means):
        begin_s = HOUR_S + 300 * step
        overlap = np.minimum(times[1:], begin_s + 300) - np.maximum(times[:-1], begin_s)
        exact = np.dot(np.maximum(overlap, 0), watts[:-1]) / 300
        assert mean == pytest.approx(exact, rel=1e-9)


def test_trends_reach_further_back(zabbix: Zabbix) -> None:
    """Values are kept for days, hourly trends for a year: together they cover the job."""
    trends = [(HOUR_S - 3600 * n, 60, 100.0, 150.0 + n, 400.0) for n in range(1, 6)]
    zabbix.write("trends", 11, trends)
    zabbix.write("history", 11, [(HOUR_S + 60 * n, 200.0, 0) for n in range(60)])
    begin_s = HOUR_S - 4 * 3600
    series = zabbix.source().series("power_watt", "n01", None, begin_s, HOUR_S + 3600)
    assert integral(series, begin_s, HOUR_S) == pytest.approx(3600 * (151 + 152 + 153 + 154))
    assert integral(series, HOUR_S, HOUR_S + 3600) == pytest.approx(3600 * 200)
    assert series.greatest.max() == 400
    assert series.native_step_s == 3600


def test_whole_numbers_have_tables_of_their_own(zabbix: Zabbix) -> None:
    """Unsigned values lie in history_uint; a counter of bytes becomes a rate."""
    zabbix.write("history_uint", 12, [(HOUR_S + 60 * n, 6000 * n, 0) for n in range(10)])
    item = {"name": "io_bytes", "unit": "KiB", "kind": "counter", "key": "disk.bytes"}
    series = zabbix.source(item).series("io_bytes", "n01", None, HOUR_S, HOUR_S + 540)
    assert set(series.mean) == {102_400}
    assert integral(series, HOUR_S, HOUR_S + 540) == pytest.approx(9 * 6000 * 1024)


def test_devices_and_the_facility(zabbix: Zabbix) -> None:
    """A device stands in the key; what belongs to no node has a host of its own."""
    for itemid in (14, 15):
        zabbix.write("history_uint", itemid, [(HOUR_S + 60 * n, itemid, 0) for n in range(3)])
    zabbix.write("history", 31, [(HOUR_S + 60 * n, 21.5, 0) for n in range(3)])
    util = {"name": "accelerator.utilization_percent", "unit": "%", "key": "gpu.util[{device}]"}
    room = {
        "name": "room_celsius",
        "unit": "degC",
        "key": "room.temperature",
        "host": "facility",
        "scope": "site",
    }
    source = zabbix.source(util, room)
    found = source.read(util["name"], SensorRequest({"n01": ("0", "1")}, HOUR_S, HOUR_S + 120))
    assert {place: set(each.mean) for place, each in found.items()} == {
        MeasuringPoint("n01", "0"): {14},
        MeasuringPoint("n01", "1"): {15},
    }
    assert set(source.series("room_celsius", None, None, HOUR_S, HOUR_S + 60).mean) == {21.5}


@pytest.fixture
def fetched() -> Iterator[list[tuple[str, int]]]:
    """Each statement that is executed, with the number of rows that the database returned."""
    heard: list[tuple[str, int]] = []

    def listen(_: Any, cursor: Any, statement: str, *__: Any) -> None:
        heard.append((statement.replace("`", ""), cursor.rowcount))  # MariaDB's quotes

    event.listen(Engine, "after_cursor_execute", listen)
    yield heard
    event.remove(Engine, "after_cursor_execute", listen)


@pytest.mark.parametrize("days", [1, 10])
def test_the_rows_of_the_window_are_fetched(
    zabbix: Zabbix, fetched: list[tuple[str, int]], days: int
) -> None:
    """No other rows are fetched, though the table has a value a minute over thirty days."""
    clocks = range(HOUR_S - 10 * DAY_S, HOUR_S + 20 * DAY_S, 60)
    zabbix.write("history", 11, [(clock, 200.0, 0) for clock in clocks])
    fetched.clear()
    source, end_s = zabbix.source(), HOUR_S + days * DAY_S
    source.read("power_watt", SensorRequest({"n01": ()}, HOUR_S, end_s))
    margin_s = source.items["power_watt"].margin_s
    wanted = [clock for clock in clocks if HOUR_S - margin_s <= clock <= end_s + margin_s]
    (rows,) = [rows for statement, rows in fetched if "FROM history" in statement]
    assert rows == len(wanted)


def test_what_cannot_be_read_is_named(zabbix: Zabbix) -> None:
    """A key that no host has, a text where numbers should be, a table that is gone."""
    span = (HOUR_S, HOUR_S + 60)
    source = zabbix.source({**POWER, "key": "node.pwoer"})
    with pytest.raises(SensorError, match=r'no.* item of key "node.pwoer"'):
        source.series("power_watt", "n01", None, *span)
    with pytest.raises(SensorError, match=r'"node.name" holds no numbers'):
        zabbix.source({**POWER, "key": "node.name"}).series("power_watt", "n01", None, *span)
    assert "7 items in" in zabbix.source().check()
    zabbix.run("DROP TABLE history")
    with pytest.raises(SensorError, match=r"zabbix: the database says: .*history"):
        zabbix.source().series("power_watt", "n01", None, *span)


def test_a_database_that_is_down_is_named(nobody: str) -> None:
    """The sentence comes from the driver and contains no password."""
    address = nobody.removeprefix("http://")
    for kind in ("postgresql", "mariadb"):
        given = {"kind": "zabbix-sql", "name": "z", "url": f"{kind}://u:pw@{address}/zabbix"}
        source = make_sensor_source({**given, "item": [POWER]}, Path())
        with pytest.raises(SensorError, match=r"z: the database says: ") as caught:
            source.check()
        assert "pw" not in str(caught.value)

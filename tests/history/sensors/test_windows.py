"""The requests to a source grow with the window, and not with the data that the source has."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.services.scripted import Scripted

from schedlab.errors import SensorError
from schedlab.history.sensors import SensorRequest, make_sensor_source
from schedlab.history.sensors.source import AnySensorSource

DAY_S = 86_400.0
START_S = 1_700_006_400.0
"""15 November 2023, 00:00 UTC."""
WINDOWS_S = (DAY_S, 10 * DAY_S)
SENSOR = {"itemid": "1", "key_": "p", "value_type": "0", "hosts": [{"host": "n01"}]}


def source(kind: str, folder: Path, item: dict[str, Any], **settings: Any) -> AnySensorSource:
    """Return a source of this kind, with one item."""
    named = {"name": "power_watt", "unit": "W", **item}
    return make_sensor_source({"kind": kind, "name": "it", "item": [named], **settings}, folder)


def read(asked: AnySensorSource, window_s: float) -> float:
    """Read a window from the start, and return the length of both margins together."""
    asked.read("power_watt", SensorRequest({"n01": ()}, START_S, START_S + window_s))
    return 2 * float(asked.items["power_watt"].margin_s)


@pytest.mark.parametrize("window_s", WINDOWS_S)
def test_prometheus_is_asked_for_the_samples_of_the_window(
    scripted: Scripted, tmp_path: Path, window_s: float
) -> None:
    """Each query names a span of time; put together they are the window with its margins."""
    scripted.answer = lambda _: {"status": "success", "data": {"result": []}}
    margins_s = read(source("prometheus", tmp_path, {"query": "p"}, url=scripted.url), window_s)
    spans = [re.search(r"\[(\d+)ms\]$", asked["query"]) for asked in scripted.asked]
    assert sum(int(span[1]) for span in spans if span) == 1000 * (window_s + margins_s)


@pytest.mark.parametrize("window_s", WINDOWS_S)
def test_zabbix_is_asked_for_the_values_of_the_window(
    scripted: Scripted, tmp_path: Path, window_s: float
) -> None:
    """Requests do not overlap; without values, trends are asked for from the start of the hour."""
    answers = {"apiinfo.version": "7.0.0", "item.get": [SENSOR]}
    scripted.answer = lambda asked: {"result": answers.get(asked["method"], [])}
    (tmp_path / "token").write_text("secret")
    server = {"url": scripted.url, "token_file": "token"}
    margins_s = read(source("zabbix-api", tmp_path, {"key": "p"}, **server), window_s)
    for method, rounded_s in (("history.get", 0), ("trend.get", 3_600)):
        asked = [each["params"] for each in scripted.asked if each["method"] == method]
        seconds = sum(each["time_till"] - each["time_from"] + 1 for each in asked)
        assert 0 < seconds - (window_s + margins_s) <= 1 + rounded_s


def test_of_daily_files_only_the_days_of_the_window_are_read(tmp_path: Path) -> None:
    """A file of another day is not opened, so it may contain anything."""
    days = [datetime.fromtimestamp(START_S, UTC) + timedelta(days=n) for n in (-1, 0, 1, 2, 3)]
    for day in days:
        row = f"{day + timedelta(hours=12):%Y-%m-%dT%H:%M:%S},n01,100\n"
        text = "time,host,watt\n" + row if day.day in (15, 16) else "no table at all"
        (tmp_path / f"power-{day:%Y%m%d}.csv").write_text(text)
    files = {"files": "power-{date:%Y%m%d}.csv", "host_column": "host"}
    table = source("csv", tmp_path, {"column": "watt"}, **files)
    within = SensorRequest({"n01": ()}, START_S + DAY_S / 4, START_S + 7 * DAY_S / 4)
    (series,) = table.read("power_watt", within).values()
    assert list(series.mean) == [100, 100]
    with pytest.raises(SensorError, match=r"power-202311(14|17)\.csv"):
        read(table, 3 * DAY_S)

"""Timelines on request: exact, clipped to the job, and without reading more than is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection
from tests.history.records import NOON_S, job
from tests.history.tiny_site import SITE, tiny_site

from schedlab.errors import ParameterError, SensorError, UnknownNameError
from schedlab.history.archive import archive_days
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.sensors.source import MeasuringPoint
from schedlab.history.site import Site, read_site
from schedlab.history.store import Store
from schedlab.history.web.database import Database
from schedlab.history.web.queries.timelines import (
    MOST_STEPS,
    TimelinePart,
    TimelineRequest,
    read_timelines,
)

HOUR_S, DAY_S = 3_600, 86_400
NEVER = 4_000_000_000.0


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A store in which two jobs share a node for a while, with the same number of cores."""
    url = str(tmp_path_factory.mktemp("store") / "history.db")
    with Store.make(url) as store:
        store.put([job("1"), job("2", queued_s=50)], source="test")
    database = Database(url)
    with database.reading() as opened:
        yield opened
    database.close()


def read(
    connection: Connection, site: Site, record: JobRecord, item: str = "power_watt", **how: Any
) -> TimelinePart:
    """Return the timeline on the first host of the job."""
    host = (record.per_host or [])[0]
    wanted = TimelineRequest(**how)
    answers = read_timelines(connection, site, record, [host], item, wanted, now_s=NEVER)
    return answers[MeasuringPoint(host.node_id)]


def ramp_site(folder: Path, hours: float = 3.0, step_s: float = 7.0) -> Site:
    """Make a site with power that rises by one watt with each sample."""
    time_s = NOON_S + np.arange(0, hours * HOUR_S, step_s)
    watts = np.arange(len(time_s), dtype=float)
    frame = pl.DataFrame({"time": time_s, "host": "n01", "watt": watts})
    frame.write_csv(folder / "power.csv")
    (folder / "site.toml").write_text(SITE)
    return read_site(folder / "site.toml")


def long_job(start_s: int, run_s: int) -> JobRecord:
    """Return a job that started ``start_s`` after noon."""
    begin_s = NOON_S + start_s
    end = from_epoch(begin_s + run_s)
    return job("9", queued_s=start_s, start_time=from_epoch(begin_s), end_time=end)


@pytest.fixture(scope="module")
def ramp(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site with three hours of the ramp."""
    return ramp_site(tmp_path_factory.mktemp("ramp"))


def plain_integral(from_s: float, to_s: float, step_s: float = 7.0) -> float:
    """Return the integral of the ramp: each sample holds until the next, summed one by one."""
    total = 0.0
    for number in range(int((to_s - NOON_S) / step_s) + 1):
        begin_s = NOON_S + number * step_s
        overlap_s = min(begin_s + step_s, to_s) - max(begin_s, from_s)
        total += number * max(0.0, overlap_s)
    return total


@settings(max_examples=10, deadline=None)
@given(start_s=st.integers(20, 3_000), run_s=st.integers(60, 5_000), freq_s=st.integers(8, 900))
def test_steps_are_exact_integrals(
    connection: Connection, ramp: Site, start_s: int, run_s: int, freq_s: int
) -> None:
    """The mean of a step is weighted by overlap at its edges, and clipped to the job."""
    record = long_job(start_s, run_s)
    answer = read(connection, ramp, record, freq_s=freq_s)
    assert answer.end_s is not None
    assert answer.start_s[0] == NOON_S + start_s
    assert answer.end_s[-1] == NOON_S + start_s + run_s
    for begin_s, end_s, value in zip(answer.start_s, answer.end_s, answer.value, strict=True):
        expected = plain_integral(begin_s, end_s) / (end_s - begin_s)
        assert value == pytest.approx(expected, rel=1e-9)
    summed = read(connection, ramp, record, freq_s=freq_s, agg="sum")
    whole = plain_integral(NOON_S + start_s, NOON_S + start_s + run_s)
    assert summed.value.sum() == pytest.approx(whole, rel=1e-9)


def test_a_step_can_be_something_else_than_a_mean(connection: Connection, ramp: Site) -> None:
    """On a ramp, the first sample is the minimum and the last one the maximum."""
    how: dict[str, Any] = {"freq_s": 70.0, "from_s": NOON_S, "to_s": NOON_S + 140}
    record = long_job(0, 1_000)
    values = {
        agg: read(connection, ramp, record, agg=agg, **how).value.tolist()
        for agg in ("min", "max", "last", "mean", "sum")
    }
    assert values == {
        "min": [0, 10],
        "max": [9, 19],
        "last": [9, 19],
        "mean": [4.5, 14.5],
        "sum": [315, 1015],
    }


def test_finer_than_measured_is_as_measured_and_says_so(connection: Connection, ramp: Site) -> None:
    """What happened between two samples is unknown."""
    answer = read(connection, ramp, long_job(0, 70), freq_s=1)
    assert answer.freq_s is None
    assert answer.provenance.native_step_s == 7.0
    assert len(answer.value) == 10


def test_a_plot_gets_few_points_with_their_true_times(connection: Connection, ramp: Site) -> None:
    """The first, last, smallest and largest values are among the points."""
    record = long_job(0, 10_000)
    everything = read(connection, ramp, record)
    points = read(connection, ramp, record, max_points=40)
    assert points.end_s is None
    assert len(points.value) <= 40 < len(everything.value)
    assert points.value[[0, -1]].tolist() == everything.value[[0, -1]].tolist()
    assert set(points.start_s) <= set(everything.start_s)


def test_a_window_is_clipped_to_the_job(connection: Connection, ramp: Site) -> None:
    """Before and after, another job had the node."""
    answer = read(connection, ramp, long_job(100, 200), from_s=NOON_S, to_s=NOON_S + 150)
    assert (answer.from_s, answer.to_s) == (NOON_S + 100, NOON_S + 150)
    with pytest.raises(ParameterError, match="the job was on the host from 20231115T120140"):
        read(connection, ramp, long_job(100, 200), from_s=NOON_S + 300)


def test_where_nothing_was_measured_the_timeline_is_empty(
    connection: Connection, ramp: Site
) -> None:
    """Sensors are optional, and a zero would be wrong."""
    answer = read(connection, ramp, long_job(10 * HOUR_S, 60))
    assert len(answer.value) == 0
    assert answer.provenance.absent_reason == "the source has no samples of that time"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"agg": "mean"}, "needs freq"),
        ({"freq_s": 60, "agg": "mode"}, "unknown agg"),
        ({"freq_s": 0}, "must be above 0"),
        ({"max_points": 3}, "must be >= 4"),
    ],
)
def test_what_cannot_be_wanted_is_refused(how: dict[str, Any], said: str) -> None:
    """The message says what is allowed."""
    with pytest.raises((ParameterError, UnknownNameError), match=said):
        TimelineRequest(**how)


def test_more_steps_than_anybody_can_hold_are_refused(
    connection: Connection, tmp_path: Path
) -> None:
    """A single sample has no native step, and a long job in steps of 1 s would fill the memory."""
    site = ramp_site(tmp_path, hours=1e-3)
    with pytest.raises(ParameterError, match="make it longer"):
        read(connection, site, long_job(0, 2 * MOST_STEPS), freq_s=1)


def test_an_unknown_item_is_named(connection: Connection, ramp: Site) -> None:
    """The message names the nearest item that is measured."""
    with pytest.raises(UnknownNameError, match="power_watt"):
        read(connection, ramp, long_job(0, 60), item="power_wat")


def test_a_source_that_fails_is_told_of(connection: Connection, tmp_path: Path) -> None:
    """An empty timeline would look as if nothing had been measured."""
    site = ramp_site(tmp_path)
    (tmp_path / "power.csv").write_text("time,watt\n")
    with pytest.raises(SensorError, match="host"):
        read(connection, site, long_job(0, 60))


def test_a_shared_node_is_divided_as_it_was_when_measured(
    connection: Connection, tmp_path: Path
) -> None:
    """From 60 s to 110 s after noon two jobs with four cores each are on a node of 100 W."""
    site = tiny_site(tmp_path, "[sharing]\n")
    answer = read(connection, site, job("1"), freq_s=50)
    assert answer.value.tolist() == [100.0, 50.0]
    assert answer.provenance.attribution == "prorated-cpu"


def bytes_read() -> int:
    """Return the number of bytes that this process has read from files so far."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("rchar")).split()[1])


@pytest.mark.slow
def test_what_is_read_grows_with_the_window(connection: Connection, tmp_path: Path) -> None:
    """In an archive of twelve days, reading one day costs a twelfth of reading all."""
    rows, random = 12 * DAY_S // 60, np.random.default_rng(1)
    time_s = NOON_S // DAY_S * DAY_S + 60.0 * np.arange(rows)
    frame = pl.DataFrame({"time": time_s, "host": "n01", "watt": random.uniform(0, 400, rows)})
    frame.write_csv(tmp_path / "power.csv")
    (tmp_path / "site.toml").write_text(SITE + '[archive]\nfolder = "kept"\n')
    site = read_site(tmp_path / "site.toml")
    record = long_job(-12 * HOUR_S, 12 * DAY_S)
    with Store.make(str(tmp_path / "history.db")) as store:
        store.put([record], source="test")
        archive_days(site, store, NEVER)
    source = '[[sensor_source]]\nkind = "archive"\nname = "kept"\nfolder = "kept"\n'
    item = '[[sensor_source.item]]\nname = "power_watt"\nunit = "W"\n'
    (tmp_path / "kept.toml").write_text(SITE.split("[[sensor_source]]")[0] + source + item)
    kept = read_site(tmp_path / "kept.toml")
    read(connection, kept, record)  # so that files read only once do not count
    costs = []
    for days in (1, 4, 8):
        before = bytes_read()
        from_s = time_s[0] + DAY_S + HOUR_S
        read(connection, kept, record, from_s=from_s, to_s=from_s + days * DAY_S - 2 * HOUR_S)
        costs.append(bytes_read() - before)
    one, four, eight = costs
    assert eight - four == pytest.approx(4 / 3 * (four - one), rel=0.2)
    assert eight > 4 * one


def test_a_source_is_asked_for_the_window_only(connection: Connection, ramp: Site) -> None:
    """The request adds only the margin in which a sample that still holds may lie."""
    (source,) = ramp.sensor_sources
    asked = []

    class Noting(type(source)):  # type: ignore[misc]
        def fetch(self, item: Any, request: Any) -> Any:
            asked.append((request.start_s, request.end_s, dict(request.hosts)))
            return super().fetch(item, request)

    site = replace(ramp, sensor_sources=(Noting(source.section, source.items, source.folder),))
    read(connection, site, long_job(0, 9_000), from_s=NOON_S + 3_000, to_s=NOON_S + 3_060)
    margin_s = source.items["power_watt"].margin_s
    assert asked == [(NOON_S + 3_000 - margin_s, NOON_S + 3_060 + margin_s, {"n01": ()})]

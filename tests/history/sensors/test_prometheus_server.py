"""Real servers with a history whose integral is known exactly: Prometheus and VictoriaMetrics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.services.prometheus import Sample, Serve

from schedlab.errors import SensorError
from schedlab.history.sensors import (
    MeasuringPoint,
    SensorRequest,
    integral,
    make_sensor_source,
    resample,
)
from schedlab.history.sensors.source import AnySensorSource

START_S = 1_704_067_200.0
HOURS_S = 6 * 3600.0
HOSTS: dict[str, tuple[str, ...]] = {"n01": (), "n02": ()}
RAW = 'node_power_watts{instance=~"{host}(:.*)?"}'
ITEMS = [
    {"name": "power_watt", "unit": "W", "query": RAW},
    {"name": "averaged_watt", "unit": "W", "query": 'even{instance=~"{host}(:.*)?"}', "step_s": 60},
    {
        "name": "doubled_watt",
        "unit": "W",
        "query": '2 * even{instance=~"{host}(:.*)?"}',
        "step_s": 60,
        "resolution_s": 15,
    },
    {
        "name": "energy_joule",
        "unit": "J",
        "kind": "counter",
        "query": 'energy_joules_total{instance=~"{host}(:.*)?"}',
    },
    {
        "name": "summed_joule",
        "unit": "J",
        "kind": "counter",
        "query": 'sum by (instance) (energy_joules_total{instance=~"{host}(:.*)?"})',
    },
    {"name": "broken_watt", "unit": "W", "query": "sum(("},
]

pytestmark = pytest.mark.slow


def uneven(host: str) -> tuple[Any, Any]:
    """Return times and watts of a host, scraped at uneven intervals."""
    rng = np.random.default_rng(int(host[1:]))
    times = START_S - 900 + np.cumsum(rng.uniform(10, 80, 700).round(3)).round(3)
    return times, rng.uniform(100, 300, 700).round(3)


def history() -> Iterator[Sample]:
    """Yield uneven power of two hosts, even samples, and a counter that is reset once."""
    for host in HOSTS:
        for time_s, watts in zip(*uneven(host), strict=True):
            yield f'node_power_watts{{instance="{host}:9100"}}', float(time_s), float(watts)
    for n in range(-60, 1500):
        yield 'even{instance="n01:9100"}', START_S + 15.0 * n, float(n % 40)
    joules = 5000.0
    for n in range(-20, 400):
        joules = 30.0 if n == 100 else joules + 30.0 * (n % 5)
        yield 'energy_joules_total{instance="n01:9100"}', START_S + 60.0 * n, joules


@pytest.fixture(params=["prometheus", "victoria_metrics"])
def server(request: pytest.FixtureRequest) -> Iterator[AnySensorSource]:
    """The source on each of the two servers."""
    serve: Serve = request.getfixturevalue(request.param)
    with serve(history()) as url:
        yield make_sensor_source(
            {"kind": "prometheus", "name": "prom", "url": url, "item": ITEMS}, Path()
        )


def test_a_server_tells_what_was_written(server: AnySensorSource) -> None:
    """All checks share one server, as its start takes longer than the queries."""
    five_minute_means_are_exact_integrals(server)
    averages_of_the_server_are_true_averages(server)
    counters_are_exact_through_a_reset(server)
    with pytest.raises(SensorError, match=r"refused the query .*sum\(\("):
        server.read("broken_watt", SensorRequest(HOSTS, START_S, START_S + 60))
    assert server.check().endswith("answers queries")


def five_minute_means_are_exact_integrals(server: AnySensorSource) -> None:
    """Check to 1e-9 that each sample is weighted by how long it held, from its true time."""
    found = server.read("power_watt", SensorRequest(HOSTS, START_S, START_S + HOURS_S))
    for host in HOSTS:
        times, watts = uneven(host)
        means = resample(
            found[MeasuringPoint(host)], 300, from_s=START_S, to_s=START_S + HOURS_S
        ).mean
        for step, mean in enumerate(means):
            begin_s = START_S + 300 * step
            overlap = np.minimum(times[1:], begin_s + 300) - np.maximum(times[:-1], begin_s)
            exact = np.dot(np.maximum(overlap, 0), watts[:-1]) / 300
            assert mean == pytest.approx(exact, rel=1e-9)
        assert len(means) == HOURS_S / 300


def averages_of_the_server_are_true_averages(server: AnySensorSource) -> None:
    """Check that each sample counts once: none is skipped, and none at an edge counts twice."""
    for item, factor in (("averaged_watt", 1), ("doubled_watt", 2)):
        series = server.series(item, "n01", None, START_S, START_S + 3600)
        values = factor * (np.arange(240) % 40).reshape(60, 4)
        np.testing.assert_allclose(series.mean, values.mean(axis=1), rtol=1e-9)
        np.testing.assert_allclose(series.least, values.min(axis=1))
        np.testing.assert_allclose(series.greatest, values.max(axis=1))
        assert series.start_s[0] == pytest.approx(START_S)


def counters_are_exact_through_a_reset(server: AnySensorSource) -> None:
    """Check that the energy is the rise of the counter, including 30 J after the reset."""
    rises = [30.0 if n == 100 else 30.0 * (n % 5) for n in range(1, 361)]
    for item in ("energy_joule", "summed_joule"):
        series = server.series(item, "n01", None, START_S, START_S + HOURS_S)
        assert integral(series, START_S, START_S + HOURS_S) == pytest.approx(sum(rises), rel=1e-9)

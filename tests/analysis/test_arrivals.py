"""Arrivals on the cluster's own clock."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from schedlab.analysis import ArrivalPattern, Clock


def header(begin: datetime, **more: str) -> dict[str, list[str]]:
    """Return a header that says when the trace begins."""
    return {"UnixStartTime": [f"{begin.timestamp():.0f}"], **{k: [v] for k, v in more.items()}}


def arrivals(submit_s: list[int], begin: datetime, **zone: str) -> ArrivalPattern:
    """Return the arrivals of a trace with this header."""
    clock = Clock.of(header(begin, **zone))
    assert clock is not None
    return ArrivalPattern.of(np.array(submit_s), clock)


FRIDAY_EVENING = datetime(2010, 4, 30, 15, 4, 55, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "hour", "weekday"),
    [
        ({"TimeZoneString": "Asia/Tokyo"}, 0, 5),
        ({"TimeZoneString": "US/Pacific"}, 8, 4),
        ({"TimeZoneString": "Asia/Kolkata"}, 20, 4),
        ({"TimeZone": "-28800"}, 7, 4),
        ({}, 15, 4),
        ({"TimeZoneString": "somewhere", "TimeZone": "999999"}, 15, 4),
    ],
)
def test_hours_are_those_of_the_cluster(zone: dict[str, str], hour: int, weekday: int) -> None:
    """RICC begins just after midnight of a Saturday in Tokyo; hours without a zone are in UTC."""
    found = arrivals([0], FRIDAY_EVENING, **zone)
    assert found.by_hour.index(1) == hour
    assert found.by_weekday.index(1) == weekday


def test_an_unknown_zone_is_said_to_be_unknown() -> None:
    """UTC is then a guess, and the clock says so."""
    clock = Clock.of(header(FRIDAY_EVENING, TimeZoneString="somewhere"))
    assert clock is not None
    assert not clock.zone_known


def test_clocks_change_in_summer() -> None:
    """In Paris 01:30 is followed, half an hour later, by 03:00 on 27 March 2011."""
    begin = datetime(2011, 3, 27, 0, 30, tzinfo=UTC)
    found = arrivals([0, 1800], begin, TimeZoneString="Europe/Paris")
    assert [hour for hour, jobs in enumerate(found.by_hour) if jobs] == [1, 3]


@pytest.mark.parametrize("begin", ["0", "-1", "none", "99999999999999999"])
def test_without_a_beginning_there_is_no_clock(begin: str) -> None:
    """Generators write 0, and some headers are damaged."""
    assert Clock.of({"UnixStartTime": [begin]}) is None


def test_every_submission_is_counted_once() -> None:
    """The counts by hour and by weekday both add up to all submissions."""
    found = arrivals(list(range(0, 10**6, 777)), FRIDAY_EVENING, TimeZoneString="US/Pacific")
    assert sum(found.by_hour) == sum(found.by_weekday) == len(range(0, 10**6, 777))

"""Clock readings of sites: zones, summer time, and the hour that comes twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import ParameterError
from schedlab.history.ingest.clock import SiteClock, seconds_of

zones = st.sampled_from(["UTC", "Asia/Tokyo", "Europe/Berlin", "America/New_York", "Asia/Kolkata"])
seconds = st.integers(946_684_800, 2_000_000_000)


def reading(moment: datetime, zone: str) -> str:
    """Return what a clock in this zone shows."""
    return moment.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M:%S")


@given(seconds, zones)
def test_a_reading_is_undone_but_for_the_hour_that_comes_twice(epoch: int, zone: str) -> None:
    """In the hour that comes twice, the moment may be an hour early, and no more."""
    moment = datetime.fromtimestamp(epoch, UTC)
    found = SiteClock(zone).moment(reading(moment, zone))
    assert found is not None
    assert reading(found, zone) == reading(moment, zone)
    assert moment - found in (timedelta(0), timedelta(hours=1))


@given(st.integers(0, 3599), st.integers(0, 7200))
def test_the_second_time_is_known_from_what_came_before(first_s: int, later_s: int) -> None:
    """A job that started in the first 02:xx of an autumn night did not end before that."""
    clock, berlin = SiteClock("Europe/Berlin"), "Europe/Berlin"
    start = datetime(2026, 10, 25, 0, 0, tzinfo=UTC) + timedelta(seconds=first_s)
    end = start + timedelta(seconds=later_s)
    found_start = clock.moment(reading(start, berlin))
    found_end = clock.moment(reading(end, berlin), found_start)
    assert found_start == start
    assert found_end is not None
    assert found_end >= start
    assert reading(found_end, berlin) == reading(end, berlin)


def test_the_night_in_which_a_job_seems_to_end_before_it_starts() -> None:
    """02:50 summer time to 02:10 winter time is twenty minutes."""
    clock = SiteClock("Europe/Berlin")
    start = clock.moment("2026-10-25T02:50:00")
    end = clock.moment("2026-10-25T02:10:00", start)
    assert start is not None
    assert end is not None
    assert end - start == timedelta(minutes=20)


def test_epoch_seconds_and_words_for_never() -> None:
    """Sacct prints epoch seconds on demand, and such words for what has not happened yet."""
    assert SiteClock("Asia/Tokyo").moment("1794703790") == datetime.fromtimestamp(1794703790, UTC)
    for never in ("Unknown", "None", "", "0", "unknown"):
        assert SiteClock("UTC").moment(never) is None


def test_a_zone_that_does_not_exist() -> None:
    """A wrong zone shifts every job against its sensors."""
    with pytest.raises(ParameterError, match='time_zone is "Mars/Olympus"'):
        SiteClock("Mars/Olympus")


@pytest.mark.parametrize(
    ("text", "expected"), [("00:00.483", 0.483), ("01:02:03", 3723), ("2-00:00:01", 172801)]
)
def test_durations_as_slurm_prints_them(text: str, expected: float) -> None:
    """Short durations begin with minutes, long ones with days and a dash."""
    assert seconds_of(text) == pytest.approx(expected)

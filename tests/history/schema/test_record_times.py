"""Times of records: whole seconds, with an offset, ordered as texts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.history.schema.times import format_time, from_epoch, parse_time

offsets = st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
moments = st.datetimes(
    min_value=datetime(1970, 1, 2), max_value=datetime(2200, 1, 1), timezones=offsets
)


def test_the_form_of_the_paper() -> None:
    """ISO 8601 basic with the offset, as Nomura et al. write it."""
    noon = datetime(2026, 11, 15, 12, 0, 5, tzinfo=timezone(timedelta(hours=9)))
    assert format_time(noon) == "20261115T120005+0900"
    assert parse_time("20261115T120005+0900") == noon


@given(moments)
def test_a_time_survives_being_written(moment: datetime) -> None:
    """A time keeps its seconds and its offset, which gives the site's local time."""
    again = parse_time(format_time(parse_time(moment)))
    assert again == moment.replace(microsecond=0)
    assert again.utcoffset() == moment.utcoffset()


@given(st.datetimes(timezones=st.just(UTC)))
def test_universal_time_is_written_like_any_other(moment: datetime) -> None:
    """UTC has a faster path of its own, which must give the same text."""
    elsewhere = moment.replace(tzinfo=timezone(timedelta(0), "GMT"))
    assert format_time(moment) == format_time(elsewhere.replace(microsecond=0))


@given(st.lists(st.integers(0, 2**33)), offsets)
def test_text_order_is_time_order_with_one_offset(seconds: list[int], zone: timezone) -> None:
    """Tools that sort text must sort time."""
    texts = [format_time(from_epoch(each).astimezone(zone)) for each in seconds]
    assert sorted(texts) == [format_time(from_epoch(s).astimezone(zone)) for s in sorted(seconds)]


def test_fractions_of_a_second_are_cut_off() -> None:
    """Rounding up would move an event into a second that had not begun."""
    assert parse_time(datetime(2026, 1, 1, 0, 0, 0, 999_999, tzinfo=UTC)).second == 0
    assert from_epoch(1.999) == from_epoch(1)


@pytest.mark.parametrize(
    "text", ["2026-11-15T12:00:00+09:00", "20261115T120000", "20261315T120000+0000", "now", "", 5]
)
def test_what_is_no_time_is_refused_with_an_example(text: object) -> None:
    """A time without a zone could mean any of 24 hours."""
    with pytest.raises(ValueError, match="is not a time"):
        parse_time(text)


def test_a_datetime_without_a_zone_is_refused() -> None:
    """A time without a zone would silently be taken for UTC."""
    with pytest.raises(ValueError, match="no time zone"):
        parse_time(datetime(2026, 1, 1))

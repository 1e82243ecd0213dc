"""Durations and numbers as people write them."""

from __future__ import annotations

import pytest

from schedlab.errors import ParameterError
from schedlab.units import (
    format_duration,
    parse_bytes,
    parse_duration,
    short_bytes,
    short_duration,
    three_digits,
    whole_duration,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("10m", 600), ("1.5h", 5400), ("2 d", 172800), ("1W", 604800)],
)
def test_durations_are_read(text: str, seconds: int) -> None:
    """A bare number is seconds."""
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "h", "-5", "3 parsecs"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    """The error shows how one is written."""
    with pytest.raises(ParameterError, match=r"1\.5h"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "00:00:00"), (3661, "01:01:01"), (183845, "2d 03:04:05"), (-60, "-00:01:00")],
)
def test_durations_are_written_as_schedulers_do(seconds: int, text: str) -> None:
    """Days stand before the clock."""
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (0.5, "0.500 s"), (59, "59.0 s"), (90, "1.50 min"), (18_756, "5.21 h")],
)
def test_short_durations_have_three_digits(seconds: float, text: str) -> None:
    """Each has the unit that suits it."""
    assert short_duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0365, "0.0365"), (1.119, "1.12"), (27.6, "27.6"), (66502.4, "66,502"), (1e12, "1e+12")],
)
def test_three_digits_are_kept(value: float, text: str) -> None:
    """More digits cannot be told apart in a table."""
    assert three_digits(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(72 * 3600, "72 h"), (1800, "30 min"), (100, "100 s"), (3600 * 2000, "2,000 h"), (0, "0 h")],
)
def test_whole_duration_is_exact(seconds: int, text: str) -> None:
    """The unit is the largest that divides it, as in requests that people write."""
    assert whole_duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "count"),
    [("4096", 4096), ("2GB", 2 * 10**9), ("1.5 GiB", 3 * 2**29), ("12kb", 12_000), ("0", 0)],
)
def test_memory_is_read_as_people_write_it(text: str, count: int) -> None:
    """GB counts in thousands, GiB in 1,024s."""
    assert parse_bytes(text) == count


@pytest.mark.parametrize("text", ["", "much", "2 gigs", "-1GB", "1e9"])
def test_what_is_no_amount_of_memory_is_refused(text: str) -> None:
    """The error gives an example of what is accepted."""
    with pytest.raises(ParameterError, match="write for example 2GB"):
        parse_bytes(text)


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1,023 B"), (4 * 20**5, "12.2 MiB"), (2**60, "1.00 EiB")]
)
def test_sizes_are_written_in_the_unit_that_suits(count: int, text: str) -> None:
    """20⁵ cells of 4 bytes are 12.2 MiB."""
    assert short_bytes(count) == text

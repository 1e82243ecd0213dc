"""Axes show dates where the trace says when it began."""

from __future__ import annotations

import io
from datetime import datetime

import pytest

from schedlab import Workload, simulate
from schedlab.sim import Schedule
from schedlab.viz import draw_gantt, draw_over_time
from schedlab.viz.time_axis import MILLISECOND_S, TimeAxis

TOKYO = {"UnixStartTime": ["1272639895"], "TimeZoneString": ["Asia/Tokyo"]}


def two_jobs(span_s: int, header: dict[str, list[str]] = TOKYO) -> Schedule:
    """Return a schedule whose second job is submitted when the span ends."""
    columns = {"job_id": [1, 2], "submit_s": [0, span_s], "nodes": [1, 1]}
    times = {"request_s": [1, 1], "run_s": [1, 1]}
    return simulate(Workload({**columns, **times}, header=header), 2, "fcfs")


def test_places_are_local_dates() -> None:
    """The first job was submitted on 2010-05-01 at 00:04:55 in Tokyo."""
    began = datetime(2010, 5, 1, 0, 4, 55) - datetime(1970, 1, 1)
    in_days = TimeAxis.over([two_jobs(86400)])
    assert in_days.begin == pytest.approx(began.total_seconds() / 86400)
    assert in_days.length == pytest.approx(1 + 1 / 86400)
    assert in_days.label == "date (UTC+09:00)"
    in_milliseconds = TimeAxis.over([two_jobs(86400)], MILLISECOND_S)
    assert in_milliseconds.begin == pytest.approx(began.total_seconds() * 1000)


@pytest.mark.parametrize("header", [{}, {"UnixStartTime": ["0"]}, {"UnixStartTime": ["-5"]}])
def test_without_a_date_time_counts_from_the_first_submission(header: dict[str, list[str]]) -> None:
    """Generated traces have no dates."""
    axis = TimeAxis.over([two_jobs(86400 * 5, header)])
    assert (axis.begin, axis.dates) == (0, False)
    assert axis.label == "time since first submission (days)"


def test_two_clocks_are_none() -> None:
    """Schedules of different traces have no date in common."""
    other = {"UnixStartTime": ["1000000000"]}
    assert not TimeAxis.over([two_jobs(5), two_jobs(5, other)]).dates


def test_a_time_beyond_all_calendars_is_no_date() -> None:
    """The year 10,000 is not drawn."""
    assert not TimeAxis.over([two_jobs(10**12)]).dates


@pytest.mark.parametrize("span_s", [1, 50, 250, 3000, 9000, 40_000, 200_000, 10**7, 10**8, 10**9])
def test_any_span_has_its_ticks(span_s: int) -> None:
    """From a second to a generation; Matplotlib warns where it finds no fitting interval."""
    for draw in (draw_over_time, draw_gantt):
        figure = draw([two_jobs(span_s)])
        figure.savefig(io.BytesIO(), format="svg")
        assert len(figure.axes[-1].get_xticks()) <= 11

"""Dates at axes where the clock changes within the span."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from schedlab import simulate
from schedlab.analysis.clock import dates_told
from schedlab.viz.time_axis import DAY_S, TimeAxis
from schedlab.workload import Workload

NIGHT = {
    "spring": datetime(2011, 3, 26, 23, tzinfo=UTC),
    "autumn": datetime(2011, 10, 29, 22, tzinfo=UTC),
}
"""Midnight in Berlin before the clock changes."""


@pytest.mark.parametrize(("season", "zone"), [("spring", "+01:00"), ("autumn", "+02:00")])
def test_the_axis_keeps_the_clock_it_begins_with(season: str, zone: str) -> None:
    """Its label names that clock; no hour comes twice or is missing, and jobs keep their length."""
    begin = NIGHT[season]
    header = {
        "UnixStartTime": [str(int(begin.timestamp()))],
        "TimeZoneString": ["Europe/Berlin"],
    }
    same = {"nodes": [1, 1], "request_s": [3600, 3600], "run_s": [3600, 3600]}
    jobs = Workload({"job_id": [1, 2], "submit_s": [0, 6 * 3600], **same}, header=header)
    axis = TimeAxis.over([simulate(jobs, 1, "easy")])
    assert axis.label == f"date (UTC{zone})"
    assert axis.length == pytest.approx(7 * 3600 / DAY_S)
    ahead = int(zone[2]) / 24
    assert axis.begin == pytest.approx(begin.timestamp() / DAY_S + ahead)
    assert dates_told(jobs) == ("2011-03-27" if season == "spring" else "2011-10-30")

"""analyse(): which jobs count, and what the notes say where the trace lacks data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.services.processor_time import processor_time_below

from schedlab import Workload
from schedlab.analysis import analyse
from schedlab.errors import ParameterError, WorkloadError
from schedlab.workload import read_workload

HEADER = {"UnixStartTime": ["1272639895"], "TimeZoneString": ["Asia/Tokyo"]}


def five_jobs(header: dict[str, list[str]] = HEADER, **columns: list[int] | None) -> Workload:
    """Return a test, a job of exactly 90 s, two longer ones, and a failed one.

    The failed job has a huge request.
    """
    table: dict[str, list[int] | None] = {
        "job_id": [1, 2, 3, 4, 5],
        "submit_s": [0, 10, 20, 30, 40],
        "nodes": [1, 1, 2, 4, 8],
        "request_s": [3600, 360, 36000, 3600, 2**31],
        "run_s": [89, 90, 18000, 3960, 1000],
        "user": [1, 1, 2, 3, 4],
        "status": [1, 1, 1, 1, 0],
        "wait_s": [0, 0, 0, 0, 0],
    }
    given = {key: value for key, value in {**table, **columns}.items() if value is not None}
    return Workload(given, name="five", header=header)


def test_only_completed_jobs_of_a_fair_length_count() -> None:
    """90 s is enough; WRAs are 0.25, 0.5 and 1.1; the failed job's request does not count."""
    found = analyse(five_jobs())
    assert found.table_row() == {"users": 3, "jobs": 3, "max_request_h": 10, "mean_wra": 0.617}
    assert found.all_jobs == 5
    assert found.notes == ("jobs that ran longer than requested, with a WRA above 1: 1",)
    assert sum(found.nodes_histogram.jobs) == sum(found.run_s_histogram.jobs) == 5


def test_the_rule_can_be_changed() -> None:
    """With both statuses and no minimum run time, all jobs count."""
    found = analyse(five_jobs(), min_run_s=0, statuses=(0, 1))
    assert (found.jobs, found.users) == (5, 4)


def test_hours_below_ten_are_not_rounded_away() -> None:
    """A greatest request of six minutes is 0.1 h, not 0."""
    assert analyse(five_jobs(request_s=[360] * 5)).table_row()["max_request_h"] == 0.1


def test_without_status_all_jobs_may_count() -> None:
    """A note says that all jobs count as completed."""
    found = analyse(five_jobs(status=None))
    assert found.jobs == 4
    assert "the trace does not say how jobs ended: all count as completed" in found.notes


def test_without_users_nothing_is_said_of_them() -> None:
    """The jobs do not count as those of a single user called -1."""
    found = analyse(five_jobs(user=None))
    assert found.users is None
    assert found.accuracy_of_users is None
    assert "the trace has no users: nothing can be said about them" in found.notes


def test_jobs_without_a_user_are_told() -> None:
    """Such a job counts as a job, but for no user."""
    found = analyse(five_jobs(user=[1, -1, 2, 2, 2]))
    assert (found.users, found.jobs) == (1, 3)
    assert "jobs without a user: 1" in found.notes


def test_without_waits_the_order_of_ends_is_a_guess() -> None:
    """A note says so."""
    assert any(
        "as if they had started at once" in note for note in analyse(five_jobs(wait_s=None)).notes
    )


@pytest.mark.parametrize("header", [{}, {"UnixStartTime": ["253402300799"]}])
def test_without_a_beginning_there_are_no_times_of_day(header: dict[str, list[str]]) -> None:
    """There are none either if the trace would reach beyond the year 9999."""
    found = analyse(five_jobs(header))
    assert found.arrivals is None
    assert any("times of day are not known" in note for note in found.notes)


def test_without_a_zone_times_of_day_are_in_utc() -> None:
    """A note says so."""
    found = analyse(five_jobs({"UnixStartTime": ["1272639895"]}))
    assert found.arrivals is not None
    assert (found.arrivals.zone, found.arrivals.by_hour[15]) == ("UTC", 5)
    assert "the header names no known time zone: times of day are in UTC" in found.notes


def test_everything_fits_json() -> None:
    """This holds whatever the trace lacks."""
    for workload in (five_jobs(), five_jobs({}, user=None, status=None, wait_s=None)):
        json.dumps(analyse(workload).to_dict(), allow_nan=False)


def test_no_job_left_is_a_mistake() -> None:
    """A mean of nothing is not a number."""
    with pytest.raises(
        WorkloadError, match="five: none of 5 jobs ran at least 99999 s and has sta"
    ):
        analyse(five_jobs(), min_run_s=99999)


def test_wrong_parameters_are_refused() -> None:
    """They are refused before anything is counted."""
    with pytest.raises(ParameterError, match="the least run time is -1 s; must be >= 0"):
        analyse(five_jobs(), min_run_s=-1)
    with pytest.raises(ParameterError, match="beta"):
        analyse(five_jobs(user=None), beta=2)


def swf(path: Path, requests: list[int]) -> Workload:
    """Return a trace of jobs of 100 s with these requests; -1 means none."""
    lines = [
        f"{number} {number} 0 100 1 -1 -1 1 {request} -1 1 1 1 -1 1 -1 -1 -1"
        for number, request in enumerate(requests, 1)
    ]
    path.write_text("\n".join(lines) + "\n")
    return read_workload(path)


def test_without_requests_nothing_is_said_of_accuracy(tmp_path: Path) -> None:
    """The reader takes the run time, which would look like perfect estimates."""
    found = analyse(swf(tmp_path / "none.swf", [-1, -1]))
    assert found.table_row() == {
        "users": 1,
        "jobs": 2,
        "max_request_h": None,
        "mean_wra": None,
    }
    assert found.requests is None
    assert any("the trace has no requested times" in note for note in found.notes)


def test_made_up_requests_do_not_count(tmp_path: Path) -> None:
    """Two jobs asked for 200 s and 400 s; the request of the third is not known."""
    found = analyse(swf(tmp_path / "some.swf", [200, 400, -1]))
    assert found.jobs == 3
    assert found.requests is not None
    assert (found.requests.jobs, found.requests.mean_wra) == (2, 0.375)
    assert any("do not count for requests (1)" in note for note in found.notes)


def test_requests_that_were_made_accurate_count(tmp_path: Path) -> None:
    """Nothing was repaired: a request that equals the run time is the user's."""
    found = analyse(swf(tmp_path / "exact.swf", [100, 100]))
    assert found.table_row()["mean_wra"] == 1.0


TABLE_1 = [
    ("RICC-2010-2", 146, 337_272, 72, 0.143),
    ("CEA-Curie-2011-2.1-cln", 526, 156_318, 31, 0.295),
    ("UniLu-Gaia-2014-2", 76, 37_159, 900, 0.191),
]


@pytest.mark.parametrize(("name", "users", "jobs", "max_request_h", "mean_wra"), TABLE_1)
def test_the_paper_s_table_of_traces(
    shared_data: Path, name: str, users: int, jobs: int, max_request_h: int, mean_wra: float
) -> None:
    """Table 1 of Takizawa and Takano, to the last digit printed."""
    with processor_time_below(60):
        found = analyse(read_workload(shared_data / "swf" / f"{name}.swf.gz"))
    assert found.table_row() == {
        "users": users,
        "jobs": jobs,
        "max_request_h": max_request_h,
        "mean_wra": mean_wra,
    }

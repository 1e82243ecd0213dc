"""WRA of jobs and WRSA of users."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.services.processor_time import processor_time_below

from schedlab import Workload, simulate
from schedlab._core import WrsaOrder
from schedlab.errors import ParameterError
from schedlab.metrics import wra, wrsa_by_user, wrsa_over_time


def workload(rows: list[tuple[int, int, int, int]], wait_s: int = 0) -> Workload:
    """Return jobs of one node from user, submission, request and run time."""
    user, submit_s, request_s, run_s = (list(column) for column in zip(*rows, strict=True))
    return Workload(
        {
            "job_id": range(len(rows)),
            "submit_s": submit_s,
            "nodes": [1] * len(rows),
            "request_s": request_s,
            "run_s": run_s,
            "user": user,
            "wait_s": [wait_s] * len(rows),
        }
    )


def test_wra_is_run_over_request() -> None:
    """Half of the request is 0.5; a run time above the request gives more than 1, as recorded."""
    assert wra(workload([(1, 0, 100, 50), (1, 0, 100, 120)])).tolist() == [0.5, 1.2]


def test_wrsa_by_hand() -> None:
    """0.3 x 1 + 0.7 x 0.5 = 0.65, then 0.3 x 0.65 + 0.7 x 1 = 0.895."""
    found = wrsa_over_time(workload([(7, 0, 100, 50), (7, 10, 100, 100)]), beta=0.3)
    assert found.columns == ["user", "end_s", "wrsa"]
    assert found["end_s"].to_list() == [50, 110]
    assert found["wrsa"].to_list() == pytest.approx([0.65, 0.895])


def test_jobs_count_in_order_of_their_ends() -> None:
    """The long job is submitted first and ends last; equal ends go in order of submission."""
    found = wrsa_over_time(workload([(1, 0, 100, 100), (2, 1, 40, 20), (1, 60, 80, 40)]))
    assert found["user"].to_list() == [2, 1, 1]
    assert found["end_s"].to_list() == [21, 100, 100]
    assert found["wrsa"].to_list() == pytest.approx([0.65, 1.0, 0.65])


def test_users_have_a_mean_and_a_latest_value() -> None:
    """The paper's figure draws the mean of WRA, its policies use the recursion."""
    found = wrsa_by_user(workload([(7, 0, 100, 50), (3, 0, 10, 10), (7, 60, 100, 100)]))
    assert found.rows() == [(3, 1, 1.0, 1.0), (7, 2, 0.75, pytest.approx(0.895))]


def test_jobs_without_a_user_belong_to_nobody() -> None:
    """User -1 is unknown, so no accuracy can be given."""
    found = wrsa_by_user(workload([(-1, 0, 100, 50), (4, 0, 100, 100)]))
    assert found["user"].to_list() == [4]
    assert len(wrsa_over_time(workload([(-1, 0, 100, 50)]))) == 0
    assert len(wrsa_by_user(workload([(-1, 0, 100, 50)]))) == 0


def test_users_keep_their_names() -> None:
    """Labels stand for codes."""
    plain = workload([(0, 0, 2, 1)])
    named = Workload({key: plain[key] for key in plain.columns}, labels={"user": ["ann"]})
    assert wrsa_by_user(named)["user"].to_list() == ["ann"]


def test_a_schedule_counts_what_ran() -> None:
    """One node: the killed job used its whole request, and the second ends at 100 + 50."""
    schedule = simulate(workload([(1, 0, 100, 500), (1, 0, 100, 50)], wait_s=9999), 1, "fcfs")
    assert wra(schedule).tolist() == [1.0, 0.5]
    found = wrsa_over_time(schedule)
    assert found["end_s"].to_list() == [100, 150]
    assert found["wrsa"].to_list() == pytest.approx([1.0, 0.65])


def test_a_schedule_gives_back_what_its_policy_saw() -> None:
    """The order by WRSA has the same figures after each job of one user."""
    rows = [(1, 0, 10, 5), (1, 20, 10, 30), (1, 40, 10, 1), (1, 60, 10, 0)]
    for count in (1, 2, 3, 4):
        order = WrsaOrder(beta=0.3)
        found = wrsa_over_time(simulate(workload(rows[:count]), 1, order), beta=0.3)
        assert order.wrsa(1) == pytest.approx(found["wrsa"].to_list()[-1])


def test_a_job_that_never_started_says_nothing() -> None:
    """It was withdrawn while it waited."""
    waiting = workload([(1, 0, 100, 100), (2, 0, 100, 50)]).replace(cancel_after_s=[-1, 5])
    assert wrsa_by_user(simulate(waiting, 1, "fcfs"))["user"].to_list() == [1]


@pytest.mark.parametrize("beta", [-0.1, 1.0, float("nan")])
def test_beta_must_be_a_weight(beta: float) -> None:
    """With 1 no job would ever count."""
    with pytest.raises(ParameterError, match=r"beta is .*must be at least 0 and below 1"):
        wrsa_by_user(workload([(1, 0, 2, 1)]), beta)


jobs = st.tuples(st.integers(0, 3), st.integers(0, 50), st.integers(1, 40), st.integers(0, 40))


@given(st.lists(jobs, min_size=1, max_size=60), st.sampled_from([0.0, 0.3, 0.49, 0.99]))
def test_the_recursion_is_the_one_written_job_by_job(
    rows: list[tuple[int, int, int, int]], beta: float
) -> None:
    """A plain loop over completions in order of (end, submission) gives the same values."""
    given_jobs = workload(rows)
    ends = given_jobs["submit_s"] + given_jobs["run_s"]
    now: dict[int, float] = {}
    expected = []
    for job in np.argsort(ends, kind="stable").tolist():
        user = int(given_jobs["user"][job])
        now[user] = beta * now.get(user, 1.0) + (1 - beta) * float(wra(given_jobs)[job])
        expected.append(now[user])
    assert wrsa_over_time(given_jobs, beta)["wrsa"].to_list() == pytest.approx(expected)
    latest = wrsa_by_user(given_jobs, beta)
    assert dict(latest.select("user", "wrsa").iter_rows()) == pytest.approx(now)


def test_a_whole_archive_takes_about_a_second() -> None:
    """450,000 jobs of 500 users; 0.2 s when nothing else runs."""
    rng = np.random.default_rng(1)
    count = 450_000
    run_s = rng.integers(1, 5000, count)
    large = Workload(
        {
            "job_id": np.arange(count),
            "submit_s": np.sort(rng.integers(0, 10**7, count)),
            "nodes": np.ones(count, dtype=np.int64),
            "request_s": run_s * 3,
            "run_s": run_s,
            "user": rng.integers(0, 500, count),
        }
    )
    with processor_time_below(30):
        found = wrsa_by_user(large)
    assert found.select(pl.col("jobs").sum()).item() == count
    assert found["wrsa"].to_list() == pytest.approx([1 / 3] * 500)

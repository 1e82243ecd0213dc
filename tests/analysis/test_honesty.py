"""What one user gains or loses by other requests."""

from __future__ import annotations

from typing import Any

import pytest
from polars.testing import assert_frame_equal

from schedlab.analysis.honesty import TREATMENTS, Honesty, measure_honesty
from schedlab.errors import ParameterError, SchedlabError, UnknownNameError, WorkloadError
from schedlab.testing.instances import crowd, jobs
from schedlab.workload import Workload


def shadow_of_the_head(request_s: int) -> Workload:
    """Return jobs in which Ann's 8 s fit before the head, promised 10, if she asks for no more.

    The last job, long after, only sets the greatest request.
    """
    return jobs(
        (0, 2, 10, 10),
        (0, 4, 5, 5),
        (0, 2, request_s, 8),
        (100, 1, 100, 1),
        user=[1, 1, 0, 1],
    )


def short_job_behind() -> Workload:
    """Return jobs of one node: Ann's of 5 s asks for 30 s, so it stands behind Bob's of 20 s."""
    return jobs((0, 1, 10, 10), (1, 1, 20, 20), (1, 1, 30, 5), user=[1, 1, 0])


def only_change(workload: Workload, nodes: int, policy: str, treatment: str) -> dict[str, float]:
    """Return what the treatment does to Ann, user 0."""
    found = measure_honesty(workload, nodes, [policy], users=[0], treatments=[treatment])
    (row,) = found.changes.to_dicts()
    return row


@pytest.mark.parametrize("policy", ["easy", "easy-one-reserved", "wrsabf-or", "conservative"])
def test_an_accurate_request_lets_a_job_backfill(policy: str) -> None:
    """With a request of 20 s it waits until the head ends at 15; with 8 s it starts at once."""
    row = only_change(shadow_of_the_head(20), 4, policy, "accurate")
    assert (row["wait_before_s"], row["wait_after_s"], row["wait_change_s"]) == (15, 0, -15)
    assert row["slowdown_change"] == 1 - (15 + 8) / 8
    assert row["bounded_slowdown_change"] == pytest.approx(1 - (15 + 8) / 10)
    assert row["others_wait_change_s"] == 0


@pytest.mark.parametrize("policy", ["easy", "easy-one-reserved", "wrsabf-ar", "conservative"])
def test_a_padded_request_keeps_a_job_from_backfilling(policy: str) -> None:
    """With a request of 9 s it starts at once; five times that ends after the head's promise."""
    row = only_change(shadow_of_the_head(9), 4, policy, "padded")
    assert (row["wait_before_s"], row["wait_after_s"]) == (0, 15)
    assert row["others_wait_change_s"] == 0


def test_under_fcfs_requests_do_not_matter() -> None:
    """FCFS does not look at requests."""
    for treatment in TREATMENTS:
        row = only_change(shadow_of_the_head(20), 4, "fcfs", treatment)
        assert row["wait_change_s"] == row["others_wait_change_s"] == 0


def test_what_one_gains_another_may_lose() -> None:
    """Under SJF Ann starts at 10, not 30; Bob's jobs wait 0 and 14 s, not 0 and 9 s."""
    row = only_change(short_job_behind(), 1, "sjf", "accurate")
    assert row["wait_change_s"] == -20
    assert row["others_wait_change_s"] == 2.5


def test_padding_stops_at_the_greatest_request() -> None:
    """No queue would take a longer one; 5 × 30 s is cut to 40 s."""
    workload = jobs((0, 1, 40, 10), (1, 1, 30, 5), user=[1, 0])
    assert TREATMENTS["padded"].of(workload, 0)["request_s"].tolist() == [40, 40]


def test_a_killed_job_runs_no_longer_for_being_honest() -> None:
    """It asks for 4 s, needs 9 s and is killed after 4 s, so 4 s is its accurate request."""
    workload = jobs((0, 1, 4, 9), (0, 1, 9, 9), user=[0, 1])
    with pytest.raises(WorkloadError, match="1 users were chosen and none would change a request"):
        measure_honesty(workload, 1, ["easy"], users=[0], treatments=["accurate"])
    found = measure_honesty(
        workload, 1, ["easy"], users=[0], treatments=["accurate"], kill_at_request=False
    )
    assert found.changes["wait_change_s"].to_list() == [0]


def test_the_same_whatever_the_number_of_threads() -> None:
    """Runs share nothing, and rows come in the order of policies, treatments and users."""
    one, two = (
        measure_honesty(crowd(60), 16, ["easy", "wrsabf-or"], users=3, min_jobs=5, workers=workers)
        for workers in (1, 2)
    )
    assert_frame_equal(one.changes, two.changes)
    assert one.changes["policy"].unique(maintain_order=True).to_list() == ["easy", "wrsabf-or"]


def test_users_with_most_jobs_are_taken() -> None:
    """User 2 has three jobs, 0 and 1 two each; -1 marks an unknown user and does not count."""
    workload = jobs(*[(0, 1, 9, 5)] * 10, user=[2, 1, 0, 2, 1, 0, 2, -1, -1, -1])
    found = measure_honesty(workload, 1, ["easy"], users=2, min_jobs=2, treatments=["accurate"])
    assert found.changes["user"].to_list() == ["2", "0"]
    assert found.changes["jobs"].to_list() == [3, 2]


def test_the_summary_is_taken_over_users() -> None:
    """Two users wait 100 and 300 s; one gains 100 s, the other loses 20 s."""
    rows = [
        {
            "policy": "easy",
            "treatment": "accurate",
            "user": user,
            "jobs": 10,
            **{
                f"{name}_{when}{unit}": value
                for name, unit in (("wait", "_s"), ("slowdown", ""), ("bounded_slowdown", ""))
                for when, value in (("before", before), ("after", before + by), ("change", by))
            },
            "others_wait_change_s": 1.0,
        }
        for user, before, by in (("a", 100.0, -100.0), ("b", 300.0, 20.0))
    ]
    (row,) = Honesty.of(rows).summary().to_dicts()
    assert (row["users"], row["gain"], row["lose"]) == (2, 0.5, 0.5)
    assert (row["wait_before_s"], row["wait_change_s"]) == (200, -40)
    assert row["wait_change_percent"] == -20
    assert (row["wait_change_low_s"], row["wait_change_high_s"]) == (-100, 20)
    assert row["others_wait_change_s"] == 1


def test_one_user_has_no_interval() -> None:
    """One user has no others to compare with either: JSON has nulls."""
    workload = jobs((0, 1, 9, 5), (0, 1, 9, 5), user=[0, 0])
    found = measure_honesty(workload, 1, ["easy"], users=[0], treatments=["accurate"])
    (row,) = found.to_dict()["summary"]
    assert row["wait_change_low_s"] is row["others_wait_change_s"] is None


def test_a_user_who_gives_up_has_nothing_to_compare() -> None:
    """Ann leaves after 2 s in every run, so that her waits are not known."""
    workload = jobs((0, 1, 9, 9), (0, 1, 9, 5), user=[1, 0], cancel_after_s=[-1, 2])
    with pytest.raises(WorkloadError, match="no job of the users chosen runs both before and"):
        measure_honesty(workload, 1, ["easy"], users=[0])


def test_progress_counts_runs_and_can_stop_them() -> None:
    """One run as it is and one for each of two users; Ctrl-C ends them all."""
    seen: list[tuple[int, int]] = []
    options: dict[str, Any] = {"users": 2, "min_jobs": 1, "treatments": ["accurate"], "workers": 1}
    measure_honesty(crowd(), 16, ["easy"], **options, progress=lambda *done: seen.append(done))
    assert seen == [(1, 3), (2, 3), (3, 3)]

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_honesty(crowd(), 16, ["easy"], **options, progress=interrupt)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"users": ["7"]}, UnknownNameError, 'unknown user "7"; known: 0, 1, 2, 3'),
        ({"min_jobs": 999}, WorkloadError, 'workload "crowd" has no user with 999 jobs'),
        ({"users": 0}, ParameterError, "0 users of at least 5 jobs; both must be >= 1"),
        ({"treatments": ["acurate"]}, UnknownNameError, 'did you mean "accurate"?'),
        ({"treatments": []}, ParameterError, "at least one policy and one treatment"),
        ({"workers": 0}, ParameterError, "0 workers; must be >= 1"),
        (
            {"min_jobs": 1, "tick": -1},
            ParameterError,
            "tick is -1; must be from 0 to 1,099,511,627,776",
        ),
    ],
)
def test_mistakes_are_told(options: dict[str, Any], error: type, sentence: str) -> None:
    """The error is one sentence."""
    with pytest.raises(SchedlabError) as caught:
        measure_honesty(crowd(), 16, ["easy"], **{"min_jobs": 5, **options})
    assert isinstance(caught.value, error)
    assert sentence in str(caught.value)


def test_users_must_be_known() -> None:
    """A trace without a column of users is refused."""
    with pytest.raises(WorkloadError, match='workload "by hand" has no column user'):
        measure_honesty(jobs((0, 1, 9, 5)), 1, ["easy"])

"""The accuracy of predictions by user, against figures worked out by hand."""

from __future__ import annotations

import pytest

from schedlab import Schedule, simulate
from schedlab.analysis import prediction_accuracy
from schedlab.errors import UnknownNameError
from schedlab.testing.instances import jobs, withdrawn


@pytest.fixture
def two_users() -> Schedule:
    """Predicted by last-two: 100 and 40 s for 40 and 60 s of user 7, 50 s for 10 s of user 5."""
    rows = ((0, 1, 100, 40), (200, 1, 100, 60), (400, 1, 50, 10))
    return simulate(jobs(*rows, user=[7, 7, 5]), 1, "easy:predict=last-two")


def test_a_row_per_user_with_most_jobs_first(two_users: Schedule) -> None:
    """Errors of +60 and -20 s: 40 s on average, 20 s too long, one of two too short."""
    found = prediction_accuracy(two_users)
    assert found.columns == [
        "user",
        "jobs",
        "mean_absolute_error_s",
        "mean_error_s",
        "underestimated",
        "accuracy",
    ]
    assert found.row(0) == (7, 2, 40.0, 20.0, 0.5, pytest.approx((0.4 + 2 / 3) / 2))
    assert found.row(1) == (5, 1, 40.0, 40.0, 0.0, 0.2)


def test_all_jobs_together(two_users: Schedule) -> None:
    """One row, in which every job counts the same."""
    (row,) = prediction_accuracy(two_users, by=None).to_dicts()
    assert (row["jobs"], row["mean_absolute_error_s"]) == (3, 40.0)
    assert row["underestimated"] == pytest.approx(1 / 3)


def test_other_groups(two_users: Schedule) -> None:
    """Every grouping of the metrics works here too."""
    assert prediction_accuracy(two_users, by="size").row(0)[:2] == ("1", 3)
    with pytest.raises(UnknownNameError, match="grouping"):
        prediction_accuracy(two_users, by="usr")


def test_jobs_that_never_ran_are_left_out() -> None:
    """It is not known how long they would have run."""
    schedule = simulate(withdrawn(), 2, "easy")
    (row,) = prediction_accuracy(schedule, by=None).to_dicts()
    assert row["jobs"] == schedule.started.sum() < len(schedule)

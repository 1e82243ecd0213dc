"""The columns that a workload accepts, and what it reports of changes to them."""

from __future__ import annotations

import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from schedlab import Workload, simulate
from schedlab.errors import WorkloadError

ONE = {"job_id": [1], "submit_s": [0], "nodes": [1], "request_s": [9], "run_s": [5]}


@pytest.mark.parametrize(
    ("column", "values", "shown"),
    [
        ("nodes", [1.7], "1.7"),
        ("run_s", [5.9], "5.9"),
        ("nodes", [Decimal("1.7")], "1.7"),
        ("nodes", [float("nan")], "nan"),
        ("request_s", [1e300], "1e\\+300"),
        ("job_id", np.array([2**63 + 5], np.uint64), "9223372036854775813"),
    ],
)
def test_a_number_that_would_change_is_refused(column: str, values: Any, shown: str) -> None:
    """1.7 nodes are not 1 node, and an id that wraps is that of another job."""
    wanted = f"column {column}: row 0 is {shown}; must be a whole number of 64 bits"
    with pytest.raises(WorkloadError, match=wanted):
        Workload({**ONE, column: values})


@pytest.mark.parametrize("values", [[3.0], [Decimal(3)], np.array([3], np.uint64), ["3"]])
def test_whole_numbers_of_any_type_are_taken(values: Any) -> None:
    """Tables with a gap hold their integers as doubles."""
    assert Workload({**ONE, "nodes": values})["nodes"].tolist() == [3]


def test_dates_are_no_seconds() -> None:
    """NumPy would count them in any unit that they have."""
    dates = np.array(["2020-01-01"], "datetime64[ns]")
    with pytest.raises(WorkloadError, match="submit_s holds dates or spans of time; must hold sec"):
        Workload({**ONE, "submit_s": dates})


def test_columns_have_names() -> None:
    """A list of columns does not say which is which."""
    with pytest.raises(WorkloadError, match="the columns are a list; must be a mapping"):
        Workload([[1], [0]])  # type: ignore[arg-type]


@pytest.fixture
def unsorted() -> Workload:
    """Three jobs for one node, the last submitted given first."""
    same = {name: values * 3 for name, values in ONE.items()}
    return Workload({**same, "job_id": [7, 8, 9], "submit_s": [10, 0, 5]})


def test_sorting_is_reported(unsorted: Workload) -> None:
    """The rows are no longer in the caller's order."""
    assert unsorted["job_id"].tolist() == [8, 9, 7]
    assert list(unsorted.report.lines()) == ["repaired 2 of 3: not in order of submission, sorted"]


def test_results_can_be_had_in_the_callers_order(unsorted: Workload) -> None:
    """They then fit the table that the jobs came from."""
    starts = simulate(unsorted, 1, "fcfs").start_s
    assert starts.tolist() == [0, 5, 10]
    assert starts[unsorted.given_order].tolist() == [10, 0, 5]
    assert unsorted.record("looked at").given_order.tolist() == [2, 0, 1]


def test_jobs_in_order_stand_where_they_were(unsorted: Workload) -> None:
    """A workload made of sorted columns has nothing to report."""
    again = Workload({name: unsorted[name] for name in unsorted.columns})
    assert again.given_order.tolist() == [0, 1, 2]
    assert list(again.report.lines()) == []


def test_what_is_found_is_found_once_and_not_sent_along() -> None:
    """Jobs never change, so policies that are compared on them need not compute it again."""
    asked: list[Workload] = []
    workload = Workload(ONE)
    assert [workload.once(asked.append), workload.once(asked.append)] == [None, None]
    assert len(asked) == 1
    sent = pickle.loads(pickle.dumps(workload))
    assert sent == workload
    sent.once(asked.append)
    assert len(asked) == 2

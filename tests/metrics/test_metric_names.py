"""Metrics asked for by name."""

from __future__ import annotations

import pytest

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.metrics import METRICS, Metric, find_job_metric, find_metric
from schedlab.metrics.weights import job_weights
from schedlab.sim import Schedule

HALF = Metric(lambda schedule: 0.5, "1")


def test_plain_name_is_the_entry_of_the_table() -> None:
    """A name without options is the entry of the table itself."""
    assert find_metric("wait") is METRICS["wait"]


def test_options_choose_the_statistic(in_turn: Schedule) -> None:
    """Waits are 0, 100 and 140 s: the median is 100, and users have 70 and 100 on average."""
    assert find_metric("wait:percentile=50").value(in_turn) == 100
    assert find_metric("wait:weight=user").value(in_turn) == pytest.approx(85)
    both = find_metric("wait:percentile=100,weight=node_second")
    assert both.value(in_turn) == 140
    assert both.unit == "s"
    assert both.sentence.endswith("(percentile=100,weight=node_second).")


def test_metric_of_outside_code(in_turn: Schedule) -> None:
    """Code from outside needs no registration."""
    assert find_metric(f"{__name__}:HALF").value(in_turn) == 0.5


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("wiat", UnknownNameError, 'unknown metric "wiat"; did you mean "wait"?'),
        ("wait:weight=users", UnknownNameError, 'did you mean "user"?'),
        ("wait:percentile=5,percentile=9", ParameterError, '"percentile" is given twice'),
        ("wait:percent=5", UnknownNameError, 'did you mean "percentile"?'),
        ("wait:percentile=101", ParameterError, "must be from 0 to 100"),
        ("wait:percentile=x", ParameterError, "must be from 0 to 100"),
        ("makespan:weight=user", ParameterError, "has no value for each job"),
        ("schedlab.metrics:jain_index", ParameterError, "is not a Metric"),
    ],
)
def test_wrong_names_say_what_was_allowed(name: str, error: type[Exception], text: str) -> None:
    """A typo gets one sentence that corrects it."""
    with pytest.raises(error) as caught:
        find_metric(name)
    assert text in str(caught.value)


def test_job_metric_is_demanded(in_turn: Schedule) -> None:
    """A table of the makespan by user makes no sense; nor does an unknown weight."""
    with pytest.raises(ParameterError, match="wait, response"):
        find_job_metric("makespan")
    with pytest.raises(UnknownNameError, match="node_second"):
        job_weights(in_turn, "node_seconds")

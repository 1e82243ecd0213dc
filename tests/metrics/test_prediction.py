"""The quality of predictions, by hand."""

from __future__ import annotations

import pytest

from schedlab import simulate
from schedlab.metrics import find_metric
from schedlab.testing.instances import jobs

# submit, nodes, request, run: one after another
SERIES = ((0, 1, 100, 40), (200, 1, 100, 60), (400, 1, 90, 10))


def test_the_error_is_the_distance_from_the_truth() -> None:
    """Last-two predicts 100, 40 and 50 s for jobs of 40, 60 and 10 s."""
    schedule = simulate(jobs(*SERIES), 1, "easy:predict=last-two")
    assert find_metric("prediction_error").value(schedule) == (60 + 20 + 40) / 3
    assert find_metric("underestimated").value(schedule) == 1 / 3
    accuracy = (40 / 100 + 40 / 60 + 10 / 50) / 3
    assert find_metric("prediction_accuracy").value(schedule) == pytest.approx(accuracy)


def test_where_nobody_predicts_the_request_is_judged() -> None:
    """Requests of 100, 100 and 90 s are too long by 60, 40 and 80 s."""
    schedule = simulate(jobs(*SERIES), 1, "easy")
    assert find_metric("prediction_error").value(schedule) == (60 + 40 + 80) / 3
    assert find_metric("underestimated").value(schedule) == 0

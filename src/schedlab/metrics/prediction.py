"""Accuracy of predicted run times; without a predictor, of the requests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedlab.metrics.metric import Values
from schedlab.sim import Schedule


def prediction_error(schedule: Schedule) -> Values:
    """How far the predicted run time lies from the true one.

    abs(e − r), with e the prediction when the job became eligible (the request without a predictor)
    and r the time it ran.
    """
    return np.abs(prediction_bias(schedule))


def prediction_bias(schedule: Schedule) -> Values:
    """Return how much longer than the true run time the predicted one is; negative if shorter.

    e − r, with e and r as in ``prediction_error``.
    """
    bias: Values = (_estimate_s(schedule) - schedule.worked_s).astype(float)
    return bias


def prediction_accuracy(schedule: Schedule) -> Values:
    """How near the predicted run time comes to the true one, from 0 to 1.

    min(e, r) / max(e, r), with e and r as in ``prediction_error``.
    """
    estimate_s, ran_s = _estimate_s(schedule), schedule.worked_s
    accuracy: Values = np.minimum(estimate_s, ran_s) / np.maximum(estimate_s, ran_s)
    return accuracy


def underestimated(schedule: Schedule) -> Values:
    """Share of jobs that ran longer than predicted.

    1 if e < r, else 0; such predictions had to be corrected while the job ran.
    """
    return (_estimate_s(schedule) < schedule.worked_s).astype(float)


def _estimate_s(schedule: Schedule) -> NDArray[np.int64]:
    if schedule.estimate_s is not None:
        return schedule.estimate_s
    return schedule.workload["request_s"]

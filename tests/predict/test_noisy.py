"""The predictor ``noisy``: the true run time with an error of chosen size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from schedlab import simulate
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.predict import find_predictor
from schedlab.workload import Workload, generate


def drawn(seed: int = 1) -> Workload:
    """Return jobs that run far shorter than their requests, so that no prediction is cut."""
    workload = generate("lublin:nodes=16", 2000, seed=seed)
    return workload.replace(request_s=workload["run_s"] * 10**6)


def log_errors(workload: Workload, sigma: float) -> NDArray[np.float64]:
    """Return the logarithmic errors of the predictions that a simulation records."""
    schedule = simulate(workload, 16, f"easy:predict=noisy:sigma={sigma}")
    assert schedule.estimate_s is not None
    errors: NDArray[np.float64] = np.log(schedule.estimate_s / workload["run_s"])
    return errors


def test_errors_are_log_normal() -> None:
    """Half the predictions are too long, and the log error has the standard deviation sigma."""
    long = drawn()["run_s"] > 1000  # predictions are whole seconds
    errors = log_errors(drawn(), 0.5)[long]
    assert np.std(errors) == pytest.approx(0.5, rel=0.1)
    assert np.median(errors) == pytest.approx(0, abs=0.05)


def test_each_job_s_error_grows_with_sigma() -> None:
    """The same draw is stretched, so that policies meet the same errors, only larger."""
    long = drawn()["run_s"] > 1000
    small, large = (log_errors(drawn(), sigma)[long] for sigma in (0.5, 1))
    assert large == pytest.approx(2 * small, abs=0.01)


def test_other_jobs_have_other_errors() -> None:
    """Otherwise a mean over episodes would rest on one draw."""
    first, second = (log_errors(drawn(seed), 0.5) for seed in (1, 2))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.1


def test_no_noise_is_the_truth() -> None:
    """With sigma=0 the predictions are those of the oracle."""
    assert (log_errors(drawn(), 0) == 0).all()


@given(st.floats(0, 1e6))
def test_a_prediction_stays_within_the_request(sigma: float) -> None:
    """This holds however large the error is."""
    workload = generate("lublin:nodes=16", 20, seed=3)
    schedule = simulate(workload, 16, "easy", predict=f"noisy:sigma={sigma}")
    assert schedule.estimate_s is not None
    assert (schedule.estimate_s >= 1).all()
    assert (schedule.estimate_s <= workload["request_s"]).all()


def test_mistakes_are_told_in_a_sentence() -> None:
    """The error names the parameter and says what is allowed."""
    with pytest.raises(UnknownNameError, match='did you mean "sigma"'):
        find_predictor("noisy:sgma=1")
    with pytest.raises(ParameterError, match='predictor "noisy": sigma: "much" is not a number'):
        find_predictor("noisy:sigma=much")
    with pytest.raises(ParameterError, match=r"sigma is -1\.0; must be a number >= 0"):
        simulate(drawn(), 16, "easy:predict=noisy:sigma=-1")
    with pytest.raises(UnknownNameError, match="parameter of last-two"):
        find_predictor("last-two:sigma=1")

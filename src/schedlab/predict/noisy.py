"""The true run time with an error of chosen size, to learn how good a predictor must be."""

from __future__ import annotations

import zlib

import numpy as np

from schedlab import _core
from schedlab.errors import ParameterError
from schedlab.workload import Workload


def noisy(workload: Workload, *, sigma: float = 0.5) -> _core.Predictor:
    """Return a predictor of each true run time times exp(sigma · z), with z standard normal.

    The same jobs get the same z whatever sigma is, so that the error of each job grows with sigma;
    other jobs get other z.
    """
    if not 0 <= sigma < np.inf:
        raise ParameterError(f"noisy: sigma is {sigma}; must be a number >= 0")
    run_s = np.ascontiguousarray(workload["run_s"])
    random = np.random.default_rng(zlib.crc32(run_s.tobytes()))
    longest_s = workload["request_s"].max(initial=1)  # longer predictions count as this
    with np.errstate(over="ignore"):
        predicted_s = run_s * np.exp(sigma * random.standard_normal(len(run_s)))
    return _core.Actual(np.rint(np.minimum(predicted_s, longest_s)).astype(np.int64))

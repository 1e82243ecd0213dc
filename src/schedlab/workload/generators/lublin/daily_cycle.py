"""The rhythm of the day: arrivals are dense at noon and rare at night."""

from __future__ import annotations

from math import exp, lgamma, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

BUCKETS = 48
BUCKET_S = 1800.0
DAY_S = BUCKETS * BUCKET_S


class DailyCycle:
    """Half-hour weights of mean 1 that turn points of arrival work into time.

    Passing a bucket costs its weight in points, and within a bucket time is linear in points. So
    the time of an arrival is the inverse of the cumulative weights at the cumulative points.
    """

    def __init__(self, weights: ArrayLike) -> None:
        """Take 48 weights, from midnight on; they are normalised to mean 1."""
        raw = np.asarray(weights, dtype=float)
        self.weights: Floats = raw * (BUCKETS / raw.sum())
        self._points = np.concatenate([[0.0], np.cumsum(self.weights)])
        self._points[-1] = BUCKETS
        self._clock_s = np.arange(BUCKETS + 1) * BUCKET_S

    @classmethod
    def flat(cls) -> DailyCycle:
        """Return a cycle in which all half hours have the same weight."""
        return cls(np.ones(BUCKETS))

    @classmethod
    def gamma(cls, alpha: float, beta: float, first_bucket: int) -> DailyCycle:
        """Return weights that follow a gamma density over bucket numbers ``first_bucket`` ... + 47.

        Bucket number i begins (i - 1) half hours after midnight; the day of the model begins at
        bucket 11, which is 05:00, when the fewest jobs arrive.
        """
        numbers = first_bucket + np.arange(BUCKETS)
        mass = [gamma_cdf(i + 0.5, alpha, beta) - gamma_cdf(i - 0.5, alpha, beta) for i in numbers]
        weights = np.empty(BUCKETS)
        weights[(numbers - 1) % BUCKETS] = mass
        return cls(weights)

    def points_at(self, time_s: float) -> float:
        """Return the points passed from midnight of the first day until a time."""
        days, clock_s = divmod(time_s, DAY_S)
        return days * BUCKETS + float(np.interp(clock_s, self._clock_s, self._points))

    def time_s(self, points: Floats) -> Floats:
        """Return when a number of points, from midnight of the first day, has been passed."""
        day, rest = np.divmod(points, BUCKETS)
        clock_s: Floats = np.interp(rest, self._points, self._clock_s)
        return day * DAY_S + clock_s


def gamma_cdf(x: float, alpha: float, beta: float) -> float:
    """Return the gamma distribution function of shape alpha and scale beta, by its power series."""
    z = x / beta
    if z <= 0:
        return 0.0
    term = total = 1.0
    denominator = alpha
    while term > 1e-17 * total:
        denominator += 1
        term *= z / denominator
        total += term
    return min(total * exp(alpha * log(z) - z - lgamma(alpha + 1)), 1.0)

"""95 % confidence intervals of a mean over few values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

CONFIDENCE = 0.95
RESAMPLES = 10_000

Interval = tuple[float, float]


def t_interval(values: Sequence[float]) -> Interval | None:
    """Return Student's interval, mean ± t · s / √n; None for fewer than two values."""
    n = len(values)
    if n < 2:
        return None
    half = student_t(n - 1) * float(np.std(values, ddof=1)) / math.sqrt(n)
    mean = float(np.mean(values))
    return mean - half, mean + half


def bootstrap_interval(values: Sequence[float]) -> Interval | None:
    """Return the percentile bootstrap: the middle 95 % of resamples' means, drawn by seed 0."""
    if len(values) < 2:
        return None
    draws = np.random.default_rng(0).integers(len(values), size=(RESAMPLES, len(values)))
    means = np.asarray(values, dtype=float)[draws].mean(axis=1)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def student_t(freedom: int) -> float:
    """Return the t for which P(|T| < t) is 95 %, where T has Student's distribution."""
    low, high = 1.9, 13.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < CONFIDENCE else (low, middle)
    return high


def _within(t: float, freedom: int) -> float:
    """Compute P(|T| < t) as a finite sum; Abramowitz & Stegun 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine = math.cos(angle)
    odd = freedom % 2
    term, total = cosine if odd else 1.0, 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    total *= math.sin(angle)
    return (angle + total) * 2 / math.pi if odd else total

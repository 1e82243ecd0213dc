"""Curves thinned to what a picture can show, without losing peaks or shifting steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.sim import StepSeries
from schedlab.viz.time_axis import TimeAxis

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Band:
    """A step series in bins of time: mean, least and greatest value from each place to the next.

    ``place`` has one more value than the others: where the last bin ends.
    """

    place: Values
    mean: Values
    least: Values
    greatest: Values


def band(series: StepSeries, axis: TimeAxis, bins: int) -> Band:
    """Return the series if it changes at most ``bins`` times, else bins of equal length."""
    moments = series.time_s[(series.time_s > axis.first_s) & (series.time_s < axis.last_s)]
    exact = np.concatenate([[axis.first_s], moments, [axis.last_s]])
    edges = exact if len(exact) <= bins + 1 else axis.bins(bins)
    least, greatest = series.bin_extremes(edges)
    return Band(
        axis.places(edges),
        series.bin_means(edges),
        least.astype(float),
        greatest.astype(float),
    )


def cumulative(values: Values, least: float, greatest: float, points: int) -> tuple[Values, Values]:
    """Return the share of values at or below x, from ``least`` to ``greatest`` on a log axis.

    The number of x is limited, but each share is exact; NaN does not count.
    """
    values = np.sort(values[~np.isnan(values)])
    x = np.unique(np.clip(values, least, greatest))
    if len(x) > points:
        x = np.geomspace(least, greatest, points)
    x = np.union1d(x, [least, greatest])
    return x, np.searchsorted(values, x, side="right") / max(len(values), 1)


def upper_end(values: Sequence[Values], least: float) -> float:
    """Return where an axis for all these values ends: at the greatest, but not before ``least``."""
    return max(least, *(float(np.nanmax(of_one, initial=least)) for of_one in values))

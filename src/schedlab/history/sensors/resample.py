"""Timelines in steps of another length, and their integrals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.sensors.series import Floats, Series

Indices = NDArray[np.intp]


def integral(series: Series, from_s: float, to_s: float) -> float:
    """Return the integral over what is known between two moments."""
    part = series.clipped(from_s, to_s)
    return float(np.dot(part.mean, part.length_s))


def mean(series: Series, from_s: float, to_s: float) -> float:
    """Return the time-weighted mean over what is known between two moments; NaN if nothing is."""
    part = series.clipped(from_s, to_s)
    return float(np.average(part.mean, weights=part.length_s)) if len(part) else float("nan")


def coverage(series: Series, from_s: float, to_s: float) -> float:
    """Return the share of the samples expected between two moments that the source has.

    In an interval of three native steps, three samples were expected and one step was seen.
    """
    if to_s <= from_s:
        return 0.0
    length_s = series.end_s - series.start_s
    expected = np.maximum(1.0, np.rint(length_s / (series.native_step_s or np.inf)))
    seen_until_s = np.minimum(series.start_s + length_s / expected, to_s)
    seen_s = np.maximum(0.0, seen_until_s - np.maximum(series.start_s, from_s))
    return float(min(1.0, np.dot(seen_s, series.length_s / length_s) / (to_s - from_s)))


def resample(
    series: Series, freq_s: float, agg: str = "mean", *, from_s: float, to_s: float
) -> Series:
    """Return the series in steps of ``freq_s`` that begin at ``from_s``.

    Where nothing is known, there is no step.

    A step that ``to_s`` cuts is shorter. The mean is weighted by time, so mean times known time is
    conserved; ``sum`` is that product. If ``freq_s`` is not above the native step, the native steps
    are returned.

    Args:
        series: at its native resolution.
        freq_s: length of a step, above 0.
        agg: ``mean``, ``min``, ``max``, ``last`` or ``sum``.
        from_s: where the first step begins.
        to_s: where the last step ends.
    """
    if not freq_s > 0:
        raise ParameterError(f"freq is {freq_s:g} s; must be above 0")
    if agg not in AGGREGATES:
        raise UnknownNameError("aggregate", agg, AGGREGATES)
    part = series.clipped(from_s, to_s)
    if freq_s <= series.native_step_s or not len(part):
        return part
    edges = np.append(np.arange(from_s, to_s, freq_s), to_s)
    pieces = part.cut(edges)
    step = np.searchsorted(edges, pieces.start_s, side="right") - 1
    first = np.flatnonzero(np.diff(step, prepend=-1))
    keeps_extremes = agg == "mean"
    return replace(
        pieces,
        start_s=edges[step[first]],
        end_s=edges[step[first] + 1],
        mean=AGGREGATES[agg](pieces, first),
        minimum=np.minimum.reduceat(pieces.least, first) if keeps_extremes else None,
        maximum=np.maximum.reduceat(pieces.greatest, first) if keeps_extremes else None,
        known_s=np.add.reduceat(pieces.length_s, first),
        unit=f"{series.unit} s" if agg == "sum" else series.unit,
    )


def _sum(pieces: Series, first: Indices) -> Floats:
    weighted: Floats = np.add.reduceat(pieces.mean * pieces.length_s, first)
    return weighted


def _mean(pieces: Series, first: Indices) -> Floats:
    known_s: Floats = np.add.reduceat(pieces.length_s, first)
    return _sum(pieces, first) / known_s


def _last(pieces: Series, first: Indices) -> Floats:
    last: Indices = np.append(first[1:], len(pieces)) - 1
    return pieces.mean[last]


AGGREGATES: dict[str, Callable[[Series, Indices], Floats]] = {
    "mean": _mean,
    "min": lambda pieces, first: np.minimum.reduceat(pieces.least, first),
    "max": lambda pieces, first: np.maximum.reduceat(pieces.greatest, first),
    "last": _last,
    "sum": _sum,
}


def thinned(series: Series, max_points: int) -> tuple[Floats, Floats]:
    """Return at most ``max_points`` points to draw, with their true times, by M4.

    In each of many equal spans of time, the first, the last, the least and the greatest value are
    kept, so that a line through them colours the same pixels as a line through all values (Jugel et
    al., M4: a visualization-oriented time series data aggregation, VLDB 2014).
    """
    if max_points < 4:
        raise ParameterError(f"max_points is {max_points}; must be >= 4")
    time, value = series.start_s, series.mean
    if len(series) <= max_points:
        return time, value
    spans = max_points // 4
    width_s = (time[-1] - time[0]) / spans
    span = np.minimum(spans - 1, np.floor_divide(time - time[0], width_s))
    first = np.flatnonzero(np.diff(span, prepend=-1.0))
    last = np.append(first[1:], len(time)) - 1
    by_value = np.lexsort((value, span))
    kept = np.unique(np.concatenate([first, last, by_value[first], by_value[last]]))
    return time[kept], value[kept]

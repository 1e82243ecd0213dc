"""A quantity that changes at instants and is constant between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class StepSeries:
    """``value[i]`` holds from ``time_s[i]`` until ``time_s[i + 1]``; times strictly increase."""

    time_s: NDArray[np.int64]
    value: NDArray[np.int64]

    @classmethod
    def from_changes(cls, *changes: tuple[NDArray[np.int64], NDArray[np.int64]]) -> StepSeries:
        """Return the running sum of (when, by how much) changes.

        Changes of one instant count as one.
        """
        when = np.concatenate([times for times, _ in changes])
        by = np.concatenate([amounts for _, amounts in changes])
        order = np.argsort(when, kind="stable")
        when, by = when[order], np.cumsum(by[order])
        last_of_instant = (
            np.append(when[1:] != when[:-1], True) if len(when) else np.array([], bool)
        )
        return cls(when[last_of_instant], by[last_of_instant])

    def at(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the value at each of these times; 0 before the first change."""
        from_zero = np.concatenate([np.zeros(1, dtype=np.int64), self.value])
        return from_zero[np.searchsorted(self.time_s, times, side="right")]

    def integral(self, start_s: int, end_s: int) -> float:
        """Return the area under the curve between two times."""
        before, until = self.integral_to(np.array([start_s, end_s]))
        return float(until - before)

    def integral_to(self, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the area from the beginning up to each of these times."""
        if not len(self.time_s):
            return np.zeros(len(times))
        areas = np.concatenate(
            [[0.0], np.cumsum(np.diff(self.time_s) * self.value[:-1].astype(float))]
        )
        index = np.searchsorted(self.time_s, times, side="right") - 1
        inside = np.maximum(index, 0)
        tail = (times - self.time_s[inside]) * self.value[inside].astype(float)
        return np.where(index < 0, 0.0, areas[inside] + tail)

    def mean(self, start_s: int, end_s: int) -> float:
        """Return the time-weighted mean between two times."""
        return self.integral(start_s, end_s) / (end_s - start_s) if end_s > start_s else 0.0

    def bin_means(self, edges: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the time-weighted mean within each pair of neighbouring edges."""
        areas: NDArray[np.float64] = np.diff(self.integral_to(edges))
        return areas / np.diff(edges)

    def bin_extremes(self, edges: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the least and the greatest value within each pair of neighbouring edges."""
        least = self.at(edges[:-1])
        greatest = least.copy()
        bounds = np.searchsorted(self.time_s, edges)
        changing = bounds[1:] > bounds[:-1]
        first, values = bounds[:-1][changing], self.value[: bounds[-1]]
        least[changing] = np.minimum(least[changing], np.minimum.reduceat(values, first))
        greatest[changing] = np.maximum(greatest[changing], np.maximum.reduceat(values, first))
        return least, greatest

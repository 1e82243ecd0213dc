"""A timeline as intervals of time, each with the mean that held in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

STALE_STEPS = 3.0
LONE_STALE_S = 300.0


@dataclass(frozen=True)
class Series:
    """Disjoint intervals in order of time; between them nothing is known.

    Args:
        start_s: when each interval begins, in seconds of the epoch (UTC).
        end_s: when it ends.
        mean: the time-weighted mean in it.
        unit: what the values are counted in.
        native_step_s: the usual distance of two samples in the source.
        source: source that measured, by its name in the site file.
        minimum: the least value in each interval; None if it is the mean.
        maximum: the greatest value in each interval; None if it is the mean.
        known_s: how much of each interval is known; None if all of it.
        peaks_hidden: whether values above the maxima may have been averaged away.
    """

    start_s: Floats
    end_s: Floats
    mean: Floats
    unit: str
    native_step_s: float
    source: str
    minimum: Floats | None = None
    maximum: Floats | None = None
    known_s: Floats | None = None
    peaks_hidden: bool = False

    def __len__(self) -> int:
        return len(self.start_s)

    @classmethod
    def of_intervals(
        cls,
        start_s: ArrayLike,
        end_s: ArrayLike,
        mean: ArrayLike,
        *,
        minimum: ArrayLike | None = None,
        maximum: ArrayLike | None = None,
        **about: Any,
    ) -> Series:
        """Return the intervals whose mean is known, in order of time.

        An interval that overlaps the next one ends earlier.
        """
        columns = [None if each is None else _floats(each) for each in (minimum, maximum)]
        start, end, value = _floats(start_s), _floats(end_s), _floats(mean)
        order = np.argsort(start, kind="stable")
        start, end, value = start[order], end[order], value[order]
        end[:-1] = np.minimum(end[:-1], start[1:])
        known = np.isfinite(value) & (end > start)
        least, most = (
            None if each is None else np.where(np.isfinite(each), each, value)[known]
            for each in (None if column is None else column[order] for column in columns)
        )
        about.setdefault("native_step_s", _usual(end[known] - start[known]))
        return cls(start[known], end[known], value[known], minimum=least, maximum=most, **about)

    @classmethod
    def of_samples(
        cls, time_s: ArrayLike, value: ArrayLike, *, stale_s: float | None = None, **about: Any
    ) -> Series:
        """Read samples of a gauge: each holds until the next one, but at most ``stale_s``.

        Samples may come in any order. Of two at the same time, the one given later counts; one that
        is not a number ends the hold of the one before. Without ``stale_s``, a sample holds for at
        most three of the usual steps, and a lone one for five minutes.
        """
        time, values = _ordered(time_s, value)
        step_s = _usual(np.diff(time))
        limit_s = (STALE_STEPS * step_s or LONE_STALE_S) if stale_s is None else stale_s
        end = np.minimum(np.append(time[1:], np.inf), time + limit_s)
        return cls.of_intervals(time, end, values, **{"native_step_s": step_s, **about})

    @classmethod
    def of_counter(cls, time_s: ArrayLike, value: ArrayLike, **about: Any) -> Series:
        """Read a counter as its rise per second between each two readings.

        A counter that fell was reset in between; it has then risen by what it now shows.
        """
        time, values = _ordered(time_s, value)
        known = np.isfinite(values)
        time, values = time[known], values[known]
        rise = np.where(np.diff(values) < 0, values[1:], np.diff(values))
        rate = rise / np.diff(time)
        return cls.of_intervals(time[:-1], time[1:], rate, **about)

    @property
    def length_s(self) -> Floats:
        """How much of each interval is known: the weight of its mean."""
        return self.end_s - self.start_s if self.known_s is None else self.known_s

    @property
    def least(self) -> Floats:
        """The least value of each interval."""
        return self.mean if self.minimum is None else self.minimum

    @property
    def greatest(self) -> Floats:
        """The greatest value of each interval."""
        return self.mean if self.maximum is None else self.maximum

    def clipped(self, from_s: float, to_s: float) -> Series:
        """Return the part between two moments; the means of cut intervals stay the same."""
        first = int(np.searchsorted(self.end_s, from_s, side="right"))
        last = int(np.searchsorted(self.start_s, to_s, side="left"))
        part = self.taken(slice(first, max(first, last)))
        return part._within(np.maximum(part.start_s, from_s), np.minimum(part.end_s, to_s))

    def cut(self, moments: Floats) -> Series:
        """Return the same series with no interval across one of the moments."""
        start = np.union1d(np.union1d(self.start_s, self.end_s), moments)
        end = np.append(start[1:], start[-1:])
        which = np.searchsorted(self.start_s, start, side="right") - 1
        inside = (which >= 0) & (start < self.end_s[which]) & (end > start)
        return self.taken(which[inside])._within(start[inside], end[inside])

    def scaled(
        self, factor: float | Floats, unit: str | None = None, *, offset: float = 0.0
    ) -> Series:
        """Return the values times a factor, plus an offset.

        The factor is one for all or one for each, and >= 0. The result may have another unit.
        """
        new: dict[str, Any] = {"mean": self.mean * factor + offset, "unit": unit or self.unit}
        for name in ("minimum", "maximum"):
            if (column := getattr(self, name)) is not None:
                new[name] = column * factor + offset
        return replace(self, **new)

    def _within(self, start_s: Floats, end_s: Floats) -> Series:
        """Return a part of each interval; its known time shrinks in proportion."""
        known = self.known_s
        if known is not None:
            known = known * (end_s - start_s) / (self.end_s - self.start_s)
        return replace(self, start_s=start_s, end_s=end_s, known_s=known)

    def taken(self, which: slice | NDArray[np.intp]) -> Series:
        """Return some of the intervals."""
        columns = {name: getattr(self, name) for name in _COLUMNS}
        return replace(
            self, **{name: each[which] for name, each in columns.items() if each is not None}
        )


_COLUMNS = ("start_s", "end_s", "mean", "minimum", "maximum", "known_s")


def joined(parts: Sequence[Series]) -> Series:
    """Join successive series of the same thing, as a source returns them in chunks."""
    if len(parts) == 1:
        return parts[0]
    extremes = any(each.maximum is not None for each in parts)
    columns = {
        "minimum": np.concatenate([each.least for each in parts]) if extremes else None,
        "maximum": np.concatenate([each.greatest for each in parts]) if extremes else None,
    }
    return Series.of_intervals(
        np.concatenate([each.start_s for each in parts]),
        np.concatenate([each.end_s for each in parts]),
        np.concatenate([each.mean for each in parts]),
        unit=parts[0].unit,
        source=parts[0].source,
        native_step_s=max(each.native_step_s for each in parts),
        peaks_hidden=any(each.peaks_hidden for each in parts),
        **columns,
    )


def total(parts: Iterable[Series]) -> tuple[Floats, Floats]:
    """Return the sum of the series as a step function.

    A series counts as 0 where it knows nothing.
    """
    parts = list(parts)
    start, end, value = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("start_s", "end_s", "mean")
    )
    return step_sum(start, end, value)


def step_sum(start_s: Floats, end_s: Floats, value: Floats) -> tuple[Floats, Floats]:
    """Sum values that each hold for a while; return moments of change, and the sum from each."""
    time = np.concatenate([start_s, end_s])
    change = np.concatenate([value, -value])
    order = np.argsort(time, kind="stable")
    # Long doubles are used, so that what was added and subtracted again leaves no trace.
    level = np.cumsum(change[order], dtype=np.longdouble)
    moments, first = np.unique(time[order], return_index=True)
    last = np.append(first[1:], len(time)) - 1
    return moments, level[last].astype(np.float64)


def _ordered(time_s: ArrayLike, value: ArrayLike) -> tuple[Floats, Floats]:
    """Return the samples by time; of those at one time, the one given last."""
    time, values = _floats(time_s), _floats(value)
    order = np.argsort(time, kind="stable")
    time, values = time[order], values[order]
    last = np.append(np.diff(time) > 0, True)[: len(time)]
    return time[last], values[last]


def _usual(steps_s: Floats) -> float:
    """Return the lower median of the steps, to the millisecond; 0 if there are none."""
    return round(float(np.sort(steps_s)[(len(steps_s) - 1) // 2]), 3) if len(steps_s) else 0.0


def _floats(values: ArrayLike) -> Floats:
    return np.array(values, dtype=np.float64)

"""The run times that users request, and how accurate they are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

HOUR_S = 3600
REQUEST_CLASSES = 48
WRA_CLASSES = 20
MAX_COMMONEST = 50

Times = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class RequestDensity:
    """Jobs by requested time and WRA: ``jobs[i][j]`` in request class i and WRA class j.

    Request classes are equally wide on a logarithmic scale and exclude their lower edge; WRA
    classes are equally wide, and the last one also holds values above 1.
    """

    request_edges_s: tuple[float, ...]
    wra_edges: tuple[float, ...]
    jobs: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, request_s: Times, wra: Values) -> RequestDensity:
        """Describe these jobs, at least one."""
        least, greatest = int(request_s.min()), int(request_s.max())
        edges = np.geomspace(0.99 * least, max(greatest, 2 * least), REQUEST_CLASSES + 1)
        # The greatest request must not fall out of its class by rounding.
        row = np.minimum(np.searchsorted(edges, request_s) - 1, REQUEST_CLASSES - 1)
        column = np.minimum((wra * WRA_CLASSES).astype(np.int64), WRA_CLASSES - 1)
        cells = REQUEST_CLASSES * WRA_CLASSES
        jobs = np.bincount(row * WRA_CLASSES + column, minlength=cells)
        return cls(
            tuple(edges.tolist()),
            tuple((np.arange(WRA_CLASSES + 1) / WRA_CLASSES).tolist()),
            tuple(map(tuple, jobs.reshape(REQUEST_CLASSES, WRA_CLASSES).tolist())),
        )


@dataclass(frozen=True)
class Requests:
    """The run times that users request, and how much of them their jobs use."""

    jobs: int
    mean_wra: float
    max_request_s: int
    beyond_request: int
    """Number of jobs that ran longer than requested, so that their WRA is above 1."""
    whole_hours: float
    """The share of jobs that request a whole number of hours."""
    commonest: pl.DataFrame
    by_hour: pl.DataFrame
    density: RequestDensity

    @classmethod
    def of(cls, request_s: Times, wra: Values) -> Requests:
        """Describe these jobs, at least one."""
        return cls(
            jobs=len(request_s),
            mean_wra=float(wra.mean()),
            max_request_s=int(request_s.max()),
            beyond_request=int(np.count_nonzero(wra > 1)),
            whole_hours=float(np.mean(request_s % HOUR_S == 0)),
            commonest=requests_by_frequency(request_s, wra),
            by_hour=wra_by_request_hour(request_s, wra),
            density=RequestDensity.of(request_s, wra),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "jobs": self.jobs,
            "mean_wra": self.mean_wra,
            "max_request_s": self.max_request_s,
            "beyond_request": self.beyond_request,
            "whole_hours": self.whole_hours,
            "distinct": len(self.commonest),
            "commonest": self.commonest.head(MAX_COMMONEST).to_dicts(),
            "by_hour": self.by_hour.to_dicts(),
            "density": asdict(self.density),
        }


def wra_by_request_hour(request_s: Times, wra: Values) -> pl.DataFrame:
    """Return the mean WRA per hour of request: ``request_h``, ``jobs``, ``mean_wra``.

    A request of exactly 24 h counts to hour 24, one of a second more to hour 25.
    """
    import polars as pl

    hours, jobs, means = _mean_wra_by(-(-request_s // HOUR_S), wra)
    return pl.DataFrame({"request_h": hours, "jobs": jobs, "mean_wra": means})


def requests_by_frequency(request_s: Times, wra: Values) -> pl.DataFrame:
    """Return the distinct requested times, the commonest first.

    Columns ``request_s``, ``jobs``, ``share`` and ``mean_wra``. Users choose round numbers, so that
    a few times make up most of a trace.
    """
    import polars as pl

    times, jobs, means = _mean_wra_by(request_s, wra)
    share = jobs / len(request_s)
    table = pl.DataFrame({"request_s": times, "jobs": jobs, "share": share, "mean_wra": means})
    return table.sort(["jobs", "request_s"], descending=[True, False])


def _mean_wra_by(key: Times, wra: Values) -> tuple[Times, Times, Values]:
    """Return the values that occur, how often each does, and its mean WRA."""
    values, group, jobs = np.unique(key, return_inverse=True, return_counts=True)
    return values, jobs, np.bincount(group, weights=wra) / jobs

"""A forecast: quantiles of the starts of waiting jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedlab.errors import ParameterError, WorkloadError

FORECAST_LEVELS: NDArray[np.float64] = np.arange(1, 20) / 20
"""0.05, 0.1, ..., 0.95."""

LOW, MIDDLE, HIGH = 0.1, 0.5, 0.9
"""The levels of the ends of the 80 % interval, and of the most likely start."""


@dataclass(frozen=True, eq=False)
class StartForecast:
    """When waiting jobs will start.

    Args:
        now_s: when it was made.
        job: the place of each job in the workload, in the order of the workload.
        job_id: its number there.
        submit_s: when it was submitted.
        nodes: number of nodes that it needs.
        start_s: a row per job and a column per level of ``FORECAST_LEVELS``: the job starts by then
            with that probability.
        forks: number of futures that were simulated.
    """

    now_s: int
    job: NDArray[np.int32]
    job_id: NDArray[np.int64]
    submit_s: NDArray[np.int64]
    nodes: NDArray[np.int64]
    start_s: NDArray[np.float64]
    forks: int

    def __len__(self) -> int:
        return len(self.job)

    def quantiles(self, levels: ArrayLike) -> NDArray[np.float64]:
        """Return the times by which each job starts with these probabilities: a row per job.

        Levels below 0.05 and above 0.95 are not known: they give the quantiles of 0.05 and 0.95.
        """
        wanted = np.atleast_1d(np.asarray(levels, dtype=float))
        if not ((wanted > 0) & (wanted < 1)).all():
            raise ParameterError("a level must be a number above 0 and below 1")
        rows = [np.interp(wanted, FORECAST_LEVELS, row) for row in self.start_s]
        return np.array(rows).reshape(len(self), len(wanted))

    def of(self, *job_ids: int) -> StartForecast:
        """Return the forecast of these jobs."""
        places = {int(job_id): at for at, job_id in enumerate(self.job_id)}
        for each in job_ids:
            if each not in places:
                raise WorkloadError(
                    f"job {each} does not wait at {self.now_s} s: it has started, is not eligible, "
                    "or is not known"
                )
        return self.take(np.array([places[each] for each in job_ids], dtype=np.intp))

    def take(self, places: NDArray[Any]) -> StartForecast:
        """Return the forecast of the jobs at these places."""
        columns = (self.job, self.job_id, self.submit_s, self.nodes, self.start_s)
        job, job_id, submit_s, nodes, start_s = (each[places] for each in columns)
        return StartForecast(self.now_s, job, job_id, submit_s, nodes, start_s, self.forks)

    def rows(self) -> list[dict[str, float]]:
        """Return a row per job: the 80 % interval of its start, and the most likely start."""
        low, middle, high = self.quantiles([LOW, MIDDLE, HIGH]).round().astype(np.int64).T
        return [
            {
                "job_id": int(self.job_id[at]),
                "nodes": int(self.nodes[at]),
                "submit_s": int(self.submit_s[at]),
                "start_s": int(middle[at]),
                "low_s": int(low[at]),
                "high_s": int(high[at]),
            }
            for at in range(len(self))
        ]

"""A job in Batsim, in whole microseconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedlab.errors import WorkloadError
from schedlab.workload import Workload
from schedlab.workload.eligibility import gated

SECOND_US = 1_000_000
GRACE_US = 5 * SECOND_US
"""The time that batsched adds to every request, for the delays of a resource manager."""


@dataclass(eq=False)
class BatsimJob:
    """What a job asks for, how long it runs, and when it started."""

    submit_us: int
    nodes: int
    request_us: int
    run_us: int
    start_us: int = -1

    @property
    def planned_us(self) -> int:
        """How long the scheduler keeps nodes for the job."""
        return self.request_us + GRACE_US


def jobs_of(workload: Workload) -> list[BatsimJob]:
    """Return the jobs in order of submission."""
    times = (workload[name] * SECOND_US for name in ("submit_s", "request_s", "run_s"))
    submit_us, request_us, run_us = (column.tolist() for column in times)
    rows = zip(submit_us, workload["nodes"].tolist(), request_us, run_us, strict=True)
    return [BatsimJob(*row) for row in rows]


def require_independent(workload: Workload) -> None:
    """Refuse jobs with dependencies or withdrawals, which the model of Batsim does not have."""
    if np.any(gated(workload) | (workload["cancel_after_s"] >= 0)):
        raise WorkloadError("the model of Batsim has neither dependencies nor withdrawals")

"""The jobs that an analysis of requests counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError, WorkloadError
from schedlab.workload import Workload
from schedlab.workload.readers.repair import NO_REQUEST

_HARMLESS = 0.0005
"""The largest change of the mean WRA by jobs in doubt; if they may change it more, none counts."""


@dataclass(frozen=True)
class CountedJobs:
    """The completed jobs that ran long enough, and those of them with a request."""

    jobs: Workload
    with_request: Workload
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, workload: Workload, min_run_s: int, statuses: Sequence[int]) -> CountedJobs:
        """Select the jobs, and note what is unknown."""
        if min_run_s < 0:
            raise ParameterError(f"the least run time is {min_run_s} s; must be >= 0")
        wanted = workload["run_s"] >= min_run_s
        notes = []
        if "status" in workload:
            wanted &= np.isin(workload["status"], list(statuses))
        else:
            notes.append("the trace does not say how jobs ended: all count as completed")
        if not wanted.any():
            raise WorkloadError(_none_left(workload, min_run_s, statuses))
        jobs = workload.take(wanted)
        in_doubt = _in_doubt(jobs)
        if in_doubt.all():
            notes.append("the trace has no requested times: nothing can be said of their accuracy")
        elif in_doubt.any():
            notes.append(
                "the trace lacks requests, which the reader replaced by run times: jobs in which "
                f"both are equal do not count for requests ({np.count_nonzero(in_doubt):,})"
            )
        return cls(jobs, jobs.take(~in_doubt), notes)


def _in_doubt(jobs: Workload) -> NDArray[np.bool_]:
    """Return the jobs whose request may be a run time that the reader put in its place.

    The reader does so where a request is missing. It reports how many requests it made up, but not
    which. If they are too few to matter, no job is in doubt.
    """
    equal = jobs["request_s"] == np.maximum(jobs["run_s"], 1)
    made_up = min(jobs.report.repaired.get(NO_REQUEST, 0), int(np.count_nonzero(equal)))
    return np.asarray(equal & (made_up > _HARMLESS * len(jobs)))


def _none_left(workload: Workload, min_run_s: int, statuses: Sequence[int]) -> str:
    wanted = " or ".join(map(str, statuses)) or "none"
    status = f" and has status {wanted}" if "status" in workload else ""
    return f"{workload.name}: none of {len(workload):,} jobs ran at least {min_run_s} s{status}"

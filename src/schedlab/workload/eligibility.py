"""What jobs wait for before they become eligible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.workload.dependencies import KINDS, DependencyTable, dependency_table, namesakes
from schedlab.workload.workload import Workload

GATES = ("depends_on", "dependencies", "begin_after_s", "array_limit")
"""The columns that may keep a job from being eligible when it is submitted."""

ENDED_BADLY = (0, 5)
"""The values of the column ``status`` for a job that failed or was cancelled."""


@dataclass(frozen=True, eq=False)
class Eligibility:
    """What jobs wait for: conditions, and values for each job or array.

    Args:
        conditions: what other jobs must have done.
        begin_s: the job is not eligible before this time.
        array: which of the limited arrays the job is a task of; -1 for none.
        array_limit: by array, how many tasks may be eligible or run at a time.
        namesakes: a number for jobs of one user and name where one of them is a singleton; else -1.
        ends_badly: whether the trace says that the job failed, however long it runs.
    """

    conditions: DependencyTable
    begin_s: NDArray[np.int64]
    array: NDArray[np.int32]
    array_limit: NDArray[np.int32]
    namesakes: NDArray[np.int32]
    ends_badly: NDArray[np.uint8]

    @classmethod
    def of(cls, workload: Workload) -> Eligibility | None:
        """Return what the jobs wait for; None if each is eligible once it is submitted."""
        return workload.once(_eligibility)

    def columns(self) -> tuple[Any, ...]:
        """Return the columns as the core takes them."""
        table = self.conditions
        return (
            table.job.astype(np.int32),
            table.on.astype(np.int32),
            table.kind.astype(np.int8),
            np.ascontiguousarray(table.delay_s),
            self.begin_s,
            self.array,
            self.array_limit,
            self.namesakes,
            self.ends_badly,
        )


def _eligibility(workload: Workload) -> Eligibility | None:
    if not gated(workload).any():
        return None
    conditions = dependency_table(workload)
    array, array_limit = _arrays(workload)
    return Eligibility(
        conditions,
        workload["submit_s"] + np.maximum(workload["begin_after_s"], 0),
        array,
        array_limit,
        _namesakes(workload, conditions),
        np.isin(workload["status"], ENDED_BADLY).astype(np.uint8),
    )


def gated(workload: Workload) -> NDArray[np.bool_]:
    """Return which jobs may not be eligible when they are submitted."""
    found = np.zeros(len(workload), dtype=bool)
    for name in GATES:
        if name in workload:
            found |= workload[name] > (0 if name == "begin_after_s" else -1)
    return found


def _arrays(workload: Workload) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number the arrays with a limit; if tasks give different limits, the smallest counts."""
    limited = (workload["array"] >= 0) & (workload["array_limit"] > 0)
    codes = np.unique(workload["array"][limited])
    task = np.isin(workload["array"], codes)
    array = np.full(len(workload), -1, dtype=np.int32)
    array[task] = np.searchsorted(codes, workload["array"][task])
    limit = np.full(len(codes), np.iinfo(np.int32).max, dtype=np.int32)
    told = np.minimum(workload["array_limit"][limited], np.iinfo(np.int32).max)
    np.minimum.at(limit, array[limited], told.astype(np.int32))
    return array, limit


def _namesakes(workload: Workload, conditions: DependencyTable) -> NDArray[np.int32]:
    number = np.full(len(workload), -1, dtype=np.int32)
    singleton = np.zeros(len(workload), dtype=bool)
    singleton[conditions.job[conditions.kind == KINDS.index("singleton")]] = True
    if singleton.any():
        groups = [group for group in namesakes(workload) if singleton[group].any()]
        for place, group in enumerate(groups):
            number[group] = place
    return number

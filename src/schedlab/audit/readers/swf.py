"""SWF traces with wait times: the log of a real cluster, or of a simulator that writes SWF."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from schedlab.audit.readers.observed import Observed
from schedlab.errors import InputError, PlatformError
from schedlab.platform import Platform, platform_from_header
from schedlab.sim import JobState, Schedule
from schedlab.workload import Workload, read_workload


def read_swf(path: Path, nodes: int | None) -> list[Observed]:
    """The trace as a schedule: start = submission + wait, end = start + run time.

    A job withdrawn while it waited has no start and leaves the queue after its wait.
    """
    workload = read_workload(path, format="swf", cancelled="replay")
    wait_s = workload["wait_s"]
    started = (wait_s >= 0) & (workload["cancel_after_s"] < 0)
    if not started.any():
        raise InputError(f"{path}: has no wait times (field 3), so no job has a start")
    start_s = np.where(started, workload["submit_s"] + wait_s, -1)
    schedule = Schedule(
        workload,
        _platform(path, workload, nodes),
        policy=workload.name,
        start_s=start_s,
        end_s=np.where(started, start_s + workload["run_s"], -1),
        eligible_s=workload["submit_s"],
        promised_s=np.full(len(workload), -1),
        state=np.where(started, JobState.COMPLETED, JobState.CANCELLED).astype(np.int8),
    )
    changes = replace(workload.report, noticed={})
    return [Observed(schedule, tuple(changes.lines()))]


def _platform(path: Path, workload: Workload, nodes: int | None) -> Platform:
    if nodes is not None:
        return Platform.homogeneous(nodes)
    try:
        return platform_from_header(workload)
    except PlatformError as error:
        raise InputError(f"{path}: {error}") from None

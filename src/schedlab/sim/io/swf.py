"""SWF: one schedule as a trace, with the waiting times filled in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from schedlab.sim.schedule import JobOutcome, Schedule
from schedlab.workload import Workload

_STATUS = {
    JobOutcome.WAITING: -1,
    JobOutcome.COMPLETED: 1,
    JobOutcome.KILLED: 0,
    JobOutcome.CANCELLED: 5,
}


def write(schedules: Sequence[Schedule], path: Path) -> None:
    """Write the trace a cluster under this policy would have logged."""
    from schedlab.workload.writers import write_workload

    (schedule,) = schedules
    write_workload(as_trace(schedule), path, format="swf")


def as_trace(schedule: Schedule) -> Workload:
    """Return the workload with wait, run time and status as they were in this schedule.

    SWF counts the wait from submission, also where the job had to wait for another to end; a job
    withdrawn while it waited has requested processors but no allocated ones.
    """
    workload, withdrawn = schedule.workload, schedule.state == JobOutcome.CANCELLED
    status = np.array([_STATUS[state] for state in JobOutcome])
    trace = workload.replace(
        wait_s=np.maximum(schedule.left_queue_s() - workload["submit_s"], 0),
        run_s=schedule.ran_s,
        status=status[schedule.state],
        allocated_procs=np.where(withdrawn, -1, workload["allocated_procs"]),
        requested_procs=np.where(withdrawn, workload["nodes"], workload["requested_procs"]),
    )
    nodes = schedule.platform.nodes
    trace.header |= {"MaxNodes": (str(nodes),), "MaxProcs": (str(nodes),)}
    return trace.record("schedule", policy=schedule.policy, nodes=nodes)

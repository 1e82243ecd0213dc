"""The native simulator of a workload."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.sim.attempting import Attempting
from schedlab.sim.node_demands import NodeDemands
from schedlab.sim.preemption import Preemption
from schedlab.workload import Workload
from schedlab.workload.eligibility import Eligibility


def build_simulator(
    workload: Workload,
    nodes: int,
    demands: NodeDemands | None = None,
    *,
    attempting: Attempting | None = None,
    changes: _core.MachineChanges | None = None,
    preemption: Preemption | None = None,
    tick: int,
    kill_at_request: bool,
    predictor: _core.Predictor | None = None,
    place: _core.NodeChoice | None = None,
) -> _core.Simulator:
    """Return the native simulator at the beginning of the workload.

    Args:
        workload: the jobs.
        nodes: number of nodes of the machine.
        demands: what the jobs need of them. Default: whole nodes, any of the machine.
        attempting: how jobs go on when they are interrupted. Default: no job is interrupted.
        changes: how the machine changes. Default: not at all.
        preemption: lets jobs take the nodes of others. Default: no job does.
        tick: events are seen only at multiples of this many seconds.
        kill_at_request: a job that exceeds its request is killed then.
        predictor: predicts how long jobs run. Default: as long as their requests.
        place: which nodes a job takes. Default: the lowest-numbered.
    """
    cancel_after, submit = workload["cancel_after_s"], workload["submit_s"]
    eligibility, leaving = Eligibility.of(workload), "cancel_after_s" in workload
    return _core.Simulator(
        id=_column(workload, "job_id"),
        submit=submit,
        nodes=_column(workload, "nodes") if demands is None else demands.nodes,
        request=_column(workload, "request_s"),
        run=_column(workload, "run_s"),
        user=_column(workload, "user"),
        eligibility=None if eligibility is None else eligibility.columns(),
        cancel_time=np.where(cancel_after >= 0, submit + cancel_after, -1) if leaving else None,
        total_nodes=nodes,
        tick=tick,
        kill_at_request=kill_at_request,
        predictor=predictor,
        demands=None
        if demands is None
        else (
            demands.machine(suspends=preemption is not None and preemption.mode == "suspend"),
            demands.counted,
            demands.kinds,
            demands.guests,
            demands.kind,
        ),
        place=place,
        attempting=None if attempting is None else attempting.columns(),
        changes=changes,
        preempt_by=0 if preemption is None else preemption.core_by,
    )


def _column(workload: Workload, name: str) -> NDArray[Any]:
    return np.ascontiguousarray(workload[name])

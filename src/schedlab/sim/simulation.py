"""simulate(): a workload on a platform under a policy."""

from __future__ import annotations

import platform as host
import time
from collections.abc import Callable
from operator import index
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import ParameterError, PolicyError
from schedlab.platform import Platform
from schedlab.policies import (
    ChosenPolicy,
    Policy,
    PolicyLike,
    choose_policy,
    require_coallocating,
)
from schedlab.predict import PredictorLike
from schedlab.sim.cluster_needs import ClusterNeeds, cluster_needs
from schedlab.sim.feasibility import LONGEST_S, check_feasible, check_times
from schedlab.sim.node_ranges import NodeRanges
from schedlab.sim.schedule import Schedule
from schedlab.units import require_whole
from schedlab.version import __version__
from schedlab.workload import Workload
from schedlab.workload.workload import require_workload

Progress = Callable[[int, int], None]
_PASSES_AT_A_TIME = 1_000


def simulate(
    workload: Workload,
    platform: Platform | SupportsIndex,
    policy: PolicyLike,
    *,
    tick: int = 0,
    depth: int | None = None,
    kill_at_request: bool = True,
    predict: PredictorLike | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Schedule:
    """Replay the workload on the platform under the policy, and say what happened.

    Args:
        workload: the jobs.
        platform: the machine; a number means so many equal nodes. Several clusters are one pool,
            unless the jobs name clusters (the column ``needs``).
        policy: a name such as ``"sjf+easy:depth=100"``, or a ``Policy`` or ``Order`` of your own.
        tick: 0, or events are seen only at multiples of so many seconds.
        depth: how many waiting jobs a pass considers; all by default.
        kill_at_request: a job that exceeds its request is killed then; else it runs on.
        predict: who says how long jobs run, such as ``"last-two"``; the request by default.
        seed: recorded in the result, for those who generated the workload with it.
        progress: called now and then with (jobs ended, jobs in all).
    """
    require_workload(workload)
    machine = platform if isinstance(platform, Platform) else _equal_nodes(platform)
    tick = require_whole("tick", tick, most=LONGEST_S)
    depth = None if depth is None else require_whole("depth", depth, 1)
    needs = cluster_needs(workload, machine)
    chosen = choose_policy(policy, depth=depth, predict=predict)
    if needs is None:
        check_feasible(workload, machine.pool())
    else:
        check_times(workload)
        require_coallocating(chosen)
    predictor = chosen.predictor.make(workload)
    simulator = build_simulator(
        workload,
        machine.nodes,
        needs,
        tick=tick,
        kill_at_request=kill_at_request,
        predictor=predictor,
    )
    began = time.perf_counter()
    _run(simulator, chosen, workload, progress)
    wall_s = time.perf_counter() - began
    options = {
        "tick": tick,
        "depth": depth,
        "kill_at_request": kill_at_request,
        "predict": chosen.predictor.name,
        "seed": seed,
    }
    return Schedule(
        workload=workload,
        platform=machine,
        policy=chosen.name,
        start_s=simulator.start_times(),
        end_s=simulator.end_times(),
        eligible_s=simulator.eligible_times(),
        promised_s=simulator.promised_times(),
        state=simulator.states(),
        estimate_s=None if predictor is None else simulator.estimates(),
        node_ranges=NodeRanges(*simulator.node_ranges()),
        wall_s=wall_s,
        provenance=_provenance(workload, machine, chosen, options | _facts(chosen)),
    )


def _equal_nodes(count: SupportsIndex) -> Platform:
    try:
        return Platform.homogeneous(index(count))
    except TypeError:
        raise ParameterError(
            f"platform is {count!r}; must be a Platform or a whole number of nodes"
        ) from None


def build_simulator(
    workload: Workload,
    nodes: int,
    needs: ClusterNeeds | None = None,
    *,
    tick: int,
    kill_at_request: bool,
    predictor: _core.Predictor | None = None,
) -> _core.Simulator:
    """The native simulator at the beginning of the workload."""
    cancel_after, submit = workload["cancel_after_s"], workload["submit_s"]
    dependent, leaving = "depends_on" in workload, "cancel_after_s" in workload
    return _core.Simulator(
        id=_column(workload, "job_id"),
        submit=submit,
        nodes=_column(workload, "nodes"),
        request=_column(workload, "request_s"),
        run=_column(workload, "run_s"),
        user=_column(workload, "user"),
        depends_on=workload.dependency_index() if dependent else None,
        think_time=_column(workload, "think_time_s") if dependent else None,
        cancel_time=np.where(cancel_after >= 0, submit + cancel_after, -1) if leaving else None,
        total_nodes=nodes,
        tick=tick,
        kill_at_request=kill_at_request,
        predictor=predictor,
        needs=None
        if needs is None
        else (list(needs.clusters), needs.offset, needs.cluster, needs.nodes),
    )


def _column(workload: Workload, name: str) -> NDArray[Any]:
    return np.ascontiguousarray(workload[name])


def _run(
    simulator: _core.Simulator, chosen: ChosenPolicy, workload: Workload, progress: Progress | None
) -> None:
    simulator.use(chosen.core)
    while simulator.run(chosen.core, _PASSES_AT_A_TIME):
        if progress is not None:
            progress(simulator.ended, len(workload))
    if progress is not None:
        progress(simulator.ended, len(workload))
    if simulator.waiting:
        first = workload["job_id"][simulator.view.queue.job[0]]
        raise PolicyError(
            f"policy {chosen.name} left {simulator.waiting:,} jobs waiting for ever, "
            f"job {first} first"
        )


def _facts(chosen: ChosenPolicy) -> dict[str, Any]:
    """What a policy in Python has counted."""
    facts = chosen.core.facts() if isinstance(chosen.core, Policy) else {}
    return {"facts": dict(facts)} if facts else {}


def _provenance(
    workload: Workload, platform: Platform, chosen: ChosenPolicy, options: dict[str, Any]
) -> dict[str, Any]:
    return {
        "policy": chosen.name,
        **options,
        "platform": platform.to_dict(),
        "workload": {"name": workload.name, "steps": list(workload.provenance)},
        "versions": {
            "schedlab": __version__,
            "numpy": np.__version__,
            "python": host.python_version(),
        },
    }

"""Move submissions: closer, further apart, to another start."""

from __future__ import annotations

import math

import numpy as np

from schedlab.errors import ParameterError, WorkloadError
from schedlab.workload.offered import Capacity, offered_loads
from schedlab.workload.workload import Workload

MAX_SPAN_S = 1 << 53


def interarrival(workload: Workload, factor: float) -> Workload:
    """Multiply every gap between submissions by a factor; the first submission stays."""
    return _scaled(workload, factor).record("interarrival", factor=factor)


def scale_load(
    workload: Workload,
    load: float,
    nodes: int,
    cores: int | None = None,
    memory_bytes: int | None = None,
    gpus: int | None = None,
) -> Workload:
    """Scale the gaps between submissions so that the jobs offer this load to a machine.

    With cores, memory or GPUs, which the machine has in total, jobs share nodes, and the load is
    that of the most demanded of these.
    """
    if not (load > 0 and math.isfinite(load) and nodes >= 1):
        raise ParameterError(f"load {load:g} on {nodes} nodes; both must be above 0")
    offered = max(offered_loads(workload, Capacity(nodes, cores, memory_bytes, gpus)).values())
    if not 0 < offered < math.inf:
        raise WorkloadError(
            f'workload "{workload.name}" cannot be scaled to a load: '
            "all jobs are submitted at once or none runs for any time"
        )
    factor = offered / load
    totals = {"cores": cores, "memory_bytes": memory_bytes, "gpus": gpus}
    given = {name: total for name, total in totals.items() if total is not None}
    scaled = _scaled(workload, factor)
    return scaled.record("load", load=load, nodes=nodes, **given, factor=factor)


def rebase(workload: Workload, start_s: int = 0) -> Workload:
    """Move all submissions together so that the first is at ``start_s``."""
    submit_s = workload["submit_s"]
    return workload.replace(submit_s=submit_s - submit_s[:1] + start_s).record(
        "rebase", start_s=start_s
    )


def pauses(workload: Workload, after_s: int, pause_s: int) -> Workload:
    """Insert a pause after each interval of submissions, counted from the first."""
    if after_s < 1 or pause_s < 0:
        raise ParameterError(f"pauses of {pause_s} s after {after_s} s; must be >= 0 after >= 1")
    submit_s = workload["submit_s"]
    if pause_s * (workload.span_s() // after_s) > MAX_SPAN_S:
        raise ParameterError(f"the pauses spread the jobs over more than {MAX_SPAN_S:,} s")
    moved_s = submit_s + (submit_s - submit_s[:1]) // after_s * pause_s
    return workload.replace(submit_s=moved_s).record("pauses", after_s=after_s, pause_s=pause_s)


def _scaled(workload: Workload, factor: float) -> Workload:
    if not (factor >= 0 and math.isfinite(factor)):
        raise ParameterError(f"factor {factor:g}; must be a number >= 0")
    submit_s = workload["submit_s"]
    first_s = submit_s[:1]
    if workload.span_s() * factor > MAX_SPAN_S:
        raise ParameterError(f"factor {factor:g} spreads the jobs over more than {MAX_SPAN_S:,} s")
    # Offsets, not gaps, are rounded: rounding each gap would let the clock drift.
    return workload.replace(submit_s=first_s + np.rint((submit_s - first_s) * factor))

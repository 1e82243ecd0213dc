"""The use of jobs: sums and means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedlab.history.web.reports.columns import HOUR_S, Ended, Floats


@dataclass(frozen=True)
class Use:
    """Sums and means over jobs; None where no job has a value.

    Args:
        jobs: the number of jobs that ended.
        not_completed: the number of these that did not end as they should.
        node_hours: the node-hours that they held.
        gpu_hours: the GPU-hours that they held; None unless GPUs have a price.
        energy_joule: the energy that they used, as far as it was measured.
        jobs_with_energy: the number of jobs whose energy was measured.
        carbon_gram: the emissions of this energy.
        cost: the cost of node-hours, GPU-hours and energy.
        mean_wait_s: the mean time from submission to start.
        median_wait_s: the wait that half of them did not exceed.
        p95_wait_s: the wait that 95 % of them did not exceed.
        mean_wra: run time over requested time, the mean over jobs.
        asked_ratio: all time that was asked for over all that was used.
    """

    jobs: int
    not_completed: int
    node_hours: float
    gpu_hours: float | None
    energy_joule: float | None
    jobs_with_energy: int
    carbon_gram: float | None
    cost: float | None
    mean_wait_s: float | None
    median_wait_s: float | None
    p95_wait_s: float | None
    mean_wra: float | None
    asked_ratio: float | None


def use_of(ended: Ended) -> Use:
    """Return the use of these jobs."""
    waits = _known(ended.start_s - ended.queue_s)
    ran_s = ended.end_s - ended.start_s
    asked = np.isfinite(ran_s) & (ended.request_s > 0)
    used_s = float(ran_s[asked].sum())
    energy = _known(ended.energy_j)
    return Use(
        jobs=len(ended),
        not_completed=int((~ended.completed).sum()),
        node_hours=float(np.nansum(ended.node_s)) / HOUR_S,
        gpu_hours=_sum(_known(ended.gpu_s) / HOUR_S),
        energy_joule=_sum(energy),
        jobs_with_energy=len(energy),
        carbon_gram=_sum(_known(ended.gram)),
        cost=_sum(_known(ended.cost)),
        mean_wait_s=float(waits.mean()) if len(waits) else None,
        median_wait_s=_quantile(waits, 0.5),
        p95_wait_s=_quantile(waits, 0.95),
        mean_wra=float((ran_s[asked] / ended.request_s[asked]).mean()) if asked.any() else None,
        asked_ratio=float(ended.request_s[asked].sum()) / used_s if used_s else None,
    )


def _known(values: Floats) -> Floats:
    return values[np.isfinite(values)]


def _sum(values: Floats) -> float | None:
    return float(values.sum()) if len(values) else None


def _quantile(values: Floats, share: float) -> float | None:
    return float(np.quantile(values, share)) if len(values) else None

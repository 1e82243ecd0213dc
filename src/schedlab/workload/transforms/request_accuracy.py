"""Walltime request accuracy, WRA = run / request: how well users know their run times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.workload.randomness import Seed, seed_sequence
from schedlab.workload.workload import Workload

MIN_RATIO = 0.01


def set_request(
    workload: Workload, ratio: float, *, random: bool = False, seed: Seed = 0
) -> Workload:
    """Set the request from the run time: request = run / WRA, at least 1 s.

    With ``random`` each job's WRA is uniform with mean ``ratio`` on the widest interval within
    0.01..1: no request is more than a hundred times the run time.
    """
    drawn = _ratios(len(workload), ratio, MIN_RATIO, seed if random else None)
    request_s = np.maximum(np.rint(workload["run_s"] / drawn), 1)
    return _recorded(workload.replace(request_s=request_s), "set_request", ratio, random, seed)


def set_run(workload: Workload, ratio: float, *, random: bool = False, seed: Seed = 0) -> Workload:
    """Set the run time from the request: run = request × accuracy, at least 1 s.

    With ``random`` each job's accuracy is uniform with mean ``ratio`` on the widest interval within
    0..1; a mean of 0.5 is uniform on 0..1.
    """
    drawn = _ratios(len(workload), ratio, 0, seed if random else None)
    run_s = np.maximum(np.rint(workload["request_s"] * drawn), 1)
    return _recorded(workload.replace(run_s=run_s), "set_run", ratio, random, seed)


def _ratios(jobs: int, mean: float, least: float, seed: Seed | None) -> NDArray[np.float64]:
    """Return one number per job: the mean or, with a seed, uniform around it in (least, 1]."""
    if not MIN_RATIO <= mean <= 1:
        raise ParameterError(f"ratio {mean:g}; must be from {MIN_RATIO} to 1")
    if seed is None:
        return np.full(jobs, float(mean))
    half_width = min(mean - least, 1 - mean)
    return mean + half_width * (1 - 2 * np.random.default_rng(seed_sequence(seed)).random(jobs))


def _recorded(made: Workload, step: str, ratio: float, random: bool, seed: Seed) -> Workload:
    if random:
        return made.record(step, ratio=ratio, random=True, seed=seed)
    return made.record(step, ratio=ratio)

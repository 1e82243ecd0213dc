"""Jobs that come one by one and never leave, to see how full a machine gets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError, WorkloadError
from schedlab.workload.per_node import gpus_on_each, least_nodes
from schedlab.workload.randomness import Seed, seed_sequence
from schedlab.workload.transforms.resample import TIES
from schedlab.workload.workload import MOST_JOBS, Workload

RUN_S = 1_000_000_000
"""How long jobs stay: far longer than the time in which they arrive."""
_WHOLE_GPU_MILLI = 1000
_GAP_S = 2


def fill(workload: Workload, times: float, gpus: int, *, seed: Seed = 0) -> Workload:
    """Shuffle the jobs and draw more, until they ask for a multiple of the GPUs.

    A job arrives every two seconds and stays for ever; one that finds no room leaves after a
    second. The method is that of Weng et al., "Beware of Fragmentation", USENIX ATC 2023.
    """
    if not times > 0 or gpus < 1:
        raise ParameterError(f"{times:g} times {gpus} GPUs; must be above 0 times at least 1")
    asked = _gpus_in_milli(workload)
    if not asked.sum():
        raise WorkloadError(f'workload "{workload.name}" asks for no GPU that could be filled')
    rng = np.random.default_rng(seed_sequence(seed))
    picked = _drawn(asked, times * gpus * _WHOLE_GPU_MILLI, rng)
    jobs = len(picked)
    columns = {name: workload[name][picked] for name in workload.columns if name not in TIES}
    columns |= {
        "job_id": np.arange(1, jobs + 1),
        "submit_s": np.arange(jobs) * _GAP_S,
        "request_s": np.full(jobs, RUN_S),
        "run_s": np.full(jobs, RUN_S),
        "cancel_after_s": np.full(jobs, 1),
    }
    return workload.with_columns(columns).record("fill", times=times, gpus=gpus, seed=seed)


def _gpus_in_milli(workload: Workload) -> NDArray[np.int64]:
    nodes, milli = least_nodes(workload), workload["gpu_milli"]
    of_each = np.where(milli > 0, milli, _WHOLE_GPU_MILLI)
    asked: NDArray[np.int64] = nodes * gpus_on_each(workload, nodes) * of_each
    return asked


def _drawn(asked: NDArray[np.int64], target: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw each job once in random order, then random jobs, until the next is too much."""
    picked = rng.permutation(len(asked))
    while asked[picked].sum() <= target:
        if len(picked) > MOST_JOBS:
            raise ParameterError(f"more than {MOST_JOBS:,} jobs would be drawn")
        picked = np.concatenate([picked, rng.integers(len(asked), size=len(asked))])
    within = np.cumsum(asked[picked]) <= target
    return picked[: len(picked) if within.all() else int(np.argmin(within))]

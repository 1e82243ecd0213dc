"""What else may come after an instant, as far as anyone can know then."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedlab.sim import Schedule
from schedlab.workload import Workload


def other_futures(schedule: Schedule, now: int) -> Iterator[Workload]:
    """The same workload as far as anyone can know at this time, with other run times after it.

    All unfinished jobs end as soon as they can, or use all they asked for.
    """
    workload = schedule.workload
    unfinished = ~schedule.started | (schedule.end_s > now)
    running = unfinished & schedule.started & (schedule.start_s <= now)
    soonest_s = np.where(running, now - schedule.start_s + 1, 0)
    for run_s in (soonest_s, workload["request_s"]):
        yield workload.replace(run_s=np.where(unfinished, run_s, workload["run_s"]))

"""How many jobs waited."""

from __future__ import annotations

from schedlab.sim import Schedule


def mean_queue_length(schedule: Schedule) -> float:
    """Jobs waiting, averaged over time.

    ∫ q(t) dt / makespan, with q(t) the jobs eligible but not started at t.
    """
    return schedule.queue_length().mean(*schedule.horizon_s())


def max_queue_length(schedule: Schedule) -> float:
    """Most jobs ever waiting at once.

    max q(t), taken after all that happens at an instant has happened.
    """
    return float(schedule.queue_length().value.max(initial=0))

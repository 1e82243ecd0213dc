"""What a changing machine has for jobs, now and later."""

from __future__ import annotations

import math
from dataclasses import replace

from schedlab.errors import WorkloadError
from schedlab.testing.reference.calendar import ClosedTime
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Held, Machine, Vector, without

Holder = tuple[list[Held], int]
"""What is held, and until when."""


def seen_blocks(machine: Machine) -> list[ClosedTime]:
    """Return the calendar as the scheduler sees it: with a tick, times move to the next one."""
    seen = [
        replace(
            block,
            begin_s=machine.seen(block.begin_s),
            end_s=block.end_s if block.end_s == math.inf else machine.seen(int(block.end_s)),
        )
        for block in machine.calendar
    ]
    return [block for block in seen if block.begin_s < block.end_s]


def all_changes_s(machine: Machine, blocks: list[ClosedTime]) -> list[int]:
    """Return the times of all announced changes of the machine, in order."""
    ends_s = [int(block.end_s) for block in blocks if block.end_s < math.inf]
    return sorted({*machine.steps_s, *(block.begin_s for block in blocks), *ends_s})


def refuse_stuck(
    jobs: list[Job], machine: Machine, blocks: list[ClosedTime], changes_s: list[int]
) -> None:
    """Refuse a job that has no room once the machine has changed for the last time."""
    if not changes_s:
        return
    last_s, left = changes_s[-1], machine.capacity_at(math.inf)
    for job in jobs:
        closed = job.barred_from(blocks, last_s, last_s + 1)
        if not machine.has_room(job.demand, without(left, closed)):
            raise WorkloadError(
                f"job {job.job_id} can not start any more after {last_s} s, when the machine has "
                "changed for the last time"
            )


def lasting(
    machine: Machine, free: list[Vector], start_s: int, steps_s: list[int], holders: list[Holder]
) -> list[Vector]:
    """Return ``free`` with the least left of each consumable from the start over later steps."""
    times_s = {start_s, *(time_s for time_s in steps_s if time_s > start_s)}
    moments = [left_at(machine, time_s, holders) for time_s in times_s]
    return free[: machine.nodes] + [(min(left),) for left in zip(*moments, strict=True)]


def left_at(machine: Machine, time_s: int, holders: list[Holder]) -> list[int]:
    """Return what is free of each consumable at this time, beside what these jobs hold."""
    left = machine.consumables_at(time_s)
    for held, until_s in holders:
        for each in held if time_s < until_s else ():
            if each.site_wide:
                left[each.node - machine.nodes] -= each.resources[0]
    return left

"""What a platform tells beyond its nodes, for the reference simulator."""

from __future__ import annotations

from dataclasses import replace

from schedlab.platform import Platform, demands_of
from schedlab.testing.reference.calendar import calendar_of
from schedlab.testing.reference.job import Job, Mode
from schedlab.testing.reference.machine import Machine
from schedlab.workload import Workload


def at_site(
    jobs: list[Job],
    machine: Machine,
    workload: Workload,
    platform: Platform,
    when_preempted: Mode = "no",
) -> Machine:
    """Return the machine with the platform's consumables and calendar.

    The jobs get what they hold of the consumables and the highest tier of their partitions. What
    is done to a job when it is preempted holds for all but those that say they may not be.
    """
    calendar = calendar_of(platform, workload)
    there = replace(machine, consumables=platform.consumables, calendar=calendar)
    asked = demands_of(workload, platform)
    for job, amounts in zip(jobs, asked.consumables.tolist(), strict=True):
        for each, amount in zip(platform.consumables, amounts, strict=True):
            job.demand += (there.some_of(each.name, amount),) if amount else ()
    for part, allowed in zip(asked.job.tolist(), asked.allowed.tolist(), strict=True):
        partitions = asked.node_sets[allowed].partitions
        tiers = [each.rules.priority_tier for each in partitions]
        jobs[part].tier = max([jobs[part].tier, *tiers])
    for job, may in zip(jobs, workload["preemptible"].tolist(), strict=True):
        job.when_preempted = "no" if may == 0 else when_preempted
    return there

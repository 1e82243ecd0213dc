"""What a platform describes besides its nodes, for the reference simulator."""

from __future__ import annotations

from dataclasses import replace

from schedlab.platform import Platform, demands_of
from schedlab.platform.demand import Demands
from schedlab.sim import Preemption
from schedlab.testing.reference.calendar import calendar_of
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Machine
from schedlab.testing.reference.remembered import remembered
from schedlab.workload import Workload
from schedlab.workload.labels import label_of


@remembered
def _demands_of(workload: Workload, platform: Platform) -> Demands:
    return demands_of(workload, platform)


def at_site(
    jobs: list[Job],
    machine: Machine,
    workload: Workload,
    platform: Platform,
    preemption: Preemption | None = None,
) -> Machine:
    """Return the machine with the platform's consumables and calendar.

    The jobs get what they hold of the consumables, and their tier: the highest of their partitions,
    or that of their QOS. The mode of preemption holds for all jobs but those that say they may
    not be preempted.
    """
    calendar = calendar_of(platform, workload)
    there = replace(machine, consumables=platform.consumables, calendar=calendar)
    asked = _demands_of(workload, platform)
    for job, amounts in zip(jobs, asked.consumables.tolist(), strict=True):
        for each, amount in zip(platform.consumables, amounts, strict=True):
            job.demand += (there.some_of(each.name, amount),) if amount else ()
    for part, allowed in zip(asked.job.tolist(), asked.allowed.tolist(), strict=True):
        partitions = asked.node_sets[allowed].partitions
        tiers = [each.rules.priority_tier for each in partitions]
        jobs[part].tier = max([jobs[part].tier, *tiers])
    names = ("preemptible", "requeue", "checkpoint_s", "qos")
    columns = zip(*(workload[name].tolist() for name in names), strict=True)
    for job, (may, requeue, checkpoint_s, qos) in zip(jobs, columns, strict=True):
        job.requeue, job.checkpoint_s = requeue != 0, max(0, checkpoint_s)
        if preemption is None:
            continue
        job.when_preempted = "no" if may == 0 else preemption.mode
        if preemption.by == "qos":
            job.tier = preemption.qos.get(label_of(workload, "qos", qos) or "", 0)
    return there

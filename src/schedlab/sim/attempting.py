"""Which jobs come before others, and how interrupted jobs go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.platform import Platform, demands_of
from schedlab.sim.preemption import Preemption
from schedlab.workload import Workload
from schedlab.workload.labels import label_of


@dataclass(frozen=True, eq=False)
class Attempting:
    """Columns with one value for each job.

    Args:
        tier: jobs of a higher tier come first.
        checkpoint_s: how often its work is saved; 0 for never.
        requeue: whether it runs again when one of its nodes goes down.
        when_preempted: what becomes of it when it is preempted, as ``Preemption.modes`` gives it.
    """

    tier: NDArray[np.int32]
    checkpoint_s: NDArray[np.int64]
    requeue: NDArray[np.uint8]
    when_preempted: NDArray[np.int8]

    @classmethod
    def of(
        cls,
        workload: Workload,
        platform: Platform,
        preemption: Preemption | None,
        *,
        interrupted: bool,
    ) -> Attempting | None:
        """Return the values of the workload's jobs; None where they make no difference.

        Args:
            workload: the jobs.
            platform: the machine, whose partitions have tiers.
            preemption: the rule, if any.
            interrupted: whether nodes may go down.
        """
        tier = tiers_of(workload, platform, preemption)
        if preemption is None and not interrupted and not tier.any():
            return None
        modes = np.zeros(len(workload), dtype=np.int8)
        return cls(
            tier,
            np.maximum(workload["checkpoint_s"], 0),
            (workload["requeue"] != 0).astype(np.uint8),
            modes if preemption is None else preemption.modes(workload),
        )

    def columns(self) -> tuple[Any, ...]:
        """Return the columns as the core takes them."""
        return self.tier, self.checkpoint_s, self.requeue, self.when_preempted


def tiers_of(
    workload: Workload, platform: Platform, preemption: Preemption | None
) -> NDArray[np.int32]:
    """Return the tier of each job: the highest of its partitions, or that of its QOS."""
    tier = np.zeros(len(workload), dtype=np.int32)
    if preemption is not None and preemption.by == "qos":
        for code in np.unique(workload["qos"]).tolist():
            named = label_of(workload, "qos", code) or ""
            tier[workload["qos"] == code] = preemption.qos.get(named, 0)
        return tier
    partitions = [each for cluster in platform.clusters for each in cluster.partitions]
    if len({each.priority_tier for each in partitions}) <= 1 or not len(workload):
        return tier
    demands = demands_of(workload, platform)
    highest = [
        max([0, *(each.rules.priority_tier for each in nodes.partitions)])
        for nodes in demands.node_sets
    ]
    np.maximum.at(tier, demands.job, np.array(highest, dtype=np.int32)[demands.allowed])
    return tier

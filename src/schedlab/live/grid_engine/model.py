"""Describe Grid Engine's scheduler to the twin.

It goes through the waiting jobs by priority, and starts each one that fits. A job that does not fit
reserves nothing, and does not block others. The twin's main scheduler does the same if no job is
important enough to reserve. Queues are partitions; a queue instance is a node whose cores are its
slots.
"""

from __future__ import annotations

from collections import defaultdict

from schedlab.live.grid_engine.cell import GridEngineCell
from schedlab.platform.cluster import Cluster
from schedlab.platform.hostlist import fold_hosts
from schedlab.platform.node_group import NodeGroup
from schedlab.platform.node_type import NodeType
from schedlab.platform.partition import Partition
from schedlab.platform.platform import Platform
from schedlab.slurm.layout import PartitionRules
from schedlab.slurm.parameters import PrioritySettings, SelectSettings, SlurmParameters
from schedlab.slurm.scheduling import SchedulerSettings
from schedlab.slurm.site import SlurmSite

NOBODY = 2**40
"""A priority above that of any job."""
ALL = 10**9


def site_of(cell: GridEngineCell, name: str) -> SlurmSite:
    """Return the site with which the twin schedules as this cell does."""
    cores: dict[str, int] = {}
    for queue in cell.queues:
        for host, slots in queue.slots.items():
            cores[cell.node(queue.name, host)] = cell.host_slots.get(host, slots)
    groups: dict[int, list[str]] = defaultdict(list)
    for node, count in cores.items():
        groups[count].append(node)
    cluster = Cluster(
        name,
        tuple(
            NodeGroup(NodeType(f"slots-{count}", cores=count), hosts=fold_hosts(sorted(nodes)))
            for count, nodes in sorted(groups.items())
        ),
        partitions=tuple(
            Partition(
                queue.name,
                fold_hosts(sorted({cell.node(queue.name, host) for host in queue.slots})),
                max_time_s=queue.limit_s,
            )
            for queue in cell.queues
            if queue.slots
        ),
    )
    return SlurmSite(
        Platform((cluster,), name),
        SlurmParameters(
            cluster_name=name,
            scheduler=SchedulerSettings(
                type="sched/builtin",
                sched_interval_s=cell.interval_s,
                batch_sched_delay_s=cell.interval_s if cell.flush_s is None else cell.flush_s,
                default_queue_depth=ALL,
                bf_min_prio_reserve=NOBODY,
            ),
            priority=PrioritySettings(type="priority/multifactor"),
            select=SelectSettings(type="select/cons_tres", parameters=("CR_CORE",)),
        ),
        partitions=tuple(PartitionRules(queue.name) for queue in cell.queues if queue.slots),
    )

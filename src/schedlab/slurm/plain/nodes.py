"""Nodes, what is free on them, and which of them a job gets: select/cons_tres and topology/tree."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from schedlab.platform.hostlist import expand_hosts
from schedlab.slurm.plain.jobs import NodeShare, TwinJob
from schedlab.slurm.site import SlurmSite

MIB = 1 << 20
MOST_TIERS = 5
"""With more tiers jobs are not suspended by tier."""
BILLED = ("cpu", "mem", "node", "gres/gpu")


@dataclass(slots=True, frozen=True)
class NodeKind:
    """The properties of a node that never change."""

    name: str
    cpus: int
    memory_mb: float
    gpus: int
    features: frozenset[str]
    weight: int
    leaf: int


@dataclass(slots=True)
class Room:
    """What is free on a node."""

    cpus: int
    memory_mb: float
    gpus: int
    below: list[int] = field(default_factory=list)  # by level: CPUs held by jobs of lower levels

    def copy(self) -> Room:
        """Return an independent copy."""
        return Room(self.cpus, self.memory_mb, self.gpus, list(self.below))

    def over_lower(self, level: int) -> Room:
        """Return the room for a job of this level, which may suspend jobs of lower levels."""
        return replace(self, cpus=self.cpus + self.below[level])

    def take(self, share: NodeShare) -> None:
        """Take the share of a job that starts."""
        self.cpus -= share.cpus
        self.memory_mb -= share.memory_mb
        self.gpus -= share.gpus
        for level in range(share.level + 1, len(self.below)):
            self.below[level] += share.cpus

    def give(self, share: NodeShare) -> None:
        """Give back the share of a job that ends."""
        self.cpus += share.cpus
        self.memory_mb += share.memory_mb
        self.gpus += share.gpus
        for level in range(share.level + 1, len(self.below)):
            self.below[level] -= share.cpus


Rooms = Sequence[Room]


class Selector:
    """The chooser of nodes for the jobs of one site."""

    def __init__(self, site: SlurmSite) -> None:
        self.nodes = _nodes_of(site)
        cluster = site.machine.clusters[0]
        self.partitions = {
            each.name: frozenset(cluster.node_names.numbers(each.nodes).tolist())
            for each in cluster.partitions
        }
        self._rules = {each.name: each for each in site.partitions}
        self.rows = {name: self._shared_by(name) for name in self.partitions}
        self.rows_of_node = [1] * len(self.nodes)
        for name, nodes in self.partitions.items():
            for at in nodes:
                self.rows_of_node[at] = max(self.rows_of_node[at], self.rows[name])
        tiers = sorted({each.priority_tier for each in cluster.partitions})
        self.gangs = site.parameters.preempt.suspends_by_tier and 1 < len(tiers) <= MOST_TIERS
        self.levels = {
            each.name: tiers.index(each.priority_tier) if self.gangs else 0
            for each in cluster.partitions
        }
        self._near_gpus = [0] * len(self.nodes)  # free ones when a job with GPUs was last tested
        self._select = site.parameters.select
        self._bills_most = "MAX_TRES" in site.parameters.priority.flags
        self.counts_memory = any("MEMORY" in each for each in self._select.parameters)
        self.has_tree = site.parameters.select.topology_plugin in (
            "topology/tree",
            "topology/default",
        ) and any(each.nodes for each in site.switches)

    def _shared_by(self, partition: str) -> int:
        """Return how many jobs of the partition may share a core."""
        rules = self._rules.get(partition)
        if rules is None or rules.over_subscribe != "FORCE":
            return 1
        return rules.over_subscribe_jobs

    def all_free(self) -> list[Room]:
        """Return the rooms of an idle machine; a core counts for each job that may share it."""
        levels = max(self.levels.values(), default=0) + 1 if self.gangs else 0
        return [
            Room(each.cpus * rows, each.memory_mb, each.gpus, [0] * levels)
            for each, rows in zip(self.nodes, self.rows_of_node, strict=True)
        ]

    def is_exclusive(self, job: TwinJob, partition: str) -> bool:
        """Return whether the job has its nodes to itself."""
        return (
            job.exclusive
            or self._rules[partition].over_subscribe == "EXCLUSIVE"
            or self._select.type == "select/linear"
        )

    def capable(
        self, job: TwinJob, partition: str, allowed: Collection[int], *, gpus: bool = True
    ) -> set[int]:
        """Return the allowed nodes that could hold a part of the job if they were idle.

        Without ``gpus``, nodes that lack the job's GPUs count, too.
        """
        rooms = self.all_free()
        if not gpus:
            rooms = [replace(room, gpus=job.gpus) for room in rooms]
        inside = self.partitions[partition]
        return {
            at for at in allowed if at in inside and self._offer(job, partition, at, rooms[at]) > 0
        }

    def pick(
        self,
        job: TwinJob,
        partition: str,
        rooms: Rooms,
        allowed: Iterable[int],
        kept: Mapping[int, int] | None = None,
    ) -> list[int] | None:
        """Return the nodes that the job would get.

        Where jobs are suspended by tier, jobs of lower tiers do not count if the job does not fit
        beside them.

        Args:
            job: the job to place.
            partition: the partition in which it would run.
            rooms: what is free on each node.
            allowed: the nodes that it may have.
            kept: free cores of nodes that it may not use.
        """
        inside = self.partitions[partition]
        allowed = sorted(allowed)
        self._note_gpus(job, partition, rooms, allowed)
        level = self.levels[partition]
        for counts_lower in (True, False) if self.gangs else (True,):
            for row in range(self.rows[partition]):
                offers = {}
                for at in allowed:
                    room = rooms[at] if counts_lower else rooms[at].over_lower(level)
                    if kept and at in kept:
                        room = replace(room, cpus=room.cpus - kept[at])
                    if at in inside and (offer := self._offer(job, partition, at, room, row)) > 0:
                        offers[at] = offer
                found = self._choose(job, offers)
                if found is not None:
                    return found
        return None

    def test(self, job: TwinJob, partition: str) -> None:
        """Test a newly submitted job on idle nodes, as Slurm does; the test sets weights."""
        self.forget_gpus(job, partition)
        self._note_gpus(job, partition, self.all_free(), self.partitions[partition])

    def ever(self, job: TwinJob, partition: str, barred: Collection[int]) -> bool:
        """Return whether the job would fit on an idle machine without these nodes."""
        allowed = self.partitions[partition].difference(barred)
        return self.pick(job, partition, self.all_free(), allowed) is not None

    def could(self, job: TwinJob, partition: str, barred: Collection[int]) -> bool:
        """Return the same as ``ever``, but leave the weights of nodes as they are."""
        before = list(self._near_gpus)
        found = self.ever(job, partition, barred)
        self._near_gpus = before
        return found

    def shares(self, job: TwinJob, partition: str, nodes: Iterable[int]) -> dict[int, NodeShare]:
        """Return the job's share of each of its nodes."""
        chosen = sorted(nodes)
        whole = self.is_exclusive(job, partition)
        left, found = job.cpus, dict[int, NodeShare]()
        for place, at in enumerate(chosen):
            rest = len(chosen) - place - 1
            most = job.tasks_per_node * job.cpus_per_task or self.nodes[at].cpus
            cpus = max(1, min(most, self.nodes[at].cpus, left - rest * job.cpus_per_task))
            left -= cpus
            cpus = self.nodes[at].cpus if whole else cpus
            memory_mb = self.memory_mb(job, partition, cpus)
            found[at] = NodeShare(cpus, memory_mb, job.gpus, self.levels[partition])
        return found

    def memory_mb(self, job: TwinJob, partition: str, cpus: int) -> float:
        """Return the memory that a job holds on a node where it has this number of CPUs."""
        amount_mb, by_cpu = self.memory_rule(job, partition)
        return amount_mb * cpus if by_cpu else amount_mb

    def memory_rule(self, job: TwinJob, partition: str) -> tuple[float, bool]:
        """Return an amount of memory, and whether it is for each CPU rather than for each node."""
        rules, select = self._rules[partition], self._select
        for by_node_mb, by_cpu_mb in (
            (job.memory_mb, job.memory_per_cpu_mb),
            (None, rules.def_mem_per_cpu_mb),
            (rules.def_mem_per_node_mb, select.def_mem_per_cpu_mb),
        ):
            if by_node_mb is not None:
                return float(by_node_mb), False
            if by_cpu_mb is not None:
                return float(by_cpu_mb), True
        return float(select.def_mem_per_node_mb or 0), False

    def asks(self, job: TwinJob) -> dict[str, float]:
        """Return what the job asks for in all, by Slurm's names of resources."""
        nodes, partition = job.needed_nodes, job.partitions[0]
        by_node = nodes if job.memory_mb is not None else 1
        asks = {
            "cpu": job.cpus,
            "mem": by_node * self.memory_mb(job, partition, job.cpus),
            "node": nodes,
            "gres/gpu": job.gpus * nodes,
        }
        return asks | {"billing": self._billing(partition, asks)}

    def holds(self, job: TwinJob, partition: str, nodes: Iterable[int]) -> dict[str, float]:
        """Return what the job would hold of these nodes, by Slurm's names of resources."""
        shares = self.shares(job, partition, nodes).values()
        holds = {
            "cpu": sum(each.cpus for each in shares),
            "mem": sum(each.memory_mb for each in shares),
            "node": len(shares),
            "gres/gpu": sum(each.gpus for each in shares),
        }
        return holds | {"billing": self._billing(partition, holds)}

    def _billing(self, partition: str, amounts: Mapping[str, float]) -> float:
        """Return what a job is charged for: its CPUs, or as TRESBillingWeights says."""
        weights = self._rules[partition].billing_weights
        if not weights:
            return amounts["cpu"]
        parts = [weights.get(name, 0.0) * amounts[name] for name in BILLED]
        return max(parts) if self._bills_most else sum(parts)

    def _free_cpus(self, at: int, room: Room, row: int) -> int:
        """Return the number of CPUs of a node that are free in a row.

        With OverSubscribe=FORCE:2 a node has two rows of jobs. The first is filled first.
        """
        node = self.nodes[at]
        above = node.cpus * (self.rows_of_node[at] - 1 - row)
        return min(max(room.cpus - above, 0), node.cpus)

    def _offer(self, job: TwinJob, partition: str, at: int, room: Room, row: int = 0) -> int:
        """Return how many CPUs of the node the job could use; 0 if the node is useless to it."""
        node, free = self.nodes[at], self._free_cpus(at, room, row)
        if job.constraint is not None and not job.constraint(node.features):
            return 0
        if room.gpus < job.gpus:
            return 0
        if self.is_exclusive(job, partition):
            is_idle = room.cpus == node.cpus * self.rows_of_node[at]
            fits = is_idle and self._has_memory(job, partition, node.cpus, room)
            return node.cpus if fits else 0
        least = min(job.tasks_per_node, job.tasks) * job.cpus_per_task or job.cpus_per_task
        cpus = least if job.tasks_per_node else min(free, job.cpus)
        cpus -= cpus % job.cpus_per_task
        while cpus >= least and not self._has_memory(job, partition, cpus, room):
            cpus -= job.cpus_per_task
        return cpus if least <= cpus <= free else 0

    def _has_memory(self, job: TwinJob, partition: str, cpus: int, room: Room) -> bool:
        return not self.counts_memory or self.memory_mb(job, partition, cpus) <= room.memory_mb

    def _choose(self, job: TwinJob, offers: Mapping[int, int]) -> list[int] | None:
        """Take the lightest nodes that suffice; if that fails, leave out those that offer least."""
        group = dict(offers)
        while len(group) >= job.needed_nodes and sum(group.values()) >= job.cpus:
            found = self._by_weight(job, group)
            if found is not None:
                return found
            least = min(group.values())
            group = {at: cpus for at, cpus in group.items() if cpus > least}
        return None

    def _by_weight(self, job: TwinJob, offers: Mapping[int, int]) -> list[int] | None:
        """Take all nodes of the lighter weights, and as many of the last weight as are needed."""
        best: dict[int, int] = {}
        lighter: list[int] = []
        for weight in sorted({self._weight(at) for at in offers}):
            lighter = sorted(best)
            best |= {at: cpus for at, cpus in offers.items() if self._weight(at) == weight}
            if len(best) >= job.needed_nodes and sum(best.values()) >= job.cpus:
                break
        return self._leaf_by_leaf(job, best, lighter)

    def _leaf_by_leaf(
        self, job: TwinJob, offers: Mapping[int, int], first: list[int]
    ) -> list[int] | None:
        """Take these nodes first, then others of their leaves, then leaf by leaf."""
        rest = {at: cpus for at, cpus in offers.items() if at not in first}
        found = list(first)
        nodes = job.needed_nodes - len(first)
        cpus = job.cpus - sum(offers[at] for at in first)
        begun = {self._leaf(at) for at in first}
        while nodes > 0 or cpus > 0:
            leaves = self._leaves(rest)
            if not leaves:
                return None
            own = [leaf for leaf in leaves if self._leaf(leaf[0]) in begun]
            enough = [
                leaf
                for leaf in leaves
                if len(leaf) >= nodes and sum(offers[at] for at in leaf) >= cpus
            ]
            leaf = own[0] if own else min(enough, key=len) if enough else max(leaves, key=len)
            for at in leaf:
                if nodes <= 0 and cpus <= 0:
                    break
                found.append(at)
                nodes -= 1
                cpus -= offers[at]
                del rest[at]
        return found if len(found) <= self._most_nodes(job) else None

    def _weight(self, at: int) -> tuple[int, int]:
        return self.nodes[at].weight, -self._near_gpus[at]

    def _note_gpus(
        self, job: TwinJob, partition: str, rooms: Rooms, allowed: Iterable[int]
    ) -> None:
        """Make nodes lighter once a job that asks for GPUs has been tested on them."""
        if not job.gpus:
            return
        for at in self.partitions[partition].intersection(allowed):
            fits = job.constraint is None or job.constraint(self.nodes[at].features)
            if fits and rooms[at].gpus >= job.gpus:
                self._near_gpus[at] = rooms[at].gpus

    def forget_gpus(
        self, job: TwinJob, partition: str, barred: Collection[int] = frozenset()
    ) -> None:
        """Reset the weights of all nodes that could hold the job, as when it is started."""
        for at in self.partitions[partition].difference(barred):
            node = self.nodes[at]
            idle = Room(node.cpus * self.rows_of_node[at], node.memory_mb, job.gpus)
            if self._offer(job, partition, at, idle) > 0:
                self._near_gpus[at] = 0

    def _leaf(self, at: int) -> int:
        return self.nodes[at].leaf if self.has_tree else at

    def _most_nodes(self, job: TwinJob) -> float:
        return job.needed_nodes if job.tasks_per_node or job.min_nodes else math.inf

    def _leaves(self, offers: Mapping[int, int]) -> list[list[int]]:
        """Return nodes by leaf switch in the order of topology.conf, or by runs of neighbours."""
        found: dict[int, list[int]] = {}
        run, before = -1, -2
        for at in sorted(offers):
            run += at != before + 1
            before = at
            found.setdefault(self.nodes[at].leaf if self.has_tree else run, []).append(at)
        return [found[leaf] for leaf in sorted(found)]


def _nodes_of(site: SlurmSite) -> list[NodeKind]:
    leaves = {
        host: number
        for number, switch in enumerate(each for each in site.switches if each.nodes)
        for host in expand_hosts(switch.nodes or "")
    }
    return [
        NodeKind(
            name=host,
            cpus=group.type.cores or 1,
            memory_mb=(group.type.memory_bytes or 0) / MIB,
            gpus=sum(group.type.gpus.values()),
            features=group.all_features(),
            weight=group.weight,
            leaf=leaves.get(host, len(leaves)),
        )
        for group in site.machine.groups
        for host in group.names()
    ]

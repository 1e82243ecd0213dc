"""The priority of a waiting job: priority/multifactor, factor by factor."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from schedlab.slurm.site import SlurmSite

MIB = 1 << 20


@dataclass(frozen=True)
class PriorityRequest:
    """The properties of a job that count for its priority.

    Args:
        cpus: the CPUs it asks for or, once backfill has planned the job, those it would get.
        min_nodes: as given with ``--nodes``; 1 without the option.
        limit_s: its time limit.
        tres: amounts of resources, by name.
        site_factor: the part of the priority that an administrator or a plugin has set.
    """

    partition: str
    qos: str
    cpus: int
    min_nodes: int = 1
    limit_s: int = 60
    nice: int = 0
    association_priority: int = 0
    site_factor: int = 0
    tres: dict[str, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Factors:
    """The parts of a priority, weighted, as ``sprio`` shows them."""

    age: float = 0.0
    fairshare: float = 0.0
    jobsize: float = 0.0
    partition: float = 0.0
    qos: float = 0.0
    assoc: float = 0.0
    tres: float = 0.0
    site: float = 0.0
    nice: int = 0

    @property
    def priority(self) -> int:
        """The sum of the parts, cut to a whole number; at least 1."""
        weighted = self.age + self.fairshare + self.jobsize + self.partition + self.qos
        return max(1, int(weighted + self.assoc + self.tres + self.site - self.nice))


@dataclass(frozen=True)
class Multifactor:
    """The priorities of one site."""

    site: SlurmSite

    def factors(self, job: PriorityRequest, fair_share: float, age_s: int) -> Factors:
        """Return the weighted parts of a job's priority.

        Args:
            job: the properties of the job.
            fair_share: the factor of its association at the last pass.
            age_s: how long the job has been gaining age at the last pass.
        """
        own = self.site.parameters.priority
        age = min(1.0, age_s / own.max_age_s) if own.max_age_s else 0.0
        return Factors(
            age=own.weight_age * age,
            fairshare=own.weight_fairshare * fair_share,
            jobsize=own.weight_job_size * self._size(job),
            partition=own.weight_partition * self._partition_factors.get(job.partition, 0.0),
            qos=own.weight_qos * self._qos_factors.get(job.qos, 0.0),
            assoc=own.weight_assoc * job.association_priority / self._most_association_priority,
            tres=self._tres(job),
            site=job.site_factor,
            nice=job.nice,
        )

    def _size(self, job: PriorityRequest) -> float:
        own, nodes, cpus = self.site.parameters.priority, self.site.machine.nodes, self._cpus
        if "SMALL_RELATIVE_TO_TIME" in own.flags:
            size = max(job.min_nodes * cpus / nodes, job.cpus) / max(job.limit_s // 60, 1) / cpus
            size = 1 - size if own.favor_small else size
        else:
            size = (job.min_nodes / nodes + job.cpus / cpus) / 2
            size = 1 - size if own.favor_small else size
        return min(max(size, 0.0), 1.0)

    def _tres(self, job: PriorityRequest) -> float:
        own = self.site.parameters.priority
        if "NO_NORMAL_TRES" in own.flags:
            return sum(weight * job.tres.get(name, 0.0) for name, weight in own.weight_tres.items())
        there = self._partition_tres.get(job.partition, {})
        return sum(
            weight * min(1.0, job.tres.get(name, 0.0) / there[name])
            for name, weight in own.weight_tres.items()
            if there.get(name)
        )

    @cached_property
    def _cpus(self) -> int:
        return self.site.machine.cores

    @cached_property
    def _partition_factors(self) -> dict[str, float]:
        """The PriorityJobFactor of each partition, as a share of the largest."""
        given = {each.name: each.priority_job_factor for each in self.site.partitions}
        most = max(given.values(), default=0)
        return {name: value / most if most else 0.0 for name, value in given.items()}

    @cached_property
    def _qos_factors(self) -> dict[str, float]:
        """The priority of each QOS, as a share of the largest."""
        most = max((each.priority for each in self.site.accounts.qos), default=0)
        return {each.name: each.priority / most if most else 0.0 for each in self.site.accounts.qos}

    @cached_property
    def _most_association_priority(self) -> int:
        return max([1, *(each.priority for each in self.site.accounts.associations)])

    @cached_property
    def _partition_tres(self) -> dict[str, dict[str, float]]:
        """The cpu, mem in MiB, node and gres/gpu of the nodes of each partition."""
        cluster, found = self.site.machine.clusters[0], dict[str, dict[str, float]]()
        nodes = [group for group in self.site.machine.groups for _ in range(group.nodes)]
        for each in cluster.partitions:
            own = [nodes[at].type for at in cluster.node_names.numbers(each.nodes).tolist()]
            found[each.name] = {
                "cpu": sum(kind.cores or 1 for kind in own),
                "mem": sum((kind.memory_bytes or 0) / MIB for kind in own),
                "node": len(own),
                "gres/gpu": sum(sum(kind.gpus.values()) for kind in own),
            }
        return found

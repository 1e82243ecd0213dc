"""What Slurm knows of nodes and partitions beyond the machine that every policy knows."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class NodeLayout:
    """How the cores of some nodes are arranged; CPUs are cores or hardware threads.

    Args:
        hosts: names of the nodes, as a host list.
        core_spec_count: cores that jobs cannot have.
        mem_spec_limit_mb: memory that jobs cannot have.
        state: the state in slurm.conf or ``scontrol``; ``UNKNOWN`` means ready for work.
    """

    hosts: str
    cpus: int = 1
    boards: int = 1
    sockets: int = 1
    cores_per_socket: int = 1
    threads_per_core: int = 1
    core_spec_count: int = 0
    mem_spec_limit_mb: int = 0
    tmp_disk_mb: int = 0
    state: str = "UNKNOWN"


@dataclass(frozen=True)
class Switch:
    """A switch of topology.conf; the order of the file decides between equal switches.

    Args:
        name: its name, which the lines of the switches above it give.
        nodes: the nodes connected to it, as a host list; None for a switch of switches.
        switches: the switches below it.
    """

    name: str
    nodes: str | None = None
    switches: tuple[str, ...] = ()


@dataclass(frozen=True)
class PartitionRules:
    """The rules of a partition that ``platform.Partition`` does not have.

    The machine has the nodes, times, tier, default and maximum nodes of a job. Empty lists of
    accounts, groups and QOS let every user in. Memory is in MiB.

    Args:
        name: name of the partition.
        state: ``UP``, ``DOWN``, ``DRAIN`` or ``INACTIVE``.
        over_subscribe: ``NO``, ``EXCLUSIVE``, ``YES`` or ``FORCE``.
        over_subscribe_jobs: how many jobs may share a core, with ``YES`` or ``FORCE``.
        max_nodes_zero: whether ``MaxNodes=0`` lets no job in.
        qos: the QOS whose limits count for all its jobs.
        billing_weights: charge for each resource, by its name in lower case.
    """

    name: str
    state: str = "UP"
    priority_job_factor: int = 1
    over_subscribe: str = "NO"
    over_subscribe_jobs: int = 4
    max_nodes_zero: bool = False
    qos: str | None = None
    allow_accounts: tuple[str, ...] = ()
    deny_accounts: tuple[str, ...] = ()
    allow_groups: tuple[str, ...] = ()
    allow_qos: tuple[str, ...] = ()
    deny_qos: tuple[str, ...] = ()
    preempt_mode: tuple[str, ...] = ()
    grace_s: int = 0
    over_time_limit_s: int | None = None
    lln: bool = False
    exclusive_user: bool = False
    exclusive_topo: bool = False
    root_only: bool = False
    req_resv: bool = False
    disable_root_jobs: bool = False
    alternate: str | None = None
    max_cpus_per_node: int | None = None
    max_cpus_per_socket: int | None = None
    def_mem_per_cpu_mb: int | None = None
    def_mem_per_node_mb: int | None = None
    def_mem_per_gpu_mb: int | None = None
    def_cpu_per_gpu: int | None = None
    max_mem_per_cpu_mb: int | None = None
    max_mem_per_node_mb: int | None = None
    select_parameters: tuple[str, ...] = ()
    billing_weights: dict[str, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class ReservationRules:
    """What Slurm knows of a reservation besides its time, nodes, users and accounts."""

    name: str
    flags: tuple[str, ...] = ()
    partition: str | None = None
    cores: int | None = None
    features: str | None = None
    licences: str | None = None

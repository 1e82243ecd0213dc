"""The settings of slurmctld that decide which job starts when, typed, with Slurm's defaults."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from schedlab.errors import ParameterError
from schedlab.slurm.option import Version, default_of, option
from schedlab.slurm.scheduling import SchedulerSettings

FIRST_VERSION, LAST_VERSION = (22, 5), (25, 11)
"""Versions whose defaults are known."""


@dataclass(frozen=True)
class PrioritySettings:
    """How priorities are computed: ``Priority...`` and what belongs to fair share.

    ``usage_reset_period`` is ``NONE``, ``NOW``, ``DAILY``, ``WEEKLY`` and so on. ``weight_tres``
    has a weight for each resource, in lower case: ``{"cpu": 2000, "gres/gpu": 50000}``.
    """

    type: str = option(
        "PriorityType", "priority/basic", "word", since={(23, 11): "priority/multifactor"}
    )
    weight_age: int = option("PriorityWeightAge", 0, "count")
    weight_assoc: int = option("PriorityWeightAssoc", 0, "count")
    weight_fairshare: int = option("PriorityWeightFairshare", 0, "count")
    weight_job_size: int = option("PriorityWeightJobSize", 0, "count")
    weight_partition: int = option("PriorityWeightPartition", 0, "count")
    weight_qos: int = option("PriorityWeightQOS", 0, "count")
    weight_tres: dict[str, float] = option("PriorityWeightTRES", {}, "weights")  # noqa: RUF009
    max_age_s: int = option("PriorityMaxAge", 7 * 86400, "time")
    decay_half_life_s: int = option("PriorityDecayHalfLife", 7 * 86400, "time")
    calc_period_s: int = option("PriorityCalcPeriod", 300, "time")
    usage_reset_period: str = option("PriorityUsageResetPeriod", "NONE", "word")
    favor_small: bool = option("PriorityFavorSmall", False, "yes")
    flags: tuple[str, ...] = option("PriorityFlags", (), "words")
    fairshare_dampening_factor: int = option("FairShareDampeningFactor", 1, "count")

    @property
    def is_fair_tree(self) -> bool:
        """Whether fair share ranks by the tree of accounts, and not by the classic formula."""
        return "NO_FAIR_TREE" not in self.flags


@dataclass(frozen=True)
class SelectSettings:
    """Which nodes a job gets: ``SelectType``, topology, and the memory of jobs that ask for none.

    Memory is in MiB, as Slurm counts it; None is no limit.
    """

    type: str = option(
        "SelectType", "select/cons_res", "word", since={(23, 11): "select/cons_tres"}
    )
    parameters: tuple[str, ...] = option("SelectTypeParameters", ("CR_CORE_MEMORY",), "words")
    topology_plugin: str = option(
        "TopologyPlugin", "topology/none", "word", since={(23, 11): "topology/default"}
    )
    topology_parameters: tuple[str, ...] = option("TopologyParam", (), "words")
    def_mem_per_cpu_mb: int | None = option("DefMemPerCPU", None, "megabytes")
    def_mem_per_node_mb: int | None = option("DefMemPerNode", None, "megabytes")
    def_mem_per_gpu_mb: int | None = option("DefMemPerGPU", None, "megabytes")
    def_cpu_per_gpu: int | None = option("DefCpuPerGPU", None, "count")
    max_mem_per_cpu_mb: int | None = option("MaxMemPerCPU", None, "megabytes")
    max_mem_per_node_mb: int | None = option("MaxMemPerNode", None, "megabytes")


@dataclass(frozen=True)
class PreemptSettings:
    """Which jobs make room for others, and how."""

    type: str = option("PreemptType", "preempt/none", "word")
    mode: tuple[str, ...] = option("PreemptMode", ("OFF",), "words")
    exempt_time_s: int = option("PreemptExemptTime", 0, "time")

    @property
    def suspends_by_tier(self) -> bool:
        """Whether jobs of a higher tier take the CPUs of lower ones, which are then suspended."""
        is_gang = not {"GANG", "SUSPEND"}.isdisjoint(self.mode)
        is_otherwise = not {"REQUEUE", "CANCEL"}.isdisjoint(self.mode)
        return is_gang and not is_otherwise and self.type != "preempt/qos"


@dataclass(frozen=True)
class ControlSettings:
    """Everything else that decides about starts and ends.

    ``enforce`` holds the words of AccountingStorageEnforce in lower case. ``cred_expire_s`` comes
    from AuthInfo: a requeued job waits for it. ``boot_epoch_s`` is when slurmctld started, from
    which its clocks count; None if unknown.
    """

    enforce: tuple[str, ...] = option("AccountingStorageEnforce", (), "enforce")
    tres: tuple[str, ...] = option(
        "AccountingStorageTRES",
        ("cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"),
        "tres",
    )
    enforce_part_limits: str = option("EnforcePartLimits", "NO", "part limits")
    kill_wait_s: int = option("KillWait", 30, "seconds")
    over_time_limit_s: int = option("OverTimeLimit", 0, "short minutes")
    complete_wait_s: int = option("CompleteWait", 0, "seconds")
    message_timeout_s: int = option("MessageTimeout", 10, "seconds")
    min_job_age_s: int = option("MinJobAge", 300, "seconds")
    reservation_over_run_s: int = option("ResvOverRun", 0, "short minutes")
    job_requeue: bool = option("JobRequeue", True, "yes")
    return_to_service: int = option("ReturnToService", 0, "count")
    max_array_size: int = option("MaxArraySize", 1001, "count")
    max_job_count: int = option("MaxJobCount", 10000, "count")
    first_job_id: int = option("FirstJobId", 1, "count")
    slurmd_timeout_s: int = option("SlurmdTimeout", 300, "seconds")
    epilog: str | None = option("Epilog", None, "path")
    prolog: str | None = option("Prolog", None, "path")
    prolog_flags: tuple[str, ...] = option("PrologFlags", (), "words")
    federation_parameters: tuple[str, ...] = option("FederationParameters", (), "words")
    dependency_parameters: tuple[str, ...] = option("DependencyParameters", (), "words")
    cred_expire_s: int = option("AuthInfo", 120, "cred expire")
    boot_epoch_s: int | None = option("BOOT_TIME", None, "moment")


@dataclass(frozen=True)
class SlurmParameters:
    """The settings of one slurmctld.

    Args:
        version: the version of Slurm, such as ``22.05.8``; it decides the defaults.
        cluster_name: the name of the cluster in slurm.conf.
    """

    version: str = "22.05"
    cluster_name: str = "cluster"
    scheduler: SchedulerSettings = field(default_factory=SchedulerSettings)
    priority: PrioritySettings = field(default_factory=PrioritySettings)
    select: SelectSettings = field(default_factory=SelectSettings)
    preempt: PreemptSettings = field(default_factory=PreemptSettings)
    control: ControlSettings = field(default_factory=ControlSettings)


SECTIONS = {
    "scheduler": SchedulerSettings,
    "priority": PrioritySettings,
    "select": SelectSettings,
    "preempt": PreemptSettings,
    "control": ControlSettings,
}
"""The dataclass of each section of settings, by the name of the section."""


def version_of(text: str) -> Version:
    """Return year and month of ``22.05.8``."""
    year, _, rest = text.partition(".")
    month = rest.partition(".")[0]
    if not (year.isdecimal() and month.isdecimal()):
        raise ParameterError(
            f'"{text}" is not a version of Slurm; write for example 22.05 or 25.11.1'
        )
    return int(year), int(month)


def defaults_of(version: str) -> SlurmParameters:
    """Return the parameters of a slurm.conf that sets none of them."""
    number = version_of(version)
    made = {
        name: section(**{each.name: default_of(each, number) for each in fields(section)})
        for name, section in SECTIONS.items()
    }
    return SlurmParameters(version, **made)

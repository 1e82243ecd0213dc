"""What a running scheduler says about its jobs and nodes, in one form for all schedulers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from schedlab.slurm.job_rows import split_id

UNLIMITED_S = 365 * 86_400
"""The limit of a job without one."""
Owner = tuple[str, str]
"""An account and one of its users."""


class LiveStage(Enum):
    """Whether a job waits, runs or has ended."""

    WAITS = "waits"
    RUNS = "runs"
    ENDED = "ended"


@dataclass(frozen=True)
class LiveJob:
    """A job as its scheduler shows it. Times are epoch seconds; None: not known, or not yet.

    Args:
        id: as users know it, such as 4711 or 4711_3.
        raw_id: the scheduler's own number; waiting tasks of an array share one.
        handle: its name in commands; waiting tasks of an array share one.
        stage: whether it waits, runs or has ended.
        state: the scheduler's own word.
        reason: why it waits; the scheduler's own word.
        limit_s: its time limit.
        partition: the partition where it runs, or those where it may run, with commas.
        asked: the partitions where it might have run; empty if ``partition`` has them.
        cpus: number of CPUs that it asked for in all.
        tasks_per_node: 0 where nothing was asked for.
        min_nodes: None where no number of nodes was asked for.
        hosts: where it runs or ran, as a host list.
        begin: the earliest start that it asked for.
        array_limit: how many tasks of its array may run at the same time; 0 for any number.
        held: whether it is held back.
        dependency: what it waits for, as the scheduler writes it.
        restarts: how often it was requeued.
        site_factor: what steering has added to its priority.
        base: the value that is set when steering adds nothing.
    """

    id: str
    stage: LiveStage
    state: str
    user: str
    submit: int
    limit_s: int
    reason: str = ""
    name: str = ""
    account: str = ""
    partition: str = ""
    asked: str = ""
    qos: str = ""
    priority: int = 0
    nice: int = 0
    eligible: int | None = None
    begin: int | None = None
    start: int | None = None
    end: int | None = None
    hosts: str = ""
    tasks: int = 1
    cpus: int = 1
    tasks_per_node: int = 0
    min_nodes: int | None = None
    memory_per_node_mb: float | None = None
    memory_per_cpu_mb: float | None = None
    gpus_per_node: int = 0
    gpu_type: str = ""
    constraint: str = ""
    exclusive: bool = False
    licences: str = ""
    dependency: str = ""
    array_limit: int = 0
    held: bool = False
    reservation: str = ""
    restarts: int = 0
    raw_id: int = 0
    handle: str = ""
    site_factor: int = 0
    base: int = 0

    @property
    def array(self) -> int:
        """The number of its array; -1 for a job that is in none."""
        number, task = split_id(self.id)
        return -1 if task is None else number


@dataclass(frozen=True)
class Reading:
    """One look at a scheduler.

    Args:
        at: when it was asked, in epoch seconds of the scheduler's clock where that is known.
        jobs: all jobs that wait or run, and some that have ended.
        closed: nodes on which no job may start, and why.
        usage: what users have used, for fair share; empty where there is none.
        took_s: how long the scheduler took to answer.
        notes: what was not readable.
    """

    at: float
    jobs: tuple[LiveJob, ...]
    closed: Mapping[str, str] = field(default_factory=dict)
    usage: Mapping[Owner, float] = field(default_factory=dict)
    took_s: float = 0.0
    notes: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """Return how many jobs wait, run, and are held."""
        return {
            "waiting": sum(job.stage is LiveStage.WAITS for job in self.jobs),
            "running": sum(job.stage is LiveStage.RUNS for job in self.jobs),
            "held": sum(job.held for job in self.jobs),
        }

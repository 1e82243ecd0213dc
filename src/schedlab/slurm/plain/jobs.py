"""Jobs as slurmctld knows them: what they ask for, and what has become of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any

from schedlab.platform.constraint import Constraint, parse_constraint
from schedlab.platform.hostlist import expand_hosts
from schedlab.slurm.commands import Command
from schedlab.slurm.job_rows import split_id
from schedlab.slurm.plain.conditions import JobConditions, parse_conditions
from schedlab.slurm.plain.reasons import HELD_BY_USER, NO_REASON
from schedlab.slurm.site import SlurmHistory, SlurmSite

MIB_KB = 1024
ENDED_ITSELF = ("COMPLETED", "FAILED", "OUT_OF_MEMORY", "CANCELLED")
"""States of jobs whose recorded length is their run time."""


class Stage(Enum):
    """Where a job is in its life."""

    FUTURE = "not submitted yet"
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"


@dataclass(slots=True, frozen=True)
class NodeShare:
    """What a job holds of one node."""

    cpus: int
    memory_mb: float
    gpus: int
    level: int = 0  # of the partition's tier


@dataclass(slots=True, frozen=True)
class JobRun:
    """One run of a job."""

    start_s: float
    end_s: float
    nodes: tuple[int, ...]
    by: str
    how: str


@dataclass(slots=True, eq=False)
class TwinJob:
    """A job, or a task of an array.

    Args:
        position: the job's place in the history.
        id: Slurm's number of the job; for a task, that of its array.
        task: its index in the array; -1 for a job of its own.
        tasks_per_node: 0 where nothing was asked for.
        min_nodes: as given with ``--nodes``; 0 without the option.
        memory_mb: memory of each node; None means the default of the partition.
        run_s: how long it runs if it is not stopped.
        is_measured: whether the run time is that from its real start to its real end.
        unseen_s: how long it was suspended at an unknown time; it may run longer by that.
        recorded_start_s: when it started, if it ran when the history begins; inf otherwise.
        recorded_nodes: the nodes on which it ran then.
    """

    position: int
    id: int
    task: int
    name: str
    submit_s: float
    user: str
    account: str
    qos: str
    partitions: tuple[str, ...]
    tasks: int
    cpus_per_task: int
    tasks_per_node: int
    min_nodes: int
    memory_mb: float | None
    memory_per_cpu_mb: float | None
    gpus: int
    constraint: Constraint | None
    exclusive: bool
    limit_s: int
    run_s: float
    is_measured: bool
    unseen_s: int
    nice: int
    begin_s: float
    array_limit: int
    conditions: JobConditions
    kill_invalid: bool
    licences: Mapping[str, int]
    reservation: str | None
    may_requeue: bool | None
    ends_well: bool
    recorded_start_s: float = math.inf
    recorded_nodes: tuple[int, ...] = ()
    stage: Stage = Stage.FUTURE
    held: bool = False
    reason: str = NO_REASON  # why it waits
    priority: int = 0
    accrue_s: float | None = None  # since when it gains age; None means its submission
    preempted_s: float = -math.inf  # when it last ended others to make room
    is_marked: bool = False  # it must make room, and has its grace time
    planned_cpus: int | None = None  # what backfill's last plan would give it
    start_s: float = math.nan
    is_suspended: bool = False
    is_shadowed: bool = False  # suspended by jobs of a higher tier, which have its CPUs
    turned_s: float = math.nan  # when it last started, was suspended or resumed
    ran_s: int = 0  # whole seconds that it ran before it was last suspended
    suspended_s: float = 0.0  # how long, before it was last resumed
    end_s: float = math.nan
    started_by: str = ""
    partition: str = ""  # in which it runs
    limit_end_s: int = 0  # the whole second at which it reaches its limit
    completed_s: float = math.inf  # when its nodes had answered
    shares: dict[int, NodeShare] = field(default_factory=dict)
    billing: float = 0.0  # what it is charged for each second
    runs: list[JobRun] = field(default_factory=list)
    how: str = ""

    @property
    def cpus(self) -> int:
        """The number of CPUs that the job asks for in all."""
        return self.tasks * self.cpus_per_task

    @property
    def needed_nodes(self) -> int:
        """The least number of nodes that hold its tasks."""
        by_tasks = -(-self.tasks // self.tasks_per_node) if self.tasks_per_node else 1
        return max(self.min_nodes, by_tasks, 1)


_constraint = cache(parse_constraint)  # many jobs have the same one


def jobs_of(site: SlurmSite) -> list[TwinJob]:
    """Return the jobs of the site's history, in its order."""
    if site.history is None:
        return []
    defaults = {each.name: each.default_account for each in site.accounts.users}
    default_qos = _default_qos(site)
    names = [name for group in site.machine.groups for name in group.names()]
    numbers = {name: number for number, name in enumerate(names)}
    suspended = {name for each in site.history.commands if (name := suspended_by(each))}
    by_tier = site.parameters.preempt.suspends_by_tier
    found = []
    for position, row in enumerate(_rows(site.history)):
        row["account"] = row.get("account") or defaults.get(row.get("user", ""), "") or ""
        row["qos"] = row.get("qos") or default_qos.get((row["account"], row.get("user")), "normal")
        if not row.get("partition"):
            row["partition"] = next(
                (each.name for each in site.machine.clusters[0].partitions if each.default), ""
            )
        row["is_told"] = by_tier or not suspended.isdisjoint(_names(row))
        found.append(_job(position, row, site, numbers))
    return found


def suspended_by(command: Command) -> str | None:
    """Return the name of the job that the command suspended; None if there is none."""
    match command.text.split():
        case ["scontrol", "suspend", name] if command.worked:
            return name
    return None


def _names(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the names of the job, and of the array that it is a task of."""
    slurm_id = str(row.get("slurm_id") or row["job_id"])
    return slurm_id, str(split_id(slurm_id)[0])


def _default_qos(site: SlurmSite) -> dict[tuple[str, str | None], str]:
    return {
        (each.account, each.user): each.default_qos
        for each in site.accounts.associations
        if each.default_qos
    }


def _rows(history: SlurmHistory) -> Iterator[dict[str, Any]]:
    """Yield a row of all columns for each job, without its missing values."""
    workload = history.workload
    names = workload.columns
    values = [workload[name].tolist() for name in names]
    details = history.details.to_dicts()
    for row, detail in zip(zip(*values, strict=True), details, strict=True):
        found: dict[str, Any] = {}
        for name, value in zip(names, row, strict=True):
            labels = workload.labels.get(name)
            if labels is not None:
                value = labels[int(value)] if value >= 0 else None
            elif value < 0:
                value = None
            if value is not None:
                found[name] = value
        found.update({name: value for name, value in detail.items() if value is not None})
        yield found


def _job(
    position: int, row: Mapping[str, Any], site: SlurmSite, numbers: Mapping[str, int]
) -> TwinJob:
    number, task = split_id(str(row.get("slurm_id") or row["job_id"]))
    submit_s = float(row["submit_s"])
    memory_kb = row.get("memory_per_node_kb")
    per_cpu_kb = row.get("memory_per_cpu_kb")
    run_s, is_measured = _run(row)
    nodes = _recorded_nodes(row, numbers)
    settings = site.parameters.scheduler
    return TwinJob(
        position=position,
        id=number,
        task=-1 if task is None else task,
        name=row.get("job_name", ""),
        submit_s=submit_s,
        user=row.get("user", ""),
        account=row["account"],
        qos=row["qos"],
        partitions=tuple(str(row["partition"]).split(",")),
        tasks=int(row.get("tasks") or row["nodes"]),
        cpus_per_task=int(row.get("cores_per_task") or 1),
        tasks_per_node=int(row.get("tasks_per_node") or 0),
        min_nodes=int(row.get("min_nodes") or 0),
        memory_mb=None if memory_kb is None or per_cpu_kb is not None else memory_kb / MIB_KB,
        memory_per_cpu_mb=None if per_cpu_kb is None else per_cpu_kb / MIB_KB,
        gpus=int(row.get("gpus_per_node") or 0),
        constraint=_constraint(row["constraint"]) if row.get("constraint") else None,
        exclusive=bool(row.get("exclusive") or 0),
        limit_s=int(row["request_s"]),
        run_s=run_s,
        is_measured=is_measured,
        unseen_s=0 if row["is_told"] else int(row.get("suspended_s") or 0),
        nice=int(row.get("nice") or 0),
        begin_s=submit_s + (row.get("begin_after_s") or 0),
        array_limit=int(row.get("array_limit") or 0),
        conditions=parse_conditions(row.get("dependency") or ""),
        kill_invalid=bool(row.get("kill_invalid_dependency") or settings.kill_invalid_depend),
        licences=_licences(row.get("licences") or ""),
        reservation=row.get("reservation"),
        may_requeue=row.get("may_requeue"),
        ends_well=not row.get("exit_code"),
        recorded_start_s=float(row["start_s"]) if nodes else math.inf,
        recorded_nodes=nodes,
        held=bool(row.get("held")),
        reason=HELD_BY_USER if row.get("held") else NO_REASON,
    )


def _run(row: Mapping[str, Any]) -> tuple[float, bool]:
    """Return how long the job runs, and whether that was measured in the history.

    A job that was suspended at an unknown time runs meanwhile.
    """
    if row.get("state") == "TIMEOUT":
        return math.inf, False
    if row.get("state") in ENDED_ITSELF and "start_s" in row and "end_s" in row:
        away_s = row.get("suspended_s") or 0.0 if row["is_told"] else 0.0
        return max(0.0, row["end_s"] - row["start_s"] - away_s), True
    return float(row.get("true_run_s", row["run_s"])), False


def _recorded_nodes(row: Mapping[str, Any], numbers: Mapping[str, int]) -> tuple[int, ...]:
    """Return the nodes on which the job runs when the history begins.

    Return none if the site does not have all these nodes.
    """
    hosts = expand_hosts(row["hosts"]) if row.get("ran_before") and row.get("hosts") else ()
    if not all(host in numbers for host in hosts):
        return ()
    return tuple(sorted(numbers[host] for host in hosts))


def _licences(text: str) -> dict[str, int]:
    found = {}
    for part in text.replace("+", ",").split(","):
        name, _, count = part.partition(":")
        if name:
            found[name] = int(count or 1)
    return found

"""What happened: when and where each job ran, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError, WorkloadError
from schedlab.platform import Platform
from schedlab.sim.attempts import Attempts
from schedlab.sim.cluster_needs import cluster_needs
from schedlab.sim.node_naming import name_cluster_nodes, name_nodes
from schedlab.sim.node_ranges import NodeRanges
from schedlab.sim.step_series import StepSeries
from schedlab.workload import Workload
from schedlab.workload.eligibility import GATES
from schedlab.workload.notebook import SHOWN, pandas_frame, preview

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Times = NDArray[np.int64]

ORIGINAL_WAIT = "original_wait_s"


_PER_JOB = ("start_s", "end_s", "eligible_s", "first_reserved_s", "state")


class JobOutcome(IntEnum):
    """How a job ended; the numbers are those of the core."""

    WAITING = 0
    COMPLETED = 1
    KILLED = 2
    CANCELLED = 3


def _same(one: Times | None, other: Times | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


@dataclass(frozen=True, eq=False, repr=False)
class Schedule:
    """A workload with the start and end of every job.

    A job that never started (cancelled while it waited) has start and end -1.
    ``first_reserved_s`` is the first start time ever promised to the job, -1 if none was.
    ``estimate_s`` is the run time predicted when the job became eligible; None: requests were used.
    ``attempts`` are all times that jobs held nodes, if some were interrupted; None: each job that
    started has one attempt. A job's start, end and nodes are those of its last attempt.
    ``attempted_job_id`` is the job of each attempt, in a schedule that ``by_attempt`` made.
    """

    workload: Workload
    platform: Platform
    policy: str
    start_s: Times
    end_s: Times
    eligible_s: Times
    first_reserved_s: Times
    state: NDArray[np.int8]
    estimate_s: Times | None = None
    node_ranges: NodeRanges | None = None
    attempts: Attempts | None = None
    attempted_job_id: Times | None = None
    wall_s: float = float("nan")
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in _PER_JOB:
            if len(getattr(self, name)) != len(self.workload):
                raise WorkloadError(f"schedule: {name} does not have one value per job")

    def __len__(self) -> int:
        return len(self.workload)

    def __eq__(self, other: object) -> bool:
        """Compare jobs, platform, times and nodes; provenance may differ."""
        if not isinstance(other, Schedule):
            return NotImplemented
        return (
            (self.policy, self.platform) == (other.policy, other.platform)
            and self.workload == other.workload
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _PER_JOB)
            and self.node_ranges == other.node_ranges
            and self.attempts == other.attempts
            and _same(self.estimate_s, other.estimate_s)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        jobs, nodes = f"{len(self):,} jobs", f"{self.platform.nodes:,} nodes"
        return f"Schedule({self.policy!r}, {jobs} of {self.workload.name!r} on {nodes})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the first jobs."""
        return preview(repr(self), self.take(np.arange(len(self)) < SHOWN).frame())

    @property
    def started(self) -> NDArray[np.bool_]:
        """Which jobs ran at all."""
        return self.start_s >= 0

    @property
    def job_id(self) -> Times:
        """The number of each job, also where a row is one of its attempts."""
        ids = self.attempted_job_id
        return self.workload["job_id"] if ids is None else ids

    @property
    def wait_s(self) -> Times:
        """Time from eligibility (submission, or the end of the dependency) to start, or -1.

        A job with several attempts waits between them, too.
        """
        if self.attempts is None:
            return np.where(self.started, self.start_s - self.eligible_s, -1)
        return np.where(self.started, self.end_s - self.eligible_s - self.ran_s, -1)

    @property
    def ran_s(self) -> Times:
        """How long the job occupied its nodes, in all attempts; less than ``run_s`` if killed."""
        if self.attempts is None:
            return np.where(self.started, self.end_s - self.start_s, 0)
        return self.attempts.held_s(len(self))

    @property
    def worked_s(self) -> Times:
        """How long the job ran, without work that was lost and repeated."""
        if self.attempts is None:
            return self.ran_s
        return self.ran_s - self.attempts.lost_of(len(self))

    def take(self, which: NDArray[np.bool_]) -> Schedule:
        """Return the part of the schedule that belongs to these jobs."""
        columns = {name: getattr(self, name)[which] for name in _PER_JOB}
        if self.estimate_s is not None:
            columns["estimate_s"] = self.estimate_s[which]
        ranges = None if self.node_ranges is None else self.node_ranges.take(which)
        attempts = None if self.attempts is None else self.attempts.take(which)
        return replace(
            self,
            workload=self.workload.take(which),
            node_ranges=ranges,
            attempts=attempts,
            **columns,
        )

    def horizon_s(self) -> tuple[int, int]:
        """Return the first submission and the last end; the makespan lies between them."""
        first = int(self.workload["submit_s"][0]) if len(self) else 0
        return first, max(first, int(self.end_s.max(initial=-1)))

    def named_nodes(self) -> NodeRanges:
        """Return the nodes of each job.

        If the schedule does not name them, they are the lowest free numbers.
        """
        if self.node_ranges is not None:
            return self.node_ranges
        needs = cluster_needs(self.workload, self.platform)
        if needs is not None:
            return name_cluster_nodes(self.start_s, self.end_s, needs)
        return name_nodes(self.start_s, self.end_s, self.workload["nodes"], self.platform.nodes)

    def all_attempts(self) -> Attempts:
        """Return every time that a job held nodes."""
        if self.attempts is not None:
            return self.attempts
        ran = np.flatnonzero(self.started & (self.state != JobOutcome.WAITING))
        return Attempts(
            ran,
            np.ones_like(ran),
            self.start_s[ran],
            self.end_s[ran],
            self.state[ran],
            np.zeros_like(ran),
            self.named_nodes().reordered(ran),
        )

    def by_attempt(self) -> Schedule:
        """Return the schedule with a row for each attempt, numbered in order of their starts."""
        if self.attempts is None:
            return self
        order = np.argsort(self.attempts.start_s, kind="stable")
        job, start_s = self.attempts.job[order], self.attempts.start_s[order]
        columns = {name: self.workload[name][job] for name in self.workload.columns}
        columns["job_id"] = np.arange(1, len(job) + 1)
        # When its previous attempt ended, the job began to wait again.
        since_s = np.where(
            self.attempts.number == 1,
            self.eligible_s[self.attempts.job],
            np.concatenate([[0], self.attempts.end_s[:-1]]),
        )
        columns["submit_s"] = np.minimum(since_s[order], start_s)
        for name in (*GATES, "think_time_s", "cancel_after_s"):
            columns.pop(name, None)
        workload = self.workload.with_columns(columns)
        place = np.argsort(workload.given_order)
        return replace(
            self,
            workload=workload,
            start_s=start_s[place],
            end_s=self.attempts.end_s[order][place],
            eligible_s=columns["submit_s"][place],
            first_reserved_s=self.first_reserved_s[job][place],
            state=np.minimum(self.attempts.why[order][place], JobOutcome.KILLED).astype(np.int8),
            estimate_s=None if self.estimate_s is None else self.estimate_s[job][place],
            node_ranges=self.attempts.node_ranges.reordered(order[place]),
            attempts=None,
            attempted_job_id=self.workload["job_id"][job][place],
        )

    def used_nodes(self) -> StepSeries:
        """Return the number of nodes in use over time."""
        if self.attempts is not None:
            return self.by_attempt().used_nodes()
        ran, nodes = self.started, self.workload["nodes"]
        return StepSeries.from_changes(
            (self.start_s[ran], nodes[ran]), (self.end_s[ran], -nodes[ran])
        )

    def queue_length(self) -> StepSeries:
        """Return the number of waiting jobs over time."""
        return self._in_queue(np.ones(len(self), dtype=np.int64))

    def waiting_work(self) -> StepSeries:
        """Return requested node-seconds of the waiting jobs over time."""
        return self._in_queue(self.workload["nodes"] * self.workload["request_s"])

    def left_queue_s(self) -> Times:
        """Return when each job stopped waiting: its start, its withdrawal, or the last end."""
        submit_s, cancel_after_s = self.workload["submit_s"], self.workload["cancel_after_s"]
        still_waits = (self.state == JobOutcome.WAITING) & (cancel_after_s < 0)
        gave_up = np.where(still_waits, self.horizon_s()[1], submit_s + cancel_after_s)
        return np.where(self.started, self.start_s, np.maximum(gave_up, self.eligible_s))

    def _in_queue(self, amount: Times) -> StepSeries:
        waited = self.eligible_s >= 0
        amount = amount[waited]
        return StepSeries.from_changes(
            (self.eligible_s[waited], amount), (self.left_queue_s()[waited], -amount)
        )

    def frame(self) -> pl.DataFrame:
        """Return the whole schedule as a Polars frame, one row per job in order of submission.

        ``wait_s`` is the wait in this schedule; the one the workload came with, if any, is
        ``original_wait_s``.
        """
        import polars as pl

        names = [state.name.lower() for state in JobOutcome]
        columns: dict[str, Any] = {
            "policy": pl.repeat(self.policy, len(self), eager=True),
            "job_id": self.workload["job_id"],
            "submit_s": self.workload["submit_s"],
            "eligible_s": self.eligible_s,
            "start_s": self.start_s,
            "end_s": self.end_s,
            "wait_s": self.wait_s,
            "first_reserved_s": self.first_reserved_s,
            "nodes": self.workload["nodes"],
            "request_s": self.workload["request_s"],
            "run_s": self.workload["run_s"],
            "user": self.workload.labelled("user"),
            "state": pl.Series(names, dtype=pl.Enum(names)).gather(self.state),
        }
        if self.estimate_s is not None:
            columns["estimate_s"] = self.estimate_s
        if self.node_ranges is not None:
            columns["node_ranges"] = self.node_ranges.text()
        for name in self.workload.columns:
            if name == "wait_s":
                columns[ORIGINAL_WAIT] = self.workload[name]
            elif name not in columns:
                columns[name] = self.workload.labelled(name)
        texts = {name: pl.String for name in self.workload.labels if name in columns}
        return pl.DataFrame(columns, schema_overrides=texts)

    def to_pandas(self) -> pd.DataFrame:
        """Return the whole schedule as a pandas frame (needs pandas)."""
        return pandas_frame(self.frame())


def require_schedules(given: Iterable[Schedule]) -> list[Schedule]:
    """Return the schedules as a list; refuse a single one, and anything that is not a schedule."""
    if isinstance(given, Schedule):
        raise ParameterError("the schedules are one Schedule; must be a list, as in [schedule]")
    schedules = list(given) if isinstance(given, Iterable) else [given]
    for each in schedules:
        if not isinstance(each, Schedule):
            raise ParameterError(f"a schedule is a {type(each).__name__}; must be a Schedule")
    return schedules

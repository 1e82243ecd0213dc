"""What happened: when and where each job ran, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import WorkloadError
from schedlab.platform import Platform
from schedlab.sim.step_series import StepSeries
from schedlab.workload import Workload

if TYPE_CHECKING:
    import polars as pl

Times = NDArray[np.int64]


class JobState(IntEnum):
    """How a job ended; the numbers are those of the core."""

    WAITING = 0
    COMPLETED = 1
    KILLED = 2
    CANCELLED = 3


@dataclass(frozen=True)
class NodeRanges:
    """The nodes of every job as ranges ``first..last``: those of job i are ``offset[i]:offset[i+1]``."""

    offset: NDArray[np.int64]
    first: NDArray[np.int32]
    last: NDArray[np.int32]

    def of(self, job: int) -> list[tuple[int, int]]:
        """The ranges of one job, both ends included."""
        part = slice(self.offset[job], self.offset[job + 1])
        return list(zip(self.first[part].tolist(), self.last[part].tolist(), strict=True))

    def text(self) -> list[str]:
        """Each job's nodes as ``0-3,7``."""
        words = [
            f"{first}-{last}" if first != last else str(first)
            for first, last in zip(self.first.tolist(), self.last.tolist(), strict=True)
        ]
        ends = self.offset.tolist()
        return [",".join(words[a:b]) for a, b in zip(ends[:-1], ends[1:], strict=True)]

    @classmethod
    def parse(cls, texts: Sequence[str]) -> NodeRanges:
        """The inverse of ``text``."""
        counts, first, last = [0], [], []
        for text in texts:
            words = [word for word in text.split(",") if word]
            for word in words:
                a, _, b = word.partition("-")
                first.append(int(a))
                last.append(int(b or a))
            counts.append(len(words))
        return cls(
            np.cumsum(counts, dtype=np.int64),
            np.asarray(first, dtype=np.int32),
            np.asarray(last, dtype=np.int32),
        )


@dataclass(frozen=True)
class Schedule:
    """A workload with the start and end of every job.

    A job that never started (cancelled while it waited) has start and end -1.
    ``promised_s`` is the first start time ever promised to the job, -1 if none was.
    """

    workload: Workload
    platform: Platform
    policy: str
    start_s: Times
    end_s: Times
    eligible_s: Times
    promised_s: Times
    state: NDArray[np.int8]
    node_ranges: NodeRanges | None = None
    wall_s: float = float("nan")
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("start_s", "end_s", "eligible_s", "promised_s", "state"):
            if len(getattr(self, name)) != len(self.workload):
                raise WorkloadError(f"schedule: {name} does not have one value per job")

    def __len__(self) -> int:
        return len(self.workload)

    @property
    def started(self) -> NDArray[np.bool_]:
        """Which jobs ran at all."""
        return self.start_s >= 0

    @property
    def wait_s(self) -> Times:
        """Time from eligibility (submission, or the end of the dependency) to start; -1 if never."""
        return np.where(self.started, self.start_s - self.eligible_s, -1)

    @property
    def ran_s(self) -> Times:
        """How long the job occupied its nodes; shorter than ``run_s`` if it was killed."""
        return np.where(self.started, self.end_s - self.start_s, 0)

    def used_nodes(self) -> StepSeries:
        """Nodes in use over time."""
        ran, nodes = self.started, self.workload["nodes"]
        return StepSeries.from_changes(
            (self.start_s[ran], nodes[ran]), (self.end_s[ran], -nodes[ran])
        )

    def queue_length(self) -> StepSeries:
        """Waiting jobs over time."""
        ones = np.ones(len(self), dtype=np.int64)
        return StepSeries.from_changes((self.eligible_s, ones), (self._left_queue_s(), -ones))

    def waiting_work(self) -> StepSeries:
        """Requested node-seconds of the waiting jobs over time."""
        work = self.workload["nodes"] * self.workload["request_s"]
        return StepSeries.from_changes((self.eligible_s, work), (self._left_queue_s(), -work))

    def _left_queue_s(self) -> Times:
        cancelled = self.workload["submit_s"] + self.workload["cancel_after_s"]
        return np.where(self.started, self.start_s, np.maximum(cancelled, self.eligible_s))

    def frame(self) -> pl.DataFrame:
        """The whole schedule as a Polars frame, one row per job in order of submission."""
        import polars as pl

        names = np.array([state.name.lower() for state in JobState])
        columns: dict[str, Any] = {
            "policy": pl.repeat(self.policy, len(self), eager=True),
            "job_id": self.workload["job_id"],
            "submit_s": self.workload["submit_s"],
            "eligible_s": self.eligible_s,
            "start_s": self.start_s,
            "end_s": self.end_s,
            "wait_s": self.wait_s,
            "promised_s": self.promised_s,
            "nodes": self.workload["nodes"],
            "request_s": self.workload["request_s"],
            "run_s": self.workload["run_s"],
            "user": self.workload.labelled("user"),
            "state": names[self.state],
        }
        if self.node_ranges is not None:
            columns["node_ranges"] = self.node_ranges.text()
        for name in self.workload.columns:
            if name not in columns:
                columns[name] = self.workload.labelled(name)
        return pl.DataFrame(columns)

"""The attempts of jobs: what they did each time that they held nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.sim.node_ranges import NodeRanges

if TYPE_CHECKING:
    import polars as pl

Times = NDArray[np.int64]
_COLUMNS = ("job", "number", "start_s", "end_s", "why", "lost_s")


class WhyEnded(IntEnum):
    """Why an attempt ended; the numbers are those of the core."""

    COMPLETED = 1
    KILLED = 2
    """The job reached its request, or was cancelled while it ran."""
    OUTAGE = 3
    """An announced outage began."""
    FAILURE = 4
    """A node failed."""
    PREEMPTED = 5
    """Another job took its nodes, and it gave up work since its last checkpoint."""
    SUSPENDED = 6
    """Another job took its nodes, and it waits for them with all its work."""


@dataclass(frozen=True, eq=False)
class Attempts:
    """One row for each time that a job held nodes; those of a job together, in order.

    Args:
        job: its place in the workload.
        number: from 1 on.
        start_s: when it got its nodes.
        end_s: when it gave them back.
        why: a ``WhyEnded``.
        lost_s: work of this attempt and those before it that later attempts do not keep.
        node_ranges: the nodes.
    """

    job: NDArray[np.int64]
    number: NDArray[np.int64]
    start_s: Times
    end_s: Times
    why: NDArray[np.int8]
    lost_s: Times
    node_ranges: NodeRanges

    def __len__(self) -> int:
        return len(self.job)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Attempts):
            return NotImplemented
        return self.node_ranges == other.node_ranges and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in _COLUMNS
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def interrupted(self) -> NDArray[np.bool_]:
        """Which attempts neither completed nor reached their request."""
        return self.why > WhyEnded.KILLED

    def held_s(self, jobs: int) -> Times:
        """Return how long each of the jobs held nodes, in all attempts together."""
        held = np.bincount(self.job, self.end_s - self.start_s, minlength=jobs)
        return held.astype(np.int64)

    def lost_of(self, jobs: int) -> Times:
        """Return the work that each of the jobs lost, in all attempts together."""
        return np.bincount(self.job, self.lost_s, minlength=jobs).astype(np.int64)

    def interruptions(self, jobs: int) -> NDArray[np.int64]:
        """Return how often each of the jobs was interrupted."""
        return np.bincount(self.job[self.interrupted], minlength=jobs)

    def take(self, jobs: NDArray[np.bool_]) -> Attempts:
        """Return the attempts of these jobs, with their places among them."""
        kept = jobs[self.job]
        place = np.cumsum(jobs) - 1
        return Attempts(
            place[self.job[kept]],
            self.number[kept],
            self.start_s[kept],
            self.end_s[kept],
            self.why[kept],
            self.lost_s[kept],
            self.node_ranges.take(kept),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the columns in plain types, for a file."""
        plain = {name: getattr(self, name).tolist() for name in _COLUMNS}
        return plain | {"node_ranges": self.node_ranges.text().to_list()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Attempts:
        """Return the attempts that ``to_dict`` gave."""
        columns: dict[str, Any] = {name: np.array(plain[name], dtype=np.int64) for name in _COLUMNS}
        columns["why"] = columns["why"].astype(np.int8)
        return cls(**columns, node_ranges=NodeRanges.parse(plain["node_ranges"]))

    def frame(self, job_id: NDArray[np.int64]) -> pl.DataFrame:
        """Return the table as a Polars frame, with the ``job_id`` of each attempt."""
        import polars as pl

        names = {int(each): each.name.lower() for each in WhyEnded}
        return pl.DataFrame(
            {
                "job_id": job_id[self.job],
                "attempt": self.number,
                "start_s": self.start_s,
                "end_s": self.end_s,
                "why": [names[each] for each in self.why.tolist()],
                "lost_s": self.lost_s,
                "node_ranges": self.node_ranges.text(),
            }
        )


def attempts_of(
    simulator: _core.Simulator, last: NodeRanges, order: NDArray[np.int64] | slice
) -> Attempts | None:
    """Return all attempts of jobs that have ended; None where none was interrupted.

    Args:
        simulator: the simulator after its run.
        last: the nodes of each job's last attempt, by its place in the simulator.
        order: the place in the simulator of each job of the workload.
    """
    job, start, end, why, lost, nodes = simulator.attempts()
    if not len(job):
        return None
    state = simulator.states()
    starts, ends = simulator.start_times(), simulator.end_times()
    # An attempt that was interrupted, and was the last, is among the interrupted ones.
    told = np.zeros(len(state), dtype=bool)
    told[job[ends[job] == end]] = True
    done = np.flatnonzero((starts >= 0) & (state > 0) & ~told)
    place = np.empty(len(state), dtype=np.int64)
    place[order] = np.arange(len(state))
    every = np.concatenate([place[job], place[done]])
    rank = np.lexsort((np.concatenate([start, starts[done]]), every))
    ranges = [NodeRanges(*nodes), last.reordered(done)]
    joined = NodeRanges(
        np.concatenate([ranges[0].offset, ranges[0].offset[-1] + ranges[1].offset[1:]]),
        np.concatenate([each.first for each in ranges]),
        np.concatenate([each.last for each in ranges]),
    )
    jobs = every[rank]
    first = np.searchsorted(jobs, jobs)
    return Attempts(
        jobs,
        np.arange(len(jobs)) - first + 1,
        np.concatenate([start, starts[done]])[rank],
        np.concatenate([end, ends[done]])[rank],
        np.concatenate([why, state[done]])[rank].astype(np.int8),
        np.concatenate([lost, np.zeros(len(done), dtype=np.int64)])[rank],
        joined.reordered(rank),
    )

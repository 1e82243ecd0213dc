"""A policy that receives what happens on a cluster, and says which jobs start."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab import _core
from schedlab.errors import ParameterError, PeerError, PolicyError
from schedlab.platform.cluster import MAX_NODES
from schedlab.policies import ChosenPolicy
from schedlab.predict import PREDICTORS
from schedlab.sim.feasibility import LONGEST_S
from schedlab.units import require_whole
from schedlab.workload import COLUMNS, Workload


@dataclass(frozen=True)
class Start:
    """A job that starts now, on these ranges of nodes, both ends included."""

    job_id: str
    node_ranges: list[tuple[int, int]]


class LiveScheduler:
    """Decides with any policy which jobs of a cluster outside schedlab start.

    It uses the core's simulator, so it decides as ``simulate`` does. Jobs have the names that the
    cluster gives them; nodes are counted from 0; times are whole seconds and never decrease. An
    event that cannot be true raises PeerError.

    Args:
        policy: from ``find_policy``.
        nodes: the size of the cluster.
        tick: decisions are made at multiples of this, in seconds; 0: at once.
    """

    def __init__(self, policy: ChosenPolicy, nodes: int, *, tick: int = 0) -> None:
        require_no_oracle(policy)
        self.nodes = require_whole("nodes", nodes, 1, MAX_NODES)
        require_whole("tick", tick, 0, LONGEST_S)
        self._policy = policy
        self._cluster = _core.LiveCluster(nodes, tick, policy.predictor.make(_no_jobs()))
        self._cluster.use(policy.core)
        self._place: dict[str, int] = {}
        self._names: list[str] = []
        self._running: set[str] = set()
        self._ended: set[str] = set()

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return len(self._names) - len(self._running) - len(self._ended)

    @property
    def running(self) -> int:
        """How many jobs run."""
        return len(self._running)

    @property
    def next_pass_s(self) -> int | None:
        """When to call ``decide`` even if nothing happens; None: only after the next event."""
        return self._cluster.next_pass

    def submit(
        self, job_id: str, time_s: int, *, nodes: int, request_s: int, user: int = -1
    ) -> None:
        """Add a job to the queue."""
        if job_id in self._place:
            raise PeerError(f"job {job_id} is submitted twice")
        for what, value, most in (("nodes", nodes, self.nodes), ("seconds", request_s, LONGEST_S)):
            if not 1 <= value <= most:
                raise PeerError(f"job {job_id} asks for {value} {what}; must be 1 to {most:,}")
        self._place[job_id] = self._cluster.submit(
            len(self._names) + 1, time_s, nodes, request_s, user
        )
        self._names.append(job_id)

    def is_running(self, job_id: str) -> bool:
        """Return whether the job has started and not ended; it must have been submitted."""
        if job_id not in self._place:
            raise PeerError(f"job {job_id} was never submitted")
        return job_id in self._running

    def end(self, job_id: str, time_s: int) -> None:
        """Note that a running job has ended."""
        if not self.is_running(job_id):
            what = "twice" if job_id in self._ended else "but was never started"
            raise PeerError(f"job {job_id} ends {what}")
        self._cluster.end(self._place[job_id], time_s)
        self._running.remove(job_id)
        self._ended.add(job_id)

    def decide(self, time_s: int) -> list[Start]:
        """Return the jobs that start now."""
        starts = [
            Start(self._names[job], self._cluster.nodes_of(job))
            for job in self._cluster.decide(self._policy.core, time_s)
        ]
        self._running.update(start.job_id for start in starts)
        return starts

    def require_progress(self) -> None:
        """Raise PolicyError if jobs wait though nothing runs and the policy asks for no pass."""
        if self.waiting and not self.running and self.next_pass_s is None:
            raise PolicyError(
                f"policy {self._policy.name} leaves {self.waiting:,} jobs waiting for ever"
            )


def require_no_oracle(policy: ChosenPolicy) -> None:
    """Refuse a predictor that reads the run times of jobs that have not run yet."""
    entry = PREDICTORS.get(policy.predictor.name.partition(":")[0])
    if entry is not None and entry.reference == "oracle":
        raise ParameterError(
            f'predictor "{policy.predictor.name}" needs the true run times, which are unknown '
            "on a live cluster"
        )


def _no_jobs() -> Workload:
    return Workload({name: [] for name, column in COLUMNS.items() if column.required})

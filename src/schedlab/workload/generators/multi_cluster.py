"""Jobs on several clusters, of which a share needs nodes of more than one at the same time."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.workload.generators.checks import (
    require_jobs,
    require_load,
    require_probability,
)
from schedlab.workload.needs import with_needs
from schedlab.workload.randomness import seed_sequence
from schedlab.workload.workload import Workload

Counts = NDArray[np.int64]

LONGEST_MIN = 240
"""The longest request, in minutes."""
MOST_CLUSTERS = 1_000


@dataclass(frozen=True)
class MultiCluster:
    """Rigid jobs for equal clusters named ``c1``, ``c2``, ...

    A job needs nodes of one cluster, or with probability ``share`` of ``span`` clusters; all
    clusters are equally likely, and the number of nodes of each is log-uniform. Requests are whole
    minutes, log-uniform from 1 to 240; a job runs for a uniform share, from 0 to 1, of its request.
    Bursts, of geometric size, arrive as a Poisson process whose rate gives the load.
    """

    clusters: int = 4
    nodes: int = 16
    """Nodes of each cluster."""
    share: float = 0.3
    span: int = 2
    load: float = 0.8
    """Node-seconds of work per node-second of all clusters."""
    burst: float = 1.0
    """Jobs that arrive together, on average."""

    def __post_init__(self) -> None:
        for what in ("clusters", "nodes", "span"):
            if getattr(self, what) < 1:
                raise ParameterError(f"{what} is {getattr(self, what)}; must be >= 1")
        if self.clusters > MOST_CLUSTERS:
            raise ParameterError(f"clusters is {self.clusters}; must be <= {MOST_CLUSTERS}")
        if self.span > self.clusters:
            raise ParameterError(f"span is {self.span}; there are {self.clusters} clusters")
        require_probability(share=self.share)
        require_load(self.load)
        if not 1 <= self.burst < float("inf"):
            raise ParameterError(f"burst is {self.burst}; must be >= 1")

    def generate(self, jobs: int, seed: int = 0) -> Workload:
        """Generate a number of jobs; the same seed gives the same workload."""
        require_jobs(jobs)
        for_needs, for_times, for_arrivals = map(
            np.random.default_rng, seed_sequence(seed).spawn(3)
        )
        needs = self._needs(for_needs, jobs)
        request_s = 60 * _log_uniform(for_times, jobs, LONGEST_MIN)
        run_s = np.ceil(request_s * (1 - for_times.random(jobs))).astype(np.int64)
        nodes = np.array([sum(each.values()) for each in needs], dtype=np.int64)
        span_s = float(nodes @ run_s) / (self.load * self.clusters * self.nodes)
        columns = {
            "job_id": np.arange(1, jobs + 1),
            "submit_s": self._arrivals(for_arrivals, jobs, span_s),
            "nodes": nodes,
            "request_s": request_s,
            "run_s": run_s,
        }
        made = with_needs(Workload(columns, name=f"multi-cluster {self.load:.0%}"), needs)
        return made.record("generate", model="multi-cluster", jobs=jobs, seed=seed, **asdict(self))

    def _needs(self, rng: np.random.Generator, jobs: int) -> list[dict[str, int]]:
        spans = np.where(rng.random(jobs) < self.share, self.span, 1).tolist()
        nodes = _log_uniform(rng, (jobs, self.clusters), self.nodes).tolist()
        chosen = [sorted(rng.permutation(self.clusters)[:span].tolist()) for span in spans]
        return [
            {f"c{place + 1}": of_each[place] for place in places}
            for of_each, places in zip(nodes, chosen, strict=True)
        ]

    def _arrivals(self, rng: np.random.Generator, jobs: int, span_s: float) -> Counts:
        """Draw arrivals, the first at 0 and the last at the end of the span: the load is exact."""
        gaps = rng.exponential(size=jobs) * (rng.random(jobs) < 1 / self.burst)
        since = np.cumsum(gaps) - gaps[0]
        submit_s: Counts = np.floor(since * (span_s / max(since[-1], 1e-9))).astype(np.int64)
        return submit_s


def _log_uniform(rng: np.random.Generator, size: int | tuple[int, ...], most: int) -> Counts:
    """Draw whole numbers from 1 to ``most``, rounded down, whose logarithm is uniform."""
    numbers: Counts = np.floor(np.exp(rng.uniform(0, np.log(most + 1), size))).astype(np.int64)
    return numbers

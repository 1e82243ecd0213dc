"""The workload of Casagrande and Pillon's small grid: Bernoulli arrivals, two kinds of jobs."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.workload.generators.checks import (
    require_jobs,
    require_load,
    require_positive,
    require_probability,
)
from schedlab.workload.randomness import seed_sequence
from schedlab.workload.workload import Workload

Counts = NDArray[np.int64]

MAX_BLOCK = 1 << 20


@dataclass(frozen=True)
class Bernoulli:
    """At most one arrival per time unit; short or long jobs, narrow or wide, all drawn uniformly.

    The arrival probability p follows from the offered load: with the published figures load =
    1.845 p on 10 resources. A load above 184.5 % would need p > 1; then one job arrives in every
    unit for certain and a second with the remaining probability p - 1, and so on beyond p = 2.
    The request equals the run time. Ranges include both ends and are in time units or nodes.
    """

    load: float = 1.0
    nodes: int = 10
    short_share: float = 0.8
    short_run: tuple[int, int] = (1, 3)
    long_run: tuple[int, int] = (10, 15)
    narrow_share: float = 0.5
    narrow_nodes: tuple[int, int] = (1, 2)
    wide_nodes: tuple[int, int] = (5, 10)
    unit_s: int = 1

    def __post_init__(self) -> None:
        require_load(self.load)
        require_positive(nodes=self.nodes, unit_s=self.unit_s)
        require_probability(short_share=self.short_share, narrow_share=self.narrow_share)
        for name in ("short_run", "long_run", "narrow_nodes", "wide_nodes"):
            low, high = getattr(self, name)
            if not 1 <= low <= high:
                raise ParameterError(f"{name} is {low}..{high}; must be 1 <= low <= high")
        widest = max(self.narrow_nodes[1], self.wide_nodes[1])
        if widest > self.nodes:
            raise ParameterError(f"jobs of {widest} nodes do not fit on {self.nodes}")

    @property
    def arrivals_per_unit(self) -> float:
        """The expected number of arrivals per time unit, p."""
        run = _mean(self.short_share, self.short_run, self.long_run)
        nodes = _mean(self.narrow_share, self.narrow_nodes, self.wide_nodes)
        return self.load * self.nodes / (run * nodes)

    def generate(self, jobs: int, seed: int = 0) -> Workload:
        """Generate a number of jobs, however long they take to arrive."""
        require_jobs(jobs)
        for_arrivals, for_jobs = _streams(seed)
        blocks: list[Counts] = []
        made = units = 0
        while made < jobs:
            block = min(int((jobs - made) / self.arrivals_per_unit) + 1, MAX_BLOCK)
            blocks.append(units + self._arrivals(for_arrivals, block))
            made, units = made + len(blocks[-1]), units + block
        arrivals = np.concatenate(blocks)
        return self._workload(arrivals[:jobs], for_jobs).record(
            "generate", model="bernoulli", jobs=jobs, seed=seed, **asdict(self)
        )

    def generate_units(self, units: int, seed: int = 0) -> Workload:
        """Generate the jobs that arrive within a number of time units (100 in the paper)."""
        if units < 1:
            raise ParameterError(f"{units} time units; must be >= 1")
        for_arrivals, for_jobs = _streams(seed)
        return self._workload(self._arrivals(for_arrivals, units), for_jobs).record(
            "generate", model="bernoulli", units=units, seed=seed, **asdict(self)
        )

    def _arrivals(self, rng: np.random.Generator, units: int) -> Counts:
        """Return the time unit of each arrival."""
        certain, chance = divmod(self.arrivals_per_unit, 1)
        counts = int(certain) + (rng.random(units) < chance)
        return np.repeat(np.arange(units), counts)

    def _workload(self, arrivals: Counts, rng: np.random.Generator) -> Workload:
        jobs = len(arrivals)
        run_s = self.unit_s * _mixed(rng, jobs, self.short_share, self.short_run, self.long_run)
        machine = (str(self.nodes),)
        return Workload(
            {
                "job_id": np.arange(1, jobs + 1),
                "submit_s": arrivals * self.unit_s,
                "nodes": _mixed(rng, jobs, self.narrow_share, self.narrow_nodes, self.wide_nodes),
                "request_s": run_s,
                "run_s": run_s,
            },
            name=f"bernoulli {self.load:.0%}",
            header={"MaxNodes": machine, "MaxProcs": machine},
        )


def _streams(seed: int) -> list[np.random.Generator]:
    return [np.random.default_rng(part) for part in seed_sequence(seed).spawn(2)]


def _mean(share: float, first: tuple[int, int], second: tuple[int, int]) -> float:
    return share * sum(first) / 2 + (1 - share) * sum(second) / 2


def _mixed(
    rng: np.random.Generator,
    jobs: int,
    share: float,
    first: tuple[int, int],
    second: tuple[int, int],
) -> Counts:
    """Draw integers uniform in the first range with probability ``share``, else in the second."""
    in_first = rng.random(jobs) < share
    low = np.where(in_first, first[0], second[0])
    high = np.where(in_first, first[1], second[1])
    return rng.integers(low, high, endpoint=True)

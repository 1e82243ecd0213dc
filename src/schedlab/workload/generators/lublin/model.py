"""The Lublin–Feitelson model of rigid parallel jobs.

U. Lublin and D. G. Feitelson, "The workload on parallel supercomputers: modeling the
characteristics of rigid jobs", J. Parallel Distrib. Comput. 63(11):1105-1122, 2003.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.workload.generators.checks import require_jobs
from schedlab.workload.generators.lublin.arrivals import LublinArrivals
from schedlab.workload.generators.lublin.daily_cycle import DailyCycle
from schedlab.workload.generators.lublin.run_times import LublinRunTimes
from schedlab.workload.generators.lublin.sizes import Sizes
from schedlab.workload.randomness import seed_sequence
from schedlab.workload.workload import Array, Workload

COMPLETED = 1
INTERACTIVE_QUEUE, BATCH_QUEUE = 0, 1


@dataclass(frozen=True)
class JobClass:
    """Sizes, run times and arrivals of one stream of jobs; by default the typeless one."""

    sizes: Sizes = field(default_factory=Sizes)
    run_times: LublinRunTimes = field(default_factory=LublinRunTimes)
    arrivals: LublinArrivals = field(default_factory=LublinArrivals)

    def draw(
        self, seed: np.random.SeedSequence, jobs: int, daily_cycle: bool, start_clock_s: float
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Draw arrival times, sizes and run times, each by a generator of its own."""
        for_sizes, for_run_times, for_arrivals = map(np.random.default_rng, seed.spawn(3))
        cycle = self.arrivals.cycle() if daily_cycle else DailyCycle.flat()
        nodes = self.sizes.draw(for_sizes, jobs)
        return (
            self.arrivals.draw(for_arrivals, jobs, cycle, start_clock_s),
            nodes,
            self.run_times.draw(for_run_times, nodes),
        )


TYPELESS = JobClass()
BATCH = JobClass(
    Sizes(serial=0.2927, pow2=0.6686, u_low=1.2, u_med=5.0, u_hi=7.0, u_prob=0.875),
    LublinRunTimes(alpha1=6.57, beta1=0.823, alpha2=639.1, beta2=0.0156, pa=-0.003, pb=0.6986),
    LublinArrivals(
        alpha=6.0415, beta=0.8531, rush_to_all_day=1.0519, cycle_alpha=6.1271, cycle_beta=5.2740
    ),
)
INTERACTIVE = JobClass(
    Sizes(serial=0.1541, pow2=0.625, u_low=1.0, u_med=3.0, u_hi=5.5, u_prob=0.705),
    LublinRunTimes(alpha1=3.8351, beta1=0.6605, alpha2=7.073, beta2=0.6856, pa=-0.0118, pb=0.9156),
    LublinArrivals(
        alpha=6.5510, beta=0.6621, rush_to_all_day=0.9797, cycle_alpha=8.9186, cycle_beta=3.6680
    ),
)


@dataclass(frozen=True)
class Lublin:
    """Jobs after Lublin and Feitelson: two-stage uniform sizes, hyper-gamma run times, daily cycle.

    Typeless by default; ``typed`` mixes a batch stream (queue 1) and an interactive one (queue 0).
    The model knows neither users nor requests: users are left out, and the request is the run time
    until a transform such as ``wra`` sets it.
    """

    typed: bool = False
    daily_cycle: bool = True
    start_hour: float = 0.0
    typeless: JobClass = TYPELESS
    batch: JobClass = BATCH
    interactive: JobClass = INTERACTIVE
    name: str = "lublin"

    def __post_init__(self) -> None:
        if not 0 <= self.start_hour < 24:
            raise ParameterError(f"start_hour is {self.start_hour!r}; must be from 0 to below 24")

    @property
    def max_nodes(self) -> int:
        """The number of nodes of the machine that the jobs are made for."""
        return max(stream.sizes.max_nodes for _, stream in self._streams())

    def for_nodes(self, nodes: int) -> Lublin:
        """Return the model for a machine of this size; see ``Sizes.for_nodes``."""
        if nodes < 2:
            raise ParameterError(f"{nodes} nodes; the model needs >= 2")

        def fitted(stream: JobClass) -> JobClass:
            return replace(stream, sizes=stream.sizes.for_nodes(nodes))

        return replace(
            self,
            typeless=fitted(self.typeless),
            batch=fitted(self.batch),
            interactive=fitted(self.interactive),
        )

    def generate(self, jobs: int, seed: int = 0) -> Workload:
        """Generate the jobs; time 0 is midnight, or ``start_hour``."""
        require_jobs(jobs)
        machine = (str(self.max_nodes),)
        workload = Workload(
            self._columns(jobs, seed),
            name=self.name,
            header={"MaxNodes": machine, "MaxProcs": machine},
        )
        return workload.record("generate", model="lublin", jobs=jobs, seed=seed, **asdict(self))

    def _columns(self, jobs: int, seed: int) -> dict[str, Array]:
        streams = self._streams()
        seeds = seed_sequence(seed).spawn(len(streams))
        start_clock_s = self.start_hour * 3600
        # Each stream could supply all jobs alone; of them all, the first to arrive are kept.
        drawn = [
            (*stream.draw(own_seed, jobs, self.daily_cycle, start_clock_s), np.full(jobs, queue))
            for (queue, stream), own_seed in zip(streams, seeds, strict=True)
        ]
        arrival_s, nodes, run_s, queue = map(np.concatenate, zip(*drawn, strict=True))
        first = np.argsort(arrival_s, kind="stable")[:jobs]
        columns = {
            "job_id": np.arange(1, jobs + 1),
            "submit_s": arrival_s[first].astype(np.int64),
            "nodes": nodes[first],
            "request_s": run_s[first],
            "run_s": run_s[first],
            "status": np.full(jobs, COMPLETED),
        }
        return {**columns, "queue": queue[first]} if self.typed else columns

    def _streams(self) -> list[tuple[int, JobClass]]:
        if self.typed:
            return [(BATCH_QUEUE, self.batch), (INTERACTIVE_QUEUE, self.interactive)]
        return [(INTERACTIVE_QUEUE, self.typeless)]

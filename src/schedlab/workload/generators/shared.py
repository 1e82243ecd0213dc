"""Jobs for shared nodes: users ask for cores, memory and GPUs in round numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from schedlab.units import require_whole
from schedlab.workload.generators.checks import require_jobs, require_load, require_probability
from schedlab.workload.generators.habits import Habits, Values, Whole, shares_of_users
from schedlab.workload.generators.lublin.arrivals import LublinArrivals
from schedlab.workload.generators.lublin.daily_cycle import DailyCycle
from schedlab.workload.generators.lublin.rejection import redraw_above
from schedlab.workload.offered import Capacity, offered_work_s
from schedlab.workload.randomness import seed_sequence
from schedlab.workload.workload import Array, Workload

COMPLETED = 1
_KIB_PER_GIB = 1 << 20
_MOST = {"nodes": 1 << 24, "cores": 1 << 16, "memory_gib": 1 << 20, "gpus": 1 << 10, "users": 10**6}

_SERIAL, _WIDE = 0.35, 0.08
"""Shares of jobs with one core, and with several nodes; the other sizes have equal shares."""
_WIDEST = 16
_MEMORY = np.array([1, 2, 4, 8, 16])
_MEMORY_SHARE = np.array([0.30, 0.30, 0.25, 0.10, 0.05])
"""Memory per core, in quarters of a node's memory per core, and how often it is asked for."""

_MEDIAN_RUN_S, _SPREAD = 3600, 1.4
_LIMITS_S = np.array([600, *(3600 * h for h in (0.5, 1, 2, 4, 8, 12, 24, 48))], dtype=np.int64)
_LEAST_ACCURACY = 0.1
_USERS_PER_ACCOUNT = 5


@dataclass(frozen=True)
class Shared:
    """Jobs that ask for part of a node, or for several, on a machine of two types of nodes.

    Users ask for powers of two of cores, for whole nodes, 2 to 16 of them, and for memory in steps
    of a node's memory per core. A share of the jobs asks for GPUs; each GPU comes with an equal
    part of half of the node's cores. Half of the time a user asks for what is usual for this user.
    The run time is log-normal; the request is the next usual limit above run time / accuracy, with
    an accuracy uniform in 0.1 to 1. Arrivals are a Poisson process whose rate follows Lublin and
    Feitelson's daily cycle. The mix is assumed, as on university clusters; it is fitted to none.
    """

    nodes: int = 1000
    cores: int = 64
    """Cores of each node."""
    memory_gib: int = 256
    """Memory of each node."""
    gpus: int = 4
    """GPUs of each node that has any."""
    gpu_nodes: float = 0.25
    """Share of the nodes that have GPUs."""
    gpu_jobs: float = 0.1
    """Share of the jobs that ask for GPUs."""
    load: float = 0.9
    """Load of the most demanded resource; see ``offered_loads``."""
    users: int = 200
    daily_cycle: bool = True

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            require_whole(name, getattr(self, name), 0 if name == "gpus" else 1, most)
        require_probability(gpu_nodes=self.gpu_nodes, gpu_jobs=self.gpu_jobs)
        require_load(self.load)

    @property
    def nodes_with_gpus(self) -> int:
        """The number of nodes with GPUs."""
        return round(self.nodes * self.gpu_nodes) if self.gpus else 0

    @property
    def capacity(self) -> Capacity:
        """What the machine has in total."""
        return Capacity(
            self.nodes,
            self.nodes * self.cores,
            self.nodes * self.memory_gib << 30,
            self.nodes_with_gpus * self.gpus or None,
        )

    def generate(self, jobs: int, seed: int = 0) -> Workload:
        """Generate jobs from midnight on, with exactly the offered load."""
        require_jobs(jobs)
        for_users, for_jobs, for_arrivals = map(np.random.default_rng, seed_sequence(seed).spawn(3))
        share = shares_of_users(self.users, 3, 1)
        habits = Habits(for_users, for_jobs, for_jobs.choice(self.users, jobs, p=share), self.users)
        made = Workload(
            {
                "job_id": np.arange(1, jobs + 1),
                "submit_s": np.zeros(jobs, dtype=np.int64),
                **self._sizes(habits),
                **_times(for_jobs, jobs),
                "user": habits.user,
                "account": habits.user // _USERS_PER_ACCOUNT,
                "status": np.full(jobs, COMPLETED),
            },
            name=f"shared {self.load:.0%}",
            header={"MaxNodes": (str(self.nodes),), "MaxProcs": (str(self.nodes * self.cores),)},
        )
        span_s = max(offered_work_s(made, self.capacity).values()) / self.load
        cycle = LublinArrivals().cycle() if self.daily_cycle else DailyCycle.flat()
        arrived = made.replace(submit_s=_arrivals_s(for_arrivals, jobs, span_s, cycle))
        return arrived.record("generate", model="shared", jobs=jobs, seed=seed, **asdict(self))

    def _sizes(self, habits: Habits) -> dict[str, Array]:
        """Return nodes, and what each job asks for on each of them."""
        total = habits.draw(*_sizes(self.cores, min(_WIDEST, self.nodes)))
        quarters = habits.draw(_MEMORY, _MEMORY_SHARE)
        gpus = self._gpus(habits)
        nodes = np.where(gpus > 0, -(-gpus // max(self.gpus, 1)), -(-total // self.cores))
        on_each = gpus // nodes
        beside_gpus = np.maximum(on_each * self.cores // (2 * max(self.gpus, 1)), 1)
        cores = np.where(gpus > 0, beside_gpus, np.minimum(total, self.cores))
        node_kib = self.memory_gib * _KIB_PER_GIB
        memory = np.minimum(node_kib * cores * quarters // (4 * self.cores), node_kib)
        columns = {"nodes": nodes, "cores_per_node": cores, "memory_per_node_kb": memory}
        return {**columns, "gpus_per_node": on_each} if self.nodes_with_gpus else columns

    def _gpus(self, habits: Habits) -> Whole:
        """Return the total GPUs of each job; 0 for most jobs."""
        if not self.nodes_with_gpus:
            return np.zeros(len(habits.user), dtype=np.int64)
        count = habits.draw(*_sizes(self.gpus, min(_WIDEST, self.nodes_with_gpus)))
        wants = np.array([1.0 - self.gpu_jobs, self.gpu_jobs])
        return count * habits.draw(np.array([0, 1]), wants)


def _sizes(each: int, nodes: int) -> tuple[Whole, Values]:
    """Return sizes and their shares: powers of two below a node, a whole node, several nodes."""
    part = [1 << power for power in range(1, each.bit_length()) if 1 << power < each]
    inside = [*part, each] if each > 1 else []
    wide = [each << power for power in range(1, nodes.bit_length())]
    shares = [
        _SERIAL,
        *[(1 - _SERIAL - _WIDE) / max(len(inside), 1)] * len(inside),
        *(_WIDE * 0.5 ** (place + 1) for place in range(len(wide))),
    ]
    return np.array([1, *inside, *wide]), np.array(shares) / sum(shares)


def _times(rng: np.random.Generator, jobs: int) -> dict[str, Array]:
    """Draw run times, and requests that are never below them."""
    longest = float(_LIMITS_S[-1])
    ln_run = redraw_above(
        np.log(longest),
        jobs,
        lambda places: np.log(_MEDIAN_RUN_S) + _SPREAD * rng.standard_normal(len(places)),
    )
    run_s = np.maximum(np.exp(ln_run).astype(np.int64), 1)
    wanted_s = np.minimum(run_s / rng.uniform(_LEAST_ACCURACY, 1, jobs), longest)
    return {"request_s": _LIMITS_S[np.searchsorted(_LIMITS_S, wanted_s)], "run_s": run_s}


def _arrivals_s(rng: np.random.Generator, jobs: int, span_s: float, cycle: DailyCycle) -> Whole:
    """Draw arrivals, the first at 0 and the last at the end of the span: the load is exact."""
    since = np.cumsum(rng.exponential(size=jobs))
    since -= since[0]
    points = since * (cycle.points_at(span_s) / max(since[-1], 1e-9))
    submit_s: Whole = np.rint(cycle.time_s(points)).astype(np.int64)
    return submit_s

"""A stand-in for the deep-learning workload of the AIST Artificial Intelligence Cloud (AAIC)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from schedlab.errors import ParameterError
from schedlab.workload.generators.checks import require_jobs, require_load, require_positive
from schedlab.workload.generators.habits import Habits, Values, Whole, shares_of_users
from schedlab.workload.generators.lublin.arrivals import LublinArrivals
from schedlab.workload.generators.lublin.daily_cycle import BUCKET_S
from schedlab.workload.randomness import seed_sequence
from schedlab.workload.workload import Workload

NODES = 256
LEAST_RUN_S = 90
COMPLETED = 1

# Hours that users round to, up to the limit of two weeks, and how often each is requested.
_REQUEST_H = np.array([1, 3, 6, 12, 24, 48, 72, 168, 336])
_REQUEST_SHARE = np.array([0.12, 0.06, 0.10, 0.12, 0.20, 0.10, 0.10, 0.10, 0.10])

_GPUS = 1 << np.arange(7)
_GPUS_SHARE = np.array([0.60, 0.13, 0.11, 0.10, 0.03, 0.02, 0.01])

_RANK_OFFSET = 3
"""With it the busiest user has 39 % of the jobs and the next 20 %."""

_MEAN_WRA_RANGE = (0.03, 0.9)
_SPREAD_OF_USERS = 1.0
_CONCENTRATION = 2.0


@dataclass(frozen=True)
class Aaic:
    """Synthetic jobs with the published properties of AAIC, whose trace is not public.

    From Takizawa and Takano: 256 GPUs, each taken as a node; 78 users; requests of at most 336 h;
    run / request 0.09 on average; no job under 90 s. The load is from their Table 2, where the
    makespan stops falling once arrivals are four times as dense. Everything else is assumed, as on
    other systems: users' shares of the jobs fall with the cube of their rank (about 25 have ten
    jobs among 10,000, in the paper 22); each has a usual request, a round number of hours, a usual
    number of GPUs, a power of two, and an accuracy; arrivals follow Lublin and Feitelson's daily
    cycle.
    """

    load: float = 0.45
    users: int = 78
    mean_wra: float = 0.09

    def __post_init__(self) -> None:
        require_load(self.load)
        require_positive(users=self.users)
        low, high = _MEAN_WRA_RANGE
        if not low < self.mean_wra < high:
            raise ParameterError(
                f"mean_wra is {self.mean_wra!r}; must be above {low} and below {high}"
            )

    def generate(self, jobs: int, seed: int = 0) -> Workload:
        """Generate jobs from midnight on."""
        require_jobs(jobs)
        for_users, for_jobs, for_arrivals = map(np.random.default_rng, seed_sequence(seed).spawn(3))
        share = shares_of_users(self.users, _RANK_OFFSET, 3)
        user = for_jobs.choice(self.users, jobs, p=share)
        habits = Habits(for_users, for_jobs, user, self.users)
        request_h = habits.draw(_REQUEST_H, _REQUEST_SHARE)
        gpus = habits.draw(_GPUS, _GPUS_SHARE)
        accuracy = _accuracy_of_users(for_users, share, self.mean_wra)
        run_s = _run_s(for_jobs, 3600 * request_h, accuracy[user])
        gap_s = float(np.dot(run_s, gpus)) / (jobs * NODES * self.load)
        machine = (str(NODES),)
        return Workload(
            {
                "job_id": np.arange(1, jobs + 1),
                "submit_s": _arrivals_s(for_arrivals, jobs, gap_s),
                "nodes": gpus,
                "request_s": 3600 * request_h,
                "run_s": run_s,
                "user": user,
                "status": np.full(jobs, COMPLETED),
            },
            name="AAIC stand-in",
            header={"MaxNodes": machine, "MaxProcs": machine},
        ).record("generate", model="aaic", jobs=jobs, seed=seed, **asdict(self))


def _accuracy_of_users(rng: np.random.Generator, share: Values, mean: float) -> Values:
    """Draw the mean WRA of each user: log-normal within bounds, and ``mean`` over all jobs."""
    drawn = np.exp(_SPREAD_OF_USERS * rng.standard_normal(len(share)))
    low, high = 0.0, 1.0 / float(drawn.min())
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        too_low = np.dot(share, np.clip(middle * drawn, *_MEAN_WRA_RANGE)) < mean
        low, high = (middle, high) if too_low else (low, middle)
    return np.clip(high * drawn, *_MEAN_WRA_RANGE)


def _run_s(rng: np.random.Generator, request_s: Whole, accuracy: Values) -> Whole:
    """Draw run times from 90 s to the request; as a share of it they are beta-distributed."""
    least = LEAST_RUN_S / request_s
    mean = (accuracy - least) / (1 - least)
    drawn = rng.beta(_CONCENTRATION * mean, _CONCENTRATION * (1 - mean))
    return np.rint(request_s * (least + (1 - least) * drawn)).astype(np.int64)


def _arrivals_s(rng: np.random.Generator, jobs: int, gap_s: float) -> Whole:
    """Draw Poisson arrivals at a rate that follows the daily cycle."""
    points = np.cumsum(rng.exponential(gap_s / BUCKET_S, jobs))
    return LublinArrivals().cycle().time_s(points).astype(np.int64)

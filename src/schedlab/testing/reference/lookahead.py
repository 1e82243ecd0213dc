"""The decision of ``lookahead``, in plain Python: forks of the present with drawn run times."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.policies import Order, Queue
from schedlab.sim import Simulation, simulate
from schedlab.testing.reference.mix import mix
from schedlab.testing.reference.rounding import rounded_key, rounded_sum
from schedlab.testing.reference.weight_search import Weights, WeightSearch
from schedlab.workload import Workload

OWN, EVERYBODY = 100, 200
HALF_LIFE, DISTANCE = 10, 0.35
FIRST_FORKS, BEST_TRIED, LEAST_FORKS, ROUNDS = 10, 3, 2, 3
FEW_FORKS, LEAST_BY_RECORD, MOST_BY_RECORD = 4, 3, 6
EXACT, ARRIVALS_S, DAY_S, DAYS = 0.99, 7200, 86_400, 7
NODES_WEIGHT = 0.25
EVOLVED_ON, REVIEWED, CONVINCING = 500, 5000, 0.9


@dataclass(order=True)
class EndedRequest:
    """A job that has ended: the share of its request that it used, and what it asked for."""

    share: float
    number: int
    log_request: float = field(compare=False)
    log_nodes: float = field(compare=False)

    def likeness(self, request_s: int, nodes: int) -> float:
        """Return 1 for a job that asks for the same, less for others."""
        request = self.log_request - math.log(request_s)
        wide = self.log_nodes - math.log(nodes)
        return 1 / (1 + (request**2 + wide**2) / (2 * DISTANCE**2)) ** 3


@dataclass
class RecentJobs:
    """The most recent jobs, sorted by share."""

    most: int
    jobs: list[EndedRequest] = field(default_factory=list)
    noted: int = 0

    def add(self, share: float, request_s: int, nodes: int) -> None:
        """Add a job, and forget the oldest if there are too many."""
        self.jobs = [job for job in self.jobs if job.number > self.noted - self.most]
        insort(self.jobs, EndedRequest(share, self.noted, math.log(request_s), math.log(nodes)))
        self.noted += 1


class Memory:
    """What past jobs say about the run times of others."""

    def __init__(self) -> None:
        self._users: dict[int, RecentJobs] = {}
        self._everybody = RecentJobs(EVERYBODY)

    def note(self, user: int, request_s: int, nodes: int, ran_s: int) -> None:
        """Learn from a job that has ended."""
        share = min(1.0, ran_s / request_s)
        self._users.setdefault(user, RecentJobs(OWN)).add(share, request_s, nodes)
        self._everybody.add(share, request_s, nodes)

    def is_exact(self) -> bool:
        """Return whether the last jobs ran as long as they asked for."""
        jobs = self._everybody.jobs
        return bool(jobs) and jobs[0].share >= EXACT

    def tell(self, user: int, request_s: int, nodes: int) -> list[tuple[float, float]]:
        """Return shares of the request, rising, each with its weight."""
        weights = [job.likeness(request_s, nodes) for job in self._everybody.jobs]
        told = [
            (job.share, 0, weight / sum(weights))
            for job, weight in zip(self._everybody.jobs, weights, strict=True)
        ]
        ring = self._users.get(user, RecentJobs(OWN))
        for job in ring.jobs:
            fresh = 0.5 ** ((ring.noted - 1 - job.number) / HALF_LIFE)
            told.append((job.share, 1, job.likeness(request_s, nodes) * fresh))
        told.sort(key=lambda each: each[:2])
        return [(share, weight) for share, _, weight in told]

    def mean(self, user: int, request_s: int, nodes: int) -> float:
        """Return the mean run time."""
        told = self.tell(user, request_s, nodes)
        if not told:
            return request_s
        weighed = sum(share * weight for share, weight in told)
        return weighed / sum(weight for _, weight in told) * request_s

    def slowness(self, user: int, request_s: int, nodes: int) -> float:
        """Return the mean of 1 / run time; run times below 10 s count as 10 s."""
        told = self.tell(user, request_s, nodes)
        if not told:
            return 1 / max(request_s, 10)
        weighed = sum(weight / max(share * request_s, 10) for share, weight in told)
        return weighed / sum(weight for _, weight in told)

    def run_s(self, user: int, request_s: int, nodes: int, *, level: float, elapsed_s: int) -> int:
        """Return the run time at the quantile ``level`` of a job that has run for ``elapsed_s``."""
        told = self.tell(user, request_s, nodes)
        if not told:
            return max(request_s, elapsed_s + 1)
        left = [(s, w) for s, w in told if elapsed_s == 0 or s > elapsed_s / request_s]
        if not left:
            return elapsed_s + 1 + int(level * max(0.0, request_s - elapsed_s))
        wanted, reached = level * sum(weight for _, weight in left), 0.0
        found = left[-1][0]
        for share, weight in left:
            reached += weight
            if reached > wanted:
                found = share
                break
        run_s = math.ceil(found * request_s)
        return max(run_s, elapsed_s + 1) if elapsed_s else run_s


Key = Callable[[int, int, int], float]
"""The key of a job by its user, request and nodes; the smallest goes first."""


class Ranked(Order):
    """An order with some jobs in front: one that has waited too long, and those moved there."""

    def __init__(self, key: Key, late: int, moved: Sequence[int] = ()) -> None:
        self._key, self._ahead = key, [late, *moved]

    def score(self, queue: Queue) -> list[float]:
        """Return the key of each job, by user, request and nodes."""
        rows = zip(queue.job, queue.user, queue.request_s, queue.nodes, strict=True)
        return [
            1e299 * (self._ahead.index(job) - len(self._ahead))
            if job in self._ahead
            else self._key(int(user), int(request), int(nodes))
            for job, user, request, nodes in rows
        ]


@dataclass(frozen=True)
class Settings:
    """The parameters of ``lookahead``."""

    candidates: Sequence[str]
    period_s: int = 7200
    forks: int = 40
    doubt: float = 0.5
    patience_s: float = math.inf
    review: bool = False
    search: int = 0
    evolve: int = 0
    arrivals_s: int | None = None
    budget: int = 16_000
    seed: int = 0


@dataclass(frozen=True)
class Decision:
    """The candidate that is chosen, the sums of all that were tried, fork by fork, and jobs moved.

    Jobs that are moved to the front are given by their places in the workload. ``base`` is the
    candidate that decides after the one that is tried.
    """

    chosen: str
    sums: dict[str, list[float]]
    moved: list[int]
    base: str


def decide(simulation: Simulation, settings: Settings) -> Decision:
    """Return what ``lookahead`` chooses in this state if it decides for the first time."""
    memory = _taught(simulation)
    left = simulation.unfinished()
    waiting = np.flatnonzero(left.is_waiting)
    names = (*settings.candidates, "evolved") if settings.evolve else settings.candidates
    known_only_s = ARRIVALS_S if memory.is_exact() else 0
    length_s = known_only_s if settings.arrivals_s is None else settings.arrivals_s
    expected = _came(simulation, simulation.now_s - DAY_S, length_s)
    affordable = settings.budget // max(len(waiting) + len(expected), 1)
    base, shortlist = names[0], list(names)
    first = min(max(affordable // (2 * len(names)), 1), FIRST_FORKS)
    more = max(affordable - first * len(names), 0) // (1 + BEST_TRIED)
    forks = min(max(first + more, min(LEAST_FORKS, settings.forks)), settings.forks)
    first = min(first, forks)
    if settings.review and not memory.is_exact():
        record = _record(simulation, memory, settings, names)
        base = _best(record, names)
        if affordable // (2 * len(names)) < FEW_FORKS:
            others = sorted((name for name in names if name != base), key=record.__getitem__)
            length = min(max(affordable // FEW_FORKS, LEAST_BY_RECORD), MOST_BY_RECORD)
            if length < len(names):
                shortlist = [base, *others][:length]
            least = min(FEW_FORKS, settings.forks)
            forks = first = min(max(affordable // len(shortlist), least), settings.forks)
    runs = _drawn(simulation, memory, forks, settings.seed)
    comings = _comings(simulation, length_s, forks, settings.seed)
    orders = _orders(simulation, memory, settings)
    sums: dict[str, list[float]] = {name: [] for name in names}

    def sums_of(name: str, begin: int, end: int, moved: Sequence[int] = ()) -> list[float]:
        found = []
        for run_s, coming in zip(runs[begin:end], comings[begin:end], strict=True):
            fork = simulation.imagine(run_s)
            if len(coming):
                fork.submit(coming)
            if name != base or moved:
                fork.use(_core.Easy(orders[name](moved))).run(simulation.now_s + settings.period_s)
            fork.use(_core.Easy(orders[base]())).run()
            came = _sum_of_arrivals(memory, fork, coming)
            waited = _sum_of_slowdowns(simulation, memory, fork, waiting)
            found.append(rounded_sum(waited + came))
        return found

    for name in shortlist:
        sums[name] += sums_of(name, 0, first)
    others = [name for name in shortlist if name != base]
    best = sorted(others, key=lambda name: sum(sums[name]))[:BEST_TRIED]
    for name in (base, *best):
        sums[name] += sums_of(name, first, forks)
    chosen, most = base, 0.0
    for name in best:
        gain = _sure_gain(sums[base], sums[name], settings.doubt)
        if gain > most:
            chosen, most = name, gain
    moved: list[int] = []
    reached = sums[chosen][:first]
    for _ in range(ROUNDS if settings.search else 0):
        queue = _in_order(simulation, orders[chosen](moved))[1 : 1 + settings.search]
        tried = [[job, *(each for each in moved if each != job)] for job in queue]
        found = [sums_of(chosen, 0, first, each) for each in tried]
        gains = [_sure_gain(reached, each, settings.doubt) for each in found]
        if not gains or max(gains) <= 0:
            break
        moved, reached = tried[gains.index(max(gains))], found[gains.index(max(gains))]
    return Decision(chosen, sums, moved, base)


def _sure_gain(before: Sequence[float], after: Sequence[float], doubt: float) -> float:
    gains = np.array(before) - np.array(after)
    error = gains.std(ddof=1) / math.sqrt(len(gains)) if len(gains) > 1 else 0.0
    return rounded_sum(rounded_sum(gains.mean()) - rounded_sum(doubt * error))


def _in_order(simulation: Simulation, order: Ranked) -> list[int]:
    """Return the places of the waiting jobs in this order, jobs with equal keys by arrival."""
    queue = simulation.fork().use("fcfs").queue
    keys = order.score(queue)
    return [int(queue.job[place]) for place in sorted(range(len(keys)), key=keys.__getitem__)]


def _taught(simulation: Simulation) -> Memory:
    memory, ended = Memory(), simulation.schedule()
    order = np.lexsort((np.arange(len(ended)), ended.end_s))
    for place in order[ended.started[order]]:
        memory.note(
            int(ended.workload["user"][place]),
            int(ended.workload["request_s"][place]),
            int(ended.workload["nodes"][place]),
            int(ended.end_s[place] - ended.start_s[place]),
        )
    return memory


def _drawn(
    simulation: Simulation, memory: Memory, forks: int, seed: int
) -> list[NDArray[np.int64]]:
    left = simulation.unfinished()
    runs = np.empty((forks, len(left)), dtype=np.int64)
    for place, job in enumerate(left.job.tolist()):
        bits = mix(mix(mix(seed)) ^ job)
        stratum = list(range(forks))
        for k in range(forks, 1, -1):
            bits = mix(bits)
            stratum[k - 1], stratum[bits % k] = stratum[bits % k], stratum[k - 1]
        for k in range(forks):
            bits = mix(bits)
            run_s = memory.run_s(
                int(left.user[place]),
                int(left.request_s[place]),
                int(left.nodes[place]),
                level=(stratum[k] + (bits >> 11) * 2.0**-53) / forks,
                elapsed_s=int(left.elapsed_s[place]),
            )
            runs[k, place] = max(run_s, left.least_run_s[place])
    return list(runs)


def _came(simulation: Simulation, begin_s: int, length_s: int) -> NDArray[np.int64]:
    """Return the places of jobs that have ended and were submitted in this period."""
    ended = simulation.schedule()
    submit_s = ended.workload["submit_s"]
    known = ended.started & (ended.end_s >= 0)
    return np.flatnonzero(known & (begin_s < submit_s) & (submit_s <= begin_s + length_s))


def _comings(simulation: Simulation, length_s: int, forks: int, seed: int) -> list[Workload]:
    """Return the jobs that arrive in each fork: those of the same time on one of the last days."""
    ended = simulation.schedule()
    past = ended.workload["submit_s"][ended.started & (ended.end_s >= 0)]
    days = min(DAYS, int(simulation.now_s - past.min()) // DAY_S) if len(past) else 0
    first = mix(mix(seed)) % days if days else 0
    made = []
    for k in range(forks):
        ago_s = DAY_S * (1 + (first + k) % days) if days else 0
        came = _came(simulation, simulation.now_s - ago_s, length_s if days else 0)
        made.append(_again(simulation, came, ago_s))
    return made


def _again(simulation: Simulation, came: NDArray[np.int64], later_s: int = 0) -> Workload:
    """Return ended jobs as new ones, without what they waited for before they could start."""
    ended = simulation.schedule()
    like = ended.workload.take(came)
    return Workload(
        {
            "job_id": simulation.workload["job_id"].max() + 1 + np.arange(len(came)),
            "submit_s": like["submit_s"] + later_s,
            "run_s": (ended.end_s - ended.start_s)[came],
        }
        | {name: like[name] for name in ("nodes", "request_s", "user")}
    )


def _orders(
    simulation: Simulation, memory: Memory, settings: Settings
) -> dict[str, Callable[..., Ranked]]:
    queue = simulation.queue
    oldest = int(np.lexsort((queue.job, -queue.wait_s))[0])
    first = int(queue.job[oldest]) if queue.wait_s[oldest] > settings.patience_s else -1
    keys = _keys(simulation, memory, settings)
    return {name: partial(Ranked, key, first) for name, key in keys.items()}


def _keys(simulation: Simulation, memory: Memory, settings: Settings) -> dict[str, Key]:
    keys: dict[str, Key] = {
        "fcfs": lambda user, request, width: 0,
        "sjf": lambda user, request, width: request,
        "ljf": lambda user, request, width: -request,
        "saf": lambda user, request, width: request * width,
        "laf": lambda user, request, width: -request * width,
        "snf": lambda user, request, width: width,
        "lnf": lambda user, request, width: -width,
        "predicted": _weighed(memory, (NODES_WEIGHT, 0.0)),
    }
    if settings.evolve:
        keys["evolved"] = _weighed(memory, _evolved(simulation, memory, settings))
    return keys


def _weighed(memory: Memory, weights: Weights) -> Key:
    """Return the key of the order by mean run time, nodes and request."""

    def key(user: int, request_s: int, nodes: int) -> float:
        run = math.log(max(memory.mean(user, request_s, nodes), 1.0))
        width, request = math.log(nodes), math.log(max(request_s, 1))
        return rounded_key(run + weights[0] * width + weights[1] * request)

    return key


def _past(simulation: Simulation, most: int) -> Workload:
    """Return the jobs of the last days that have ended."""
    came = _came(simulation, simulation.now_s - DAYS * DAY_S, DAYS * DAY_S)
    return _again(simulation, came[-most:])


def _evolved(simulation: Simulation, memory: Memory, settings: Settings) -> Weights:
    """Return weights that order the last jobs better, after one generation."""
    past = _past(simulation, EVOLVED_ON)
    search = WeightSearch(settings.seed)
    tried = search.ask(settings.evolve)
    search.tell(tried, [_replayed(simulation, past, _weighed(memory, each)) for each in tried])
    return search.mean


def _record(
    simulation: Simulation, memory: Memory, settings: Settings, names: Sequence[str]
) -> dict[str, float]:
    """Return what each candidate reaches in a replay of the last days."""
    past, keys = _past(simulation, REVIEWED), _keys(simulation, memory, settings)
    return {name: _replayed(simulation, past, keys[name]) for name in names}


def _best(record: dict[str, float], names: Sequence[str]) -> str:
    """Return the candidate with the best record; the first in doubt."""
    best = min(names, key=record.__getitem__)
    return best if record[best] < CONVINCING * record[names[0]] else names[0]


def _replayed(simulation: Simulation, past: Workload, key: Key) -> float:
    """Return the sum of wait / run time (at least 10 s) if this had ordered the jobs."""
    schedule = simulate(past, simulation.platform, _core.Easy(Ranked(key, -1)))
    return rounded_sum(sum(schedule.wait_s / np.maximum(past["run_s"], 10)))


def _sum_of_slowdowns(
    simulation: Simulation, memory: Memory, fork: Simulation, waiting: NDArray[np.int64]
) -> float:
    """Return the sum of each wait times the mean 1 / run time of its job, not the drawn one."""
    left = simulation.unfinished()
    wait_s = fork.start_times()[left.job] - simulation.now_s + _waits(simulation)[left.job]
    return sum(
        int(wait_s[place])
        * memory.slowness(int(left.user[place]), int(left.request_s[place]), int(left.nodes[place]))
        for place in waiting.tolist()
    )


def _sum_of_arrivals(memory: Memory, fork: Simulation, coming: Workload) -> float:
    start_s = fork.start_times()[len(fork.start_times()) - len(coming) :]
    asked = zip(*(coming[name].tolist() for name in ("user", "request_s", "nodes")), strict=True)
    waits: list[int] = (start_s - coming["submit_s"]).tolist() if len(coming) else []
    return sum(wait_s * memory.slowness(*job) for wait_s, job in zip(waits, asked, strict=True))


def _waits(simulation: Simulation) -> NDArray[np.int64]:
    queue = simulation.queue
    waits: NDArray[np.int64] = np.zeros(len(simulation.workload), dtype=np.int64)
    waits[queue.job] = queue.wait_s
    return waits

"""The front door of the reference simulator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Literal

from schedlab.errors import UnknownNameError
from schedlab.platform import Failure, Platform
from schedlab.sim import Attempts, NodeRanges, Preemption, Schedule, WhyEnded
from schedlab.testing.reference.attempts import Attempt
from schedlab.testing.reference.conservative import Conservative, RebuiltConservative
from schedlab.testing.reference.easy import Easy
from schedlab.testing.reference.easy_nodes import EasyNodes
from schedlab.testing.reference.first_promises import ReferenceFirstPromises
from schedlab.testing.reference.given import gpus_stand_apart, jobs_of, machine_of
from schedlab.testing.reference.linear import linear
from schedlab.testing.reference.no_backfill import NoBackfill
from schedlab.testing.reference.orders import ORDERS, Order, aged_wrsa
from schedlab.testing.reference.pinned import Pinned, Push
from schedlab.testing.reference.plan import Hold
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.reference.preemption import RULES, PreemptionStep
from schedlab.testing.reference.remembered import remembered
from schedlab.testing.reference.reserving import AllReserved, OneReserved
from schedlab.testing.reference.simulation import Backfill, ReferenceSimulation
from schedlab.testing.reference.site import at_site
from schedlab.workload import Workload


@dataclass(frozen=True)
class ReferenceSchedule:
    """What happened to each job, in order of submission; the columns mean what Schedule's do."""

    start_s: list[int]
    end_s: list[int]
    eligible_s: list[int]
    first_reserved_s: list[int]
    estimate_s: list[int]
    state: list[int]
    nodes_of: list[list[int]]
    attempts: list[Attempt]

    @classmethod
    def of(cls, schedule: Schedule) -> ReferenceSchedule:
        """Return the same columns of a schedule made by ``simulate``, for comparison."""
        ranges = schedule.node_ranges
        assert ranges is not None, "simulate names the nodes"
        attempts = schedule.all_attempts()
        requests, predicted = schedule.workload["request_s"], schedule.estimate_s
        estimates = requests if predicted is None else predicted
        return cls(
            start_s=schedule.start_s.tolist(),
            end_s=schedule.end_s.tolist(),
            eligible_s=schedule.eligible_s.tolist(),
            first_reserved_s=schedule.first_reserved_s.tolist(),
            estimate_s=estimates.tolist(),
            state=schedule.state.tolist(),
            nodes_of=_named(ranges),
            attempts=[
                Attempt(*told, tuple(nodes))
                for told, nodes in zip(_rows(attempts), _named(attempts.node_ranges), strict=True)
            ],
        )


def _rows(attempts: Attempts) -> Iterator[tuple[int, int, int, int, WhyEnded, int]]:
    columns = ("job", "number", "start_s", "end_s", "why", "lost_s")
    for *told, why, lost_s in zip(*(getattr(attempts, x).tolist() for x in columns), strict=True):
        job, number, start_s, end_s = told
        yield job, number, start_s, end_s, WhyEnded(why), lost_s


def _named(ranges: NodeRanges) -> list[list[int]]:
    """Return the nodes of each job one by one."""
    ends = zip(ranges.first.tolist(), ranges.last.tolist(), strict=True)
    runs = [range(first, last + 1) for first, last in ends]
    offset = ranges.offset.tolist()
    return [[*chain.from_iterable(runs[begin:end])] for begin, end in pairwise(offset)]


def reference_simulate(
    workload: Workload,
    platform: int | Platform,
    order: str = "fcfs",
    backfill: Literal["none", "easy", "conservative", "all-reserved", "one-reserved"] = "none",
    *,
    rebuild: bool = False,
    promises: int | None = None,
    candidates: str | None = None,
    reserve: Literal["counts", "shares", "nodes"] | None = None,
    alpha: float = 1.5,
    frozen: bool = False,
    pinned: bool = False,
    push: Push = "cascade",
    beta: float = 0.3,
    ageing_s: float | None = None,
    weights: Mapping[str, float] | None = None,
    candidate_weights: Mapping[str, float] | None = None,
    max_priority_gap: float | None = None,
    depth: int | None = None,
    tick: int = 0,
    kill_at_request: bool = True,
    predict: str = "request",
    place: str = "lowest",
    failures: Iterable[Failure] = (),
    preemption: Preemption | None = None,
) -> ReferenceSchedule:
    """Run a workload on a platform under a policy, plainly.

    Args:
        workload: the jobs.
        platform: the machine; a number means that many equal nodes.
        order: the order of the queue, a key of ``ORDERS`` or ``linear``.
        backfill: which jobs may overtake.
        rebuild: with conservative backfilling, plan from scratch at every pass.
        promises: with conservative backfilling, how many of the first waiting jobs are promised a
            start; the others may start if they delay none of these. Default: all.
        candidates: with EASY, the order in which jobs behind the head are tried.
        reserve: what a reservation holds: with EASY a number of nodes or named ones; in plans that
            are made at every pass the shares of its nodes that its job needs, or whole nodes.
        alpha: with one-reserved, how much longer than a hole a job may be.
        frozen: with all-reserved and one-reserved, reservations are kept and started exactly then.
        pinned: with all-reserved and one-reserved, plans name nodes and are kept.
        push: with pinned one-reserved plans, where one in the way of a job goes.
        beta: the weight of the past in the users' accuracy.
        ageing_s: with the order wrsa, the wait that weighs as much as full accuracy.
        weights: with the order linear, those of the features.
        candidate_weights: the same where the candidates' order is linear.
        max_priority_gap: with EASY, jobs further behind the head, by score, are not tried.
        depth: how many jobs of the queue a pass considers at most.
        tick: events are seen at the next multiple of this, in seconds; 0: at once.
        kill_at_request: end jobs that reach the time they asked for.
        predict: the predictor of run times, a key of ``PREDICTORS``.
        place: which nodes a job takes where more have room than it needs.
        failures: nodes that go down without notice.
        preemption: lets waiting jobs take the nodes of running ones.
    """
    built = _equal_nodes(platform) if isinstance(platform, int) else platform
    apart = gpus_stand_apart(workload, built, place)
    jobs = jobs_of(workload, built, apart=apart)
    machine = machine_of(workload, built, tick, kill_at_request, place, apart=apart)
    if predict not in PREDICTORS:
        raise UnknownNameError("predictor", predict, PREDICTORS)
    simulation = ReferenceSimulation(
        jobs,
        at_site(jobs, machine, workload, built, preemption),
        beta,
        PREDICTORS[predict](),
        failures,
        PreemptionStep(RULES[preemption.by]()) if preemption else None,
    )
    tries = None if candidates is None else _order(candidates, candidate_weights, simulation)
    holds: Hold = "nodes" if reserve == "nodes" else "shares"
    how = _backfill(backfill, rebuild, promises, tries, alpha, frozen, holds)
    if pinned:
        how = Pinned(push, alpha) if backfill == "one-reserved" else Pinned()
    aged = None if ageing_s is None else aged_wrsa(ageing_s)
    queue = aged or _order(order, weights, simulation)
    if max_priority_gap is not None:
        how = Easy(tries, queue, max_priority_gap)
    simulation.run(queue, how, depth)
    return reference_schedule(simulation)


@remembered
def _equal_nodes(count: int) -> Platform:
    return Platform.homogeneous(count)


def reference_schedule(simulation: ReferenceSimulation) -> ReferenceSchedule:
    """Return what a simulation that has ended did."""
    jobs = simulation.jobs
    assert not simulation.queue, "every job must start in the end"
    return ReferenceSchedule(
        start_s=[job.start_s for job in jobs],
        end_s=[job.end_s for job in jobs],
        eligible_s=[job.eligible_s for job in jobs],
        first_reserved_s=[job.first_reserved_s for job in jobs],
        estimate_s=[job.predicted_s if job.arrival >= 0 else job.request_s for job in jobs],
        state=[int(job.state) for job in jobs],
        nodes_of=[job.node_numbers for job in jobs],
        attempts=reference_attempts(simulation),
    )


def reference_attempts(simulation: ReferenceSimulation) -> list[Attempt]:
    """Return the attempts of a simulation that has ended, those of each job together."""
    return [attempt for job in simulation.jobs for attempt in job.attempts]


def _order(
    name: str, weights: Mapping[str, float] | None, simulation: ReferenceSimulation
) -> Order:
    if name == "linear":
        return linear(weights or {}, simulation)
    if name not in ORDERS:
        raise UnknownNameError("order", name, [*ORDERS, "linear"])
    return ORDERS[name]


def _backfill(
    name: str,
    rebuild: bool,
    promises: int | None,
    candidates: Order | None,
    alpha: float,
    frozen: bool,
    reserve: Hold,
) -> Backfill:
    all_reserved: Backfill = AllReserved(reserve=reserve)
    if frozen:
        all_reserved = Conservative(frozen=True, oldest_first=True)
    conservative: Backfill = RebuiltConservative(reserve) if rebuild else Conservative()
    if promises is not None:
        conservative = ReferenceFirstPromises(promises)
    ways: dict[str, Backfill] = {
        "none": NoBackfill(),
        "easy": EasyNodes() if reserve == "nodes" else Easy(candidates),
        "conservative": conservative,
        "all-reserved": all_reserved,
        "one-reserved": OneReserved(alpha, frozen=frozen, reserve=reserve),
    }
    if name not in ways:
        raise UnknownNameError("backfill", name, ways)
    return ways[name]

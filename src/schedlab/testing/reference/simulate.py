"""The entry point of the reference simulator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

from schedlab.platform import Failure, Platform
from schedlab.sim import Attempts, NodeRanges, Preemption, Schedule, WhyEnded
from schedlab.testing.reference.attempts import Attempt
from schedlab.testing.reference.given import gpus_stand_apart, jobs_of, machine_of
from schedlab.testing.reference.policy import FCFS, ReferencePolicy
from schedlab.testing.reference.preemption import RULES, PreemptionStep
from schedlab.testing.reference.remembered import remembered
from schedlab.testing.reference.simulation import ReferenceSimulation
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
    policy: ReferencePolicy = FCFS,
    *,
    depth: int | None = None,
    tick: int = 0,
    kill_at_request: bool = True,
    place: str = "lowest",
    failures: Iterable[Failure] = (),
    preemption: Preemption | None = None,
) -> ReferenceSchedule:
    """Run a workload on a platform under a policy in the reference simulator.

    Args:
        workload: the jobs.
        platform: the machine; a number means that many equal nodes.
        policy: the order of the queue and the jobs that may overtake. Default: FCFS.
        depth: how many jobs of the queue a pass considers at most.
        tick: events are seen at the next multiple of this, in seconds; 0: at once.
        kill_at_request: end jobs that reach the time they asked for.
        place: which nodes a job takes where more have room than it needs.
        failures: nodes that go down without notice.
        preemption: lets waiting jobs take the nodes of running ones.
    """
    built = _equal_nodes(platform) if isinstance(platform, int) else platform
    apart = gpus_stand_apart(workload, built, place)
    jobs = jobs_of(workload, built, apart=apart)
    machine = machine_of(workload, built, tick, kill_at_request, place, apart=apart)
    simulation = ReferenceSimulation(
        jobs,
        at_site(jobs, machine, workload, built, preemption),
        policy.beta,
        policy.make_predictor(),
        failures,
        PreemptionStep(RULES[preemption.by]()) if preemption else None,
    )
    simulation.run(policy.order_in(simulation), policy.backfill_in(simulation), depth)
    return reference_schedule(simulation)


@remembered
def _equal_nodes(count: int) -> Platform:
    return Platform.homogeneous(count)


def reference_schedule(simulation: ReferenceSimulation) -> ReferenceSchedule:
    """Return the schedule of a simulation that has ended."""
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

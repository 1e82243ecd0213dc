"""What must hold for every schedule of the reference simulator, whatever the workload."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.errors import UnknownNameError, WorkloadError
from schedlab.sim import JobOutcome
from schedlab.testing import ORDERS, ReferencePolicy, ReferenceSchedule, reference_simulate
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import SimulationOptions, simulation_options, workloads
from schedlab.workload import Workload

NODES = 6
WAYS = [
    ReferencePolicy(backfill="none"),
    ReferencePolicy(backfill="easy"),
    ReferencePolicy(backfill="easy", candidates="sjf"),
    ReferencePolicy(backfill="conservative"),
    ReferencePolicy(backfill="conservative", rebuild=True),
]
few = settings(max_examples=60, deadline=None)
any_workload = workloads(NODES, max_jobs=12)
any_order = st.sampled_from(sorted(ORDERS))


def seen(time_s: int, tick: int) -> int:
    """Return the first tick not before this time."""
    return time_s if tick == 0 else (time_s + tick - 1) // tick * tick


def started(schedule: ReferenceSchedule) -> list[int]:
    """Return the positions of the jobs that ran."""
    return [job for job, start_s in enumerate(schedule.start_s) if start_s >= 0]


@few
@given(any_workload, any_order, st.sampled_from(WAYS), simulation_options())
def test_every_job_runs_after_it_is_eligible_or_is_withdrawn(
    workload: Workload, order: str, way: ReferencePolicy, options: SimulationOptions
) -> None:
    """No policy may lose a job, start it early, or start it between two ticks."""
    schedule = reference_simulate(workload, NODES, replace(way, order=order), **options)
    ran = started(schedule)
    gone = [job for job, state in enumerate(schedule.state) if state == JobOutcome.CANCELLED]
    assert sorted(ran + gone) == list(range(len(workload)))
    for job in ran:
        assert schedule.start_s[job] >= schedule.eligible_s[job] >= workload["submit_s"][job]
        assert schedule.start_s[job] == seen(schedule.start_s[job], options["tick"])


@few
@given(any_workload, any_order, st.sampled_from(WAYS), simulation_options())
def test_no_node_is_used_twice(
    workload: Workload, order: str, way: ReferencePolicy, options: SimulationOptions
) -> None:
    """A node belongs to one job from its start until its end is seen."""
    schedule = reference_simulate(workload, NODES, replace(way, order=order), **options)
    uses: dict[int, list[tuple[int, int]]] = {node: [] for node in range(NODES)}
    for job in started(schedule):
        assert len(set(schedule.nodes_of[job])) == workload["nodes"][job]
        for node in schedule.nodes_of[job]:
            until_s = seen(schedule.end_s[job], options["tick"])
            uses[node].append((schedule.start_s[job], until_s))
    for spans in uses.values():
        spans.sort()
        assert all(end_s <= next_s for (_, end_s), (next_s, _) in pairwise(spans))


@few
@given(any_workload, st.sampled_from(WAYS), simulation_options())
def test_jobs_run_as_long_as_they_need_or_are_allowed(
    workload: Workload, way: ReferencePolicy, options: SimulationOptions
) -> None:
    """The policy decides when a job runs, never for how long."""
    schedule = reference_simulate(workload, NODES, way, **options)
    for job in started(schedule):
        run_s, request_s = int(workload["run_s"][job]), int(workload["request_s"][job])
        killed = options["kill_at_request"] and run_s > request_s
        assert schedule.end_s[job] - schedule.start_s[job] == (request_s if killed else run_s)
        assert schedule.state[job] == (JobOutcome.KILLED if killed else JobOutcome.COMPLETED)


@few
@given(any_workload, st.sampled_from(WAYS), simulation_options())
def test_dependants_wait_for_the_end_and_the_think_time(
    workload: Workload, way: ReferencePolicy, options: SimulationOptions
) -> None:
    """A job can start only after the end of the job that it depends on."""
    schedule = reference_simulate(workload, NODES, way, **options)
    for job, before in enumerate(workload.dependency_index().tolist()):
        if before >= 0 and schedule.start_s[job] >= 0 and schedule.start_s[before] >= 0:
            think_time_s = max(0, int(workload["think_time_s"][job]))
            assert schedule.eligible_s[job] >= schedule.end_s[before] + think_time_s


@few
@given(any_workload, simulation_options())
def test_without_backfilling_nobody_overtakes(
    workload: Workload, options: SimulationOptions
) -> None:
    """First come, first served: starts come in the order of eligibility."""
    schedule = reference_simulate(workload, NODES, **options)
    came_and_started = sorted(
        (seen(schedule.eligible_s[job], options["tick"]), schedule.start_s[job])
        for job in started(schedule)
    )
    assert all(one <= other for (_, one), (_, other) in pairwise(came_and_started))


@few
@given(any_workload, st.sampled_from([None, "sjf", "lnf"]), simulation_options())
def test_easy_keeps_its_promise_to_the_head(
    workload: Workload, candidates: str | None, options: SimulationOptions
) -> None:
    """In submission order the head stays the head, and no backfilled job may delay it."""
    options["kill_at_request"] = True
    schedule = reference_simulate(
        workload, NODES, ReferencePolicy(backfill="easy", candidates=candidates), **options
    )
    for job in started(schedule):
        first_reserved_s = schedule.first_reserved_s[job]
        assert first_reserved_s < 0 or schedule.start_s[job] <= first_reserved_s


@few
@given(any_workload, any_order, simulation_options())
def test_conservative_keeps_every_promise(
    workload: Workload, order: str, options: SimulationOptions
) -> None:
    """In any order of the queue promises move only earlier."""
    options["kill_at_request"] = True
    schedule = reference_simulate(
        workload, NODES, ReferencePolicy(order, "conservative"), **options
    )
    for job in started(schedule):
        assert schedule.start_s[job] <= schedule.first_reserved_s[job]


def test_a_job_wider_than_the_machine_is_refused() -> None:
    """It could never start, so the mistake is reported before the run."""
    with pytest.raises(WorkloadError, match="job 2 asks for 5 nodes; there are 4"):
        reference_simulate(jobs((0, 4, 1, 1), (0, 5, 1, 1)), 4)


def test_a_circle_of_dependencies_is_refused() -> None:
    """None of the jobs in it could ever become eligible."""
    workload = jobs((0, 1, 1, 1), (0, 1, 1, 1), (0, 1, 1, 1), depends_on=[-1, 3, 2])
    with pytest.raises(WorkloadError, match="job 2 can never start"):
        reference_simulate(workload, 1)


def test_unknown_names_are_refused() -> None:
    """A misspelt order must not silently mean another."""
    with pytest.raises(UnknownNameError, match='did you mean "sjf"'):
        reference_simulate(jobs((0, 1, 1, 1)), 1, ReferencePolicy("sjff"))
    with pytest.raises(UnknownNameError, match='did you mean "easy"'):
        reference_simulate(jobs((0, 1, 1, 1)), 1, ReferencePolicy(backfill="eazy"))  # type: ignore[arg-type]

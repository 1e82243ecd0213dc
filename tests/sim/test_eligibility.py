"""When jobs become eligible: dependencies of all kinds, begin times, limited arrays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sim.test_against_reference import POLICIES, Policy, simulate_natively
from tests.sim.test_machines import ON_ANY_MACHINE

from schedlab import Platform, Workload, simulate
from schedlab.audit.feasible import find_violations
from schedlab.errors import WorkloadError
from schedlab.sim import JobOutcome, Preemption
from schedlab.testing import ReferenceSchedule, reference_simulate
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import SimulationOptions, examples, simulation_options, workloads
from schedlab.workload.dependencies import KINDS

FEW = st.lists(st.sampled_from(POLICIES), min_size=3, max_size=3)


def conditions(draw: st.DrawFn, size: int) -> list[str]:
    """Return a dependency text for each job, on jobs of lower rank only, so that no cycle forms."""
    rank = draw(st.permutations(range(size)))
    texts = []
    for place in rank:
        lower = [job + 1 for job in range(size) if rank[job] < place]
        named = st.builds(
            "{}:{}{}".format,
            st.sampled_from(KINDS[:-1]),
            st.sampled_from([*lower, size + 1]),
            st.sampled_from(("", "", "+1")),
        )
        texts.append(",".join(draw(st.lists(named, max_size=2))))
    return texts


@st.composite
def gated(draw: st.DrawFn, max_jobs: int) -> Workload:
    """Return a workload whose jobs wait for dependencies, begin times and array limits."""
    plain = draw(workloads(max_nodes=4, max_jobs=max_jobs))
    size = len(plain)
    columns: dict[str, Any] = {name: plain[name] for name in plain.columns}

    def each(values: st.SearchStrategy[int]) -> list[int]:
        return draw(st.lists(values, min_size=size, max_size=size))

    if draw(st.booleans()):
        del columns["depends_on"], columns["think_time_s"]
        texts = conditions(draw, size)
    else:
        texts = draw(st.lists(st.sampled_from(("", "", "singleton")), min_size=size, max_size=size))
        if "singleton" in texts:
            del columns["depends_on"], columns["think_time_s"]
    known = sorted({text for text in texts if text})
    columns["dependencies"] = [known.index(text) if text else -1 for text in texts]
    columns["job_name"] = each(st.integers(-1, 0))
    columns["status"] = each(st.sampled_from((-1, -1, 1, 0, 5)))
    columns["begin_after_s"] = each(st.sampled_from((-1, -1, 0, 5, 61)))
    columns["array"] = each(st.sampled_from((-1, 0, 1)))
    columns["array_limit"] = [(-1, 1, 2)[array + 1] for array in columns["array"]]
    return Workload(columns, labels={"dependencies": known, "job_name": ["a"]}, name="gated")


def check_agreement(
    workload: Workload,
    options: SimulationOptions,
    policies: list[Policy],
    preemption: Preemption | None,
) -> None:
    """Compare all columns of both simulators, and audit the schedule."""
    platform = Platform.homogeneous(4)
    for policy in policies:
        more: dict[str, Any] = {"preemption": preemption} if policy in ON_ANY_MACHINE else {}
        native = simulate_natively(policy, platform, workload, options, **more)
        plain = reference_simulate(workload, platform, policy, **options, **more)
        assert ReferenceSchedule.of(native) == plain, (
            f"{policy.name} with {options} and {more}:\n{workload.frame().to_dicts()}"
        )
        assert not list(find_violations(native))


PREEMPTION = st.sampled_from(
    (None, None, Preemption(by="srpt", mode="cancel"), Preemption(by="srpt", mode="requeue"))
)


@examples(150)
@given(
    workload=gated(max_jobs=10),
    options=simulation_options(),
    policies=FEW,
    preemption=PREEMPTION,
)
def test_the_core_agrees_with_the_reference(
    workload: Workload,
    options: SimulationOptions,
    policies: list[Policy],
    preemption: Preemption | None,
) -> None:
    """They agree on all dependencies, several at once, with withdrawals, kills and preemption."""
    check_agreement(workload, options, policies, preemption)


@pytest.mark.slow
@examples(400)
@given(
    workload=gated(max_jobs=20),
    options=simulation_options(),
    policies=FEW,
    preemption=PREEMPTION,
)
def test_the_core_agrees_with_the_reference_at_length(
    workload: Workload,
    options: SimulationOptions,
    policies: list[Policy],
    preemption: Preemption | None,
) -> None:
    """There are more jobs, and more of them wait."""
    check_agreement(workload, options, policies, preemption)


def starts(*rows: tuple[int, int, int, int], nodes: int = 8, **columns: Any) -> list[int]:
    """Return the starts of these jobs, whose dependencies may be given as texts."""
    given = dict(columns)
    texts = given.pop("dependencies", [""] * len(rows))
    labels = sorted(set(texts) - {""})
    given["dependencies"] = [labels.index(text) if text else -1 for text in texts]
    plain = jobs(*rows, **given)
    table = {name: plain[name] for name in plain.columns}
    schedule = simulate(Workload(table, labels={"dependencies": labels}), nodes, "easy")
    assert not find_violations(schedule)
    cancelled = schedule.state == JobOutcome.CANCELLED
    assert ((schedule.start_s < 0) == cancelled).all()
    found: list[int] = schedule.start_s.tolist()
    return found


SHORT, KILLED, LATER = (0, 1, 100, 10), (0, 1, 20, 30), (5, 1, 50, 50)


@pytest.mark.parametrize(
    ("text", "start_s"),
    [
        ("afterany:1", 10),
        ("afterok:1", 10),
        ("afternotok:1", -1),
        ("after:1", 5),
        ("after:1+1", 60),
        ("afterok:1+1", 70),
        ("afterok:2", -1),
        ("afternotok:2", 20),
        ("afterok:1,afternotok:2", 20),
        ("afterok:1,afterok:2", -1),
        ("afterok:99", 5),
        ("singleton", 20),
    ],
)
def test_each_kind(text: str, start_s: int) -> None:
    """Job 1 completes at 10, job 2 is killed at 20; the third is submitted at 5."""
    assert starts(SHORT, KILLED, LATER, dependencies=["", "", text])[2] == start_s


def test_a_job_that_failed_in_the_trace_ended_badly() -> None:
    """The failed job keeps its run time, and a job that needs its success cannot start."""
    both = ["", "afterok:1", "afternotok:1"]
    rows = (SHORT, LATER, LATER)
    assert starts(*rows, dependencies=both, status=[0, 1, 1]) == [0, -1, 10]
    assert starts(*rows, dependencies=both, status=[1, 1, 1]) == [0, 10, -1]


def test_who_waits_for_a_job_that_can_never_start_sees_its_withdrawal() -> None:
    """Job 2 is withdrawn when job 1 is killed at 20.

    Jobs 3, 4 and 5 wait for the end, the start and the success of job 2.
    """
    texts = ["", "afterok:1", "afterany:2", "after:2", "afterok:2"]
    assert starts(KILLED, *[LATER] * 4, dependencies=texts) == [0, -1, 20, 20, -1]


def test_a_job_begins_no_earlier_than_it_asked() -> None:
    """The wait counts from the begin time."""
    workload = jobs(SHORT, SHORT, begin_after_s=[-1, 7])
    schedule = simulate(workload, 1, "fcfs")
    assert schedule.start_s.tolist() == [0, 10]
    assert schedule.wait_s.tolist() == [0, 3]


def test_no_more_tasks_of_an_array_run_than_may() -> None:
    """Tasks become eligible one by one, in order; a job that is no task passes them."""
    tasks = [(0, 1, 100, 10)] * 5
    columns: dict[str, Any] = {"array": [0, 0, 0, 0, -1], "array_limit": [2, 2, 2, 2, -1]}
    schedule = simulate(jobs(*tasks, **columns), 8, "easy")
    assert schedule.start_s.tolist() == [0, 0, 10, 10, 0]
    assert schedule.wait_s.tolist() == [0, 0, 0, 0, 0]


def test_a_withdrawn_task_leaves_its_place() -> None:
    """Task 2 is eligible and waits for nodes; when it is withdrawn, task 3 becomes eligible."""
    columns: dict[str, Any] = {"array": [0] * 3, "array_limit": [2] * 3}
    columns["cancel_after_s"] = [-1, 4, -1]
    schedule = simulate(jobs((0, 1, 10, 10), (0, 2, 9, 9), (0, 1, 5, 5), **columns), 2, "easy")
    assert schedule.start_s.tolist() == [0, -1, 4]


def test_jobs_that_wait_for_each_other_are_refused() -> None:
    """A job that waits for its namesakes can be part of a cycle too."""
    with pytest.raises(WorkloadError, match="job 1 can never start: its dependencies form a cycle"):
        starts(SHORT, SHORT, dependencies=["after:2", "singleton"], user=[1, 1])
    with pytest.raises(WorkloadError, match="job 1 can never start: its dependencies form a cycle"):
        starts(SHORT, SHORT, dependencies=["after:2", "afterok:1"])


def test_withdrawals_of_one_tick_come_in_the_order_of_their_times() -> None:
    """Job 3 is withdrawn at 1 on its own account, not because job 2 is withdrawn at 2."""
    workload = jobs((0, 1, 1, 1), (0, 1, 9, 9), (0, 1, 9, 9), cancel_after_s=[-1, 2, 1])
    table = {name: workload[name] for name in workload.columns}
    waits_for = Workload(
        table | {"dependencies": [-1, 0, 1]}, labels={"dependencies": ["after:1+1", "afterok:2"]}
    )
    made = simulate(waits_for, 1, "fcfs", tick=7)
    assert made.eligible_s.tolist() == [0, 2, 1]
    assert (made.state[1:] == JobOutcome.CANCELLED).all()


def test_a_job_is_withdrawn_for_the_first_condition_that_fails() -> None:
    """Job 2 is withdrawn at 1, and so is job 4 when it is submitted; job 3 need not wait for it."""
    texts = ["", "afternotok:1", "after:4,afternotok:1", "afterok:2"]
    labels = sorted(set(texts) - {""})
    plain = jobs((0, 1, 1, 1), (0, 1, 1, 1), (0, 1, 1, 1), (2, 1, 1, 1))
    table: dict[str, Any] = {name: plain[name] for name in plain.columns}
    table["dependencies"] = [labels.index(text) if text else -1 for text in texts]
    made = simulate(Workload(table, labels={"dependencies": labels}), 1, "fcfs")
    assert made.eligible_s.tolist() == [0, 1, 1, 2]

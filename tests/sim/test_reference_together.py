"""The plain simulator with shared nodes, licences, calendar, failures and preemption at once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sim.machines import machines

from schedlab.errors import WorkloadError
from schedlab.platform import CapacityStep, Consumable, Failure, Platform
from schedlab.sim import JobOutcome, WhyEnded
from schedlab.testing import ORDERS
from schedlab.testing.reference.calendar import ClosedTime
from schedlab.testing.reference.given import jobs_of
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Machine, NodesAsked, Vector
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.reference.preemption import RULES, PreemptionStep
from schedlab.testing.reference.simulation import ReferenceSimulation
from schedlab.testing.reference.ways import WAYS
from schedlab.testing.strategies import examples
from schedlab.workload import Workload

Site = tuple[Workload, Machine, list[tuple[NodesAsked, ...]]]


@st.composite
def sites(draw: st.DrawFn) -> Site:
    """Return a few jobs that share unlike nodes and licences, with a calendar that ends."""
    drawn: tuple[Workload, tuple[Vector, ...], list[tuple[NodesAsked, ...]]] = draw(machines())
    workload, capacity, demands = drawn
    steps = draw(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 4)), max_size=3))
    times = [sum(gap for gap, _ in steps[: place + 1]) for place in range(len(steps))]
    told = [CapacityStep(at, most) for at, (_, most) in zip(times, steps, strict=True)]
    licences = Consumable("licences", draw(st.integers(0, 4)), (*told, CapacityStep(90, 3)))
    blocks = draw(
        st.lists(
            st.builds(
                ClosedTime,
                st.sampled_from(("outage", "drain", "reservation")),
                st.integers(0, 30),
                st.integers(31, 80),
                st.frozensets(st.integers(0, len(capacity) - 1), min_size=1),
            ),
            max_size=2,
        )
    )
    machine = Machine(capacity, consumables=(licences,), calendar=tuple(blocks))
    amounts = draw(st.lists(st.integers(0, 3), min_size=len(workload), max_size=len(workload)))
    asked = [
        (*demand, machine.some_of("licences", amount)) if amount else demand
        for demand, amount in zip(demands, amounts, strict=True)
    ]
    return workload, machine, asked


def run(
    site: Site,
    way: str,
    order: str = "fcfs",
    settings: list[dict[str, Any]] | None = None,
    failures: tuple[Failure, ...] = (),
    rule: str | None = None,
) -> list[Job]:
    """Return the jobs after they have run."""
    workload, machine, demands = site
    made = jobs_of(workload, Platform.homogeneous(999))
    for job, demand in zip(made, demands, strict=True):
        job.demand = demand
    for job, own in zip(made, settings or [], strict=False):
        for name, value in own.items():
            setattr(job, name, value)
    preemption = PreemptionStep(RULES[rule]()) if rule else None
    sim = ReferenceSimulation(made, machine, 0.3, PREDICTORS["request"](), failures, preemption)
    sim.run(ORDERS[order], WAYS[way](), None)
    return made


settings_of_job = st.fixed_dictionaries(
    {
        "tier": st.integers(0, 2),
        "when_preempted": st.sampled_from(("no", "cancel", "requeue", "suspend")),
        "checkpoint_s": st.sampled_from((0, 5)),
        "requeue": st.booleans(),
    }
)


@pytest.mark.parametrize("way", WAYS)
@examples(40)
@given(
    site=sites(),
    order=st.sampled_from(("fcfs", "sjf", "wfp3")),
    settings=st.lists(settings_of_job, min_size=12, max_size=12),
    failures=st.lists(
        st.builds(Failure, st.just(0), st.integers(0, 40), st.sampled_from((0, 5))), max_size=1
    ),
    rule=st.sampled_from((None, *RULES)),
)
def test_no_node_is_overfull_and_every_job_ends(
    way: str,
    site: Site,
    order: str,
    settings: list[dict[str, Any]],
    failures: list[Failure],
    rule: str | None,
) -> None:
    """Resources suffice at every instant on every node, whatever happens."""
    made = run(site, way, order, settings, tuple(failures), rule)
    _, machine, demands = site
    assert all(job.attempts or job.state is JobOutcome.CANCELLED for job in made)
    attempts = [each for job in made for each in job.attempts]
    for moment in {each.start_s for each in attempts}:
        there = [each for each in attempts if each.start_s <= moment < each.end_s]
        for node, has in enumerate(machine.capacity):
            parts = [
                part
                for each in there
                for part in demands[each.job]
                if node in part.allowed and node in each.nodes
            ]
            shares = [machine.taken(node, part, has, 0) for part in parts]
            used = [sum(share[at] for share in shares) for at in range(len(has))]
            assert all(some <= most for some, most in zip(used, has, strict=True))
        for block in machine.calendar:
            if block.kind == "outage" and block.begin_s <= moment < block.end_s:
                assert all(block.nodes.isdisjoint(each.nodes) for each in there)
    for job in made:
        held_s = sum(each.end_s - each.start_s for each in job.attempts)
        done = bool(job.attempts) and job.attempts[-1].why <= WhyEnded.KILLED
        lost_s = sum(each.lost_s for each in job.attempts)
        assert held_s == lost_s + (min(job.run_s, job.request_s) if done else 0)


@pytest.mark.parametrize("way", ["easy", "conservative"])
@examples(120)
@given(site=sites())
def test_what_is_announced_breaks_no_promise(way: str, site: Site) -> None:
    """With FCFS and requests as limits, heads and promises allow for all that is announced.

    All jobs ask for a licence, so that under EASY there is one head at a time.
    """
    workload, machine, demands = site
    licence = machine.some_of("licences", 1)
    asked = [
        demand if any(part.site_wide for part in demand) else (*demand, licence)
        for demand in demands
    ]
    for job in run((workload, machine, asked), way):
        if job.first_reserved_s >= 0 and job.start_s >= 0:
            assert job.start_s <= job.first_reserved_s


@examples(60)
@given(site=sites(), way=st.sampled_from(sorted(WAYS)), last=st.integers(0, 2))
def test_what_can_never_start_is_refused_before_the_run(site: Site, way: str, last: int) -> None:
    """Either there is an error, or every job ends."""
    workload, machine, demands = site
    (licences,) = machine.consumables
    fewer = Consumable(
        "licences", licences.capacity, (*licences.steps[:-1], CapacityStep(90, last))
    )
    less = Machine(machine.capacity, consumables=(fewer,), calendar=machine.calendar)
    asked = [part.resources[0] for demand in demands for part in demand if part.site_wide]
    most = max(asked, default=0)
    try:
        made = run((workload, less, demands), way)
    except WorkloadError:
        assert most > last
    else:
        assert most <= last
        assert all(job.attempts or job.state is JobOutcome.CANCELLED for job in made)
